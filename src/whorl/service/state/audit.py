"""The audit log: who changed something or took evidence, when, from where, and how it ended. It holds no texts."""

from __future__ import annotations

import sqlite3
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from whorl.model import Plain
from whorl.service.state.database import Database, now

_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Entry(Plain):
    """What somebody did.

    Attributes:
        number: of the entry; a later one has a larger number.
        at: when it ended.
        who: did it, as "key 1 desk", "user mei" or "local"; empty where nobody knew.
        address: from where.
        what: the method and the route, such as "DELETE /v1/keys/{number}".
        library: in which, by name; empty for none.
        subject: to what, such as the id of a document; empty for nothing in particular.
        status: of HTTP.
        request: its number, which the log and the answer have as well.
    """

    number: int
    at: datetime
    who: str
    address: str
    what: str
    library: str
    subject: str
    status: int
    request: str


@dataclass(slots=True)
class _Waiting:
    """An entry that is not on the disk yet."""

    values: tuple[object, ...]
    is_written: bool = False


class Audit:
    """The audit log of a service. Entries are added, and never changed. Safe from threads and other processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[_Waiting] = deque()
        self._turn = Lock()

    def note(self, who: str, address: str, what: str, library: str, subject: str, status: int, request: str) -> None:
        """Add an entry, which is on the disk when this returns. Those that come together are written together."""
        texts = (text[:_LONGEST].encode("utf-8", "replace").decode() for text in (who, address, what, library, subject))
        own = _Waiting((now(), *texts, status, request))
        self._waiting.append(own)
        with self._turn:
            if not own.is_written:
                self._write(own)

    def _write(self, own: _Waiting) -> None:
        """Write all that waits; where that fails, each of the others tries again on its own."""
        together = {id(own): own}
        while self._waiting:
            one = self._waiting.popleft()
            together[id(one)] = one
        with self._database.writing() as connection:
            connection.executemany(
                "INSERT INTO audit (at, who, address, what, library, subject, status, request) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [one.values for one in together.values()],
            )
        for one in together.values():
            one.is_written = True

    def list(
        self, *, library: str | None = None, who: str | None = None, before: int | None = None, most: int = 100
    ) -> list[Entry]:
        """Return entries, the newest first.

        Args:
            library: only of this.
            who: only of them.
            before: only such with a smaller number.
            most: how many.
        """
        chosen = [("library = ?", library), ("who = ?", who), ("number < ?", before)]
        wheres = " AND ".join(["true", *(where for where, value in chosen if value is not None)])
        values = [value for _, value in chosen if value is not None]
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT * FROM audit WHERE {wheres} ORDER BY number DESC LIMIT ?", (*values, most)
            )
            return [_entry(row) for row in rows]


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(**{**dict(row), "at": datetime.fromisoformat(row["at"])})


__all__ = ["Audit", "Entry"]
