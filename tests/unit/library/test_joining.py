"""Members of a cluster: decided by texts, not suggested by keys."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.articles import NEWSROOM, article, edited

import whorl
from whorl import Library
from whorl.errors import UsageError

STUB = 70
NOTICE = (
    "本页由青澜渔港编辑部整理，凡转用其中一字一句者，均须写信征得同意并注明出处；文中所述以港务局当日公布"
    "者为准，如有出入，概不负责。"
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        yield opened


def clusters(library: Library) -> set[frozenset[str]]:
    return {frozenset(library.cluster(cluster.id).documents) for cluster in library.clusters()}


def stubs(numbers: Iterable[int]) -> list[dict[str, str]]:
    """Return articles that consist of one notice by nearly half."""
    return [{"id": f"stub {number}", "text": f"{article(number, STUB)}\n{NOTICE}"} for number in numbers]


def test_articles_that_compare_calls_copied_are_together(library: Library) -> None:
    """Homophones in every line leave no run of characters unchanged; two warnings from one template are different."""
    lines = (NEWSROOM / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    library.add([{"id": name, "text": text} for name, text in texts.items()])
    together = [frozenset(pair) for pair in (("nr-063", "nr-030"), ("nr-070", "nr-081"), ("nr-009", "nr-044"))]
    together += [frozenset(pair) for pair in (("nr-034", "nr-032"), ("nr-061", "nr-016"))]
    assert all(any(pair <= cluster for cluster in clusters(library)) for pair in together)
    assert not any({"nr-033", "nr-065"} <= cluster for cluster in clusters(library))


def test_a_short_text_with_homophones_is_found(library: Library) -> None:
    text = (
        "市气象台今天上午发布消息，受冷空气影响，未来三天全市气温将下降八度左右，请市民及时添加衣"
        "物，注意防寒保暖，农业部门要做好大棚蔬菜的防冻工作。"
    )
    copy = text.replace("上午", "尚武").replace("消息", "销息").replace("影响", "影想").replace("气温", "汽温")
    copy = copy.replace("左右", "左又").replace("及时", "急时").replace("蔬菜", "疏菜")
    assert sum(a != b for a, b in zip(text, copy, strict=True)) >= 7
    library.add({"id": "a", "text": text})
    report = library.add({"id": "b", "text": copy})
    assert [(match.id, match.joins) for match in report.matches] == [("a", True)]


@pytest.mark.parametrize("at_once", [1, 5, 40])
def test_a_notice_holds_no_cluster_together(tmp_path: Path, at_once: int) -> None:
    """Whenever it is learned: matches by it alone are removed, and it joins no cluster."""
    documents = stubs(range(40))
    with whorl.open(tmp_path / "library", similarity=0.4) as library:
        assert library.add(documents[:2])[1].matches
        for start in range(0, len(documents), at_once):
            library.add(documents[start : start + at_once])
        assert clusters(library) == set()
        assert any(notice.startswith(NOTICE[:20]) for notice in library.notices())
        assert all(library.matches(document["id"]) == () for document in documents)


def test_what_a_notice_kept_apart_joins(library: Library) -> None:
    """Without a notice that is learned later, a larger share of an article is in another one."""
    library.add({"id": "excerpt", "text": f"{article(100, 60)}\n{NOTICE}"})
    report = library.add({"id": "whole", "text": f"{article(100, 60)}\n{article(101, 160)}"})
    assert [(match.id, match.joins) for match in report.matches] == [("excerpt", False)]
    library.add(stubs(range(20)))
    assert [(match.id, match.joins) for match in library.matches("whole")] == [("excerpt", True)]
    assert clusters(library) == {frozenset({"excerpt", "whole"})}
    assert library.verify().faults == ()


@pytest.mark.parametrize(("seed", "at_once"), [(0, 5), (1, 30), (11, 1)])
def test_matches_and_clusters_agree_whatever_is_learned(library: Library, seed: int, at_once: int) -> None:
    """Articles composed of a few parts and notices, most of which become boilerplate on the way."""
    chance = random.Random(seed)
    parts = [article(number, chance.randrange(30, 160)) for number in range(8)]
    notices = [article(900 + number, chance.randrange(40, 90)) for number in range(3)]
    documents = []
    for number in range(90):
        value = article(5000 + number, chance.randrange(20, 60))
        body = [value, *chance.sample(parts, chance.randrange(3)), *chance.sample(notices, chance.randrange(2))]
        chance.shuffle(body)
        documents.append({"id": f"{number}", "text": "\n".join(body)})
    for start in range(0, len(documents), at_once):
        library.add(documents[start : start + at_once])
    assert len(library.notices()) >= 3
    assert library.verify().faults == ()


def test_copies_are_found_beside_a_notice(library: Library) -> None:
    library.add(stubs(range(20)))
    library.add({"id": "long", "text": f"{article(100)}\n{NOTICE}"})
    report = library.add({"id": "copy", "text": f"{NOTICE}\n{edited(article(100), 4)}"})
    assert [(match.id, match.joins) for match in report.matches] == [("long", True)]
    assert clusters(library) == {frozenset({"long", "copy"})}


def test_who_reads_beside_knows_what_was_learned(library: Library, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as beside:
        assert len(beside.check(NOTICE).matches) == 0
        library.add(stubs(range(20)))
        assert beside.check(f"{article(50, STUB)}\n{NOTICE}").matches == ()
        assert beside.notices() == library.notices() != []
    assert library.stats()["notices"] == len(library.notices())


def test_a_reprinted_article_is_no_notice(library: Library) -> None:
    reprints = [{"id": f"{number}", "text": edited(article(1), number % 5, number)} for number in range(30)]
    for document in reprints:
        library.add(document)
    assert library.notices() == []
    assert clusters(library) == {frozenset(document["id"] for document in reprints)}


def test_clusters_do_not_depend_on_the_order(tmp_path: Path) -> None:
    documents = stubs(range(12)) + [{"id": f"copy {number}", "text": article(number, 400)} for number in (60, 61)]
    documents += [{"id": f"again {number}", "text": f"{NOTICE}\n{article(number, 400)}"} for number in (60, 61)]
    counts = defaultdict(int)
    for turn, order in enumerate((documents, documents[::-1], documents[::2] + documents[1::2])):
        with whorl.open(tmp_path / f"{turn}") as opened:
            for document in order:
                opened.add(document)
            counts[frozenset(clusters(opened))] += 1
    assert list(counts) == [frozenset({frozenset({f"copy {n}", f"again {n}"}) for n in (60, 61)})]


def test_an_excerpt_is_looked_up_wherever_it_was_cut_out(tmp_path: Path) -> None:
    """The granules of an article begin at every 25th character; a third of these excerpts share none of them."""
    wholes = {f"{number}": article(number, 1000) for number in range(20)}
    with whorl.open(tmp_path / "novels", "pinyin") as novels:
        novels.add([{"id": name, "text": text} for name, text in wholes.items()])
        for number, (name, text) in enumerate(wholes.items()):
            (match,) = novels.check(text[313 + number : 433 + number]).matches
            assert (match.id, match.relation, match.direction) == (name, "excerpt", "b")
        assert novels.check(article(99, 120)).matches == ()
        excerpt = wholes["7"][333:453]
        assert novels.check(excerpt).matches == novels.add({"id": "excerpt", "text": excerpt}).matches


def test_matches_that_were_lost_are_found_again(tmp_path: Path) -> None:
    """As if they had been added with the index of another library."""
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": f"{number}", "text": edited(article(number % 10), number // 10)} for number in range(30)])
        whole = clusters(library)
    with closing(sqlite3.connect(tmp_path / "library" / "library.sqlite")) as connection, connection:
        connection.execute("DELETE FROM pair WHERE low % 2 = 0")
        connection.execute("UPDATE content SET cluster = 1000 + number WHERE number % 2 = 0")
    with whorl.open(tmp_path / "library") as library:
        assert clusters(library) != whole
        integrity = library.verify(repair=True)
        assert (integrity.faults, integrity.repaired > 0) == ((), True)
        assert clusters(library) == whole
        assert library.verify(repair=True).repaired == 0


def test_clusters_that_matches_join_are_put_together_again(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": f"{number}", "text": edited(article(number % 10), number // 10)} for number in range(30)])
        whole = clusters(library)
    with closing(sqlite3.connect(tmp_path / "library" / "library.sqlite")) as connection, connection:
        connection.execute("UPDATE content SET cluster = 1000 + number WHERE number % 2 = 0")
    with whorl.open(tmp_path / "library") as library:
        assert library.verify(repair=True).faults != ()
        assert library.verify().faults == ()
        assert clusters(library) == whole


def test_without_texts_nothing_is_found_again(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", texts=False) as library, pytest.raises(UsageError, match="without texts"):
        library.verify(repair=True)
