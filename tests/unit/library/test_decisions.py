"""Clusters respect decisions, whatever happens to the documents, in any order."""

import random
from pathlib import Path

import pytest

import whorl
from whorl.errors import UsageError
from whorl.library import Library

SENTENCES = [
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。",
    "市图书馆把闭馆时间推迟到夜里十点，附近的中学生放学以后常来这里写作业。",
    "老城的三条公交线路下月起改道，绕开正在维修的石桥，早晚高峰各加开四班车。",
    "山里的茶农开始用小型无人机运送鲜叶，从茶园到厂房只要七分钟，比过去快得多。",
    "气象台预报周末有一次明显的降温过程，北部山区可能出现霜冻，请农户提前防范。",
]


def article(*sentences: int) -> str:
    return "".join(SENTENCES[number] for number in sentences)


def partition(library: Library) -> set[frozenset[str]]:
    return {frozenset(library.cluster(size.id).documents) for size in library.clusters(at_least=1)}


def groups(*value: str) -> set[frozenset[str]]:
    return {frozenset(group.split()) for group in value}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Return a library of two copies, one text that shares a third with them, and an unrelated text."""
    library = whorl.open(tmp_path / "library")
    library.add(
        [
            {"id": "a", "text": article(0, 1, 2)},
            {"id": "b", "text": article(0, 1, 2) + "完。"},
            {"id": "part", "text": article(2, 3, 4)},
            {"id": "stranger", "text": "今天天气很好，适合出门散步，公园里人来人往。"},
        ]
    )
    assert partition(library) == groups("a b", "part", "stranger")
    return library


def test_a_rejected_match_joins_no_longer_until_that_is_taken_back(library: Library) -> None:
    before = library.report("a").cluster_id
    library.review("a", "b", "rejected", by="editor")
    assert partition(library) == groups("a", "b", "part", "stranger")
    assert library.report("a").cluster_id == before
    assert not next(match for match in library.matches("b") if match.id == "a").joins
    library.reviews.undo("a", "b", by="chief")
    assert partition(library) == groups("a b", "part", "stranger")
    assert next(match for match in library.matches("b") if match.id == "a").joins


def test_a_confirmed_match_joins_what_shares_too_little(library: Library) -> None:
    library.review("part", "a", "confirmed")
    assert partition(library) == groups("a b part", "stranger")
    assert next(match for match in library.matches("part") if match.id == "a").joins
    library.review("part", "a", "authorised")
    assert partition(library) == groups("a b", "part", "stranger")


def test_even_documents_that_share_nothing_can_be_joined(library: Library) -> None:
    library.review("stranger", "a", "confirmed")
    assert partition(library) == groups("a b stranger", "part")
    cluster = library.report("a").cluster_id
    assert cluster is not None
    assert {traced.document.id for traced in library.trace(cluster)} == {"a", "b", "stranger"}
    library.remove("stranger")
    assert partition(library) == groups("a b", "part")


def test_a_decision_holds_for_documents_that_say_the_same(library: Library) -> None:
    library.add({"id": "a-again", "text": article(0, 1, 2)})
    library.review("a", "b", "rejected")
    assert partition(library) == groups("a a-again", "b", "part", "stranger")
    library.review("a-again", "b", "confirmed")  # later
    assert partition(library) == groups("a a-again b", "part", "stranger")
    library.remove("a-again")
    assert partition(library) == groups("a", "b", "part", "stranger")


def test_a_decision_goes_with_a_document_that_is_revised(library: Library) -> None:
    library.review("a", "b", "rejected")
    library.add({"id": "a", "text": article(0, 1, 2) + "本报讯。"})
    assert partition(library) == groups("a", "b", "part", "stranger")
    library.add({"id": "stranger", "text": article(0, 1, 2)})
    assert frozenset({"b", "stranger"}) <= max(partition(library), key=len)


def test_a_document_brings_what_was_decided_about_it_to_those_that_say_the_same(library: Library) -> None:
    weather = library.get("stranger")
    assert weather is not None
    library.review("stranger", "b", "rejected")
    library.review("stranger", "part", "confirmed")
    assert partition(library) == groups("a b", "part stranger")
    library.add({"id": "stranger", "text": article(0, 1, 2)})
    assert partition(library) == groups("a stranger part", "b")
    library.add({"id": "stranger", "text": weather.text})
    assert partition(library) == groups("a b", "part stranger")
    library.add({"id": "stranger", "text": article(0, 1, 2)})
    library.remove("stranger")
    assert partition(library) == groups("a b", "part")


def test_what_rejoined_texts_connect_stays_connected(library: Library) -> None:
    library.add({"id": "c", "text": article(0, 1, 2) + "又讯。"})
    library.review("a", "b", "rejected")
    assert partition(library) == groups("a b c", "part", "stranger")
    library.review("a", "c", "rejected")
    assert partition(library) == groups("a", "b c", "part", "stranger")


def test_a_joined_document_may_be_revised_within_a_window(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", window="30d") as library:
        ends = ("", "完。", "本报讯。")
        library.add([{"id": name, "text": article(0, 1, 2) + end} for name, end in zip("abc", ends, strict=True)])
        library.add({"id": "stranger", "text": article(4)})
        library.review("stranger", "b", "confirmed")
        assert partition(library) == groups("a b c stranger")
        library.add({"id": "b", "text": article(3)})
        assert partition(library) == groups("a c", "b stranger")


def test_several_must_agree_where_that_is_asked(library: Library) -> None:
    assert library.review("a", "b", "rejected", by="one", reviewers=2).state == "pending"
    assert library.review("a", "b", "rejected", by="one", reviewers=2).state == "pending"
    assert library.review("a", "b", "confirmed", by="two", reviewers=2).state == "pending"
    assert partition(library) == groups("a b", "part", "stranger")
    assert library.review("a", "b", "rejected", by="two", reviewers=2).state == "rejected"
    assert partition(library) == groups("a", "b", "part", "stranger")
    assert library.reviews.undo("a", "b", by="two", reviewers=2).state == "pending"
    assert partition(library) == groups("a b", "part", "stranger")
    with pytest.raises(UsageError, match="no reviewer is named"):
        library.review("a", "b", "rejected", reviewers=2)


def test_what_counts_follows_the_number_of_reviewers(library: Library) -> None:
    library.review("a", "b", "rejected", by="one")
    library.review("part", "a", "confirmed", by="one")
    library.review("part", "a", "confirmed", by="two")
    before = partition(library)
    assert library.reviews.recount(2) == 1
    assert library.reviews.now("a", "b").state == "pending"
    assert library.reviews.now("part", "a").state == "confirmed"
    assert partition(library) == groups("a b part", "stranger")
    assert library.reviews.recount(2) == 0
    assert library.reviews.recount(1) == 1
    assert partition(library) == before
    with pytest.raises(UsageError, match="reviewers"):
        library.reviews.recount(0)


def test_decisions_come_back_from_an_export(library: Library, tmp_path: Path) -> None:
    library.add({"id": "a-again", "text": article(0, 1, 2)})
    library.review("a", "b", "rejected")
    library.review("part", "a", "confirmed")
    from whorl.tasks.library.maintenance import export

    export(library, tmp_path / "all.jsonl")
    with whorl.open(tmp_path / "another") as another:
        whorl.library.add_files(another, tmp_path / "all.jsonl")
        assert partition(another) == partition(library)


def test_a_text_that_is_checked_joins_its_own_cluster(library: Library) -> None:
    library.review("a", "b", "rejected")
    value = library.report("b").cluster_id
    assert library.check(article(0, 1, 2) + "完。").cluster_id == value


@pytest.mark.parametrize("seed", range(12))
def test_clusters_depend_on_what_is_known_and_not_on_how_it_came(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    # Only neighbors are copies, so that each decision matters.
    texts = [article(place, (place + 1) % 5, (place + 2) % 5) for place in range(5)]
    ids = [f"d{number}" for number in range(8)]
    now: dict[str, str] = {}
    decisions: list[tuple[str, str, str]] = []
    with whorl.open(tmp_path / "lived") as lived:
        for _ in range(60):
            id, other = chance.sample(ids, 2)
            if chance.random() < 0.55 or id not in now or other not in now:
                now[id] = chance.choice(texts)
                lived.add({"id": id, "text": now[id]})
            elif chance.random() < 0.25:
                lived.remove(id)
                del now[id]
                decisions = [decision for decision in decisions if id not in decision[:2]]
            else:
                state = chance.choice(["confirmed", "rejected", "authorised", "pending"])
                lived.review(id, other, state)
                decisions.append((id, other, state))
        with whorl.open(tmp_path / "fresh") as fresh:
            order = list(now.items())
            chance.shuffle(order)
            half = len(order) // 2
            fresh.add([{"id": id, "text": text} for id, text in order[:half]])
            fresh.add([{"id": id, "text": text} for id, text in order[half:]])
            for id, other, state in decisions:
                fresh.review(id, other, state)
            assert partition(lived) == partition(fresh)
