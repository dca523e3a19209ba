"""Checks in a library on a server take few round trips, whatever the number of matches, and see one state of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.articles import article, edited
from tests.proxy import counting
from tests.stores import place

import whorl
from whorl.library import Library
from whorl.stores import OptimisticStore, StoreChanged
from whorl.stores.sql.ahead import OptimisticReader
from whorl.types.library import Report

SERVERS = ["postgresql", "mysql"]
TEXT, STORY = article(1, 400), article(77, 300)
DOCUMENTS = [{"id": f"copy {number}", "text": edited(TEXT, number % 5, number // 5)} for number in range(20)]
STORIES = [
    {"id": "story", "text": STORY},
    {"id": "another", "text": article(78, 300)},
    {"id": "alone", "text": article(81, 300)},
    {"id": "round-up", "text": f"{STORY}{article(78, 300)}{article(79, 300)}"},
]


def _fill(library: Library) -> None:
    library.add([*DOCUMENTS, *STORIES])
    library.review("copy 0", "copy 1", "rejected")


def _plain(report: Report) -> Any:
    matches = [(match.id, match.relation, match.joins, match.this_in_other, match.passages) for match in report.matches]
    return matches, report.cluster_id, report.keys, report.unlisted


@pytest.mark.parametrize("scheme", SERVERS)
def test_a_check_takes_two_round_trips(scheme: str, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    with whorl.open(address) as library:
        _fill(library)
    texts = {
        "new": article(9, 400),
        "near-duplicates": edited(TEXT, 9),
        "exact duplicates": TEXT,
        "excerpt": f"{article(81, 300)}{article(80, 600)}",
        "compilation": f"{STORY}{article(78, 300)}{article(80, 100)}",
        "exact duplicate of a story in a compilation": STORY,
    }
    counted = {}
    port = urlsplit(address).port or 0
    with counting(port) as (proxy_port, trips), whorl.open(address.replace(f":{port}/", f":{proxy_port}/")) as library:
        for kind, text in texts.items():
            for _ in range(3):  # statements are prepared at their second use
                library.check(text)
            trips.clear()
            report = library.check(text)
            counted[kind] = len(trips), bool(report.matches)
    assert counted == {
        "new": (1, False),
        "near-duplicates": (2, True),
        "exact duplicates": (2, True),
        "excerpt": (2, True),
        "compilation": (2, True),
        "exact duplicate of a story in a compilation": (4, True),
    }


@pytest.mark.parametrize("scheme", SERVERS)
@pytest.mark.parametrize("rules", [{}, {"most": 3}, {"window": "30d"}, {"texts": False, "compared": 2}], ids=str)
def test_rows_that_are_read_ahead_change_no_report(scheme: str, rules: dict[str, Any], tmp_path: Path) -> None:
    texts = [TEXT, edited(TEXT, 9), edited(TEXT, 2, 1), f"{TEXT}{article(2)}", TEXT[:200], article(9), ""]
    texts += [STORY, f"{STORY}{article(78, 300)}{article(80, 100)}"]
    with whorl.open(place(scheme, tmp_path), **rules) as there, whorl.open(tmp_path / "here", **rules) as here:
        for library in (there, here):
            _fill(library)
        for text in texts:
            assert _plain(there.check(text)) == _plain(here.check(text))


@pytest.mark.parametrize("scheme", SERVERS)
def test_a_content_with_many_pairs_has_the_same_report(scheme: str, tmp_path: Path) -> None:
    base = article(5, 600)
    crowd = [{"id": f"{number}", "text": edited(base, 30, number)} for number in range(80)]
    with whorl.open(place(scheme, tmp_path)) as there, whorl.open(tmp_path / "here") as here:
        for library in (there, here):
            library.add(crowd)
        with there._core.store.reading() as reader:
            assert max(map(len, reader.pairs(range(81)).values())) > 64
        for text in (crowd[0]["text"], crowd[70]["text"], f"{base[:300]}{article(6, 300)}"):
            assert _plain(there.check(text)) == _plain(here.check(text))


WRITES: dict[str, Callable[[Library], Any]] = {
    "new": lambda library: library.add({"id": "new", "text": article(90)}),
    "copy": lambda library: library.add({"id": "copy", "text": TEXT}),
    "revised": lambda library: library.add({"id": "story", "text": article(91)}),
    "removed": lambda library: library.remove(["copy 3"]),
    "reviewed": lambda library: library.review("copy 2", "copy 3", "rejected"),
    "collected": lambda library: library.collect(["copy 3"], "protected"),
}


@pytest.mark.parametrize("scheme", SERVERS)
@pytest.mark.parametrize("write", WRITES)
def test_an_optimistic_read_notices_every_write(write: str, scheme: str, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    with whorl.open(address) as library, whorl.open(address) as other:
        _fill(other)
        store = library._core.store
        assert isinstance(store, OptimisticStore)
        with store.reading_optimistically() as reader:
            before = reader.contents([1])
            assert reader.contents([1]) == before
            WRITES[write](other)
            with pytest.raises(StoreChanged):
                reader.contents([1])
            with pytest.raises(StoreChanged):
                next(iter(reader.all_pairs()))
        with store.reading_optimistically() as reader:
            assert reader.contents([2])


@pytest.mark.parametrize("scheme", SERVERS)
def test_a_check_during_a_write_is_that_of_the_new_state(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, real = place(scheme, tmp_path), OptimisticReader.look_ahead
    with whorl.open(address) as there, whorl.open(address) as other, whorl.open(tmp_path / "here") as here:
        for library in (other, here):
            _fill(library)
        there.check(TEXT)

        def writing_first(reader: OptimisticReader, *arguments: Any) -> None:
            other.remove([f"copy {number}" for number in range(10)])
            real(reader, *arguments)

        monkeypatch.setattr(OptimisticReader, "look_ahead", writing_first)
        here.remove([f"copy {number}" for number in range(10)])
        assert _plain(there.check(TEXT)) == _plain(here.check(TEXT))


@pytest.mark.parametrize("scheme", ["sqlite", *SERVERS])
def test_another_content_with_the_key_of_a_digest_is_no_exact_duplicate(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with whorl.open(place(scheme, tmp_path)) as library:
        _fill(library)
        reports = [_plain(library.check(text)) for text in (TEXT, article(9))]
        index = library._core.index
        real = index.holders
        monkeypatch.setattr(index, "holders", lambda *arguments: [2, *real(*arguments)])
        assert [_plain(library.check(text)) for text in (TEXT, article(9))] == reports
