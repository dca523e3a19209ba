"""The service state on PostgreSQL or MySQL, which several replicas of a service share.

Exclusive transactions lock the single row of a table. Others do not, so that audit entries and renewed leases of all
replicas do not wait for each other. Reads are single statements without a transaction: one round trip each.

Times come from the clock of the server. It is read once a minute, and the monotonic clock of the process measures what
passes in between, so neither a wrong clock of a replica nor its correction ends or extends a lease.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import Any

from whorl.errors import InputError, UsageError, WhorlError
from whorl.i18n import say
from whorl.service.state.database import Connection, Database, absent_state, insertion, stamp
from whorl.service.state.tables import MIGRATIONS, OLDEST, SERVICE, TABLES, VERSION
from whorl.stores.sql.address import SqlAddress
from whorl.stores.sql.pool import SqlPool
from whorl.stores.sql.server import SqlServer, versions_in

_LOCK_SECONDS, _STATEMENT_SECONDS = 20, 30
_SYNCHRONIZED = 60.0
_TURN = f'SELECT version FROM "{SERVICE}" WHERE one = 1'


class StateRow:
    """A row, with values by name and by position."""

    __slots__ = ("_columns", "_values")

    def __init__(self, columns: Mapping[str, int], values: Sequence[Any]) -> None:
        self._columns, self._values = columns, values

    def keys(self) -> Iterable[str]:
        """Return the names of the columns."""
        return self._columns.keys()

    def __getitem__(self, column: str | int) -> Any:
        return self._values[self._columns[column] if isinstance(column, str) else column]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)


class StateResult:
    """The whole result of a statement."""

    def __init__(self, rows: Sequence[StateRow], rowcount: int, last_number: int | None) -> None:
        self._rows = iter(rows)
        self.rowcount = rowcount
        self.last_number = last_number

    def fetchone(self) -> StateRow | None:
        """Return the next row, or None."""
        return next(self._rows, None)

    def fetchall(self) -> list[StateRow]:
        """Return the remaining rows."""
        return list(self._rows)

    def __iter__(self) -> Iterator[StateRow]:
        return self._rows


class ServerConnection:
    """A connection to a server.

    Args:
        dialect: dialect of the server.
        run: runs work on a connection of the driver: always the same one within a transaction.
        clock: returns the time of the server.
    """

    def __init__(
        self, dialect: SqlServer, run: Callable[[Callable[[Any], StateResult]], StateResult], clock: _Clock
    ) -> None:
        self._dialect, self._run, self._clock = dialect, run, clock
        self.materialized = dialect.materialized

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> StateResult:
        """Run a statement."""
        return self._run(partial(_executed, statement=_translated(statement), values=values))

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> StateResult:
        """Run a statement for each row of parameters."""
        result = StateResult((), 0, None)
        for values in rows:
            result = self.execute(statement, values)
        return result

    def insert(self, table: str, values: Mapping[str, Any], number: str = "number") -> int:
        """See the base."""
        statement, parameters = insertion(table, values), tuple(values.values())
        if not self._dialect.has_returning:
            return self.execute(statement, parameters).last_number or 0
        row = self.execute(f'{statement} RETURNING "{number}"', parameters).fetchone()
        assert row is not None
        return int(row[0])

    def add(self, table: str, values: Mapping[str, Any]) -> bool:
        """See the base."""
        statement = f"{insertion(table, values)} {self._dialect.ignoring}"
        try:
            return self.execute(statement, tuple(values.values())).rowcount > 0
        except self._dialect.error as error:
            if not self._dialect.is_duplicate(error):
                raise
            return False

    def put(self, table: str, values: Mapping[str, Any], key: Sequence[str], updated: Sequence[str]) -> None:
        """See the base."""
        statement = f"{insertion(table, values)} {self._dialect.replacing(key, updated)}"
        self.execute(statement, tuple(values.values()))

    def number_after(self, table: str, number: int) -> None:
        """See the base."""
        if self._dialect.numbering:
            self.execute(self._dialect.numbering, (f'"{table}"', number))

    def key_of(self, text: str) -> str:
        """Return a digest, which fits into an index."""
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def time(self) -> datetime:
        """Return the time of the server."""
        return self._clock.time()

    def now(self) -> str:
        """See the base."""
        return stamp(self.time())


class _Clock:
    """The clock of a server, read once a minute."""

    def __init__(self, read: Callable[[], datetime]) -> None:
        self._read = read
        self._lock = Lock()
        self._at = float("-inf")
        self._time = datetime.min.replace(tzinfo=UTC)

    def time(self) -> datetime:
        """Return the time of the server in UTC."""
        with self._lock:
            if monotonic() - self._at > _SYNCHRONIZED:
                before = monotonic()
                self._time = self._read()
                self._at = (before + monotonic()) / 2
            return self._time + timedelta(seconds=monotonic() - self._at)


class ServerDatabase(Database):
    """The service state on a server.

    Args:
        dialect: dialect of the server.
        place: location of the tables.
        create: whether to create missing tables.

    Raises:
        InputError: the tables are of a newer version that this one cannot use, the database does not exist, or the
            tables are missing and may not be created.
        UsageError: the place has other tables, or the server refuses the user.
        ResourceError: the server cannot be reached.
    """

    def __init__(self, dialect: SqlServer, place: SqlAddress, *, create: bool = True) -> None:
        super().__init__()
        self._dialect, self._place = dialect, place
        self._pool = SqlPool(dialect, place, lock_s=_LOCK_SECONDS, statement_s=_STATEMENT_SECONDS)
        self._clock = _Clock(self._server_time)
        try:
            self._prepare(create=create)
        except BaseException:
            self._pool.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See the base; a statement that meets a stale connection is repeated on a new one."""
        yield ServerConnection(self._dialect, self._pool.run, self._clock)

    @contextmanager
    def writing(self, *, is_synced: bool = True, is_exclusive: bool = True) -> Iterator[Connection]:
        """See the base."""
        begin = self._take_turn if is_exclusive else partial(self._dialect.begin_changes, is_synced=is_synced)
        try:
            with self._pool.begun(begin) as (connection, _):
                yield ServerConnection(self._dialect, lambda work: work(connection), self._clock)
                connection.commit()
        except WhorlError as error:
            self._has_failed = self._has_failed or isinstance(error.__cause__, self._dialect.error | OSError)
            raise
        self._has_failed = False

    def time(self) -> datetime:
        """Return the time of the server."""
        return self._clock.time()

    def close(self) -> None:
        """See the base."""
        self._pool.close()

    def _take_turn(self, connection: Any) -> None:
        if self._dialect.begin(connection, _TURN, writes=True) is None:
            raise InputError(
                say("the state of the service at {label} was removed", label=self._place.label),
                hint=say("restore a backup, or restart the service to begin anew"),
            )

    def _write_nothing(self, connection: Connection) -> None:
        """Write a row without changing it."""
        connection.execute(f'UPDATE "{SERVICE}" SET version = version')

    def _server_time(self) -> datetime:
        row = self._pool.run(partial(_executed, statement=self._dialect.clock, values=())).fetchone()
        assert row is not None
        time: datetime = row[0]
        return time.replace(tzinfo=UTC)

    def _prepare(self, *, create: bool) -> None:
        """Ensure that the tables of this version exist. Replicas that start at the same time take turns."""
        with self._pool.borrowed() as connection:
            version = self._version(connection)
            if version is not None and version >= VERSION:
                return
            if version is None and not create:
                raise absent_state(self._place.label)
            with self._dialect.creating(connection, self._place) as cursor:
                version = self._version(connection)
                existing = self._dialect.tables(cursor)
                if version is None and existing - set(TABLES.tables):
                    raise UsageError(
                        say("{folder} contains other tables", folder=self._place.label),
                        hint=say("use another database or, on PostgreSQL, another schema: ?schema=NAME"),
                    )
                for statements in MIGRATIONS[version - 1 :] if version else ():
                    for statement in statements:
                        cursor.execute(statement)
                missing = [table for table in TABLES.sorted_tables if table.name not in existing]
                self._dialect.add_tables(cursor, missing)
                if version is None:
                    values = f"(1, {VERSION:d}, {OLDEST:d})"
                    cursor.execute(f'INSERT INTO "{SERVICE}" (one, version, oldest) VALUES {values}')
                elif version < VERSION:
                    cursor.execute(f'UPDATE "{SERVICE}" SET version = {VERSION:d}, oldest = {OLDEST:d}')

    def _version(self, connection: Any) -> int | None:
        """Return the version of the tables; None if there are none, or their creation was interrupted."""
        with connection.cursor() as cursor:
            if SERVICE not in self._dialect.tables(cursor):
                return None
            version, oldest = versions_in(cursor, SERVICE) or (None, 0)
        if oldest > VERSION:
            raise InputError(
                say("{path} was created by a newer version of whorl", path=self._place.label), hint=say("update whorl")
            )
        return version


@lru_cache(maxsize=512)
def _translated(statement: str) -> str:
    """Return a statement with the parameters of the drivers."""
    return statement.replace("%", "%%").replace("?", "%s")


def _executed(connection: Any, *, statement: str, values: Sequence[Any]) -> StateResult:
    with connection.cursor() as cursor:
        cursor.execute(statement, tuple(values))
        rows: list[StateRow] = []
        if cursor.description is not None:
            columns = {entry[0]: position for position, entry in enumerate(cursor.description)}
            rows = [StateRow(columns, values) for values in cursor.fetchall()]
        return StateResult(rows, cursor.rowcount, getattr(cursor, "lastrowid", None))


__all__ = ["ServerDatabase"]
