"""Fetched pages, and the ledger that records them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.library.ledger import FIRST, chained
from whorl.library.provenance.pages import MOST_BYTES

URL = "https://example.org/a"
BODY = "<p>渔港的冰厂今年夏天添了两台新机器</p>".encode("gb18030")
EMPTY = sha256(b"").hexdigest()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def library(place: Path) -> Iterator[whorl.Library]:
    with whorl.open(place) as opened:
        yield opened


def test_a_page_comes_back_byte_for_byte(library: whorl.Library) -> None:
    kept = library.pages.keep(URL, BODY, at="2026-03-05T08:00:00+08:00", headers=[("ETag", "x"), ("Via", "é")])
    assert (kept.url, kept.fetched_at.isoformat(), kept.status, kept.bytes) == (
        URL,
        "2026-03-05T00:00:00+00:00",
        200,
        len(BODY),
    )
    assert kept.headers == (("ETag", "x"), ("Via", "é"))
    assert library.pages.body(sha256(BODY).hexdigest()) == BODY
    assert list(library.pages) == library.pages.at(URL) == [kept]


def test_a_body_is_kept_once_and_goes_with_the_last_that_needs_it(library: whorl.Library) -> None:
    library.add([{"id": name, "text": f"渔港的冰厂今年夏天添了{name}台新机器。"} for name in "ab"])
    first = library.pages.keep(URL, BODY, document="a")
    library.pages.keep(f"{URL}/b", BODY, document="b")
    alone = library.pages.keep(f"{URL}/c", b"alone", document="a")
    assert library.stats()["bodies"] == 2
    library.remove("a")
    assert [snapshot.document for snapshot in library.pages] == ["b"]
    assert library.pages.body(first.digest) == BODY
    with pytest.raises(NotFoundError, match="not found"):
        library.pages.body(alone.digest)
    library.remove("b")
    assert (len(library.pages), len(library.ledger)) == (0, 3)
    assert "bodies" not in library.stats()
    assert library.verify().faults == ()


def test_a_crawler_asks_before_it_stores(library: whorl.Library) -> None:
    assert library.pages.find(URL, EMPTY) is None
    first = library.pages.keep(URL, BODY, at="2026-01-01", headers={"ETag": "x"})
    unchanged = library.pages.keep(URL, b"", at="2026-01-02", status=304)
    library.pages.keep(URL, b"older", at="2025-01-01")
    is_stored = library.pages.find(URL, first.digest)
    assert is_stored is not None
    assert (is_stored.last, is_stored.page, is_stored.same) == (unchanged, first, first)
    other = library.pages.find(f"{URL}/other", first.digest)
    assert other is not None
    assert (other.last, other.page, other.same) == (None, None, first)


def test_a_document_may_be_made_of_a_page_later(library: whorl.Library) -> None:
    library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器。"})
    kept = library.pages.keep(URL, BODY)
    assert library.pages.of("a") == []
    assigned = library.pages.assign(kept, "a")
    assert library.pages.of("a") == [assigned]
    assert (assigned.document, assigned.witness) == ("a", kept.witness)
    with pytest.raises(NotFoundError):
        library.pages.assign(kept, "b")
    assert library.verify().faults == ()


def test_many_pages_are_kept_in_batches(library: whorl.Library) -> None:
    pages = [{"url": f"{URL}/{number}", "body": b"%d" % (number // 2)} for number in range(1100)]
    kept = list(library.pages.keep_each(pages))
    assert [record.number for record in kept] == list(range(1, 1101))
    assert library.stats()["bodies"] == 550
    assert list(library.pages) == kept


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"body": "text"}, "expected the bytes of a page, got str"),
        ({"url": ""}, "url"),
        ({"url": "a\0"}, "url"),
        ({"url": "x" * 20_000}, "url"),
        ({"status": 1000}, "status"),
        ({"status": "200"}, "status"),
        ({"headers": [("a", b"b")]}, "headers"),
        ({"headers": ["ab"]}, "headers"),
        ({"headers": [("a", "b" * 300_000)]}, "headers have"),
        ({"at": "soon"}, "not a valid time"),
    ],
)
def test_what_is_no_page_is_refused(library: whorl.Library, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        library.pages.keep(**{"url": URL, "body": BODY, **wrong})
    assert caught.value.hint
    assert len(library.ledger) == 0


def test_a_body_has_a_stated_maximum(library: whorl.Library) -> None:
    largest = bytes(MOST_BYTES)
    assert library.pages.body(library.pages.keep(URL, largest).digest) == largest
    with pytest.raises(InputError, match="67,108,865 bytes; the maximum is 67,108,864"):
        library.pages.keep(URL, largest + b"\0")


def test_every_fetch_is_noted_and_every_note_chained(library: whorl.Library) -> None:
    kept = library.pages.keep(URL, BODY)
    library.ledger.note("manifest", "ab" * 32)
    library.pages.keep(URL, BODY)
    entries = list(library.ledger)
    assert [(entry.number, entry.kind) for entry in entries] == [(1, "snapshot"), (2, "manifest"), (3, "snapshot")]
    assert (kept.number, kept.witness) == (1, entries[0].digest)
    chain = FIRST
    for entry in entries:
        chain = chained(chain, entry.number, entry.at, entry.kind, entry.digest)
        assert entry.chain == chain
    assert library.ledger.last() == library.ledger.get(3) == entries[2]
    assert library.ledger.get(4) is None
    assert library.ledger.after(1, 1) == entries[1:2]


@pytest.mark.parametrize(("kind", "digest"), [("Ä", "ab" * 32), ("", "ab" * 32), ("a", "AB" * 32), ("a", "ab"), (7, 7)])
def test_what_cannot_be_noted_is_refused(library: whorl.Library, kind: Any, digest: Any) -> None:
    with pytest.raises(InputError):
        library.ledger.note(kind, digest)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE ledger SET at = at + 1 WHERE number = 2", "the ledger was altered at entry 2"),
        ("DELETE FROM ledger WHERE number = 1", "the ledger was altered at entry 1"),
        ("UPDATE snapshot SET fetched_at = 0 WHERE number = 1", "snapshot 1 differs from the ledger"),
        ("UPDATE snapshot SET url = 'https://other.example' WHERE number = 1", "snapshot 1 differs"),
        ("UPDATE snapshot SET digest = zeroblob(32) WHERE number = 1", "snapshot 1 differs"),
        ("UPDATE body SET packed = zeroblob(40)", "is damaged"),
        ("UPDATE body SET size = size - 1", "is damaged"),
        ("UPDATE body SET size = 1 << 60", "is damaged"),
        ("DELETE FROM body", "is missing"),
    ],
)
def test_what_was_altered_is_told(place: Path, change: str, message: str) -> None:
    with whorl.open(place) as library:
        library.pages.keep(URL, BODY)
        library.ledger.note("manifest", "ab" * 32)
        library.ledger.note("manifest", "cd" * 32)
    with closing(sqlite3.connect(place / "library.sqlite")) as connection:
        connection.execute(change)
        connection.commit()
    with whorl.open(place) as library:
        faults = library.verify().faults
    assert any(message in fault for fault in faults), faults


@pytest.mark.parametrize("wrong", ["half\ud800", "a\0", 7, None])
def test_what_is_no_address_is_told(library: whorl.Library, wrong: Any) -> None:
    for ask in (library.pages.find, library.pages.at):
        with pytest.raises(UsageError, match="url"):
            ask(wrong)


@pytest.mark.parametrize("number", [0, -1, 2**70, "1", None])
def test_unknown_entries_are_none(library: whorl.Library, number: Any) -> None:
    assert library.ledger.get(number) is None
    assert library.ledger.after(2**70) == []
    with pytest.raises(NotFoundError, match=r"alert .* not found"):
        library.outbox.sent([number])


def read_all(library: whorl.Library) -> None:
    """Read all records of a watch."""
    for kept in (
        library.pages,
        library.attestations,
        library.reviews,
        library.outbox,
        library.sites,
        library.permissions,
    ):
        list(kept)
    library.pages.find(URL)
    library.pages.of("a")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE snapshot SET headers = '{'",
        "UPDATE snapshot SET headers = '[1]'",
        "UPDATE snapshot SET document = 99",
        "UPDATE snapshot SET fetched_at = 1 << 62",
        "UPDATE attestation SET document = 99",
        "UPDATE decision SET low = 99",
        "UPDATE alert SET payload = '{'",
    ],
)
def test_damage_is_told_and_never_a_traceback(place: Path, change: str) -> None:
    with whorl.open(place) as library:
        library.add({"id": name, "text": "渔港的冰厂今年夏天添了两台新机器。"} for name in "ab")
        library.pages.keep(URL, BODY, document="a")
        library.attestations.put([{"document": "a", "kind": "print", "at": "2026"}])
        library.review("a", "b", "confirmed")
        library.outbox.put([{"rule": "copies", "payload": {}}])
        read_all(library)
    with closing(sqlite3.connect(place / "library.sqlite")) as connection:
        connection.execute(change)
        connection.commit()
    with whorl.open(place) as library:
        with pytest.raises(InputError, match="damaged"):
            read_all(library)
        assert library.verify().faults
