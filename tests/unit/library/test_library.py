"""The behavior that users of a library rely on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.articles import article, edited

import whorl
from whorl import Document, Library
from whorl.errors import InputError, UsageError
from whorl.library import exists
from whorl.types.library import Sighting


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        yield opened


def row(id_: str, text: str, **others: Any) -> dict[str, Any]:
    return {"id": id_, "text": text, **others}


def ids(report: whorl.types.library.Report) -> list[str]:
    return [match.id for match in report.matches]


def test_a_copy_is_told_at_once_and_joins_the_cluster(library: Library) -> None:
    first = library.add(row("a", article(1)))
    assert (first.state, first.matches, first.cluster_id, first.revision) == ("new", (), 1, 1)
    second = library.add(row("b", edited(article(1), 2)))
    (match,) = second.matches
    assert (match.id, match.joins, second.cluster_id) == ("a", True, 1)
    assert 0.7 < match.similarity < 1
    assert library.add(row("c", article(2))).cluster_id == 2
    assert library.cluster(1).documents == ("a", "b")
    assert [(cluster.id, cluster.size) for cluster in library.clusters()] == [(1, 2)]


def test_checking_tells_the_same_and_keeps_nothing(library: Library) -> None:
    library.add([row("a", article(1)), row("b", article(1, 100))])
    copy = edited(article(1), 3)
    checked = library.check(copy)
    assert (checked.id, checked.state, len(library)) == (None, "checked", 2)
    added = library.add(row("c", copy))
    assert checked.matches == added.matches
    assert (checked.cluster_id, checked.keys, checked.cut) == (added.cluster_id, added.keys, added.cut)
    assert library.check(article(9)).matches == ()
    assert library.check(article(9)).cluster_id is None


def test_a_match_says_what_was_changed(library: Library) -> None:
    original = f"{article(1)}老船长说，从前等冰要等到半夜，鱼都困了。\n责任编辑：何永年"
    library.add(row("a", original))
    copy = original.replace("半夜", "办夜").replace("何永年", "周敏")
    for report in (library.check(copy), library.add(row("b", copy))):
        (match,) = report.matches
        assert match.changes == whorl.compare(original, copy).changes
        assert match.changes is not None
        assert (match.relation, match.changes.homophones, match.changes.byline) == ("near_duplicate", 1, True)
    output = library.check(copy).to_dict()["matches"][0]["changes"]
    assert (output["byline"], output["homophones"]) == (False, 0)


def test_a_library_without_texts_knows_no_changes(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", texts=False) as library:
        library.add(row("a", article(1)))
        (match,) = library.check(article(1)).matches
        assert match.changes is None


def test_an_excerpt_is_contained_and_matches_are_ordered_best_first(library: Library) -> None:
    whole = article(1, 400)
    library.add([row("part", whole[30:160]), row("near", edited(whole, 12)), row("same", whole)])
    report = library.check(whole)
    assert ids(report) == ["same", "near", "part"]
    part = report.matches[2]
    assert (part.relation, part.direction, part.joins) == ("excerpt", "a", True)
    assert part.other_in_this == whorl.compare(whole[30:160], whole).copied[0] > 0.9
    assert part.this_in_other < 0.4
    (same, *_) = report.matches
    assert (same.similarity, same.relation) == (1.0, "exact")


@pytest.mark.parametrize(("length", "run"), [(100, 25), (900, 45)])
def test_a_run_of_the_stated_length_is_found(library: Library, length: int, run: int) -> None:
    source = article(1, 2000).replace("。", "")
    library.add(row("source", source))
    for number in range(2, 40):
        value = article(number, length).replace("。", "")
        start = 37 * number
        text = value[: length // 3] + source[start : start + run] + value[length // 3 :]
        (match,) = library.check(text).matches
        assert match.id == "source"
        passage = match.passages[0]
        assert (passage.a_start, passage.a_end) == (start, start + run)
        assert text[passage.b_start : passage.b_end] == source[start : start + run]


def test_documents_of_one_call_find_each_other(library: Library) -> None:
    reports = library.add([row("a", article(1)), row("b", article(1)), row("c", edited(article(1), 1))])
    assert [set(ids(report)) for report in reports] == [{"b", "c"}, {"a", "c"}, {"a", "b"}]
    assert {report.cluster_id for report in reports} == {1}


def test_documents_of_threads_find_each_other(library: Library) -> None:
    reports: dict[str, Any] = {}

    def add(name: str) -> None:
        reports[name] = library.add(row(name, edited(article(1), 2, seed=ord(name))))

    threads = [Thread(target=add, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = {name: set(ids(report)) for name, report in reports.items()}
    assert all(a == b or b in result[a] or a in result[b] for a, b in product(result, result))
    assert library.cluster(1).size == 8


def test_adding_again_changes_nothing(library: Library) -> None:
    first = library.add(row("a", article(1), title="甲", url="https://example.org/1"))
    before = library.stats()
    again = library.add(row("a", article(1), title="甲", url="https://example.org/1"))
    assert (again.state, again.cluster_id, again.revision) == ("known", first.cluster_id, 1)
    after = library.stats()
    assert {name: after[name] for name in before if name != "index"} == {
        name: before[name] for name in before if name != "index"
    }


def test_statistics_count_the_clusters_that_are_listed(library: Library) -> None:
    library.add([row("a", article(1)), row("b", edited(article(1), 2)), row("c", article(2)), row("d", article(2))])
    library.add([row("e", article(3))])
    assert (library.stats()["clusters"], len(library.clusters())) == (2, 2)


def test_what_is_told_of_a_known_document_is_kept(library: Library) -> None:
    library.add(row("a", article(1), title="甲", source="甲报", first_seen_at="2026-01-01", views=7))
    library.add(row("a", article(1), title="乙", author="王", url="https://example.org/2", first_seen_at="2026-01-03"))
    kept = library.get("a")
    assert kept is not None
    assert (kept.title, kept.source, kept.author, kept.metadata) == ("乙", "甲报", "王", {"views": 7})
    assert kept.first_seen_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert library.sightings("a") == [
        Sighting("https://example.org/2", datetime(2026, 1, 1, tzinfo=UTC)),
        Sighting("https://example.org/2", datetime(2026, 1, 3, tzinfo=UTC)),
    ]


def test_another_text_under_a_known_id_is_a_revision(library: Library) -> None:
    library.add([row("a", article(1)), row("b", article(1)), row("c", article(2))])
    revised = library.add(row("b", article(2), title="新"))
    assert (revised.state, revised.revision, ids(revised)) == ("revised", 2, ["c"])
    assert revised.cluster_id == library.check(article(2)).cluster_id == 2
    assert library.matches("a") == ()
    now, before = library.get("b"), library.get("b", revision=1)
    assert now is not None
    assert before is not None
    assert (now.text, now.revision, before.text, before.revision) == (article(2), 2, article(1), 1)
    assert library.get("b", revision=3) is None


def test_a_document_comes_back_as_it_was_given(library: Library) -> None:
    value = Document(
        id="引号 ' \" 换行 \n 表情 🗞",
        text="正文\r\n\u200b𠮷 \ud800 Text",
        title="标题",
        url="https://example.org/?a=b&c='",
        source="报",
        author="人",
        published_at=datetime(2019, 12, 20, 8, 30, tzinfo=UTC),
        published_precision="minute",
        published_zone="Asia/Shanghai",
        published_original="2019年12月20日16:30",
        first_seen_at=datetime(2026, 1, 1, tzinfo=UTC),
        metadata={"栏目": ["体育", None, 1.5]},
        links=("https://example.org/b", "https://example.org/a"),
    )
    library.add(value)
    assert library.get(value.id) == value
    assert value.id in library
    assert list(library) == [value.id]
    assert library.get("?") is None


def test_dates_may_be_chinese_or_days(library: Library) -> None:
    library.add([row("a", "x", published_at="2019年12月20日 8时"), row("b", "y", published_at=date(2019, 12, 20))])
    times = [getattr(library.get(name), "published_at", None) for name in "ab"]
    assert times == [datetime(2019, 12, 20, 8, tzinfo=UTC), datetime(2019, 12, 20, tzinfo=UTC)]


def test_a_bridge_merges_under_the_older_and_its_removal_splits_again(library: Library) -> None:
    blocks = [article(number, 80) for number in range(5)]
    first, second = "".join(blocks[:3]), "".join(blocks[2:])
    library.add([row("a", first), row("b", second), row("c", article(7))])
    bridge = library.add(row("bridge", "".join(blocks[1:4])))
    assert bridge.cluster_id == 1
    assert library.cluster(2) == library.cluster(1)
    assert library.cluster(1).aliases == (2,)
    assert library.cluster(1).documents == ("a", "b", "bridge")
    assert library.remove("bridge") == 1
    assert library.cluster(1).documents == ("a",)
    assert library.cluster(4).documents == ("b",)
    assert library.check(second).cluster_id == 4
    assert library.remove(["bridge", "c"]) == 1
    with pytest.raises(UsageError, match="cluster 3 not found"):
        library.cluster(3)


def test_texts_without_features_equal_nothing(library: Library) -> None:
    reports = library.add([row("a", ""), row("b", "。！？"), row("c", " \n"), row("d", "")])
    assert [(report.matches, report.cluster_id) for report in reports] == [((), number) for number in (1, 2, 3, 4)]
    assert library.check("").matches == ()


def test_many_copies_cost_no_squares_and_are_counted(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", most=5, most_documents=20) as library:
        reports = library.add([row(f"{number}", article(1)) for number in range(300)])
        assert {report.cluster_id for report in reports} == {1}
        assert ids(reports[299]) == ["0", "1", "2", "3", "4"]
        assert reports[299].unlisted == 294
        assert library.stats()["index"]["documents"] == 1
        result = library.check(edited(article(1), 1))
        assert (len(result.matches), result.unlisted) == (5, 295)


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize("at_once", [1, 7, 300])
def test_an_article_is_found_however_often_it_was_copied(tmp_path: Path, at_once: int, texts: bool) -> None:
    original = article(1)
    copies = [row(f"{place}", f"{original[:place]}编者按{place}：{original[place:]}") for place in range(1, 101)]
    with whorl.open(tmp_path / "library", most_documents=20, texts=texts) as library:
        library.add(row("stranger", article(2)))
        for start in range(0, len(copies), at_once):
            library.add(copies[start : start + at_once])
        assert {cluster.size for cluster in library.clusters()} == {len(copies)}
        report = library.check(original)
        assert report.cut > report.keys / 2
        assert "1" in ids(report)
        assert len(report.matches) == library.rules.most
        assert library.check(article(2) + article(3)).matches[0].id == "stranger"


def test_reviews_stay_with_a_match(library: Library) -> None:
    library.add([row("a", article(1)), row("b", article(1))])
    assert library.matches("a")[0].review.state == "pending"
    library.review("b", "a", "rejected", by="编辑", note="授权转载")
    review = library.matches("a")[0].review
    assert (review.state, review.by, review.note, review.at is not None) == ("rejected", "编辑", "授权转载", True)
    with pytest.raises(UsageError, match="choose one of: pending, confirmed, rejected"):
        library.review("a", "b", "maybe")


def test_a_library_opens_as_it_was(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([row(f"{number}", article(number)) for number in range(30)])
        library.remove("7")
        matches = library.add(row("copy", edited(article(3), 2))).matches
    with whorl.open(tmp_path / "library") as library:
        assert len(library) == 30
        assert library.matches("copy") == matches
        assert library.check(article(7)).matches == ()
        assert ids(library.check(article(8))) == ["8"]


def test_other_recipes_and_rules_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "library"
    whorl.open(place, containment=0.9).close()
    whorl.open(place).close()
    whorl.open(place, containment=0.9).close()
    with pytest.raises(UsageError, match="another recipe"):
        whorl.open(place, "news")
    with pytest.raises(UsageError, match="another recipe"):
        whorl.open(place, containment=0.8)
    with pytest.raises(UsageError, match="unknown rule 'contain'"):
        whorl.open(tmp_path / "other", contain=0.8)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no library"):
        whorl.open(tmp_path / "missing", create=False)
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="other files"):
        whorl.open(tmp_path)
    with pytest.raises(UsageError, match="is a file"):
        whorl.open(tmp_path / "notes.txt")
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "library.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match="damaged"):
        whorl.open(tmp_path / "fake")
    with pytest.raises(UsageError, match="unknown store 'gopher:'"):
        whorl.open("gopher:library")


@pytest.mark.parametrize(
    "value",
    [
        {"id": "a"},
        {"text": "a"},
        {"id": 1, "text": "a"},
        {"id": "", "text": "a"},
        {"id": "a", "text": b"a"},
        {"id": "a\0", "text": "a"},
        {"id": "\ud800", "text": "a"},
        {"id": "a", "text": "a", "published_at": "yesterday"},
        {"id": "a", "text": "a", "published_at": 5},
        {"id": "a", "text": "a", "metadata": {"x": object()}},
        {"id": "a", "text": "a", "links": "https://example.org"},
        7,
    ],
)
def test_what_is_no_document_is_refused_and_nothing_kept(library: Library, value: Any) -> None:
    with pytest.raises(InputError):
        library.add([row("good", article(1)), value])
    assert len(library) == 0


@pytest.mark.parametrize("recipe", ["news", "corpus", "baidu3", "short", "novel"])
def test_every_way_to_make_keys_serves(tmp_path: Path, recipe: str) -> None:
    with whorl.open(tmp_path / "library", recipe) as library:
        texts = ["渔港的冰厂今年添了新机器，渔民卸鱼方便，码头上的人都说价钱公道，明年还要再添一台。" * 3, article(2)]
        library.add([row(f"{number}", text) for number, text in enumerate(texts)])
        assert ids(library.check(texts[0])) == ["0"]


def test_without_texts_figures_are_estimated(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", texts=False) as library:
        library.add([row("a", article(1, 400)), row("b", article(2, 400))])
        report = library.check(edited(article(1, 400), 4))
        (match,) = report.matches
        assert (match.id, match.passages) == ("a", ())
        assert 0.6 < match.similarity < 1
        assert getattr(library.get("a"), "text", None) == ""
        assert library.add(row("a", article(1, 400))).state == "known"
    with whorl.open(tmp_path / "library") as library:
        assert ids(library.check(article(1, 400))) == ["a"]
    with pytest.raises(UsageError, match="cannot be estimated"):
        whorl.open(tmp_path / "other", "nshash", texts=False)


@pytest.mark.parametrize("method", ["minhash", "simhash", "corpus"])
def test_without_texts_figures_are_estimated_from_codes(tmp_path: Path, method: str) -> None:
    with whorl.open(tmp_path / "library", method, texts=False) as library:
        library.add([row("a", article(1, 900)), row("b", article(2, 900))])
        copy = edited(article(1, 900), 4)
        (match,) = library.add(row("c", copy)).matches
        exact = whorl.compare(article(1, 900), copy).similarity
        assert (match.id, match.passages, match.joins) == ("a", (), True)
        assert abs(match.similarity - exact) < 0.2
        assert library.check(article(3, 900)).matches == ()
    with whorl.open(tmp_path / "library") as library:
        library.reindex()
        assert {match.id for match in library.check(article(1, 900)).matches} == {"a", "c"}


def test_a_window_never_matches_across(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", window="30d") as library:
        days = {"old": "2026-01-01", "mid": "2026-01-20", "new": "2026-02-15"}
        matches_of = {
            name: ids(library.add(row(name, edited(article(1), 1, seed=number), published_at=day)))
            for number, (name, day) in enumerate(days.items())
        }
        assert matches_of == {"old": [], "mid": ["old"], "new": ["mid"]}
        same = [library.add(row(f"same {day}", article(2), published_at=day)) for day in days.values()]
        assert [ids(report) for report in same] == [[], ["same 2026-01-01"], ["same 2026-01-20"]]
        assert [match.id for match in library.matches("same 2026-01-20")] == ["same 2026-01-01", "same 2026-02-15"]
        assert ids(library.check(article(2), at="2026-03-16")) == ["same 2026-02-15"]
        assert library.check(article(2), at="2027-03-16").matches == ()


def test_the_largest_clusters_since_a_time(library: Library) -> None:
    rows = [row(f"a{day}", article(1), first_seen_at=f"2026-01-{day:02}") for day in (1, 2, 3)]
    library.add([*rows, *(row(f"b{day}", article(2), first_seen_at=f"2026-01-{day:02}") for day in (3, 4))])
    assert [(cluster.id, cluster.size) for cluster in library.clusters()] == [(1, 3), (2, 2)]
    assert [(cluster.id, cluster.size) for cluster in library.clusters(since="2026-01-03")] == [(2, 2)]
    assert [cluster.id for cluster in library.clusters(at_least=1, since="2026-01-03", limit=1)] == [2]


def test_a_closed_library_says_so(tmp_path: Path) -> None:
    library = whorl.open(tmp_path / "library")
    library.close()
    library.close()
    with pytest.raises(UsageError, match="closed"):
        library.check("x")
    with pytest.raises(UsageError, match="closed"):
        library.add(row("a", "x"))


def test_a_library_is_where_its_store_is_or_what_is_left_of_it(tmp_path: Path) -> None:
    place = tmp_path / "newsroom"
    assert not exists(place)
    with whorl.open(place) as library:
        library.add(row("1", article(1)))
    assert exists(place)
    assert exists(f"sqlite:{place}")
    (place / "library.sqlite").unlink()
    assert exists(place)
    assert not exists(tmp_path)


@pytest.mark.parametrize("name", ["-", "news:2020.jsonl", "no\0file", "half\ud800", "x" * 5000])
def test_whatever_is_named_may_be_no_library(name: str) -> None:
    assert not exists(name)


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_new_library_is_for_its_owner_alone(tmp_path: Path) -> None:
    place, there = tmp_path / "new", tmp_path / "there"
    there.mkdir(0o755)
    for folder in (place, there):
        with whorl.open(folder) as library:
            library.add({"id": "a", "text": article(1)})
            library.backup(tmp_path / f"copy of {folder.name}")
            assert {path.stat().st_mode & 0o077 for path in folder.glob("library.sqlite*")} == {0}
    assert [path.stat().st_mode & 0o777 for path in (place, there)] == [0o700, 0o755]
    for copy in tmp_path.glob("copy*"):
        assert copy.stat().st_mode & 0o077 == 0
