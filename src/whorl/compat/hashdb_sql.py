"""SQL store for the hashes of nshash, in any database supported by SQLAlchemy, for many processes and machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from os import PathLike, fspath
from typing import Any

from whorl.compat.hashdb import COUNTER, Value, decoded
from whorl.errors import ResourceError, UsageError
from whorl.i18n import say
from whorl.release import missing_package

_DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "mariadb": "mysql+pymysql"}
_LONGEST = 190
_AT_ONCE = 500
_PATIENCE = 60


class HashDBSQL:
    """The table ``hashdb`` of a database; safe for concurrent processes, but not for threads.

    Needs the extra ``postgresql`` or ``mysql``; for other databases, SQLAlchemy and a driver.

    Args:
        address: SQLAlchemy URL of the database: ``postgresql://host/name``, ``mysql://host/name``,
            ``sqlite:///file.sqlite``.
        name: name of the store; one table holds many.

    Raises:
        UsageError: the address is invalid, or a package is not installed.
        ResourceError: the database cannot be reached, or the table cannot be created.

    Cost: one database round trip for each lookup.
    """

    def __init__(self, address: str, name: str | PathLike[str] = "nshash") -> None:
        scheme, _, rest = address.partition("://")
        extra = "mysql" if scheme in ("mysql", "mariadb") else "postgresql"
        try:
            import sqlalchemy
            from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

            self._error: type[Exception] = SQLAlchemyError
            url = sqlalchemy.make_url(f"{_DRIVERS.get(scheme, scheme)}://{rest}")
            self._engine: Any = sqlalchemy.create_engine(url, pool_pre_ping=True, connect_args=_options(url))
        except ModuleNotFoundError as error:
            raise missing_package(say("{what} needs {package}", what="HashDBSQL", package=error.name), extra) from error
        except (ArgumentError, NoSuchModuleError, ValueError):
            raise UsageError(
                say("{where} is not a database address", where="hashdb"), hint=say("such as postgresql://host/name")
            ) from None
        self._sql = sqlalchemy
        self._name = fspath(name)
        self._connection: Any = None
        self._changed: dict[str, Value] = {}
        self._table = _table(sqlalchemy)
        self._prepare()

    def get(self, key: str | int) -> Value | None:
        """Return the value of ``key``, or None; a number is an int."""
        if str(key) in self._changed:
            return self._changed[str(key)]
        columns = self._table.c
        query = self._sql.select(columns.value).where(columns.name == self._name, columns.key == str(key))
        with self._failures(), self._connected() as connection:
            value = connection.execute(query).scalar()
        return None if value is None else decoded(value.encode())

    def put(self, key: str | int, value: Value) -> None:
        """Set the value of ``key``; within a turn, at its end."""
        if self._connection is not None:
            self._changed[str(key)] = value
            return
        with self.turn():
            self.put(key, value)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """See `SharedHashDB`: a transaction that locks the row of the last id."""
        with self._failures(), self._engine.connect() as connection, self._begun(connection):
            self._connection = connection
            try:
                yield
                self._write(connection)
            finally:
                self._connection, self._changed = None, {}

    def close(self) -> None:
        """Disconnect. A second call has no effect."""
        self._engine.dispose()

    def _prepare(self) -> None:
        """Create the table and the row to lock."""
        with self._failures():
            try:
                self._table.create(self._engine, checkfirst=True)
            except self._error:
                if not self._sql.inspect(self._engine).has_table(self._table.name):  # not created by another process
                    raise
            try:
                with self._engine.begin() as connection:
                    connection.execute(self._sql.insert(self._table), [self._row(COUNTER, 0)])
            except self._sql.exc.IntegrityError:
                return

    @contextmanager
    def _begun(self, connection: Any) -> Iterator[None]:
        columns = self._table.c
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            condition = (columns.name == self._name) & (columns.key == COUNTER)
            connection.execute(self._sql.select(columns.value).where(condition).with_for_update())
        yield
        connection.commit()

    def _write(self, connection: Any) -> None:
        columns = self._table.c
        rest = iter(self._changed.items())
        while some := list(islice(rest, _AT_ONCE)):
            keys = [key for key, _ in some]
            condition = (columns.name == self._name) & columns.key.in_(keys) & (columns.key != COUNTER)
            connection.execute(self._sql.delete(self._table).where(condition))
            rows = [self._row(key, value) for key, value in some if key != COUNTER]
            if rows:
                connection.execute(self._sql.insert(self._table), rows)
        if COUNTER in self._changed:
            condition = (columns.name == self._name) & (columns.key == COUNTER)
            last = str(self._changed[COUNTER])
            connection.execute(self._sql.update(self._table).where(condition).values(value=last))

    def _row(self, key: str, value: Value) -> dict[str, str]:
        return {"name": self._name, "key": key, "value": str(value)}

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        if self._connection is not None:
            yield self._connection
        else:
            with self._engine.connect() as connection:
                yield connection

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            reason = str(getattr(error, "orig", None) or type(error).__name__)
            raise ResourceError(
                say("{label}: {reason}", label="HashDBSQL", reason=reason),
                hint=say("check that the database is running, and that the user may write to it"),
            ) from None


def _options(url: Any) -> dict[str, Any]:
    """Return additional driver options for an address."""
    if url.get_backend_name() == "sqlite":
        return {"timeout": _PATIENCE}
    # MySQL's driver encodes a str password as Latin-1.
    return {"password": url.password.encode()} if url.get_backend_name() == "mysql" and url.password else {}


def _table(sql: Any) -> Any:
    """Return the table, whose keys and names are case-sensitive in every database."""
    exact = sql.String(_LONGEST).with_variant(sql.String(_LONGEST, collation="utf8mb4_bin"), "mysql", "mariadb")
    return sql.Table(
        "hashdb",
        sql.MetaData(),
        sql.Column("name", exact, primary_key=True),
        sql.Column("key", exact, primary_key=True),
        sql.Column("value", sql.Text, nullable=False),
        mysql_charset="utf8mb4",
        mariadb_charset="utf8mb4",
    )


__all__ = ["HashDBSQL"]
