"""Replicas of a service that share the state in a database, behind a round-robin proxy, and one of them killed."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.articles import article, jsonl
from tests.proxy import round_robin, stallable
from tests.replicas import Replica, until
from tests.servers import PASSWORD, QUOTED, Unavailable
from tests.servers.shared import KINDS, fresh
from tests.serving import STATES, served, settings_of, state_of
from tests.stores import SERVERS

import whorl
from whorl.errors import InputError, UsageError, WhorlError
from whorl.service.running import Service
from whorl.service.settings import Settings
from whorl.service.state import open_state
from whorl.service.state.answers import Asking
from whorl.service.state.sqlite import _VERSIONS
from whorl.service.state.tables import SERVICE, TABLES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the servers are not started here")

ON_SERVERS = [kind for kind in STATES if kind != "sqlite"]
ARTICLES = 6000


@contextmanager
def _replicas(settings: Settings, folder: Path, count: int = 2) -> Iterator[list[Replica]]:
    """Start replicas at the same time, on a database without tables."""
    with ExitStack() as closing:
        replicas = []
        for number in range(count):
            replicas.append(Replica(settings, folder / f"{number}.log"))
            closing.callback(replicas[-1].end)
        yield replicas


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_replicas_behind_a_proxy_are_one_service_and_a_killed_one_loses_nothing(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    with _replicas(settings, tmp_path) as replicas:
        addresses = [replica.address for replica in replicas]
        with round_robin(addresses) as proxy:
            created = httpx.post(f"{addresses[0]}/v1/keys", json={"name": "desk", "scopes": ["read", "write", "admin"]})
            secret, number = created.json()["secret"], created.json()["key"]["number"]
            assert [httpx.get(f"{proxy}/v1/libraries").status_code for _ in range(4)] == [401] * 4
            for _ in range(4):
                assert httpx.get(f"{proxy}/v1/libraries", headers=_bearer(secret)).status_code == 200

            user = {"name": "mei", "password": "a long password", "role": "editor"}
            assert httpx.post(f"{proxy}/v1/users", json=user, headers=_bearer(secret)).status_code == 201
            form = {"name": "mei", "password": "a long password"}
            with httpx.Client(base_url=addresses[1], headers={"Origin": addresses[1]}) as browser:
                cookies = dict(browser.post("/sign-in", data=form).cookies)
            for address in addresses:
                assert httpx.get(f"{address}/account", cookies=cookies).status_code == 200

            body, named = {"id": "first", "text": article(1)}, {**_bearer(secret), "Idempotency-Key": "once"}
            with ThreadPoolExecutor(4) as pool:
                place = f"{proxy}/v1/libraries/news/documents"
                added = list(pool.map(lambda _: httpx.post(place, json=body, headers=named, timeout=60), range(4)))
            assert {answer.json()["state"] for answer in added} == {"new"}
            assert sum("idempotency-replayed" in answer.headers for answer in added) == 3

            _kill_during_a_job(settings, replicas, proxy, secret)

            alive = next(replica.address for replica in replicas if replica.process.poll() is None)
            revoked = httpx.delete(f"{proxy}/v1/keys/{number}", headers=_bearer(secret))
            assert revoked.status_code in (200, 204)
            for address in (alive, proxy, proxy):
                assert httpx.get(f"{address}/v1/libraries", headers=_bearer(secret)).status_code == 401
        for replica in replicas:
            assert not any(text in replica.log() for text in (PASSWORD, QUOTED))


def _kill_during_a_job(settings: Settings, replicas: list[Replica], proxy: str, secret: str) -> None:
    """Kill the replica that runs a job; the other one takes it over, and every article is there once."""
    rows = jsonl({"id": f"a{number}", "text": article(number)} for number in range(2, ARTICLES + 2))
    job = httpx.post(f"{proxy}/v1/libraries/news/jobs/add", content=rows, headers=_bearer(secret), timeout=60).json()
    with state_of(settings) as state:

        def worker() -> int:
            with state.database.reading() as connection:
                row = connection.execute("SELECT worker, done FROM job WHERE id = ?", (job["id"],)).fetchone()
            return int(row["worker"].partition("-")[0]) if row["worker"] and row["done"] else 0

        process = until(worker)
    next(replica for replica in replicas if replica.process.pid == process).kill()

    def ended() -> Any:
        current = httpx.get(f"{proxy}/v1/jobs/{job['id']}", headers=_bearer(secret), timeout=60).json()
        return current if current["state"] not in ("queued", "running") else None

    result = until(ended)
    assert (result["state"], result["tries"], result["done"]) == ("done", 2, ARTICLES)
    lines = httpx.get(f"{proxy}/v1/jobs/{job['id']}/result", headers=_bearer(secret), timeout=60).text.splitlines()
    assert len(lines) == ARTICLES
    with whorl.open(settings.libraries["news"]) as library:
        assert len(library) == ARTICLES + 1


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_revoked_key_is_refused_by_the_next_request_of_any_replica(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    with state_of(settings) as here, state_of(settings) as there:
        for _ in range(5):
            secret, key = here.keys.make("desk", ["read"])
            assert there.keys.find(secret) == key
            here.keys.revoke(key.number)
            assert there.keys.find(secret) is None


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_of_many_that_want_the_same_one_gets_it(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    with ExitStack() as closing:
        states = [closing.enter_context(state_of(settings)) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            for number in range(5):
                states[0].jobs.put(f"job {number}", "verify", "news", {}, "somebody")
                claimed = list(pool.map(lambda state: state.jobs.claim(str(id(state)), ["verify"]), states))
                (job,) = filter(None, claimed)
                assert states[0].jobs.end(job.job.id, str(id(states[claimed.index(job)])), "done", result={})
            first = list(pool.map(lambda state: state.keys.make_first("first", "s" * 32), states))
            assert sum(first) == 1
            numbers = list(pool.map(lambda state: state.audit.begin("a", "b", "c", "d", "e", "f"), states * 5))
            assert len(set(numbers)) == 20


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_many_replicas_create_the_tables_at_once(kind: str) -> None:
    address = fresh(SERVERS[kind])
    with ThreadPoolExecutor(4) as pool:
        states = list(pool.map(open_state, [address] * 4))
    for state in states:
        assert state.is_open_to_all
        state.close()


class _LateClock(datetime):
    """A clock that is hours behind."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) - timedelta(hours=5)


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_replica_with_a_wrong_clock_takes_no_job_and_no_request_of_another(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    with state_of(settings) as right, state_of(settings) as wrong:
        for name, module in list(sys.modules.items()):
            if name.startswith("whorl.service.state") and hasattr(module, "datetime"):
                monkeypatch.setattr(module, "datetime", _LateClock)
        asking = Asking("local", "once", b"digest")
        right.jobs.put("one", "verify", "news", {}, "somebody")
        assert right.jobs.claim("right", ["verify"]) is not None
        assert right.answers.begin(asking) is True
        assert wrong.jobs.claim("wrong", ["verify"]) is None
        assert wrong.answers.begin(asking) is False
        assert abs(wrong.database.time() - datetime.now(UTC)) < timedelta(hours=1)


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_connections_that_the_server_ended_are_replaced(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    with state_of(settings) as state:
        secret, key = state.keys.make("desk", ["read"])
        for change in (lambda: state.keys.find(secret), lambda: state.keys.revoke(key.number)):
            _end_connections(state)
            assert change() is not None
        assert state.database.accepts_writes()


def _end_connections(state: Any) -> None:
    """Close the idle connections of a state under it, as a server does at its restart."""
    pool = state.database._pool._pool
    connections = [pool.connect() for _ in range(pool.checkedin())]
    assert connections
    for connection in connections:
        driver = connection.driver_connection
        descriptor = driver.fileno() if hasattr(driver, "fileno") else driver._sock.fileno()
        with socket.socket(fileno=os.dup(descriptor)) as duplicate:
            duplicate.shutdown(socket.SHUT_RDWR)
        connection.close()


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_while_the_database_is_away_requests_are_refused_without_its_address(kind: str, tmp_path: Path) -> None:
    try:
        server = KINDS[kind]()
        server.start()
    except Unavailable as missing:
        pytest.skip(str(missing))
    try:
        settings = replace(settings_of(tmp_path, "news"), state=server.fresh())
        with served(settings) as address:
            assert httpx.get(f"{address}/v1/libraries").status_code == 200
            server.kill()
            for headers in ({}, _bearer("unknown"), {"Accept": "text/html"}):
                for path in ("/v1/libraries", "/settings", "/"):
                    refused = httpx.get(f"{address}{path}", headers=headers, timeout=60)
                    assert refused.status_code == 503
                    assert not any(text in refused.text for text in ("sql://", str(server.port), "Traceback"))
            assert httpx.get(f"{address}/healthz", timeout=60).status_code == 200
            server.start()
            assert httpx.get(f"{address}/v1/libraries", timeout=60).status_code == 200
            assert until(lambda: httpx.get(f"{address}/readyz", timeout=60).status_code == 200)
    finally:
        server.stop()


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_while_the_database_does_not_respond_requests_are_refused(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    parts = urlsplit(settings.state)
    with stallable(parts.port or 0) as (port, is_flowing):
        timeouts = "timeout=1&connect_timeout=1"
        place = settings.state.replace(f":{parts.port}/", f":{port}/")
        behind = replace(settings, state=f"{place}{'&' if parts.query else '?'}{timeouts}")
        with served(behind) as address, httpx.Client(base_url=address, timeout=60) as client:
            assert client.get("/v1/libraries").status_code == 200
            is_flowing.clear()
            for _ in range(2):
                assert client.get("/readyz").status_code == 503
                assert client.get("/v1/libraries").status_code == 503
            assert client.get("/healthz").status_code == 200
            is_flowing.set()
            assert client.get("/v1/libraries").status_code == 200
            assert until(lambda: client.get("/readyz").status_code == 200)


def _is_ready(address: str) -> bool:
    """Return whether a replica is ready; it refuses connections while none of its workers listens."""
    try:
        return httpx.get(f"{address}/readyz", timeout=60).status_code == 200
    except httpx.ConnectError:
        return False


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_worker_that_ends_while_the_database_does_not_respond_is_replaced(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    parts = urlsplit(settings.state)
    with stallable(parts.port or 0) as (port, is_flowing):
        place = settings.state.replace(f":{parts.port}/", f":{port}/")
        behind = replace(settings, state=f"{place}{'&' if parts.query else '?'}timeout=1&connect_timeout=1")
        replica = Replica(behind, tmp_path / "log", ["--port", "0", "--workers", "2"])
        try:
            address = replica.address
            is_flowing.clear()
            for worker in replica.workers()[-2:]:
                os.kill(worker, signal.SIGKILL)
            until(lambda: replica.log().count("this worker is waiting") > 1)
            assert replica.process.poll() is None
            is_flowing.set()
            assert until(lambda: _is_ready(address))
            is_flowing.clear()
            os.kill(replica.workers()[-1], signal.SIGKILL)
            waiting = replica.log().count("this worker is waiting")
            until(lambda: replica.log().count("this worker is waiting") > waiting)
        finally:
            replica.end()  # also stops a worker that waits


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_place_with_other_tables_or_of_a_newer_version_is_left_alone(kind: str) -> None:
    library = fresh(SERVERS[kind])
    whorl.open(library).close()
    with pytest.raises(UsageError, match="other tables") as refused:
        open_state(library)
    address = fresh(SERVERS[kind])
    state = open_state(address)
    with state.database.writing() as connection:
        connection.execute("UPDATE service SET version = 99, oldest = 99")
    state.close()
    with pytest.raises(InputError, match="newer version") as newer:
        open_state(address)
    for error in (refused.value, newer.value):
        assert not any(text in f"{error} {error.hint}" for text in (PASSWORD, QUOTED))


@pytest.mark.parametrize(
    "address",
    ["postgresql://whorl:{}@127.0.0.1:1/state", "mysql://whorl:{}@127.0.0.1:1/state", "mongodb://whorl:{}@h/state"],
)
def test_errors_of_a_state_show_no_password(address: str) -> None:
    with pytest.raises(WhorlError) as failed:
        open_state(address.format(QUOTED))
    assert not any(text in f"{failed.value} {failed.value.hint}" for text in (PASSWORD, QUOTED))


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_state_in_a_database_needs_a_folder_for_files(kind: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", kind=kind)
    with pytest.raises(UsageError, match="files of jobs need a folder"):
        Service.open(Settings(settings.libraries, settings.state))


def test_tables_of_servers_have_the_columns_of_sqlite(tmp_path: Path) -> None:
    connection = sqlite3.connect(":memory:")
    for script in _VERSIONS:
        connection.executescript(script)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    tables = {table.name: [column.name for column in table.columns] for table in TABLES.sorted_tables}
    assert tables.keys() - {SERVICE} == names
    for name in names:
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]
        assert sorted(columns) == sorted(column for column in tables[name] if column != "rowid")
    connection.close()


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_keys_are_managed_on_the_command_line(kind: str) -> None:
    address = fresh(SERVERS[kind])
    command = [sys.executable, "-m", "whorl", "key"]
    added = subprocess.run([*command, "add", address, "desk"], capture_output=True, text=True, check=True)
    listed = subprocess.run([*command, "list", address, "--json"], capture_output=True, text=True, check=True)
    assert '"name":"desk"' in listed.stdout.replace(" ", "")
    state = open_state(address)
    assert state.keys.find(added.stdout.strip()) is not None
    state.close()
    assert QUOTED not in added.stderr + listed.stderr
