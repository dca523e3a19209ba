"""Every store implements the whole contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from tests.stores import Open, copy_place, place

from whorl.stores import exists, open_store, schemes
from whorl.stores.records import (
    BoilerplateRecord,
    ChangeSet,
    Content,
    ContentReview,
    CopyCount,
    Counters,
    DocumentBrief,
    DocumentFilter,
    Entry,
    FormerText,
    Mark,
    PairRecord,
    ReviewRecord,
    SightingRecord,
    Sketch,
)

WORKERS = 3
ROUNDS = 20


@pytest.fixture(params=schemes())
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens the same location repeatedly."""
    with Open(request.param, tmp_path) as opened:
        yield opened


def entry(number: int, id_: str = "", content: int = 1) -> Entry:
    return Entry(number, id_ or f"id {number}", content, 1, 5, None, 7, "标题", None, "source", None, "")


def content(number: int, digest: bytes | None = None, cluster: int = 1) -> Content:
    return Content(number, digest or number.to_bytes(16, "little"), 0, 1, cluster)


def pair(low: int, high: int, joins: bool = True) -> PairRecord:
    return PairRecord(low, high, 0.5, 0.25, 1.0, "contained", joins)


@pytest.mark.parametrize("scheme", schemes())
def test_a_store_is_where_one_was_made_and_nowhere_else(scheme: str, tmp_path: Path) -> None:
    address, other = place(scheme, tmp_path), place(scheme, tmp_path, "other")
    address = place(scheme, tmp_path)
    assert not exists(address)
    assert not exists(address)  # the query has created no rows
    open_store(address, create=True).close()
    assert (exists(address), exists(other)) == (True, False)
    assert exists(address)
    assert not exists(place(scheme, tmp_path / "other"))
    assert not exists(f"{scheme}:{tmp_path}")


@pytest.mark.parametrize("address", ["", "-", "nothing:here", "a.jsonl", "no\0file", "half\ud800", "x" * 5000])
def test_any_string_may_be_asked_for(address: str) -> None:
    assert not exists(address)


def test_everything_comes_back(opened: Open) -> None:
    written = {"published_at": 5, "published_as": "day Asia/Shanghai 2026年11月24日"}
    first, second = entry(1, "引号'\"\n🗞"), entry(2, content=2)._replace(**written)
    verdict = ReviewRecord(1, 2, "rejected", "编辑", 9, "授权")
    with opened().writing() as writer:
        writer.put_entries([first, second])
        writer.put_texts({1: b"\0\xff", 2: b""})
        writer.put_former([FormerText(1, 2, 9, b"b"), FormerText(1, 1, 8, b"a")])
        writer.put_contents([content(1), content(2)])
        writer.put_sketches([Sketch(1, b"12345678", b"\0")])
        writer.put_pairs([pair(1, 2)])
        writer.put_sightings(
            [SightingRecord(1, None, 9), SightingRecord(1, "https://example.org", 8), SightingRecord(1, None, 9)]
        )
        writer.put_links({1: ["b", "a", "b"], 2: []})
        writer.put_verdicts([verdict])
        writer.put_notices([BoilerplateRecord(0, "声明", b"12345678"), BoilerplateRecord(0, "二", b"", 2)])
    with opened().reading() as reader:
        assert reader.entries([first.id, "?"]) == {first.id: first}
        assert reader.numbered([2, 3]) == {2: second}
        assert list(reader.all_entries()) == [first, second]
        assert reader.members([1, 3]) == {1: [first]}
        assert reader.texts([1, 2, 3]) == reader.texts_of_contents([1, 2, 3]) == {1: b"\0\xff", 2: b""}
        assert reader.former([1, 2]) == {1: [FormerText(1, 1, 8, b"a"), FormerText(1, 2, 9, b"b")]}
        assert reader.contents([1, 3]) == {1: content(1)}
        assert reader.contents_after(1, 10) == [content(2)]
        assert reader.sketches([1, 2]) == {1: Sketch(1, b"12345678", b"\0")}
        assert reader.pairs([1, 2, 3]) == {1: [pair(1, 2)], 2: [pair(1, 2)]}
        assert reader.joined([1, 2]) == [pair(1, 2)]
        assert reader.sightings([1, 2]) == {
            1: [SightingRecord(1, "https://example.org", 8), SightingRecord(1, None, 9)]
        }
        assert reader.links([1, 2]) == {1: ["b", "a"]}
        assert reader.verdicts([1, 2, 3]) == {1: {2: verdict}, 2: {1: verdict}}
        assert reader.reviewed([1]) == reader.reviewed([1, 2]) == [ContentReview(1, 2, "rejected", 9)]
        assert reader.reviewed([3]) == []
        assert reader.notices_after(0) == [
            BoilerplateRecord(1, "声明", b"12345678"),
            BoilerplateRecord(2, "二", b"", 2),
        ]
        assert reader.notices_after(1) == [BoilerplateRecord(2, "二", b"", 2)]
        assert reader.mark() == Mark(2, 0, 4)
    assert opened().faults() == []
    with opened().writing() as writer:
        writer.remove_pairs([(1, 2)])
        assert writer.pairs([1]) == {}


def test_nothing_is_asked_for_and_nothing_put(opened: Open) -> None:
    with opened().writing() as writer:
        empty_calls = (
            writer.entries,
            writer.entries_from,
            writer.numbered,
            writer.members,
            writer.texts,
            writer.contents,
        )
        more = (writer.texts_of_contents, writer.sketches, writer.pairs, writer.aliases, writer.borne)
        rest = (writer.in_clusters, writer.sightings, writer.links, writer.verdicts, writer.former)
        assert [ask([]) for ask in (*empty_calls, *more, *rest)] == [{}] * 16
        assert (writer.extents([], "published"), writer.joined([]), writer.reviewed([])) == ({}, [], [])
        for put in (writer.put_entries, writer.put_former, writer.put_contents, writer.put_sketches, writer.put_pairs):
            put([])
        for put in (
            writer.remove_pairs,
            writer.put_notices,
            writer.put_sightings,
            writer.put_verdicts,
            writer.redirect,
        ):
            put([])
        for put in (writer.put_texts, writer.put_links, writer.move, writer.merge_clusters):
            put({})
        for remove in (writer.remove_entries, writer.remove_contents):
            remove([])
        assert len(writer.next_clusters(0)) == 0
        assert writer.mark() == Mark(0, 0, 0)


def test_more_are_asked_for_than_a_statement_takes(opened: Open) -> None:
    many = range(1, 2502)
    with opened().writing() as writer:
        writer.put_entries([entry(number, content=number) for number in many])
        writer.put_texts({number: b"%d" % number for number in many})
        writer.put_contents([content(number, cluster=number) for number in many])
        writer.put_pairs([pair(1, number) for number in many[1:]])
        writer.put_links({number: ["a", "b"] for number in many})
    with opened().reading() as reader:
        twice = [*many, *many]
        assert reader.numbered(twice).keys() == set(many)
        assert reader.members(twice) == {number: [entry(number, content=number)] for number in many}
        assert reader.texts_of_contents(twice) == reader.texts(twice) == {number: b"%d" % number for number in many}
        assert reader.links(twice) == {number: ["a", "b"] for number in many}
        assert [row.high for row in reader.pairs([1])[1]] == list(many[1:])
        assert reader.pairs(twice)[2501] == [pair(1, 2501)]
        assert sorted(reader.joined(twice)) == reader.pairs([1])[1]
        assert reader.in_clusters(twice) == {number: [content(number, cluster=number)] for number in many}


def test_documents_come_page_by_page(opened: Open) -> None:
    fields = {2: {"collection": "kept", "title": "An ICE house"}, 3: {"source": "harbour", "author": "mei"}}
    entries = [entry(number)._replace(first_seen_at=number, **fields.get(number, {})) for number in range(1, 6)]
    with opened().writing() as writer:
        assert (
            writer.documents(DocumentFilter(), None, 2)
            == writer.documents(DocumentFilter(), 7, 2, newest=True)
            == ([], None)
        )
        writer.put_entries(entries)
        writer.remove_entries([4])
    with opened().reading() as reader:
        first, second, third, last = entries[0], entries[1], entries[2], entries[4]
        assert reader.documents(DocumentFilter(), None, 2) == ([first, second], 2)
        assert reader.documents(DocumentFilter(), 2, 2) == ([third, last], None)
        assert reader.documents(DocumentFilter(), None, 3, newest=True) == ([last, third, second], 2)
        assert reader.documents(DocumentFilter(), 2, 3, newest=True) == ([first], None)
        for chosen in (DocumentFilter(collection="kept"), DocumentFilter(title="ice h"), DocumentFilter(title="ICE")):
            assert reader.documents(chosen, None, 9) == ([second], None)
        for chosen in (
            DocumentFilter(source="harbour"),
            DocumentFilter(author="mei"),
            DocumentFilter("", since=3, source="harbour"),
        ):
            assert reader.documents(chosen, None, 9, newest=True) == ([third], None)
        assert reader.documents(DocumentFilter(since=3), None, 9) == ([third, last], None)
        assert reader.documents(DocumentFilter(title="' OR 1=1 --%_"), None, 9) == ([], None)
        assert (
            reader.documents(DocumentFilter(), 2**63 - 1, 9)
            == reader.documents(DocumentFilter(), 0, 9, newest=True)
            == ([], None)
        )


def test_links_are_kept_besides_those_known(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_links({1: ["b", "a"]})
        writer.put_links({1: ["c", "a", "c"], 2: ["a"]})
        assert writer.links([1, 2, 3]) == {1: ["b", "a", "c"], 2: ["a"]}


def test_numbers_are_never_used_again(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        assert (writer.next_document(), writer.next_content(), writer.next_clusters(2)) == (1, 1, range(1, 3))
        writer.put_entries([entry(1), entry(2)])
        writer.put_contents([content(1), content(2)])
    with store.writing() as writer:
        writer.remove_entries([2])
        writer.remove_contents([2])
        assert (writer.next_document(), writer.next_content(), writer.next_clusters(1)) == (3, 3, range(3, 4))
    with store.reading() as reader:
        assert reader.removed_after(0) == [2]
        assert reader.removed_after(1) == []
        assert reader.mark() == Mark(2, 1, 3)


def test_rows_are_put_under_numbers_of_another_store(opened: Open) -> None:
    counters = Counters(9, 8, 7, 0, 5, 4, 30)
    store = opened()
    with store.writing() as writer:
        assert writer.counters() == Counters(0, 0, 0, 0, 0, 0, 0)
        writer.put_counters(Counters(0, 0, 0, 0, 0, 0, 30))
        writer.put_entries([entry(3), entry(6)])
        writer.put_contents([content(2), content(5)])
        assert writer.mark() == Mark(5, 0, 32)
    with store.writing() as writer:
        writer.put_counters(counters)
        writer.put_counters(Counters(1, 1, 1, 0, 1, 1, 1))
        assert writer.changes(0, 10).added == [3, 6]
    with opened().writing() as writer:
        assert writer.counters() == counters._replace(change=32)
        assert (writer.next_document(), writer.next_content(), writer.next_clusters(2)) == (10, 9, range(8, 10))
        assert (writer.next_decision(), writer.next_alert()) == (6, 5)
        writer.put_notices([BoilerplateRecord(0, "声明", b"")])
    with opened().reading() as reader:
        assert reader.counters() == Counters(9, 8, 9, 1, 5, 4, 32)
        assert [row.number for row in reader.all_entries()] == [3, 6]


def test_clusters_that_became_others_are_put_as_they_were(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_contents([content(1, cluster=1), content(2, cluster=1)])
        writer.put_borne({2: [4, 3], 1: [3]})
        writer.put_borne({2: [3]})
        writer.put_aliases({3: 1, 4: 7})
        writer.put_aliases({4: 1})
    with opened().reading() as reader:
        assert reader.borne([1, 2, 3]) == {1: [3], 2: [3, 4]}
        assert reader.aliases([1, 7]) == {1: [3, 4]}
        assert [reader.cluster(number) for number in (3, 4, 5)] == [1, 1, 5]


def test_settings_are_put_in_the_place_of_others(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_settings({"a": "1", "b": "2"})
    with store.writing() as writer:
        assert store.settings() == {"a": "1", "b": "2"}
        writer.put_settings({"b": "3"})

    def half_a_change() -> None:
        with store.writing() as writer:
            writer.put_settings({"a": "9"})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half_a_change()
    assert opened().settings() == store.settle({"a": "4"}) == {"a": "1", "b": "3"}


def test_what_goes_takes_along_what_is_its_own(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_entries([entry(1), entry(2, content=2)])
        writer.put_texts({1: b"a", 2: b"b"})
        writer.put_former([FormerText(2, 1, 8, b"c")])
        writer.put_links({2: ["a"]})
        writer.put_contents([content(1), content(2)])
        writer.put_pairs([pair(1, 2)])
        writer.put_sightings([SightingRecord(2, None, 9)])
        writer.put_verdicts([ReviewRecord(1, 2, "confirmed", "", 9, "")])
        writer.remove_entries([2])
        writer.remove_contents([2])
    with store.reading() as reader:
        assert reader.numbered([1, 2]).keys() == reader.texts([1, 2]).keys() == reader.contents([1, 2]).keys() == {1}
        assert (reader.pairs([1]), reader.sightings([2]), reader.verdicts([1])) == ({}, {}, {})
        assert (reader.former([2]), reader.links([2])) == ({}, {})


def test_clusters_merge_with_their_aliases(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_contents([content(number, cluster=number) for number in (1, 2, 3)])
        writer.merge_clusters({3: 2})
        writer.merge_clusters({2: 1})
        writer.move({3: 9})
    with store.reading() as reader:
        assert [reader.cluster(number) for number in (1, 2, 3, 9)] == [1, 1, 1, 9]
        assert reader.aliases([1, 9]) == {1: [2, 3]}
        assert reader.in_clusters([1, 2, 9]) == {1: [content(1), content(2)], 9: [content(3, cluster=9)]}
        assert reader.cluster_sizes(1, None, None) == [(1, 2), (9, 1)]
        assert reader.cluster_sizes(2, None, 1) == [(1, 2)]


def test_half_a_change_does_not_count(opened: Open) -> None:
    store = opened()

    class Interrupted(Exception):
        pass

    def interrupt() -> None:
        with store.writing() as writer:
            writer.put_entries([entry(1)])
            raise Interrupted

    with pytest.raises(Interrupted):
        interrupt()
    with store.reading() as reader:
        assert reader.entries(["id 1"]) == {}
    with store.writing() as writer:
        assert writer.next_document() == 1


def test_a_reader_sees_one_moment(opened: Open) -> None:
    store, other = opened(), opened()
    with store.reading() as before:
        assert before.counts()["documents"] == 0
        with other.writing() as writer:
            writer.put_entries([entry(1)])
        assert before.counts()["documents"] == 0
    with store.reading() as after:
        assert after.counts()["documents"] == 1


def test_settings_are_those_of_whoever_was_first(opened: Open) -> None:
    assert opened().settings() == {}
    assert opened().settle({"a": "1"}) == {"a": "1"}
    assert opened().settle({"a": "2"}) == {"a": "1"}
    assert opened().settings() == {"a": "1"}


def _count(address: str) -> None:
    store = open_store(address, create=False)
    for _ in range(ROUNDS):
        with store.writing() as writer:
            writer.put_entries([entry(writer.next_document())])
    store.close()


@pytest.mark.parametrize("scheme", schemes())
def test_processes_take_turns(scheme: str, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    open_store(address, create=True).close()
    context = get_context("spawn")
    workers = [context.Process(target=_count, args=(address,)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    store = open_store(address, create=False)
    with store.reading() as reader:
        assert [row.number for row in reader.all_entries()] == list(range(1, WORKERS * ROUNDS + 1))
    store.close()


def test_threads_take_turns(opened: Open) -> None:
    store = opened()

    def count() -> None:
        for _ in range(ROUNDS):
            with store.writing() as writer:
                writer.put_entries([entry(writer.next_document())])

    threads = [Thread(target=count) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as reader:
        assert reader.counts()["documents"] == WORKERS * ROUNDS


@pytest.fixture
def copied(opened: Open, tmp_path: Path) -> str:
    """Return a location for a copy of the opened store."""
    return copy_place(opened.scheme, tmp_path)


def test_a_copy_is_whole(opened: Open, copied: str) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_entries([entry(1)])
        writer.put_contents([content(1)])
    store.backup(copied)
    copy = open_store(copied, create=False)
    assert copy.faults() == []
    with copy.reading() as reader:
        assert reader.numbered([1]) == {1: entry(1)}
    copy.close()


def test_faults_are_told(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_entries([entry(1, content=5)])
        writer.put_contents([content(1, cluster=1), content(2, cluster=2)])
        writer.put_pairs([pair(1, 2), pair(2, 7)])
    assert [fault.partition(":")[0] for fault in store.faults()] == [
        "a document refers to a missing content",
        "the document count of a content is wrong",
        "a match refers to a missing content",
    ]


def test_a_row_is_put_in_the_place_of_its_like(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_entries([entry(1)])
        writer.put_entries([entry(1)._replace(title="新")])
        writer.put_contents([content(1)])
        writer.put_contents([content(1)._replace(members=4)])
    with store.reading() as reader:
        assert reader.numbered([1])[1].title == "新"
        assert reader.contents([1])[1].members == 4


def test_a_document_is_found_by_its_origin(opened: Open) -> None:
    store = opened()
    filed = entry(1)._replace(origin="/a/x.txt:1")
    with store.writing() as writer:
        writer.put_entries([filed, entry(2), entry(3)])
        writer.remove_entries([3])
    with store.reading() as reader:
        assert reader.entries_from(["/a/x.txt:1", "/b/x.txt:1"]) == {"/a/x.txt:1": filed}
        assert reader.numbered([2])[2].origin is None


def test_the_extent_of_a_content_is_told_by_either_clock(opened: Open) -> None:
    store = opened()
    times = [(None, 50), (20, 60), (90, 70)]
    with store.writing() as writer:
        rows = [
            entry(number)._replace(published_at=at, first_seen_at=seen_at)
            for number, (at, seen_at) in enumerate(times, 1)
        ]
        writer.put_entries(rows)
    with store.reading() as reader:
        assert reader.extents([1, 2], "published") == {1: (20, 70)}
        assert reader.extents([1, 2], "first_seen") == {1: (50, 70)}


def test_an_alias_is_redirected_to_the_oldest_content_it_had(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_contents([content(1, cluster=1), content(2, cluster=2), content(3, cluster=2)])
        writer.merge_clusters({2: 1})
        assert writer.borne([1, 2, 3]) == {2: [2], 3: [2]}
        writer.move({2: 7})
        writer.redirect([2])
        assert (writer.cluster(2), writer.aliases([7])) == (7, {7: [2]})
        writer.remove_contents([2])
        writer.redirect([2])
        assert writer.cluster(2) == 1
        writer.remove_contents([3])
        writer.redirect([2])
        assert writer.cluster(2) == 1


def test_a_copy_knows_the_states_before_it_and_none_after(opened: Open, copied: str) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_state(2**62 - 1)
    store.backup(copied)
    with store.writing() as writer:
        writer.put_state(7)
    copy = open_store(copied, create=False)
    with store.reading() as now, copy.reading() as then:
        assert [now.has_been(2**62 - 1), now.has_been(7), now.has_been(8)] == [True, True, False]
        assert [then.has_been(2**62 - 1), then.has_been(7)] == [True, False]
    copy.close()


def test_changes_are_told_page_by_page(opened: Open) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_entries([entry(1), entry(2), entry(3)])
        writer.put_pairs([pair(1, 2), pair(1, 3)])
        first = writer.mark()
    with store.writing() as writer:
        writer.put_entries([entry(2)._replace(title="新"), entry(4)])
        writer.put_entries([entry(2)])
        writer.put_verdicts([ReviewRecord(1, 2, "confirmed", "", 9, "")])
        writer.put_pairs([pair(1, 2)])
        writer.remove_pairs([(1, 3)])
        writer.remove_entries([3])
    with opened().reading() as reader:
        last = reader.mark().change
        assert reader.changes(0, first.change) == ChangeSet([1, 2, 3], [], [], [(1, 2), (1, 3)], [], first.change)
        later = ChangeSet([4], [2], [3], [(1, 2), (1, 3)], [(1, 2)], last)
        assert reader.changes(first.change, 100) == later
        assert reader.changes(last, 100) == ChangeSet([], [], [], [], [], last)
        pages = [reader.changes(0, 1)]
        while pages[-1].last < last:
            pages.append(reader.changes(pages[-1].last, 1))
        assert all(sum(map(len, page[:-1])) == 1 for page in pages)
        assert [number for page in pages for number in page.added] == [1, 2, 3, 4]


def test_a_change_that_does_not_count_is_not_told(opened: Open) -> None:
    store = opened()

    def interrupt() -> None:
        with store.writing() as writer:
            writer.put_entries([entry(1)])
            raise KeyError

    with pytest.raises(KeyError):
        interrupt()
    with store.reading() as reader:
        assert (reader.mark().change, reader.changes(0, 10).added) == (0, [])


def test_a_copy_tells_the_same_changes(opened: Open, copied: str) -> None:
    store = opened()
    with store.writing() as writer:
        writer.put_entries([entry(1), entry(2)])
        writer.remove_entries([1])
    store.backup(copied)
    copy = open_store(copied, create=False)
    with store.reading() as reader, copy.reading() as other:
        assert other.changes(0, 10) == reader.changes(0, 10)
    copy.close()


def test_copies_are_counted_as_one_by_one(opened: Open) -> None:
    entries, contents = published_by_chance(300)
    store = opened()
    with store.writing() as writer:
        writer.put_entries(entries)
        writer.put_contents(contents)
    cluster_of = {other.number: other.cluster for other in contents}
    with store.reading() as reader:
        for kind, name in NAMES.items():
            for since, until in ((-(2**63), 2**63 - 1), (-DAY // 2, 2 * DAY)):
                inside = [other for other in entries if since <= other.first_seen_at < until]
                assert reader.names(kind, since, until) == Counter(map(name, inside))
                counted: dict[tuple[str, str], list[int]] = {}
                for current in inside:
                    before = [other for other in entries if (other.when, other.number) < (current.when, current.number)]
                    near = [other for other in before if cluster_of[other.content] == cluster_of[current.content]]
                    if near:
                        first = min(near, key=lambda other: (other.when, other.number))
                        is_near = all(other.content != current.content for other in near)
                        counted.setdefault((name(current), name(first)), [0, 0])[is_near] += 1
                assert sorted(reader.copies(kind, since, until)) == sorted(
                    CopyCount(*names, *counts) for names, counts in counted.items()
                )


def test_matches_are_read_at_once_as_one_by_one(opened: Open) -> None:
    chance = Random(5)
    entries = [
        entry(number, content=chance.randint(1, 80))._replace(collection=chance.choice(["protected", "x", "", ""]))
        for number in range(1, 101)
    ]
    members = Counter(other.content for other in entries)
    contents = [content(number)._replace(members=members[number]) for number in sorted(members)]
    pairs = {tuple(sorted(chance.sample(sorted(members), 2))) for _ in range(60)}
    decided = {tuple(sorted(chance.sample(range(1, 101), 2))) for _ in range(30)}
    store = opened()
    with store.writing() as writer:
        writer.put_entries(entries)
        writer.put_contents(contents)
        writer.put_pairs([pair(low, high) for low, high in sorted(pairs)])
        writer.put_verdicts([ReviewRecord(low, high, "rejected", "", 9, "") for low, high in sorted(decided)])
    with store.reading() as reader:
        for collection in (None, "protected", "x", "nobody's"):
            numbers = {other.content for other in reader.all_entries(collection)}
            all_pairs = list(reader.all_pairs(collection))
            assert len(all_pairs) == len(set(all_pairs))
            assert set(all_pairs) == {other for some in reader.pairs(numbers).values() for other in some}
            members_of = reader.members(numbers)
            assert sorted(reader.repeated(collection)) == sorted(
                key for key, some in members_of.items() if len(some) > 1
            )
            briefs = {
                DocumentBrief(*(getattr(other, name) for name in DocumentBrief._fields))
                for some in members_of.values()
                for other in some
            }
            listed = list(reader.briefs(numbers))
            assert (len(listed), set(listed)) == (len(briefs), briefs)
        verdicts = reader.verdicts(other.number for other in entries)
        assert sorted(reader.all_verdicts()) == sorted(
            {other for numbers in verdicts.values() for other in numbers.values()}
        )


def test_clusters_are_told_page_by_page(opened: Open) -> None:
    entries, contents = published_by_chance(300)
    store = opened()
    with store.writing() as writer:
        writer.put_entries(entries)
        writer.put_contents(contents)
    with store.reading() as reader:
        for since in (None, DAY):
            whole, paged = reader.cluster_sizes(2, since, None), list[tuple[int, int]]()
            while rows := reader.cluster_sizes(2, since, 7, paged[-1] if paged else None):
                paged += rows
            assert paged == whole
            assert len(paged) > 7


DAY = 86_400_000_000
NAMES: dict[str, Callable[[Entry], str]] = {
    "author": lambda entry: entry.author or "",
    "day": lambda entry: (
        (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=entry.first_seen_at)).date().isoformat()
    ),
    "site": lambda entry: f"//{entry.url.split('/')[2]}" if "://" in (entry.url or "") else entry.source or "",
}


def published_by_chance(count: int) -> tuple[list[Entry], list[Content]]:
    """Return documents of a few authors, sites and days, some before 1970, in clusters of a few contents."""
    chance = Random(count)
    urls = (None, "", "a/b", "https://a.example", "https://a.example/1", "http://B.example:80/x//y", "u://'\"--")
    entries = [
        entry(number, content=chance.randint(1, count // 2))._replace(
            published_at=chance.choice([None, chance.randint(-3, 3)]),
            first_seen_at=chance.choice([-DAY - 1, -DAY, -1, 0, DAY - 1, DAY, 3 * DAY]),
            url=chance.choice(urls),
            source=chance.choice([None, "青澜日报"]),
            author=chance.choice([None, "", "王小渡", "'; DROP TABLE document; --"]),
        )
        for number in range(1, count + 1)
    ]
    members = Counter(record.content for record in entries)
    return entries, [
        content(number, cluster=chance.randint(1, count // 4))._replace(members=members[number])
        for number in sorted(members)
    ]


ALIKE = (
    *("a", "A", "a ", " a", "ａ", "á", "a\u0301", "ß", "ss", "İ", "i", "编号", "編號", "\ufeffa"),
    *("1", "1.0", "1.00", "01", "1e0", "true", "True", "0x1", "18446744073709551615", "18446744073709551616"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "2024-01-02", "ff00", "FF00"),
)
"""Ids that programs confuse: by case, width, blanks, collation or as numbers."""


def test_ids_that_differ_in_anything_stay_apart(opened: Open) -> None:
    with opened().writing() as writer:
        writer.put_entries([entry(number, id_) for number, id_ in enumerate(ALIKE, 1)])
    with opened().reading() as reader:
        assert [record.id for record in reader.all_entries()] == list(ALIKE)
        entries = reader.entries(ALIKE)
        assert [entries[id_].number for id_ in ALIKE] == list(range(1, len(ALIKE) + 1))
        assert all(list(reader.entries([id_])) == [id_] for id_ in ALIKE)
