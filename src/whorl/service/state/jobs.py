"""Storage of jobs: queue, leases of worker processes, and results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.service.state.database import Connection, Database, Row, stamp
from whorl.types.jobs import Job, JobState

LEASE = timedelta(seconds=15)
"""Lease of a running job. Afterwards another worker takes it over."""
_ANY_NUMBER = 2**31
_COLUMNS = (
    'id, kind, library, given, "by", state, done, total, stage, result, problem, tries, is_cancelled, made_at, '
    "begun_at, ended_at"
)
_EXPIRED = "(seen_at <= ? OR seen_at > ?)"
"""Expired lease. A lease in the future means that the clock has been set back since."""
TRIES = 3
"""Number of crashed worker processes after which a job fails."""
_CANCEL = (
    "UPDATE job SET is_cancelled = 1, ended_at = CASE WHEN state = 'queued' THEN ? END, "
    "state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END WHERE state IN ('queued', 'running') AND"
)
"""MySQL assigns in this order, so the state is last."""
_LOST = {
    "code": "resource",
    "detail": say("{count} processes ended while running it", count=TRIES),
    "hint": say("check the log and the memory of the service"),
}


@frozen
class Claimed:
    """A claimed job with its parameters."""

    job: Job
    parameters: dict[str, Any]


class Jobs:
    """The jobs of a service. Worker processes claim them by a lease and renew it while they work."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        id: str,
        kind: str,
        library: str,
        parameters: Mapping[str, Any],
        by: str,
        *,
        limits: Mapping[tuple[str, ...], int] | None = None,
    ) -> Job | None:
        """Queue a job and return it; None if the caller has too many queued jobs.

        Args:
            id: id of the job.
            kind: kind of the job.
            library: name of the library.
            parameters: parameters.
            by: submitter.
            limits: maximum number of queued jobs per caller, by kinds counted together.
        """
        with self._database.writing() as connection:
            for kinds, limit in (limits or {}).items():
                if _waiting(connection, by, kinds) >= limit:
                    return None
            connection.execute(
                'INSERT INTO job (id, kind, library, given, "by", state, stage, made_at) '
                "VALUES (?, ?, ?, ?, ?, 'queued', '', ?)",
                (id, kind, library, json.dumps(parameters), by, connection.now()),
            )
        return self.get(id)

    def get(self, id: str) -> Job:
        """Return a job.

        Raises:
            NotFoundError: the job does not exist.
        """
        with self._database.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise absent(id)
        return _job(row)

    def list(
        self,
        *,
        library: str | None = None,
        libraries: Sequence[str] = (),
        kind: str | None = None,
        state: str | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> list[Job]:
        """Return jobs, the newest first.

        Args:
            library: only jobs of this library.
            libraries: only jobs of these libraries; empty for all.
            kind: only jobs of this kind.
            state: only jobs in this state.
            before: only jobs after this `position` of the list.
            limit: maximum number of jobs.
        """
        chosen = [("library = ?", library), ("kind = ?", kind), ("state = ?", state)]
        wheres, values = ["true"], []
        for where, value in chosen:
            if value is not None:
                wheres.append(where)
                values.append(value)
        if libraries:
            wheres.append(f"library IN ({', '.join('?' * len(libraries))})")
            values.extend(libraries)
        if before is not None:
            wheres.append("(made_at < ? OR made_at = ? AND id < ?)")
            at, _, id = before.partition(" ")
            values.extend((at, at, id))
        statement = f"SELECT {_COLUMNS} FROM job WHERE {' AND '.join(wheres)} ORDER BY made_at DESC, id DESC LIMIT ?"
        with self._database.reading() as connection:
            return [_job(row) for row in connection.execute(statement, (*values, limit))]

    def counts(self) -> dict[tuple[str, str], int]:
        """Count jobs by kind and state."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT kind, state, count(*) AS count FROM job GROUP BY kind, state")
            return {(row["kind"], row["state"]): row["count"] for row in rows}

    def claim(self, worker: str, kinds: Iterable[str], *, per_caller: int | None = None) -> Claimed | None:
        """Claim a queued or abandoned job; None if there is none.

        Callers take turns: first the caller with the fewest running jobs of these kinds, then the one whose last job of
        these kinds started longest ago; of its jobs, the oldest. Only one job of a kind runs in a library at a time.

        Args:
            worker: name of the worker.
            kinds: kinds to choose from.
            per_caller: maximum number of running jobs of these kinds per caller; None for no limit.
        """
        kind_names = tuple(kinds)
        chosen = _placeholders(kind_names)
        time = self._database.time()
        kept = stamp(time - LEASE), stamp(time + LEASE)
        takeable = f"kind IN ({chosen}) AND (state = 'queued' OR state = 'running' AND {_EXPIRED})"
        with self._database.reading() as connection:
            if not connection.execute(f"SELECT 1 FROM job WHERE {takeable} LIMIT 1", (*kind_names, *kept)).fetchone():
                return None
        with self._database.writing() as connection:
            _give_up(connection, kept)
            row = connection.execute(
                f"WITH caller AS {connection.materialized} "
                '(SELECT "by", (SELECT count(*) FROM job WHERE "by" = waiting."by" '
                f"AND state = 'running' AND NOT {_EXPIRED} AND kind IN ({chosen})) AS running, (SELECT max(begun_at) "
                f'FROM job WHERE "by" = waiting."by" AND kind IN ({chosen})) AS last FROM '
                f'(SELECT DISTINCT "by" FROM job WHERE {takeable}) AS waiting) '
                f'SELECT one.id FROM job AS one JOIN caller USING ("by") WHERE {takeable} AND running < ? '
                "AND NOT EXISTS (SELECT 1 FROM job WHERE kind = one.kind AND library = one.library "
                f"AND state = 'running' AND NOT {_EXPIRED} AND id <> one.id) "
                "ORDER BY running, last IS NOT NULL, last, made_at, id LIMIT 1",
                (
                    *kept, *kind_names, *kind_names, *kind_names, *kept, *kind_names, *kept,
                    per_caller or _ANY_NUMBER, *kept,
                ),
            ).fetchone()  # fmt: skip
            if row is None:
                return None
            at = connection.now()
            connection.execute(
                "UPDATE job SET state = 'running', worker = ?, seen_at = ?, begun_at = coalesce(begun_at, ?), "
                "tries = tries + 1, done = 0, total = NULL, stage = '' WHERE id = ?",
                (worker, at, at, row["id"]),
            )
            row = connection.execute(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (row["id"],)).fetchone()
        return Claimed(_job(row), json.loads(row["given"]))

    def renew(self, id: str, worker: str, stage: str, done: int, total: int | None) -> bool:
        """Renew a lease and store the progress; return False if the job must stop."""
        with self._database.writing(is_exclusive=False) as connection:
            connection.execute(
                "UPDATE job SET seen_at = ?, stage = ?, done = ?, total = ? "
                "WHERE id = ? AND worker = ? AND state = 'running'",
                (connection.now(), stage, done, total, id, worker),
            )
            return bool(
                connection.execute(
                    "SELECT 1 FROM job WHERE id = ? AND worker = ? AND state = 'running' AND is_cancelled = 0",
                    (id, worker),
                ).fetchone()
            )

    def end(
        self,
        id: str,
        worker: str,
        state: JobState,
        *,
        result: Mapping[str, Any] | None = None,
        problem: Mapping[str, Any] | None = None,
    ) -> bool:
        """End a job; return False if the worker has lost its lease."""
        with self._database.writing(is_exclusive=False) as connection:
            ended = connection.execute(
                "UPDATE job SET state = ?, result = ?, problem = ?, ended_at = ?, worker = NULL "
                "WHERE id = ? AND worker = ? AND state = 'running'",
                (state, _dumped(result), _dumped(problem), connection.now(), id, worker),
            )
        return bool(ended.rowcount)

    def put_back(self, id: str, worker: str) -> None:
        """Requeue a job as if it had not been started."""
        with self._database.writing(is_exclusive=False) as connection:
            connection.execute(
                "UPDATE job SET state = 'queued', worker = NULL, seen_at = NULL, tries = tries - 1, stage = '', "
                "done = 0, total = NULL WHERE id = ? AND worker = ? AND state = 'running'",
                (id, worker),
            )

    def cancel(self, id: str) -> Job:
        """Cancel a queued job, or request that a running one ends at its next step.

        Raises:
            NotFoundError: the job does not exist.
            UsageError: the job has already ended.
        """
        with self._database.writing() as connection:
            updated = connection.execute(f"{_CANCEL} id = ?", (connection.now(), id))
        job = self.get(id)
        if not updated.rowcount and job.state != "cancelled":
            raise UsageError(
                say("job {id} has already ended", id=id), hint=say("see its state: GET /v1/jobs/{id}", id=id)
            )
        return job

    def forget(self, before: datetime) -> tuple[str, ...]:
        """Delete jobs that ended before a time, and return their ids."""
        with self._database.writing() as connection:
            rows = connection.execute("SELECT id FROM job WHERE ended_at < ?", (stamp(before),)).fetchall()
            connection.executemany("DELETE FROM job WHERE id = ?", [(row["id"],) for row in rows])
        return tuple(row["id"] for row in rows)

    def ids(self) -> set[str]:
        """Return the ids of all jobs."""
        with self._database.reading() as connection:
            return {row["id"] for row in connection.execute("SELECT id FROM job")}


def is_any_running(connection: Connection) -> bool:
    """Return True if a worker holds the lease of a job."""
    time = connection.time()
    row = connection.execute(
        f"SELECT 1 FROM job WHERE state = 'running' AND NOT {_EXPIRED} LIMIT 1",
        (stamp(time - LEASE), stamp(time + LEASE)),
    ).fetchone()
    return row is not None


def cancel_all_by(connection: Connection, caller: str) -> None:
    """Cancel all unfinished jobs of a caller, in a transaction of the caller's removal.

    Args:
        connection: the connection of the transaction.
        caller: `Caller.who` of the submitter.
    """
    connection.execute(f'{_CANCEL} "by" = ?', (connection.now(), caller))


def absent(id: str) -> NotFoundError:
    """Return the error for a missing job."""
    return NotFoundError(say("job {id!r} not found", id=id), hint=say("list the jobs: GET /v1/jobs"))


def position(job: Job) -> str:
    """Return the list position of a job."""
    return f"{stamp(job.made_at)} {job.id}"


def _give_up(connection: Connection, kept: tuple[str, str]) -> None:
    """End abandoned jobs that were cancelled or have too many failed attempts."""
    abandoned = f"state = 'running' AND {_EXPIRED}"
    connection.execute(
        f"UPDATE job SET state = 'cancelled', ended_at = ? WHERE {abandoned} AND is_cancelled = 1",
        (connection.now(), *kept),
    )
    connection.execute(
        f"UPDATE job SET state = 'failed', problem = ?, ended_at = ? WHERE {abandoned} AND tries >= ?",
        (json.dumps(_LOST), connection.now(), *kept, TRIES),
    )


def _waiting(connection: Connection, by: str, kinds: Sequence[str]) -> int:
    """Count the queued jobs of some kinds of a caller."""
    row = connection.execute(
        f"SELECT count(*) FROM job WHERE \"by\" = ? AND state = 'queued' AND kind IN ({_placeholders(kinds)})",
        (by, *kinds),
    ).fetchone()
    return int(row[0])


def _placeholders(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _dumped(data: Mapping[str, Any] | None) -> str | None:
    return None if data is None else json.dumps(data, ensure_ascii=False)


def _job(row: Row) -> Job:
    return Job(
        id=row["id"],
        kind=row["kind"],
        library=row["library"],
        by=row["by"],
        state=row["state"],
        is_cancelled=bool(row["is_cancelled"]),
        stage=row["stage"],
        done=row["done"],
        total=row["total"],
        result=row["result"] and json.loads(row["result"]),
        problem=row["problem"] and json.loads(row["problem"]),
        tries=row["tries"],
        made_at=datetime.fromisoformat(row["made_at"]),
        begun_at=row["begun_at"] and datetime.fromisoformat(row["begun_at"]),
        ended_at=row["ended_at"] and datetime.fromisoformat(row["ended_at"]),
    )


__all__ = ["LEASE", "TRIES", "Claimed", "Jobs", "absent", "cancel_all_by", "is_any_running", "position"]
