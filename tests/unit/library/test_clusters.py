"""Clusters always follow from their pairs, through additions and removals."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import connect
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.articles import article
from tests.rounds import rounds

import whorl
from whorl.library.clusters.algebra import ClusterForest, parts

PAIRS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=20)
BLOCKS = [article(number, 60) for number in range(6)]


def slow_parts(members: list[int], pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Relabel until nothing changes."""
    label = {member: member for member in members}
    for _ in members:
        for a, b in pairs:
            label[a] = label[b] = min(label[a], label[b])
    groups = [[member for member in members if label[member] == minimum] for minimum in sorted(set(label.values()))]
    return [sorted(group) for group in groups]


@given(st.sets(st.integers(1, 12)), PAIRS)
def test_parts_equal_relabelling(members: set[int], pairs: list[tuple[int, int]]) -> None:
    within = [(a, b) for a, b in pairs if a in members and b in members]
    assert parts(sorted(members), within) == slow_parts(sorted(members), within)


def test_the_oldest_stays() -> None:
    joining = ClusterForest()
    assert joining.join([]) is None
    assert joining.join([7]) == 7
    assert joining.joined() == {}
    assert joining.join([9, 5, 9]) == 5
    assert joining.join([9, 3]) == 3
    assert [joining.now(cluster) for cluster in (3, 5, 7, 9)] == [3, 3, 7, 3]
    assert joining.joined() == {5: 3, 9: 3}


BLOCK_SETS = st.sets(st.integers(0, 5), min_size=1, max_size=3)
CALLS = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), BLOCK_SETS | st.none(), min_size=1, max_size=6), max_size=8
)


@settings(max_examples=rounds(40))
@given(CALLS)
@example([{"x": {0}, "y": {1}, "bridge": {0, 1}}, {"bridge": {2}, "y2": {1}, "y3": {1, 3}}])
def test_a_library_has_the_clusters_of_its_pairs(calls: list[dict[str, set[int] | None]]) -> None:
    """Documents of shared blocks are added, changed and removed, several in one call; no id is reused."""
    with TemporaryDirectory() as folder, whorl.open(Path(folder) / "library") as library:
        kept: dict[str, str] = {}
        for call in calls:
            before = {name: library.matches(name) for name in kept}
            assert before.keys() == kept.keys()
            removed_names = [name for name, blocks in call.items() if blocks is None]
            for name in removed_names:
                assert library.remove(name) == (kept.pop(name, None) is not None)
            adds = {name: "".join(BLOCKS[block] for block in sorted(blocks)) for name, blocks in call.items() if blocks}
            library.add([{"id": name, "text": text} for name, text in adds.items()])
            kept |= adds
            _check(library, kept)
        assert library.verify().faults == ()


def test_verify_finds_clusters_that_differ_from_their_pairs_and_repair_mends_them(tmp_path: Path) -> None:
    texts = {"a": BLOCKS[0], "a2": BLOCKS[0] + BLOCKS[3], "b": BLOCKS[1], "b2": BLOCKS[1] + BLOCKS[4]}
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": name, "text": text} for name, text in texts.items()])
        right = library.clusters_of(sorted(texts))
        assert len(set(right.values())) == 2
    for damage in ("cluster = 1", "cluster = number"):
        with connect(tmp_path / "library" / "library.sqlite") as truth:
            truth.execute(f"UPDATE content SET {damage}")
        with whorl.open(tmp_path / "library") as library:
            assert len(library.verify(repair=True).faults) == 1
            assert library.verify().faults == ()
            now = library.clusters_of(sorted(texts))
            assert now["a"] == now["a2"] != now["b"] == now["b2"]


def _check(library: whorl.Library, kept: dict[str, str]) -> None:
    names = sorted(kept)
    numbers = {name: number for number, name in enumerate(names)}
    pairs = []
    for name in names:
        matches = library.matches(name)
        assert {match.id for match in matches} == {
            other for other in names if other != name and _share(kept[name], kept[other])
        }
        pairs += [(numbers[name], numbers[match.id]) for match in matches if match.joins]
    expected = {frozenset(names[number] for number in part) for part in slow_parts(list(range(len(names))), pairs)}
    clusters = [library.cluster(cluster.id) for cluster in library.clusters(at_least=1)]
    assert {frozenset(cluster.documents) for cluster in clusters} == expected
    aliases = [alias for cluster in clusters for alias in cluster.aliases]
    assert len({*aliases, *(cluster.id for cluster in clusters)}) == len(aliases) + len(clusters)


ONES = st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=3) | st.integers(0, 9), max_size=14)


@settings(max_examples=rounds(15))
@given(ONES)
def test_an_alias_follows_the_oldest_member_of_the_cluster_that_bore_it(steps: list[set[int] | int]) -> None:
    """Documents are added one by one, and one is removed; a model records the clusters."""
    with TemporaryDirectory() as folder, whorl.open(Path(folder) / "library") as library:
        texts: dict[str, str] = {}
        ages: dict[str, int] = {}
        bore: dict[int, set[tuple[int, str]]] = {}
        for age, step in enumerate(steps):
            if isinstance(step, set):
                name, text = f"{age}", "".join(BLOCKS[block] for block in sorted(step))
                ages.setdefault(text, age)
                texts[name] = text
                library.add({"id": name, "text": text})
            elif step < len(texts):
                removed_text = sorted(texts)[step]
                library.remove(removed_text)
                text = texts.pop(removed_text)
                if text not in texts.values():
                    del ages[text]
            now = {size.id: set(library.cluster(size.id).documents) for size in library.clusters(at_least=1)}
            bore |= {id_: {(ages[texts[name]], texts[name]) for name in names} for id_, names in now.items()}
            for id_ in bore.keys() - now.keys():
                remaining = [text for age, text in sorted(bore[id_]) if ages.get(text) == age]
                if remaining:
                    oldest = {name for name, text in texts.items() if text == remaining[0]}
                    assert oldest <= set(library.cluster(id_).documents)


def test_an_alias_leads_to_its_own_member_after_a_split(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": "a", "text": "".join(BLOCKS[:3])}, {"id": "b", "text": "".join(BLOCKS[2:5])}])
        library.add({"id": "bridge", "text": "".join(BLOCKS[1:4])})
        assert library.cluster(2).documents == ("a", "b", "bridge")
        library.remove("bridge")
        assert library.cluster(1).documents == ("a",)
        assert library.cluster(2).documents == ("b",)


def _share(a: str, b: str) -> bool:
    return any(block in a and block in b for block in BLOCKS)
