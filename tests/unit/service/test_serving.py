"""Starting and stopping the service: processes, signals, ports, and the state after a kill."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest
import uvicorn
from tests.serving import state_of

import whorl
from whorl.errors import ResourceError, UsageError
from whorl.service.serving import listening
from whorl.service.settings import Settings
from whorl.service.stopping import heed_signals

_PATIENCE = 240
_PROGRAM = """
import json, sys
from whorl.service.serving import serve
from whorl.service.settings import Settings
if __name__ == "__main__":
    libraries, state, workers = json.loads(sys.argv[1])
    serve(Settings(libraries, state, port=0, workers=workers))
"""


class _Running:
    """A service in separate processes.

    Attributes:
        address: its address.
        process: the main process.
    """

    def __init__(self, settings: Settings, program: Path, workers: int) -> None:
        program.write_text(_PROGRAM)
        report = json.dumps([settings.libraries, settings.state, workers])
        self._log = program.with_suffix(".log")
        with self._log.open("w") as log:
            self.process = subprocess.Popen([sys.executable, str(program), report], stderr=log)
        _until(lambda: "http://" in self.log())
        self.address = next(word for word in self.log().split() if word.startswith("http://"))

    def log(self) -> str:
        """Return its standard error."""
        return self._log.read_text("utf-8")

    def workers(self) -> list[int]:
        """Return its worker processes."""
        return [pid for pid, line in _children(self.process.pid) if "spawn_main" in line]

    def end(self) -> None:
        """Stop it, whatever it does."""
        self.process.terminate()
        self.process.wait(_PATIENCE)


def _children(parent: int) -> Iterator[tuple[int, str]]:
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    )
    for line in listed.stdout.splitlines():
        pid, above, state, arguments = line.split(None, 3)
        if int(above) == parent and not state.startswith("Z"):
            yield int(pid), arguments


def _is_there(process: int) -> bool:
    return bool(subprocess.run(["ps", "-p", str(process), "-o", "pid="], capture_output=True, check=False).stdout)


@contextmanager
def _running(settings: Settings, folder: Path, workers: int = 1) -> Iterator[_Running]:
    running = _Running(settings, folder / "program.py", workers)
    try:
        yield running
    finally:
        running.end()


def _until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def _asking(address: str, path: str, body: bytes) -> http.client.HTTPConnection:
    """Return a connection with a request the service has begun to answer: it waits for the body."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=_PATIENCE)
    connection.putrequest("POST", path)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(len(body)))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    assert connection.sock.recv(100).startswith(b"HTTP/1.1 100 ")
    return connection


def _rows(count: int) -> str:
    return "\n".join(json.dumps({"id": f"a{n}", "text": f"第{n}篇：渔港的冰厂添了{n}台新机器。"}) for n in range(count))


@pytest.mark.parametrize("is_signaled", [False, True])
def test_a_signal_that_arrives_while_the_server_imports_its_application_is_heeded(is_signaled: bool) -> None:
    stopping = Event()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uvicorn.Server(uvicorn.Config("nothing:app")).capture_signals():
            if is_signaled:
                signal.raise_signal(signal.SIGINT)
            heed_signals(stopping)
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopping.is_set() == is_signaled


def test_one_line_tells_the_address_once_it_answers(settings: Settings, tmp_path: Path) -> None:
    with _running(settings, tmp_path) as running:
        assert running.log() == f"whorl is running at {running.address} (press Ctrl+C to stop)\n"
        assert not running.address.endswith(":0")
        assert httpx.get(f"{running.address}/readyz").status_code == 200


def test_what_was_asked_is_answered_when_the_service_is_told_to_end(settings: Settings, tmp_path: Path) -> None:
    body = '{"text": "渔港"}'.encode()
    with _running(settings, tmp_path) as running, httpx.Client(base_url=running.address, timeout=_PATIENCE) as client:
        location = client.post("/v1/libraries/news/jobs/add", content=_rows(10_000)).headers["location"]
        with client.stream("GET", f"{location}/events") as stream:
            lines = stream.iter_lines()
            next(lines)
            asking = _asking(running.address, "/v1/libraries/news/check", body)
            running.process.send_signal(signal.SIGTERM)
            time.sleep(1)
            asking.send(body)
            assert asking.getresponse().status == 200
            assert list(lines)
        running.process.wait(_PATIENCE)
    with state_of(settings) as state:
        (job,) = state.jobs.list()
    assert job.state in ("queued", "done")


def test_processes_that_are_killed_are_replaced_and_lose_nothing(settings: Settings, tmp_path: Path) -> None:
    with state_of(settings) as state:
        secret, _ = state.keys.make("admin", ["read", "write", "admin"])
    asking = {"Authorization": f"Bearer {secret}"}
    acknowledged = []
    with _running(settings, tmp_path, workers=2) as running:

        def has_made_key() -> bool:
            key = {"name": f"key {len(acknowledged)}", "scopes": ["read"]}
            try:
                answer = httpx.post(f"{running.address}/v1/keys", json=key, headers=asking, timeout=_PATIENCE)
            except httpx.TransportError:  # The workers were killed, and the new ones do not listen yet.
                return False
            assert answer.status_code == 201
            acknowledged.append(str(answer.json()["key"]["number"]))
            return True

        def make_keys(count: int) -> None:
            for _ in range(count):
                _until(has_made_key)

        before = running.workers()
        assert len(before) == 2
        make_keys(5)
        with httpx.Client(base_url=running.address, headers=asking, timeout=_PATIENCE) as client:
            location = client.post("/v1/libraries/news/jobs/add", content=_rows(3_000)).headers["location"]
            _until(lambda: client.get(location).json()["done"] > 0)
            for process in before:
                os.kill(process, signal.SIGKILL)
        make_keys(35)
        _until(lambda: len(running.workers()) == 2 and not set(running.workers()) & set(before))
        # Until one of the new workers listens, connections are refused.
        again = httpx.HTTPTransport(retries=8)
        with httpx.Client(base_url=running.address, headers=asking, timeout=_PATIENCE, transport=again) as client:
            _until(lambda: client.get(location).json()["state"] == "done")
            assert client.get(location).json()["tries"] == 2
            answered = f'whorl_requests_total{{method="POST",route="/v1/keys",status="201"}} {len(acknowledged)}.0'
            assert answered in client.get("/metrics").text
    with state_of(settings) as state:
        assert {str(key.number) for key in state.keys.all()} >= set(acknowledged)
        assert {entry.subject for entry in state.audit.list(limit=1000)} >= set(acknowledged)
    with whorl.open(settings.libraries["news"]) as library:
        assert len(library) == 3_000
        assert library.verify().faults == ()


def test_processes_end_with_the_one_that_started_them(settings: Settings, tmp_path: Path) -> None:
    with _running(settings, tmp_path, workers=2) as running:
        workers = running.workers()
        assert len(workers) == 2
        running.process.kill()
        _until(lambda: not any(map(_is_there, workers)))


def _sockets_of(process: int) -> set[str]:
    """Return the sockets of a process, by their numbers."""
    links = [link.readlink().name for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
    return {name.removeprefix("socket:[").removesuffix("]") for name in links if name.startswith("socket:[")}


def _listeners(port: int) -> int:
    """Return the number of sockets that listen to a port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers share one socket")
def test_workers_share_the_connections_that_stay_open(settings: Settings, tmp_path: Path) -> None:
    with _running(settings, tmp_path, workers=2) as running, ExitStack() as closing:
        host, _, port = running.address.removeprefix("http://").rpartition(":")
        _until(lambda: _listeners(int(port)) == 2)
        before = {process: _sockets_of(process) for process in running.workers()}
        for _ in range(40):
            connection = closing.enter_context(socket.create_connection((host, int(port))))
            connection.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
        shares = [len(_sockets_of(process) - sockets) for process, sockets in before.items()]
        # Of 40 fair coins, fewer than five fall on one side once in five million times.
        assert min(shares) >= 5, shares


def test_a_port_of_several_workers_is_in_use(settings: Settings, tmp_path: Path) -> None:
    with _running(settings, tmp_path, workers=2) as running:
        port = int(running.address.rpartition(":")[2])
        for workers in (1, 2):
            with pytest.raises(ResourceError, match=f"port {port} is in use"):
                listening(Settings(settings.libraries, settings.state, port=port, workers=workers))


def test_a_port_that_is_in_use(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(ResourceError, match=f"port {port} is in use"):
            listening(Settings(settings.libraries, settings.state, port=port))


def test_an_address_of_another_machine(settings: Settings) -> None:
    with pytest.raises(UsageError, match=r"cannot listen at 192\.0\.2\.1"):
        listening(Settings(settings.libraries, settings.state, host="192.0.2.1", port=0))
