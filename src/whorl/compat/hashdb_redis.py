"""Redis store for the hashes of nshash, for many processes on many machines. Needs the extra ``redis``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from secrets import token_hex
from time import monotonic, sleep

from whorl.compat.hashdb import Value, decoded
from whorl.errors import ResourceError
from whorl.i18n import say
from whorl.release import missing_package

_TURN = 60.0
_PATIENCE = 120.0
_BETWEEN = 0.005
_PUT = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('DEL', KEYS[2])
return 1
"""


class HashDBRedis:
    """The Redis hash ``nshash:NAME``; safe for concurrent processes, but not for threads.

    Args:
        address: address of server and database, such as ``redis://host:6379/0``; ``?password_file=PATH`` reads the
            password from a file.
        name: name of the store.

    Raises:
        UsageError: the address is invalid, or the package ``redis`` is not installed.
        InputError: the password file cannot be read.

    Cost: a tenth of a millisecond for a lookup over loopback, and about 100 bytes of server memory for each key.
    """

    def __init__(self, address: str, name: str | PathLike[str] = "nshash") -> None:
        try:
            from whorl.stores.redis import client_of, failures, masked
        except ModuleNotFoundError as error:
            raise missing_package(
                say("{what} needs {package}", what="HashDBRedis", package=error.name), "redis"
            ) from error
        self._client = client_of(address)
        self._failures = partial(failures, masked(address))
        self._name = f"nshash:{fspath(name)}"
        self._lock = f"{self._name}:turn"
        self._put = self._client.register_script(_PUT)
        self._changed: dict[str, Value] | None = None

    def get(self, key: str | int) -> Value | None:
        """Return the value of ``key``, or None; a number is an int."""
        if self._changed is not None and str(key) in self._changed:
            return self._changed[str(key)]
        with self._failures():
            value = self._client.hget(self._name, str(key))
        return None if value is None else decoded(value)

    def put(self, key: str | int, value: Value) -> None:
        """Set the value of ``key``; within a turn, at its end."""
        if self._changed is not None:
            self._changed[str(key)] = value
            return
        with self._failures():
            self._client.hset(self._name, str(key), str(value))

    @contextmanager
    def turn(self) -> Iterator[None]:
        """See `SharedHashDB`; a process that dies in a turn blocks the others for a minute."""
        mark = token_hex(8)
        self._wait(mark)
        self._changed = {}
        try:
            yield
            changed = [text for key, value in self._changed.items() for text in (key, str(value))]
            with self._failures():
                is_done = self._put([self._name, self._lock], [mark, *changed])
        except BaseException:
            self._let_go(mark)
            raise
        finally:
            self._changed = None
        if not is_done:
            raise ResourceError(
                say("the lock expired before the turn ended"), hint=say("pass fewer articles at a time")
            )

    def close(self) -> None:
        """Disconnect. A second call has no effect."""
        self._client.close()

    def _wait(self, mark: str) -> None:
        until = monotonic() + _PATIENCE
        with self._failures():
            while not self._client.set(self._lock, mark, nx=True, px=int(1000 * _TURN)):
                if monotonic() > until:
                    raise ResourceError(
                        say("timed out waiting for other writers"), hint=say("try again when they are done")
                    )
                sleep(_BETWEEN)

    def _let_go(self, mark: str) -> None:
        """Release the lock after a turn without changes; if the server is unreachable, the lock expires."""
        try:
            with self._failures():
                self._put([self._name, self._lock], [mark])
        except ResourceError:
            return


__all__ = ["HashDBRedis"]
