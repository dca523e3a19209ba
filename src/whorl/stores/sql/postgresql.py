"""Libraries in PostgreSQL, through psycopg: ``postgresql://user@host/database?schema=news``.

Each library has a separate schema. New rows are sent by COPY, query values as one array, and the last statement of a
transaction together with its commit. PostgreSQL text cannot contain NUL, which is stored as a noncharacter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from time import monotonic
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg.abc import RV, Buffer, PQGen
from psycopg.types.string import StrBinaryDumper, StrDumper, TextBinaryLoader, TextLoader
from sqlalchemy import Boolean, Double, LargeBinary, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from whorl.errors import WhorlError
from whorl.stores.contract import TableVersions
from whorl.stores.sql.address import SqlAddress, place_of
from whorl.stores.sql.dialect import SqlStatement, quoted
from whorl.stores.sql.failures import SqlFailure, failure
from whorl.stores.sql.schema import TABLES
from whorl.stores.sql.server import CONNECTING, GRACE, LEASE, MIGRATING, PATIENCE, STATEMENT, SqlServer
from whorl.stores.sql.store import SqlStore

SCHEMA = "whorl"
_SETTINGS = frozenset(
    {"sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "channel_binding", "passfile", "target_session_attrs"}
)
_ALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
_SESSION = {
    "idle_in_transaction_session_timeout": f"{LEASE}s",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "jit": "off",
    "enable_seqscan": "off",
    "plan_cache_mode": "force_generic_plan",
}
"""Generic plans are made once per statement; planning is half of the cost of a small statement. Plans are also made
while tables are still empty, when sequential scans would look best and become quadratic soon. So sequential scans are
disabled, except for statements that scan whole tables."""

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_BLOCK = 5000
_TROUBLES: tuple[tuple[type[Exception], SqlFailure], ...] = (
    (errors.InvalidPassword, SqlFailure.REFUSED),
    (errors.InvalidAuthorizationSpecification, SqlFailure.REFUSED),
    (errors.InvalidCatalogName, SqlFailure.NO_DATABASE),
    (errors.InsufficientPrivilege, SqlFailure.NO_RIGHT),
    (errors.ReadOnlySqlTransaction, SqlFailure.READ_ONLY),
    (errors.LockNotAvailable, SqlFailure.BUSY),
    (errors.DeadlockDetected, SqlFailure.BUSY),
    (errors.SerializationFailure, SqlFailure.BUSY),
    (errors.QueryCanceled, SqlFailure.SLOW),
    (errors.DiskFull, SqlFailure.FULL),
    (errors.TooManyConnections, SqlFailure.CROWDED),
    (errors.UntranslatableCharacter, SqlFailure.NO_TEXT),
    (errors.CharacterNotInRepertoire, SqlFailure.NO_TEXT),
)
_REFUSALS = (
    ("starting up", SqlFailure.UNREACHABLE),
    ("shutting down", SqlFailure.UNREACHABLE),
    ("recovery", SqlFailure.UNREACHABLE),
    ("password", SqlFailure.REFUSED),
    ("authentication", SqlFailure.REFUSED),
    ("pg_hba", SqlFailure.REFUSED),
    ("role", SqlFailure.REFUSED),
    ("database", SqlFailure.NO_DATABASE),
    ("too many", SqlFailure.CROWDED),
    ("remaining connection slots", SqlFailure.CROWDED),
)
"""Messages of a server that refuses a connection, for which the driver has no error code; always in English."""

_MARK, _NUL, _ITSELF = "\uffff", "\uffff0", "\uffff1"


class _Escaping(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(_escaped(obj))


class _EscapingBinary(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(_escaped(obj))


class _NulTextLoader(TextLoader):
    def load(self, data: Buffer) -> Any:
        return _unescaped(super().load(data))


class _NulBinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> Any:
        return _unescaped(super().load(data))


class _Connection(psycopg.Connection[Any]):
    """A connection that is closed if the server does not respond.

    The driver waits for an answer without a limit. While the server is stopped or the network is cut, neither a timeout
    of the server nor one of TCP ends that: a stopped process still has a kernel that acknowledges packets.
    """

    patience_s = STATEMENT + GRACE

    def wait(self, gen: PQGen[RV], *arguments: Any, **options: Any) -> RV:
        """Wait for a generator of the driver that operates on the connection."""
        return super().wait(self._observed(gen), *arguments, **options)

    def _observed(self, gen: PQGen[RV]) -> PQGen[RV]:
        """Run a generator of the driver, which is resumed with 0 about every 0.1 s while nothing arrives."""
        try:
            state = next(gen)
            deadline = monotonic() + self.patience_s
            while True:
                ready = yield state
                if ready:
                    deadline = monotonic() + self.patience_s
                elif monotonic() > deadline:
                    self.close()
                    raise psycopg.OperationalError(f"no response for {self.patience_s} s")
                state = gen.send(ready)
        except StopIteration as result:
            value: RV = result.value
            return value


class PostgreSQL(SqlServer):
    """PostgreSQL 13 and newer."""

    scheme = "postgresql"
    error = psycopg.Error
    clock = "SELECT clock_timestamp() AT TIME ZONE 'UTC'"
    ignoring = "ON CONFLICT DO NOTHING"
    materialized = "MATERIALIZED"
    revision = "xmin::text"
    has_returning = True
    numbering = "SELECT setval(pg_get_serial_sequence(?, 'number'), ?)"
    bytes = (
        "SELECT sum(pg_total_relation_size(pg_class.oid)) FROM pg_class JOIN pg_namespace "
        "ON pg_namespace.oid = relnamespace WHERE relkind = 'r' AND nspname = current_schema()"
    )
    position = "strpos"
    site = (
        "CASE WHEN position('://' IN url) > 0 THEN '//' || split_part(substr(url, position('://' IN url) + 3), '/', 1) "
        "ELSE coalesce(source, '') END"
    )

    def connect(
        self, place: SqlAddress, *, lock_s: int = PATIENCE, statement_s: int = STATEMENT
    ) -> psycopg.Connection[Any]:
        """See the base."""
        parameters = {"host": place.host, "port": place.port, "user": place.user, "password": place.password}
        settings: dict[str, Any] = {name: value for name, value in parameters.items() if value is not None}
        statement_s = place.statement_s or statement_s
        connection = _Connection.connect(
            dbname=place.database,
            autocommit=True,
            prepare_threshold=1,
            connect_timeout=place.connect_s or CONNECTING,
            application_name=f"whorl {place.schema}",
            **{**settings, **_ALIVE, **place.settings},
        )
        connection.patience_s = statement_s + GRACE
        connection.adapters.register_dumper(str, _Escaping)
        connection.adapters.register_dumper(str, _EscapingBinary)
        for kind in ("text", "varchar"):
            connection.adapters.register_loader(kind, _NulTextLoader)
            connection.adapters.register_loader(kind, _NulBinaryLoader)
        session = sql.SQL("; ").join(
            sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value))
            for name, value in (
                *_SESSION.items(),
                ("lock_timeout", f"{min(lock_s, statement_s)}s"),
                ("statement_timeout", f"{statement_s}s"),
                ("search_path", place.schema),
            )
        )
        connection.execute(session)
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) FROM pg_settings "
            "WHERE name = 'synchronous_commit' AND setting = 'off'"
        )
        return connection

    def cursor(self, connection: Any) -> Any:
        """See the base."""
        return connection.cursor(binary=True)

    def begin(self, connection: Any, counters: str, *, writes: bool) -> tuple[int, ...] | None:
        """See the base."""
        cursor = connection.execute(f"{_WRITE}; {counters} FOR UPDATE" if writes else f"{_READ}; {counters}")
        cursor.nextset()
        row: tuple[int, ...] | None = cursor.fetchone()
        return row

    def rows_of_all(self, connection: Any, statements: Sequence[SqlStatement]) -> list[Sequence[Any]]:
        """See the base."""
        cursors = [self.cursor(connection) for _ in statements]
        with connection.pipeline():
            for cursor, statement in zip(cursors, statements, strict=True):
                cursor.execute(statement.text, statement.values or None)
        return [cursor.fetchall() for cursor in cursors]

    def begin_changes(self, connection: Any, *, is_synced: bool) -> None:
        """See the base."""
        connection.execute(_WRITE if is_synced else f"{_WRITE}; SET LOCAL synchronous_commit = off")

    def commit(self, connection: Any, last: str) -> None:
        """See the base."""
        connection.execute(f"{last}; COMMIT")

    def is_duplicate(self, error: Exception) -> bool:  # noqa: ARG002 - an error ends the transaction
        """See the base."""
        return False

    def is_lost(self, connection: Any) -> bool:
        """See the base."""
        return bool(connection.closed)

    def failure(self, place: SqlAddress, error: Exception, *, lost: bool) -> WhorlError:
        """See the base."""
        text = str(error)
        trouble = next((trouble for kind, trouble in _TROUBLES if isinstance(error, kind)), None)
        if trouble is None and lost:
            trouble = SqlFailure.CONNECTION_LOST
        elif trouble is None and isinstance(error, psycopg.OperationalError):
            of_server = text.partition("FATAL:")[2]
            trouble = next((trouble for words, trouble in _REFUSALS if words in of_server), SqlFailure.UNREACHABLE)
        return failure(place.label, text.partition("\n")[0] if of_rows(error) else text, trouble)

    @contextmanager
    def scanning(self, cursor: Any) -> Iterator[None]:
        """See the base."""
        cursor.execute("SET enable_seqscan = on")
        yield
        cursor.execute("SET enable_seqscan = off")

    def stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """See the base."""
        with connection.cursor(name="stream", binary=True) as cursor:
            cursor.itersize = _BLOCK
            cursor.execute(statement, values or None)
            yield from cursor

    def insert(self, cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """See the base."""
        with cursor.copy(f'COPY "{table}" ({quoted(columns)}) FROM STDIN (FORMAT BINARY)') as copy:
            copy.set_types([_type(table, name) for name in columns])
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def creating(self, connection: Any, place: SqlAddress) -> Iterator[Any]:
        """See the base."""
        patience_s, connection.patience_s = connection.patience_s, MIGRATING + GRACE
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{MIGRATING}s'")
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (f"whorl {place.schema}",))
            if not cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (place.schema,)).fetchone():
                cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(place.schema)))
            yield cursor
        connection.patience_s = patience_s

    def create(self, cursor: Any) -> None:
        """See the base."""
        self.add_tables(cursor, TABLES.sorted_tables)
        for table_name, column in (("text", "body"), ("former", "body"), ("sketch", "keys"), ("body", "packed")):
            # The values are already compressed.
            cursor.execute(f'ALTER TABLE "{table_name}" ALTER COLUMN "{column}" SET STORAGE EXTERNAL')

    def add_tables(self, cursor: Any, tables: Iterable[Table]) -> None:
        """See the base."""
        kind = postgresql.dialect()  # type: ignore[no-untyped-call]
        for table in tables:
            cursor.execute(str(CreateTable(table).compile(dialect=kind)))
            for index in table.indexes:
                cursor.execute(str(CreateIndex(index).compile(dialect=kind)))

    def tables(self, cursor: Any) -> set[str]:
        """See the base."""
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return {name for (name,) in cursor.fetchall()}

    def analyze(self, connection: Any) -> None:
        """See the base."""
        connection.execute(f"ANALYZE {quoted(TABLES.tables)}")

    def in_namespace(self, address: str, place: SqlAddress, name: str) -> str:  # noqa: ARG002 - the database stays
        """See the base."""
        return f"{address}{'&' if '?' in address else '?'}schema={name}"

    def create_namespace(self, connection: Any, place: SqlAddress, name: str) -> None:
        """Do nothing: a library creates its schema."""

    def remove_namespace(self, connection: Any, place: SqlAddress, name: str) -> None:  # noqa: ARG002
        """See the base."""
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))

    def firsts(self, names: str, contents: Sequence[int], limit: int, collection: str | None) -> Iterator[SqlStatement]:
        """See the base."""
        condition, values = ("", ()) if collection is None else ("AND collection = %s", (collection,))
        yield SqlStatement(
            "SELECT own.* FROM unnest(%s::bigint[]) AS asked (content) CROSS JOIN LATERAL "
            f"(SELECT {names} FROM document WHERE document.content = asked.content {condition} "
            "ORDER BY number LIMIT %s) "
            "AS own ORDER BY own.number",
            (_array(contents), *values, limit),
        )

    def further_texts(self, contents: Sequence[int], limit: int) -> SqlStatement:
        """See the base."""
        return SqlStatement(
            "SELECT document, body FROM (SELECT own.number FROM unnest(%s::bigint[]) WITH ORDINALITY "
            "AS asked (content, place) CROSS JOIN LATERAL (SELECT number FROM document "
            "WHERE document.content = asked.content ORDER BY number LIMIT %s OFFSET 1) AS own "
            "ORDER BY asked.place, own.number LIMIT %s) AS further JOIN text ON document = number",
            (_array(contents), limit, limit),
        )

    def few_pairs(self, names: str, contents: Sequence[int], limit: int) -> SqlStatement:
        """See the base."""
        sides = (f"(SELECT {names} FROM pair WHERE {side} = asked.content LIMIT %s)" for side in ("low", "high"))
        numbers = "FROM unnest(%s::bigint[]) AS asked (content)"
        return SqlStatement(
            f"SELECT own.* {numbers} CROSS JOIN LATERAL ({' UNION ALL '.join(sides)}) AS own",
            (_array(contents), limit, limit),
        )

    def in_list(self, column: str, values: Sequence[Any]) -> SqlStatement:
        """See the base."""
        kind = "bytea" if column.endswith(("key", "digest")) else "bigint"
        return SqlStatement(f"{column} = ANY(%s::{kind}[])", (_array(values),))

    def in_pairs(self, first: str, second: str, pairs: Sequence[tuple[int, int]]) -> SqlStatement:
        """See the base."""
        condition = f"({first}, {second}) IN (SELECT * FROM unnest(%s::bigint[], %s::bigint[]))"
        return SqlStatement(condition, tuple(map(_array, zip(*pairs, strict=True))))

    def on_conflict(self, table: str, written: Sequence[str]) -> str:
        """See the base."""
        key = self.primary(table)
        columns = [name for name in written if name not in key]
        return self.replacing(key, columns) if columns else self.ignoring

    def replacing(self, key: Sequence[str], columns: Sequence[str]) -> str:
        """See the base."""
        assignments = ", ".join(f'"{name}" = excluded."{name}"' for name in columns)
        return f"ON CONFLICT ({quoted(key)}) DO UPDATE SET {assignments}"


def _array(values: Sequence[Any]) -> str:
    """Return integers or bytes as the literal of an array."""
    if values and isinstance(values[0], bytes):
        return "{" + ",".join('"\\\\x' + value.hex() + '"' for value in values) + "}"
    return "{" + ",".join(map(str, values)) + "}"


def of_rows(error: Exception) -> bool:
    """Return True if an error is about rows, whose values its detail lines would reveal."""
    return isinstance(error, psycopg.DataError | psycopg.IntegrityError)


@cache
def _type(table: str, column: str) -> str:
    kind = TABLES.tables[table].columns[column].type
    names = ((LargeBinary, "bytea"), (Boolean, "bool"), (Double, "float8"))
    named = next((name for type_, name in names if isinstance(kind, type_)), None)
    return named or ("int8" if kind.python_type is int else "text")


def _escaped(text: str) -> str:
    if "\0" in text or _MARK in text:
        return text.replace(_MARK, _ITSELF).replace("\0", _NUL)
    return text


def _unescaped(text: Any) -> Any:
    return text.replace(_NUL, "\0").replace(_ITSELF, _MARK) if _MARK in text else text


def exists(address: str) -> bool:
    """Return True if a library exists at an address; see the contract."""
    return SqlStore.is_at(PostgreSQL(), address, parse_address)


def open_store(address: str, create: bool) -> SqlStore:
    """Return the library at an address; see the contract."""
    return SqlStore(PostgreSQL(), address, parse_address, create)


def versions(address: str) -> TableVersions:
    """Return the versions of the tables at an address; see the contract."""
    return SqlStore.versions(PostgreSQL(), address, parse_address)


def parse_address(rest: str, schema: str = SCHEMA) -> SqlAddress:
    """Parse the part of an address after the scheme, with a default schema."""
    return place_of(PostgreSQL.scheme, rest, _SETTINGS, schema)


SERVER = PostgreSQL
"""Dialect of this module."""

__all__ = ["SERVER", "PostgreSQL", "exists", "open_store", "parse_address", "versions"]
