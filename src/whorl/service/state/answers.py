"""Answers to requests that a caller may make again under the same key, kept for a day: none is carried out twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock

from whorl.errors import UsageError
from whorl.language import say
from whorl.service.state.database import Database, now, stamp

KEPT = timedelta(days=1)
LEASE = timedelta(seconds=20)
"""How long a request counts as being answered after it was said so; its process may have ended."""
_SWEPT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered.

    Attributes:
        status: of HTTP.
        kind: of its body, as ``Content-Type`` has it.
        location: of what was made; None for nothing.
        body: packed by zlib.
    """

    status: int
    kind: str | None
    location: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Asking:
    """A request that its caller names.

    Attributes:
        caller: who makes it.
        key: how they call it.
        request: a digest of all that it says.
    """

    caller: str
    key: str
    request: bytes


class Answers:
    """The answers of a service. Safe from threads and from other processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._swept = datetime.min.replace(tzinfo=UTC)

    def begin(self, asking: Asking) -> Answer | bool:
        """Return what a request was answered; else whether it is the caller's now to answer, and not another's.

        What is begun is renewed before its lease is over, and kept or dropped at the end.

        Raises:
            UsageError: another request has this key.
        """
        time = datetime.now(UTC)
        with self._database.writing() as connection:
            if self._is_time_to_sweep(time):
                connection.execute("DELETE FROM answer WHERE made_at <= ?", (stamp(time - KEPT),))
            row = connection.execute(
                "SELECT * FROM answer WHERE caller = ? AND key = ?", (asking.caller, asking.key)
            ).fetchone()
            since = stamp(time - (LEASE if row is not None and row["status"] is None else KEPT))
            # One that was begun in the future was begun by a clock that has been set back since.
            is_late = row is not None and row["status"] is None and row["made_at"] > stamp(time + LEASE)
            if row is None or row["made_at"] <= since or is_late:
                connection.execute(
                    "INSERT OR REPLACE INTO answer (caller, key, request, made_at) VALUES (?, ?, ?, ?)",
                    (asking.caller, asking.key, asking.request, stamp(time)),
                )
                return True
        if row["request"] != asking.request:
            raise UsageError(
                say("another request was made under this `Idempotency-Key`"), cure=say("give each request its own key")
            )
        if row["status"] is None:
            return False
        return Answer(row["status"], row["kind"], row["location"], row["body"])

    def renew(self, asking: Asking) -> None:
        """Say that a request is still being answered."""
        self._update(asking, "made_at = ?", now())

    def keep(self, asking: Asking, answer: Answer) -> None:
        """Keep what a request was answered; it is on the disk then."""
        values = (answer.status, answer.kind, answer.location, answer.body, now())
        self._update(asking, "status = ?, kind = ?, location = ?, body = ?, made_at = ?", *values)

    def drop(self, asking: Asking) -> None:
        """Forget a request that was not carried out."""
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM answer WHERE caller = ? AND key = ? AND status IS NULL", (asking.caller, asking.key)
            )

    def _update(self, asking: Asking, assigned: str, *values: object) -> None:
        with self._database.writing() as connection:
            connection.execute(
                f"UPDATE answer SET {assigned} WHERE caller = ? AND key = ? AND status IS NULL",
                (*values, asking.caller, asking.key),
            )

    def _is_time_to_sweep(self, time: datetime) -> bool:
        with self._lock:
            is_time = time - self._swept >= _SWEPT
            if is_time:
                self._swept = time
        return is_time


__all__ = ["KEPT", "LEASE", "Answer", "Answers", "Asking"]
