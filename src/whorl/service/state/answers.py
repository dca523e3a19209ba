"""Stored responses of idempotent requests, kept for a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.service.state.database import Database, now, stamp

KEPT = timedelta(days=1)
LEASE = timedelta(seconds=20)
"""Lease of a request in progress. It expires if the process dies."""
_SWEPT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A stored response.

    Attributes:
        status: HTTP status.
        kind: ``Content-Type`` of the body.
        location: ``Location`` header; None if there is none.
        body: body, compressed by zlib.
    """

    status: int
    kind: str | None
    location: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Asking:
    """A request with an idempotency key.

    Attributes:
        caller: the caller.
        key: idempotency key.
        request: digest of the request.
    """

    caller: str
    key: str
    request: bytes


class Answers:
    """Stored responses of a service. Thread-safe and process-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._swept = datetime.min.replace(tzinfo=UTC)

    def begin(self, asking: Asking) -> StoredResponse | bool:
        """Return the stored response, True if the caller must carry out the request, or False if another one does.

        A started request must be renewed before its lease expires, and finally kept or dropped.

        Raises:
            UsageError: a different request has this key.
        """
        time = datetime.now(UTC)
        with self._database.writing() as connection:
            if self._is_time_to_sweep(time):
                connection.execute("DELETE FROM answer WHERE made_at <= ?", (stamp(time - KEPT),))
            row = connection.execute(
                "SELECT * FROM answer WHERE caller = ? AND key = ?", (asking.caller, asking.key)
            ).fetchone()
            since = stamp(time - (LEASE if row is not None and row["status"] is None else KEPT))
            # A start in the future means that the clock has been set back since.
            is_late = row is not None and row["status"] is None and row["made_at"] > stamp(time + LEASE)
            if row is None or row["made_at"] <= since or is_late:
                connection.execute(
                    "INSERT OR REPLACE INTO answer (caller, key, request, made_at) VALUES (?, ?, ?, ?)",
                    (asking.caller, asking.key, asking.request, stamp(time)),
                )
                return True
        if row["request"] != asking.request:
            raise UsageError(
                say("the `Idempotency-Key` was already used for another request"),
                hint=say("use a new key for each request"),
            )
        if row["status"] is None:
            return False
        return StoredResponse(row["status"], row["kind"], row["location"], row["body"])

    def renew(self, asking: Asking) -> None:
        """Renew the lease of a request."""
        self._update(asking, "made_at = ?", now())

    def keep(self, asking: Asking, answer: StoredResponse) -> None:
        """Store the response of a request durably."""
        values = (answer.status, answer.kind, answer.location, answer.body, now())
        self._update(asking, "status = ?, kind = ?, location = ?, body = ?, made_at = ?", *values)

    def drop(self, asking: Asking) -> None:
        """Remove a request that was not carried out."""
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


__all__ = ["KEPT", "LEASE", "Answers", "Asking", "StoredResponse"]
