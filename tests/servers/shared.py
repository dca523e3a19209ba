"""One server of each kind for all tests of a run, in any process.

`begin` is for the process that outlives all others of a run, and `end` for its end. The first test that needs a server
starts a keeper, which starts the server and stops it when that process ends for any reason: it waits for a lock that
the system releases when its holder ends.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, NoReturn
from urllib.parse import urlsplit

import pytest

from tests.servers import Server, Unavailable
from tests.servers.mariadb import MariaDB
from tests.servers.mongodb import MongoDB
from tests.servers.postgresql import PostgreSQL
from tests.servers.redis import Redis

KINDS: dict[str, type[Server]] = {kind.name: kind for kind in (PostgreSQL, MariaDB, Redis, MongoDB)}

RUN = "WHORL_TEST_RUN"
"""The variable that names the folder of a run."""

_CAN_START = os.name == "posix"
_ROOT = Path(__file__).parents[2]
_locks: list[IO[str]] = []


def begin() -> None:
    """Begin a run, whose servers end with this process; a nested run shares the servers of its parent."""
    if _CAN_START and RUN not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="whorl-tests-"))
        lock = (folder / "lock").open("w")
        _take(lock)
        _locks.append(lock)
        os.environ[RUN] = str(folder)


def end() -> list[str]:
    """End a run that was begun here, and report why requested servers were not available."""
    if not _locks:
        return []
    folder = Path(os.environ.pop(RUN))
    reports = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    shutil.rmtree(folder)
    _locks.pop().close()
    return [report["missing"] for report in reports if "missing" in report]


def fresh(kind: str) -> str:
    """Return the address of a new, empty location on the server of a kind.

    The variables WHORL_TEST_MONGODB and WHORL_TEST_MYSQL name other servers than those that are started here.
    If the server is not available, the test is skipped, and the last line of the run says so; on CI it fails."""
    named = os.environ.get(f"WHORL_TEST_{kind.upper()}", "").rstrip("/")
    if named:
        return _ELSEWHERE[kind](named)
    try:
        return shared(kind).fresh()
    except Unavailable as missing:
        _do_without(missing)


@contextmanager
def started(server: Server) -> Iterator[None]:
    """Run a server for one test; a server that is not available is treated as by ``fresh``."""
    try:
        server.start()
    except Unavailable as missing:
        (Path(os.environ[RUN]) / f"{server.name}.json").write_text(json.dumps({"missing": str(missing)}), "utf-8")
        _do_without(missing)
    else:
        yield
    finally:
        server.stop()


def _do_without(missing: Unavailable) -> NoReturn:
    if os.environ.get("CI") and _CAN_START:
        pytest.fail(str(missing))
    pytest.skip(str(missing))


def fresh_database(kind: str) -> str:
    """Return the address of a new database on the server of a kind that has schemas, as ``fresh`` does."""
    fresh(kind)
    server = shared(kind)
    assert isinstance(server, PostgreSQL)
    return server.fresh_database()


def _mongodb_elsewhere(server: str) -> str:
    return f"{server}/d{secrets.token_hex(8)}"


def _mysql_elsewhere(server: str) -> str:
    import pymysql

    name, place = f"d{secrets.token_hex(8)}", urlsplit(server)
    login = {"user": place.username, "password": (place.password or "").encode()}
    with (
        pymysql.connect(host=place.hostname, port=place.port or 3306, **login) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


_ELSEWHERE: dict[str, Callable[[str], str]] = {"mongodb": _mongodb_elsewhere, "mysql": _mysql_elsewhere}


@cache
def shared(kind: str) -> Server:
    """Return the server of a kind that all tests of this run share.

    Raises:
        Unavailable: it is not available on this machine.
    """
    if not _CAN_START:
        raise Unavailable(f"no {kind} is started on this system")
    folder = Path(os.environ[RUN])
    with (folder / f"{kind}.lock").open("w") as turn:
        _take(turn)
        file = folder / f"{kind}.json"
        if not file.exists():
            file.write_text(_kept(kind, folder), encoding="utf-8")
        report = json.loads(file.read_text(encoding="utf-8"))
    if "missing" in report:
        raise Unavailable(report["missing"])
    return KINDS[kind](Path(report["folder"]), report["port"])


def _kept(kind: str, folder: Path) -> str:
    """Start a keeper in the background, and return its report about the new server."""
    command = [sys.executable, "-m", __spec__.name, kind, str(folder / "lock")]
    return subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", cwd=_ROOT, check=True).stdout


def _keep(kind: str, lock: Path) -> None:
    answers, telling = os.pipe()
    if os.fork():
        os.close(telling)
        with os.fdopen(answers, encoding="utf-8") as stream:
            print(stream.read())  # noqa: T201
        return
    os.setsid()  # an interrupt of the run must not reach the server
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with lock.open() as lock_file, os.fdopen(telling, "w", encoding="utf-8") as stream:
        try:
            with KINDS[kind]() as server:
                json.dump({"folder": str(server.folder), "port": server.port}, stream)
                stream.close()
                _take(lock_file)
        except Unavailable as missing:
            json.dump({"missing": str(missing)}, stream)


def _take(lock: IO[str]) -> None:
    import fcntl

    fcntl.flock(lock, fcntl.LOCK_EX)


if __name__ == "__main__":
    _keep(sys.argv[1], Path(sys.argv[2]))
