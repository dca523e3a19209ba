"""Stored responses of idempotent requests, kept for a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Lock

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.service.state.database import Database, stamp

KEPT = timedelta(days=1)
LEASE = timedelta(seconds=20)
"""Lease of a request in progress. It expires if the process dies."""
_SWEPT = timedelta(hours=1)


@frozen
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


@frozen
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
        time = self._database.time()
        with self._database.writing(is_exclusive=False) as connection:
            if self._is_time_to_sweep(time):
                connection.execute("DELETE FROM answer WHERE made_at <= ?", (stamp(time - KEPT),))
            caller = connection.key_of(asking.caller)
            values = {"caller": caller, "key": asking.key, "request": asking.request, "made_at": stamp(time)}
            if connection.add("answer", values):
                return True
            row = connection.execute(
                'SELECT request, status, kind, location, body, made_at FROM answer WHERE caller = ? AND "key" = ?',
                (caller, asking.key),
            ).fetchone()
            if row is None:  # its request was dropped meanwhile: the next attempt begins it
                return False
            since = stamp(time - (LEASE if row["status"] is None else KEPT))
            # A start in the future means that the clock has been set back since.
            is_late = row["status"] is None and row["made_at"] > stamp(time + LEASE)
            if row["made_at"] <= since or is_late:
                # Of several processes that see an expired lease, one gets it.
                updated = connection.execute(
                    "UPDATE answer SET request = ?, status = NULL, kind = NULL, body = NULL, location = NULL, "
                    'made_at = ? WHERE caller = ? AND "key" = ? AND made_at = ?',
                    (asking.request, stamp(time), caller, asking.key, row["made_at"]),
                )
                return updated.rowcount > 0
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
        self._update(asking, "made_at = ?", self._database.now())

    def keep(self, asking: Asking, answer: StoredResponse) -> None:
        """Store the response of a request durably."""
        values = (answer.status, answer.kind, answer.location, answer.body, self._database.now())
        self._update(asking, "status = ?, kind = ?, location = ?, body = ?, made_at = ?", *values)

    def drop(self, asking: Asking) -> None:
        """Remove a request that was not carried out."""
        with self._database.writing(is_exclusive=False) as connection:
            connection.execute(
                'DELETE FROM answer WHERE caller = ? AND "key" = ? AND status IS NULL',
                (connection.key_of(asking.caller), asking.key),
            )

    def _update(self, asking: Asking, assigned: str, *values: object) -> None:
        with self._database.writing(is_exclusive=False) as connection:
            connection.execute(
                f'UPDATE answer SET {assigned} WHERE caller = ? AND "key" = ? AND status IS NULL',
                (*values, connection.key_of(asking.caller), asking.key),
            )

    def _is_time_to_sweep(self, time: datetime) -> bool:
        with self._lock:
            is_time = time - self._swept >= _SWEPT
            if is_time:
                self._swept = time
        return is_time


__all__ = ["KEPT", "LEASE", "Answers", "Asking", "StoredResponse"]
