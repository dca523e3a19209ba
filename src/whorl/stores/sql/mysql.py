"""Libraries in MySQL 8 and MariaDB 10.5 and newer, through PyMySQL: ``mysql://user@host/database``.

Each library has a separate database. Rows are inserted in multi-row statements.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any

import pymysql
from pymysql.constants import CLIENT, CR, ER, SERVER_STATUS
from pymysql.cursors import SSCursor
from sqlalchemy import Table
from sqlalchemy.dialects import mysql
from sqlalchemy.schema import CreateIndex, CreateTable

from whorl.errors import InputError, UsageError, WhorlError
from whorl.i18n import say
from whorl.stores.contract import TableVersions
from whorl.stores.sql.address import SqlAddress, place_of
from whorl.stores.sql.dialect import SqlStatement, insertion
from whorl.stores.sql.failures import SqlFailure, failure
from whorl.stores.sql.schema import TABLES
from whorl.stores.sql.server import CONNECTING, GRACE, LEASE, MIGRATING, PATIENCE, STATEMENT, SqlServer
from whorl.stores.sql.store import SqlStore

_SETTINGS = frozenset({"ssl", "ssl_ca", "ssl_cert", "ssl_key"})
_SSL = ("off", "prefer", "require", "verify")
_PORT = 3306
_SESSION = (
    f"SET SESSION wait_timeout = {LEASE}, innodb_lock_wait_timeout = %s, "
    "sql_mode = 'STRICT_ALL_TABLES,ANSI_QUOTES,NO_ENGINE_SUBSTITUTION'"
)
_READ = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
_WRITE = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION"
_READ_ONLY_TRANSACTION = 1792
_PACKET_TOO_LARGE = 1153
_LONGEST = 64
"""Maximum number of characters of the name of a database."""
_UNION = 200
_ROWS = 5000
_TROUBLES = {
    ER.ACCESS_DENIED_ERROR: SqlFailure.REFUSED,
    ER.BAD_DB_ERROR: SqlFailure.NO_DATABASE,
    ER.DBACCESS_DENIED_ERROR: SqlFailure.NO_RIGHT,
    ER.TABLEACCESS_DENIED_ERROR: SqlFailure.NO_RIGHT,
    ER.COLUMNACCESS_DENIED_ERROR: SqlFailure.NO_RIGHT,
    ER.SPECIFIC_ACCESS_DENIED_ERROR: SqlFailure.NO_RIGHT,
    ER.OPTION_PREVENTS_STATEMENT: SqlFailure.READ_ONLY,
    _READ_ONLY_TRANSACTION: SqlFailure.READ_ONLY,
    ER.LOCK_WAIT_TIMEOUT: SqlFailure.BUSY,
    ER.LOCK_DEADLOCK: SqlFailure.BUSY,
    ER.DISK_FULL: SqlFailure.FULL,
    ER.RECORD_FILE_FULL: SqlFailure.FULL,
    ER.CON_COUNT_ERROR: SqlFailure.CROWDED,
    ER.TOO_MANY_USER_CONNECTIONS: SqlFailure.CROWDED,
    ER.TRUNCATED_WRONG_VALUE_FOR_FIELD: SqlFailure.NO_TEXT,
    CR.CR_CONN_HOST_ERROR: SqlFailure.UNREACHABLE,
    CR.CR_UNKNOWN_HOST: SqlFailure.UNREACHABLE,
    CR.CR_SSL_CONNECTION_ERROR: SqlFailure.UNREACHABLE,
    CR.CR_SERVER_GONE_ERROR: SqlFailure.CONNECTION_LOST,
    CR.CR_SERVER_LOST: SqlFailure.CONNECTION_LOST,
}


class _Connection(pymysql.Connection):
    """A connection whose timeout can change: an answer to the login is quick, one to a statement may not be."""

    _read_timeout: float
    server_status: int

    def limit_silence(self, seconds: float) -> float:
        """Set the timeout in seconds for an answer of the server, and return the former one."""
        former, self._read_timeout = self._read_timeout, seconds
        return former

    def rollback(self) -> None:
        """End a transaction, if there is one; the driver would spend a round trip in any case."""
        if self.server_status & SERVER_STATUS.SERVER_STATUS_IN_TRANS:
            super().rollback()


class MySQL(SqlServer):
    """MySQL and MariaDB, which differ in the names of collations."""

    scheme = "mysql"
    error = pymysql.err.Error
    clock = "SELECT utc_timestamp(6)"
    ignoring = ""
    materialized = ""
    revision = "0"
    has_returning = False
    bytes = "SELECT sum(data_length + index_length) FROM information_schema.tables WHERE table_schema = database()"
    position = "instr"
    site = (
        "CASE WHEN locate('://', url) > 0 THEN "
        "concat('//', substring_index(substr(url, locate('://', url) + 3), '/', 1)) ELSE coalesce(source, '') END"
    )

    def connect(
        self, place: SqlAddress, *, lock_s: int = PATIENCE, statement_s: int = STATEMENT
    ) -> pymysql.Connection[Any]:
        """See the base."""
        password = os.environ.get("MYSQL_PWD", "") if place.password is None else place.password
        connect_s, statement_s = place.connect_s or CONNECTING, place.statement_s or statement_s
        connection = _Connection(
            host=place.host or "localhost",
            port=place.port or _PORT,
            user=place.user,
            password=password.encode(),  # the driver would encode a str as Latin-1
            database=place.database,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=connect_s,
            read_timeout=connect_s,
            write_timeout=statement_s,
            program_name="whorl",
            client_flag=CLIENT.FOUND_ROWS | CLIENT.MULTI_STATEMENTS,
            **_tls(place),
        )
        with connection.cursor() as cursor:
            cursor.execute(_SESSION, (min(lock_s, statement_s),))
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.limit_silence(statement_s + GRACE)
        return connection

    def cursor(self, connection: Any) -> Any:
        """See the base."""
        return connection.cursor()

    def begin(self, connection: Any, counters: str, *, writes: bool) -> tuple[int, ...] | None:
        """See the base."""
        with connection.cursor() as cursor:
            cursor.execute(f"{_WRITE}; {counters} FOR UPDATE" if writes else f"{_READ}; {counters}")
            while cursor.nextset():
                pass
            row: tuple[int, ...] | None = cursor.fetchone()
            return row

    def rows_of_all(self, connection: Any, statements: Sequence[SqlStatement]) -> list[Sequence[Any]]:
        """See the base."""
        rows: list[Sequence[Any]] = []
        with closing(connection.cursor()) as cursor:
            cursor.execute("; ".join(cursor.mogrify(text, values or None) for text, values in statements))
            rows.append(cursor.fetchall())
            while cursor.nextset():
                rows.append(cursor.fetchall())
        return rows

    def begin_changes(self, connection: Any, *, is_synced: bool) -> None:  # noqa: ARG002 - a setting of the server
        """See the base."""
        with connection.cursor() as cursor:
            cursor.execute(_WRITE)
            while cursor.nextset():
                pass

    def commit(self, connection: Any, last: str) -> None:
        """See the base."""
        with connection.cursor() as cursor:
            cursor.execute(last)
        connection.commit()

    def is_duplicate(self, error: Exception) -> bool:
        """See the base."""
        return error.args[:1] == (ER.DUP_ENTRY,)

    def is_lost(self, connection: Any) -> bool:
        """See the base."""
        return not connection.open

    def failure(self, place: SqlAddress, error: Exception, *, lost: bool) -> WhorlError:
        """See the base."""
        code, text = (*error.args, "", "")[:2] if error.args else (0, "")
        trouble = _TROUBLES.get(code, SqlFailure.CONNECTION_LOST if lost else None)
        return failure(place.label, str(text or error), trouble)

    def stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """See the base."""
        with closing(connection.cursor(SSCursor)) as cursor:
            cursor.execute(statement, values or None)
            yield from cursor

    def insert(self, cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """See the base."""
        statement = insertion(table, columns)
        rest = iter(rows)
        while some := list(islice(rest, _ROWS)):
            cursor.executemany(statement, some)

    @contextmanager
    def creating(self, connection: Any, place: SqlAddress) -> Iterator[Any]:
        """See the base."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT get_lock(%s, %s)", (f"whorl {place.database}"[:64], PATIENCE))
            if cursor.fetchone() != (1,):
                raise failure(place.label, "get_lock", SqlFailure.BUSY)
            patience_s = connection.limit_silence(MIGRATING + GRACE)
            try:
                yield cursor
            finally:
                connection.limit_silence(patience_s)
                cursor.execute("SELECT release_lock(%s)", (f"whorl {place.database}"[:64],))

    def create(self, cursor: Any) -> None:
        """See the base."""
        for table in reversed(TABLES.sorted_tables):
            cursor.execute(f'DROP TABLE IF EXISTS "{table.name}"')
        self.add_tables(cursor, TABLES.sorted_tables)

    def add_tables(self, cursor: Any, tables: Iterable[Table]) -> None:
        """See the base."""
        cursor.execute("SELECT version()")
        is_mariadb = "mariadb" in cursor.fetchone()[0].lower()
        collation = "utf8mb4_nopad_bin" if is_mariadb else "utf8mb4_0900_bin"
        kind = mysql.dialect()
        for table in tables:
            cursor.execute(f"{_with_marks(CreateTable(table), kind)} COLLATE {collation}")
            for index in table.indexes:
                cursor.execute(_with_marks(CreateIndex(index), kind))

    def tables(self, cursor: Any) -> set[str]:
        """See the base."""
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = database()")
        return {name for (name,) in cursor.fetchall()}

    def analyze(self, connection: Any) -> None:
        """Do nothing: the server refreshes its statistics after a tenth of a table has changed."""

    def in_namespace(self, address: str, place: SqlAddress, name: str) -> str:
        """See the base."""
        if len(f"{place.database}_{name}") > _LONGEST:
            raise UsageError(
                say("the database name {name} is too long for the libraries of tenants", name=place.database),
                hint=say("use a name of at most {most} characters", most=_LONGEST - len(name) - 1),
            )
        head, mark, settings = address.partition("?")
        return f"{head}_{name}{mark}{settings}"

    def create_namespace(self, connection: Any, place: SqlAddress, name: str) -> None:
        """See the base."""
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE IF NOT EXISTS {_database(place, name)}")

    def remove_namespace(self, connection: Any, place: SqlAddress, name: str) -> None:
        """See the base."""
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {_database(place, name)}")

    def firsts(self, names: str, contents: Sequence[int], limit: int, collection: str | None) -> Iterator[SqlStatement]:
        """See the base."""
        condition, values = ("", ()) if collection is None else ("AND collection = %s", (collection,))
        first = f"(SELECT {names} FROM document WHERE content = %s {condition} ORDER BY number LIMIT {limit:d})"
        for start in range(0, len(contents), _UNION):
            some = contents[start : start + _UNION]
            yield SqlStatement(
                " UNION ALL ".join([first] * len(some)), tuple(v for content in some for v in (content, *values))
            )

    def further_texts(self, contents: Sequence[int], limit: int) -> SqlStatement:
        """See the base."""
        further = f"(SELECT number FROM document WHERE content = %s ORDER BY number LIMIT {limit:d} OFFSET 1)"
        every = " UNION ALL ".join([further] * len(contents))
        return SqlStatement(
            f"SELECT document, body FROM ({every} LIMIT {limit:d}) AS further JOIN text ON document = number",
            tuple(contents),
        )

    def few_pairs(self, names: str, contents: Sequence[int], limit: int) -> SqlStatement:
        """See the base."""
        sides = (f"(SELECT {names} FROM pair WHERE {side} = %s LIMIT {limit:d})" for side in ("low", "high"))
        return SqlStatement(" UNION ALL ".join([*sides] * len(contents)), tuple(c for c in contents for _ in range(2)))

    def in_list(self, column: str, values: Sequence[Any]) -> SqlStatement:
        """See the base."""
        return SqlStatement(f"{column} IN %s", (tuple(values),))

    def in_pairs(self, first: str, second: str, pairs: Sequence[tuple[int, int]]) -> SqlStatement:
        """See the base."""
        return SqlStatement(f"({first}, {second}) IN %s", (tuple(pairs),))

    def on_conflict(self, table: str, written: Sequence[str]) -> str:
        """See the base."""
        key = self.primary(table)
        return self.replacing(key, [name for name in written if name not in key] or key[:1])

    def replacing(self, key: Sequence[str], columns: Sequence[str]) -> str:  # noqa: ARG002 - of any key of the table
        """See the base."""
        return "ON DUPLICATE KEY UPDATE " + ", ".join(f'"{name}" = VALUES("{name}")' for name in columns)


def _database(place: SqlAddress, name: str) -> str:
    """Return the quoted name of a namespace."""
    return '"' + f"{place.database}_{name}".replace('"', '""') + '"'


def _tls(place: SqlAddress) -> dict[str, Any]:
    """Return the TLS settings of a connection; with an explicit certificate authority the host name is verified."""
    settings = place.settings
    mode = settings.get("ssl", "verify" if settings else "prefer")
    if mode not in _SSL:
        raise UsageError(
            say("unknown value ssl={value!r}", value=mode),
            hint=say("use one of: {known}", known=", ".join(_SSL)),
        )
    if mode in ("off", "prefer"):
        return {"ssl_disabled": mode == "off"}
    try:
        context = ssl.create_default_context(cafile=settings.get("ssl_ca"))
        if "ssl_cert" in settings:
            context.load_cert_chain(settings["ssl_cert"], settings.get("ssl_key"))
    except OSError as error:
        problem = say("{label}: {reason}", label=place.label, reason=error.strerror or str(error))
        raise InputError(problem, hint=say("check `ssl_ca`, `ssl_cert` and `ssl_key` of the address")) from error
    if mode == "require":
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return {"ssl": context}


def _with_marks(what: CreateTable | CreateIndex, kind: Any) -> str:
    """Return a CREATE statement with names quoted for the SQL mode of the sessions."""
    return str(what.compile(dialect=kind)).replace("`", '"')


def exists(address: str) -> bool:
    """Return True if a library exists at an address; see the contract."""
    return SqlStore.is_at(MySQL(), address, parse_address)


def open_store(address: str, create: bool) -> SqlStore:
    """Return the library at an address; see the contract."""
    return SqlStore(MySQL(), address, parse_address, create)


def versions(address: str) -> TableVersions:
    """Return the versions of the tables at an address; see the contract."""
    return SqlStore.versions(MySQL(), address, parse_address)


def parse_address(rest: str, schema: str = "") -> SqlAddress:  # noqa: ARG001 - a database has no schemas
    """Parse the part of an address after the scheme."""
    return place_of(MySQL.scheme, rest, _SETTINGS, "")


SERVER = MySQL
"""Dialect of this module."""

__all__ = ["SERVER", "MySQL", "exists", "open_store", "parse_address", "versions"]
