"""The default store: what it imports, and how many statements it runs."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited

import whorl
from whorl.stores import Writer, open_store
from whorl.stores.monitoring_records import CaseFilter, PermissionRecord
from whorl.stores.records import ReviewRecord
from whorl.stores.sqlite import SqliteStore
from whorl.stores.sqlite.transactions import SqliteWriter

_BEGIN = ("BEGIN", "SELECT name, seq FROM sqlite_sequence")


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the queries that run in transactions, after those that begin one."""
    statements: list[str] = []
    connect: Callable[[SqliteStore], sqlite3.Connection] = SqliteStore._connect

    def note(statement: str) -> None:
        if statement.startswith(("SELECT", "WITH")) and not statement.startswith(_BEGIN):
            statements.append(statement)

    def traced(store: SqliteStore) -> sqlite3.Connection:
        connection = connect(store)
        connection.set_trace_callback(note)
        return connection

    monkeypatch.setattr(SqliteStore, "_connect", traced)
    return statements


@pytest.mark.parametrize(
    ("call", "document", "limit"),
    [
        ("add", {"id": "new", "text": article(99)}, 2),
        ("add", {"id": "same", "text": article(3)}, 6),
        ("add", {"id": "similar", "text": edited(article(3), 2)}, 6),
        ("check", {"id": "similar", "text": edited(article(3), 2)}, 4),
    ],
)
def test_one_article_takes_few_queries(
    call: str, document: dict[str, Any], limit: int, queries: list[str], tmp_path: Path
) -> None:
    with whorl.open(tmp_path) as library:
        library.add([{"id": f"{number}", "text": article(number)} for number in range(50)])
        queries.clear()
        report = library.add(document) if call == "add" else library.check(document["text"])
        assert bool(report.matches) == (document["id"] != "new")
    assert len(queries) <= limit, queries


PAIRS, NUMBERS, TEXTS, DIGESTS = [(1, 2), (2, 3)], [1, 2], ["a", "b"], [b"a", b"b"]
LOOKUPS: dict[str, Callable[[Writer], Any]] = {
    "entries": lambda rows: rows.entries(TEXTS),
    "origins": lambda rows: rows.entries_from(TEXTS),
    "numbers": lambda rows: rows.numbered(NUMBERS),
    "members": lambda rows: [rows.members(NUMBERS, limit, name) for limit in (None, 3) for name in (None, "a")],
    "briefs": lambda rows: list(rows.briefs(NUMBERS)),
    "extents": lambda rows: rows.extents(NUMBERS, "published"),
    "texts": lambda rows: (rows.texts(NUMBERS), rows.texts_of_contents(NUMBERS), rows.former(NUMBERS)),
    "contents": lambda rows: (rows.contents(NUMBERS), rows.in_clusters(NUMBERS), rows.sketches(NUMBERS)),
    "pairs": lambda rows: (rows.pairs(NUMBERS), rows.joined(NUMBERS), rows.remove_pairs(PAIRS)),
    "pairs of a collection": lambda rows: list(rows.all_pairs("a")),
    "clusters": lambda rows: (rows.aliases(NUMBERS), rows.borne(NUMBERS), rows.cluster(1)),
    "merged": lambda rows: (rows.merge_clusters({2: 1}), rows.redirect(NUMBERS), rows.move({1: 1, 2: 1})),
    "sightings": lambda rows: (rows.sightings(NUMBERS), rows.links(NUMBERS)),
    "reviews": lambda rows: (rows.verdicts(NUMBERS), rows.reviewed(NUMBERS), rows.remove_verdicts(PAIRS)),
    "decisions": lambda rows: (rows.decisions(PAIRS), rows.decisions_about(NUMBERS)),
    "sites": lambda rows: (rows.sites(TEXTS), rows.remove_sites(TEXTS)),
    "permissions": lambda rows: (
        rows.permissions(TEXTS),
        rows.remove_permissions([PermissionRecord("a", "", "", 1, None, "")]),
    ),
    "attestations": lambda rows: rows.attestations(NUMBERS),
    "snapshots": lambda rows: (rows.snapshots_of(NUMBERS), rows.snapshots_at(TEXTS)),
    "latest": lambda rows: (list(rows.latest_at(TEXTS, range(200, 300))), list(rows.latest_with(DIGESTS))),
    "bodies": lambda rows: (rows.bodies(DIGESTS), rows.known_bodies(DIGESTS), rows.remove_snapshots_numbered(NUMBERS)),
    "ledger": lambda rows: rows.ledger_records(NUMBERS),
    "alerts": lambda rows: (rows.alerts(NUMBERS), rows.alerts_about(TEXTS)),
    "cases": lambda rows: (rows.cases(NUMBERS), rows.cases_at(TEXTS), rows.cases_about(TEXTS), rows.case_events([1])),
    "selected cases": lambda rows: rows.cases_after(CaseFilter(("open",), "a", "a"), None, 9),
    "removed": lambda rows: (rows.remove_entries(NUMBERS), rows.remove_contents(NUMBERS), rows.remove_cases(NUMBERS)),
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_rows_are_looked_up_by_an_index(lookup: str, tmp_path: Path) -> None:
    statements: list[str] = []
    with open_store(str(tmp_path), create=True).writing() as writer:
        assert isinstance(writer, SqliteWriter)
        writer.put_verdicts([ReviewRecord(1, 2, "confirmed", "", 1, "")])
        writer._connection.set_trace_callback(statements.append)
        LOOKUPS[lookup](writer)
        writer._connection.set_trace_callback(None)
        assert statements
        tables = {name for (name,) in writer.query("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        plans = [writer.query(f"EXPLAIN QUERY PLAN {statement}") for statement in statements]
    scanned = [step for plan in plans for *_, step in plan if step.startswith("SCAN") and tables & {*step.split()[1:3]}]
    assert not scanned, statements


def test_the_default_store_needs_no_database_package(tmp_path: Path) -> None:
    code = (
        "import sys; from whorl.stores import open_store\n"
        f"with open_store({str(tmp_path / 'kept')!r}, create=True).writing() as writer: writer.put_state(1)\n"
        "print(sorted({'psycopg', 'pymysql', 'sqlalchemy'} & sys.modules.keys()))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
