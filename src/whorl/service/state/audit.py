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
_ADD = "INSERT INTO audit (at, who, address, what, library, subject, status, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_END = "UPDATE audit SET at = ?, subject = ?, status = ? WHERE number = ? AND status = 0"


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
        status: of HTTP; 0 for a request that has not ended, or whose end could not be written.
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
    """A statement that is not on the disk yet."""

    statement: str
    values: tuple[object, ...]
    is_synced: bool = True
    is_written: bool = False
    number: int = 0


class Audit:
    """The audit log of a service. Safe from threads and other processes.

    A change has its entry before it is made (`begin`), so that none is made where the disk has no room for the entry;
    how it ended is added to that entry (`end`). An entry that has ended never changes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[_Waiting] = deque()
        self._turn = Lock()

    def note(self, who: str, address: str, what: str, library: str, subject: str, status: int, request: str) -> None:
        """Add an entry, which is on the disk when this returns. Those that come together are written together."""
        texts = map(_clipped, (who, address, what, library, subject))
        self._put(_Waiting(_ADD, (now(), *texts, status, request)))

    def begin(self, who: str, address: str, what: str, library: str, subject: str, request: str) -> int:
        """Add the entry of a change that is about to be made, and return its number.

        Raises:
            ResourceError: it cannot be written.
        """
        texts = map(_clipped, (who, address, what, library, subject))
        return self._put(_Waiting(_ADD, (now(), *texts, 0, request), is_synced=False))

    def end(self, number: int, subject: str, status: int) -> None:
        """Add to an entry how the change ended; it is on the disk when this returns."""
        self._put(_Waiting(_END, (now(), _clipped(subject), status, number)))

    def drop(self, number: int) -> None:
        """Remove the entry of a change that was refused before anything was looked at."""
        self._put(_Waiting("DELETE FROM audit WHERE number = ? AND status = 0", (number,), is_synced=False))

    def _put(self, own: _Waiting) -> int:
        """Write a statement, together with those that wait, and return the number of its row."""
        self._waiting.append(own)
        with self._turn:
            if not own.is_written:
                self._write(own)
        return own.number

    def _write(self, own: _Waiting) -> None:
        """Write all that waits; where that fails, each of the others tries again on its own."""
        together = {id(own): own}
        while self._waiting:
            one = self._waiting.popleft()
            together[id(one)] = one
        with self._database.writing(is_synced=any(one.is_synced for one in together.values())) as connection:
            for one in together.values():
                one.number = connection.execute(one.statement, one.values).lastrowid or 0
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


def _clipped(text: str) -> str:
    return text[:_LONGEST].encode("utf-8", "replace").decode()


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(**{**dict(row), "at": datetime.fromisoformat(row["at"])})


__all__ = ["Audit", "Entry"]
