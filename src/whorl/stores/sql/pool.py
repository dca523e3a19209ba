"""Connection pool of a server: stale connections are replaced, and failures of the driver become errors with a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy.pool import QueuePool

from whorl.errors import WhorlError
from whorl.stores.sql.address import SqlAddress
from whorl.stores.sql.server import PATIENCE, STATEMENT, SqlServer

_IDLE = 8
_STALE_S = 1.0
"""Seconds within which a statement on a connection that the server has closed fails."""
_Begun = TypeVar("_Begun")


class SqlPool:
    """Connections to one place on a server. Thread-safe; concurrent threads use separate connections.

    A connection that the server has closed is noticed at its first statement, which is repeated on a new one. After the
    timeout of a server that does not respond, nothing is repeated, and the other idle connections are discarded.

    Args:
        dialect: dialect of the server.
        place: location on the server.
        lock_s: timeout in seconds for a lock.
        statement_s: timeout in seconds for a statement.
    """

    def __init__(
        self, dialect: SqlServer, place: SqlAddress, *, lock_s: int = PATIENCE, statement_s: int = STATEMENT
    ) -> None:
        self._dialect, self._place = dialect, place
        self._lock_s, self._statement_s = lock_s, statement_s
        self._pool = QueuePool(self._connected, pool_size=_IDLE, max_overflow=-1)

    def run(self, work: Callable[[Any], _Begun]) -> _Begun:
        """Run work that changes nothing on a connection without a transaction; it may be repeated on another one."""
        pooled, result = self._attempt(work)
        pooled.close()
        return result

    @contextmanager
    def begun(self, begin: Callable[[Any], _Begun]) -> Iterator[tuple[Any, _Begun]]:
        """Yield a connection with an open transaction; uncommitted changes are rolled back.

        Args:
            begin: begins the transaction; it may be repeated on another connection, and its result is yielded.
        """
        pooled, result = self._attempt(begin)
        try:
            with self.failures(pooled):
                yield pooled.driver_connection, result
        except (KeyboardInterrupt, SystemExit):
            pooled.invalidate()  # it may be in the middle of an answer
            raise
        finally:
            pooled.close()

    @contextmanager
    def borrowed(self) -> Iterator[Any]:
        """Yield a connection without a transaction."""
        pooled = self._pool.connect()
        try:
            with self.failures(pooled):
                yield pooled.driver_connection
        finally:
            pooled.close()

    @contextmanager
    def failures(self, pooled: Any = None) -> Iterator[None]:
        """Translate failures of the driver into errors with a hint."""
        try:
            yield
        except (self._dialect.error, OSError, UnicodeError) as error:
            connection = None if pooled is None else pooled.driver_connection
            lost = connection is not None and self._dialect.is_lost(connection)
            failed = self._dialect.failure(self._place, error, lost=lost)
            if lost:
                pooled.invalidate()
            raise failed from error

    def close(self) -> None:
        """Close idle connections."""
        self._pool.dispose()

    def _attempt(self, work: Callable[[Any], _Begun]) -> tuple[Any, _Begun]:
        """Run work on a connection, and return both; repeat it once on a new connection if the first one was stale."""
        for is_last in (False, True):
            pooled, begun = self._pool.connect(), monotonic()
            try:
                with self.failures(pooled):
                    return pooled, work(pooled.driver_connection)
            except BaseException as error:
                is_lost = pooled.driver_connection is None or self._dialect.is_lost(pooled.driver_connection)
                if isinstance(error, KeyboardInterrupt | SystemExit):
                    pooled.invalidate()
                pooled.close()
                if is_last or not (is_lost and isinstance(error, WhorlError)):
                    raise
                self._pool.dispose()  # the other connections are stale, too
                self._pool = self._pool.recreate()
                if monotonic() - begun > _STALE_S:
                    raise
        raise AssertionError

    def _connected(self) -> Any:
        with self.failures():
            return self._dialect.connect(self._place, lock_s=self._lock_s, statement_s=self._statement_s)


__all__ = ["SqlPool"]
