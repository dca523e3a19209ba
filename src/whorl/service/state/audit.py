"""Audit log of changes and evidence downloads: caller, time, address and result. It contains no article texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from whorl._internal.frozen import frozen
from whorl.service.state.database import Database, Row, stamp
from whorl.types.comparison import Plain

_LONGEST = 500
_COLUMNS = ("at", "who", "address", "what", "library", "subject", "status", "request")
_END = "UPDATE audit SET at = ?, subject = ?, status = ? WHERE number = ? AND status = 0"


@frozen
class AuditEntry(Plain):
    """An entry of the audit log.

    Attributes:
        number: number of the entry, in ascending order.
        at: when the request ended.
        who: the caller, such as "key 1 desk", "user mei" or "local"; empty if unknown.
        address: address of the client.
        what: method and route, such as "DELETE /v1/keys/{number}".
        library: name of the library; empty for none.
        subject: affected object, such as the id of a document; empty for none in particular.
        status: HTTP status; 0 for a request whose end was not recorded.
        request: request id, also in the log and the response.
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
    """A statement waiting to be written, or the values of a new entry if there is no statement."""

    statement: str | None
    values: tuple[object, ...]
    is_synced: bool = True
    is_written: bool = False
    number: int = 0


class Audit:
    """The audit log of a service. Thread-safe and process-safe.

    The entry of a change is written before the change (`begin`), so nothing is changed if the disk has no space for the
    entry. Its result is added afterwards (`end`). A completed entry never changes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[_Waiting] = deque()
        self._turn = Lock()

    def note(self, who: str, address: str, what: str, library: str, subject: str, status: int, request: str) -> None:
        """Add an entry durably. Concurrent entries are written in one transaction."""
        texts = map(_clipped, (who, address, what, library, subject))
        self._put(_Waiting(None, (self._database.now(), *texts, status, request)))

    def begin(self, who: str, address: str, what: str, library: str, subject: str, request: str) -> int:
        """Add the entry of a change before it is applied, and return its number.

        Raises:
            ResourceError: the entry cannot be written.
        """
        texts = map(_clipped, (who, address, what, library, subject))
        return self._put(_Waiting(None, (self._database.now(), *texts, 0, request), is_synced=False))

    def end(self, number: int, subject: str, status: int) -> None:
        """Add the result to an entry durably."""
        self._put(_Waiting(_END, (self._database.now(), _clipped(subject), status, number)))

    def drop(self, number: int) -> None:
        """Remove the entry of a change that was refused early."""
        self._put(_Waiting("DELETE FROM audit WHERE number = ? AND status = 0", (number,), is_synced=False))

    def forget(self, before: datetime, libraries: Sequence[str] = ()) -> int:
        """Remove completed entries from before a time; return how many.

        Args:
            before: the time.
            libraries: libraries with open cases, whose entries about evidence and cases are kept.
        """
        marks = ", ".join("?" * len(libraries))
        statement = "DELETE FROM audit WHERE status <> 0 AND at < ?"
        if libraries:
            statement += f" AND NOT (library IN ({marks}) AND (what LIKE '%/evidence%' OR what LIKE '%/cases%'))"
        with self._database.writing(is_exclusive=False) as connection:
            return connection.execute(statement, (stamp(before), *libraries)).rowcount

    def _put(self, statement: _Waiting) -> int:
        """Write a statement together with waiting ones, and return the number of its row."""
        self._waiting.append(statement)
        with self._turn:
            if not statement.is_written:
                self._write(statement)
        return statement.number

    def _write(self, statement: _Waiting) -> None:
        """Write all waiting statements. After a failure, each of the others tries again separately."""
        together = {id(statement): statement}
        while self._waiting:
            waiting = self._waiting.popleft()
            together[id(waiting)] = waiting
        is_synced = any(waiting.is_synced for waiting in together.values())
        with self._database.writing(is_synced=is_synced, is_exclusive=False) as connection:
            for waiting in together.values():
                if waiting.statement is None:
                    waiting.number = connection.insert("audit", dict(zip(_COLUMNS, waiting.values, strict=True)))
                else:
                    connection.execute(waiting.statement, waiting.values)
        for waiting in together.values():
            waiting.is_written = True

    def list(
        self, *, library: str | None = None, who: str | None = None, before: int | None = None, limit: int = 100
    ) -> list[AuditEntry]:
        """Return entries, the newest first.

        Args:
            library: only entries of this library.
            who: only entries of this caller.
            before: only entries with a smaller number.
            limit: maximum number of entries.
        """
        chosen = [("library = ?", library), ("who = ?", who), ("number < ?", before)]
        wheres = " AND ".join(["true", *(where for where, value in chosen if value is not None)])
        values = [value for _, value in chosen if value is not None]
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT number, {', '.join(_COLUMNS)} FROM audit WHERE {wheres} ORDER BY number DESC LIMIT ?",
                (*values, limit),
            )
            return [_entry(row) for row in rows]


def _clipped(text: str) -> str:
    return text[:_LONGEST].encode("utf-8", "replace").decode()


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(**{**dict(row), "at": datetime.fromisoformat(row["at"])})


__all__ = ["Audit", "AuditEntry"]
