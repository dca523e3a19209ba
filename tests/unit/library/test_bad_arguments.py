"""Invalid arguments of a library, and a damaged file: a clear error."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from tests.articles import article, edited

import whorl
from whorl import Library
from whorl.errors import InputError, UsageError, WhorlError
from whorl.library.rules import GivenRules, Rules

HALF = "\ud800"


@pytest.fixture
def library(tmp_path: Path) -> Any:
    with whorl.open(tmp_path / "library") as opened:
        opened.add([{"id": "a", "text": article(1)}, {"id": "b", "text": edited(article(1), 3)}])
        yield opened


@pytest.mark.parametrize("address", [None, 5, "", b"x", "a\0b", HALF, 10**20])
def test_what_is_no_place_makes_no_folder(address: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="not a valid location of a library"):
        whorl.open(address)
    assert not list(tmp_path.iterdir())


def test_what_is_no_recipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a recipe"):
        whorl.open(tmp_path / "library", recipe=5)  # type: ignore[arg-type]


UNKNOWN: list[Callable[[Library], object]] = [
    lambda library: library.matches(HALF),
    lambda library: library.report(None),  # type: ignore[arg-type]
    lambda library: library.review("a", HALF, "confirmed"),
    lambda library: library.review("a", "b", "confirmed", by=HALF),
    lambda library: library.review("a", "b", "confirmed", note=5),  # type: ignore[arg-type]
    lambda library: library.review("a", "b", None),  # type: ignore[arg-type]
    lambda library: library.reviews.of("a", HALF),
    lambda library: library.reviews.undo("a", "b", by=5),  # type: ignore[arg-type]
    lambda library: library.check("渔港", collection=HALF),
    lambda library: library.ids(collection=5).__next__(),  # type: ignore[arg-type,attr-defined]
    lambda library: library.documents(among=HALF),
    lambda library: library.documents(title=HALF),
    lambda library: library.documents(source=5),  # type: ignore[arg-type]
    lambda library: library.documents(since="soon"),
    lambda library: library.documents(after=-1),
    lambda library: library.documents(after=10**20),
    lambda library: library.documents(limit=0),
    lambda library: library.collect("a", "protected"),
    lambda library: library.collect(["a"], HALF),
    lambda library: library.sites.put([HALF]),  # type: ignore[list-item]
    lambda library: library.sites.remove([HALF]),
    lambda library: library.permissions.put([{"domain": "a.org", "path": HALF}]),
    lambda library: library.permissions.remove(None),  # type: ignore[arg-type]
    lambda library: library.permissions.covering("https://a.org", at="soon"),
    lambda library: library.attestations.of(HALF),
    lambda library: library.attestations.put([{"document": HALF, "kind": "print", "at": "2026"}]),
    lambda library: library.pages.keep("https://a.org", b"", document=HALF),
    lambda library: library.pages.assign("https://a.org", "a"),  # type: ignore[arg-type]
    lambda library: library.pages.of(None),  # type: ignore[arg-type]
    lambda library: library.pages.body(b"x"),  # type: ignore[arg-type]
    lambda library: library.outbox.put([{"rule": HALF, "payload": {}}]),
    lambda library: library.outbox.put([{"rule": "x", "payload": {"a": HALF}}]),
    lambda library: library.outbox.due(limit=0),
    lambda library: library.cluster(10**20),
    lambda library: library.cluster(-1),
    lambda library: library.cluster("1"),  # type: ignore[arg-type]
    lambda library: library.trace(10**20),
    lambda library: library.titles(10**20),
    lambda library: library.clusters(at_least=10**20),
    lambda library: library.clusters(at_least=0),
    lambda library: library.clusters(limit=10**20),
    lambda library: library.clusters(limit=-1),
    lambda library: library.remove(None),  # type: ignore[arg-type]
    lambda library: library.remove(5),  # type: ignore[arg-type]
    lambda library: library.backup(None),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("ask", UNKNOWN)
def test_what_nothing_can_be_is_refused_with_a_hint(library: Library, ask: Callable[[Library], object]) -> None:
    with pytest.raises((UsageError, InputError), match="hint"):
        ask(library)
    assert len(library) == 2


def test_no_id_or_title_makes_the_reports_of_others_long(library: Library) -> None:
    with pytest.raises(InputError, match=r"up to 10,000 characters, got 10,001"):
        library.add({"id": "i" * 10_001, "text": article(2)})
    library.add({"id": "i" * 10_000, "text": article(2), "title": "冰" * 10_000})
    (match,) = library.check(article(2)).matches
    document = library.get(match.id)
    assert match.title == "冰" * 500
    assert document is not None
    assert document.title == "冰" * 10_000


def test_an_id_that_no_document_can_have_is_unknown(library: Library) -> None:
    assert library.get(HALF) is None
    assert HALF not in library
    assert library.remove(HALF) == 0
    assert library.remove([HALF, "a"]) == 1


@pytest.mark.parametrize("value", [HALF, "a\0", "", None, 5, True])
def test_an_id_that_cannot_be_kept_is_not_added(library: Library, value: Any) -> None:
    with pytest.raises(InputError, match="hint"):
        library.add({"id": value, "text": "x"})
    assert len(library) == 2


# Damage


def ask_everything(place: Path) -> None:
    with whorl.open(place, create=False) as library:
        for id_ in library:
            library.get(id_)
            library.matches(id_)
        list(library.export())
        library.check(article(1))
        for size in library.clusters():
            library.trace(size.id)
        library.add({"id": "new", "text": edited(article(1), 2)})
        library.remove(["a"])
        library.verify()


DAMAGE = {
    "text of another kind": "UPDATE text SET body = 1.5 WHERE document = 1",
    "metadata that are no JSON": "UPDATE document SET metadata = '{' WHERE number = 1",
    "a time that is none": "UPDATE document SET first_seen_at = 'soon' WHERE number = 1",
    "a content that is gone": "DELETE FROM content WHERE number = 1",
    "settings that are no JSON": "UPDATE setting SET value = '{' WHERE name = 'making'",
    "settings of something else": "UPDATE setting SET value = '[]' WHERE name = 'making'",
    "settings without a rule": "UPDATE setting SET value = replace(value, 'clock', 'cloco') WHERE name = 'making'",
}


def with_schema(place: Path, sql: str) -> None:
    """Change the declaration of the tables, since SQLite itself writes no value of another type into a strict one."""
    with closing(sqlite3.connect(place / "library.sqlite")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"UPDATE sqlite_master SET sql = {sql}")
        connection.commit()


@pytest.mark.parametrize("kind", DAMAGE)
def test_rows_that_are_not_what_was_written_are_told_as_damage(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "library"
    with whorl.open(place) as library:
        library.add([{"id": id_, "text": article(1)} for id_ in "abc"])
    with_schema(place, "replace(sql, ' STRICT', ' /*STRICT*/')")
    with closing(sqlite3.connect(place / "library.sqlite")) as connection:
        connection.execute(DAMAGE[kind])
        connection.commit()
    with_schema(place, "replace(sql, ' /*STRICT*/', ' STRICT')")
    with pytest.raises(InputError, match=r"(?s)damaged.*hint"):
        ask_everything(place)


def test_pages_damaged_anywhere_end_in_no_traceback(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": str(n), "text": edited(article(n % 9), n % 4), "metadata": {"n": n}} for n in range(40)])
    sound = (tmp_path / "library" / "library.sqlite").read_bytes()
    report = 0
    for seed in range(60):
        rng = random.Random(seed)
        damaged = bytearray(sound)
        for place in (rng.randrange(100, len(sound)) for _ in range(12)):
            damaged[place] ^= 1 << rng.randrange(8)
        place = tmp_path / f"damaged-{seed}"
        place.mkdir()
        (place / "library.sqlite").write_bytes(damaged)
        try:
            ask_everything(place)
        except WhorlError:
            report += 1
    assert report > 20


def test_every_rule_can_be_given_by_name() -> None:
    assert get_type_hints(GivenRules) == get_type_hints(Rules)
