"""A full disk: reads go on, nothing is changed without its audit entry, no process dies, and operators learn of it."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.articles import article
from tests.serving import served, state_of
from tests.unit.service.test_serving import _children

import whorl
from whorl.service.metrics import Metrics, share_metrics
from whorl.service.settings import Settings

PLACE = "/v1/libraries/news"
READS = ("", "/documents/1", "/documents", "/clusters", "/statistics", "/hot", "/collections", "/reviews", "/sites")
CHANGES: dict[str, Callable[[httpx.Client], httpx.Response]] = {
    "POST /v1/libraries/{library}/documents": lambda client: client.post(
        f"{PLACE}/documents", json={"id": "new", "text": article(50)}
    ),
    "DELETE /v1/libraries/{library}/documents/{id}": lambda client: client.delete(f"{PLACE}/documents/1"),
    "POST /v1/libraries/{library}/reviews": lambda client: client.post(
        f"{PLACE}/reviews", json={"id": "2", "other": "copy", "state": "rejected"}
    ),
}
_PATIENCE = 60
_PROGRAM = """
import subprocess, sys
from whorl.service.serving import serve
from whorl.service.settings import Settings
from whorl.service.state import open_state
if __name__ == "__main__":
    library, state, workers = sys.argv[1:]
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", state], check=True)
    kept = open_state(state)
    print(kept.keys.make("desk", ["read", "write", "review", "admin"])[0], flush=True)
    kept.close()
    serve(Settings({"news": library}, state, port=0, workers=int(workers)))
"""


def fill(settings: Settings) -> None:
    """Add four articles, one a copy of another."""
    with whorl.open(settings.libraries["news"]) as library:
        library.add([{"id": str(number), "text": article(number)} for number in (1, 2, 3)])
        library.add({"id": "copy", "text": article(2)})


def changed(settings: Settings) -> set[str]:
    """The changes that were made."""
    with whorl.open(settings.libraries["news"]) as library:
        outcomes = [
            library.get("new") is not None,
            library.get("1") is None,
            bool(library.reviews.of("2", "copy")),
        ]
    return {what for what, is_made in zip(CHANGES, outcomes, strict=True) if is_made}


@contextmanager
def files_bounded(size: int) -> Iterator[None]:
    """No file of this process grows beyond a size."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def becomes(client: httpx.Client, status: str) -> bool:
    """True once the service says that it has this status; its last answer counts for a second."""
    deadline = time.monotonic() + _PATIENCE
    while client.get("/readyz").json() != {"status": status}:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_nothing_is_changed_whose_entry_cannot_be_written(settings: Settings) -> None:
    fill(settings)
    with state_of(settings) as state:
        secret, _ = state.keys.make("desk", ["read", "write", "review", "admin"])
        asking = {"Authorization": f"Bearer {secret}"}
        with served(settings) as address, httpx.Client(base_url=address, headers=asking, timeout=60) as client:
            for number in range(100):  # more in the file of the state than the library writes
                state.audit.note("local", "", "ask", "", str(number), 200, "")
            log = Path(settings.state, "service.sqlite-wal")
            with files_bounded(log.stat().st_size):
                assert {client.get(f"{PLACE}{path}").status_code for path in READS} == {200}
                assert client.post(f"{PLACE}/check", json={"text": article(2)}).status_code == 200
                refused = [change(client) for change in CHANGES.values()]
                assert {answer.status_code for answer in refused} <= {503, 507}
                assert not any(str(Path(settings.state).parent) in answer.text for answer in refused)
                assert becomes(client, "full")
                assert client.get("/readyz", params={"for": "reads"}).json() == {"status": "ready"}
            assert changed(settings) == set()
            assert becomes(client, "ready")
            assert [change(client).is_success for change in CHANGES.values()] == [True] * 3
        entries = [entry for entry in state.audit.list() if entry.what != "ask"]
        assert {entry.what for entry in entries if entry.status in range(200, 300)} == changed(settings) == set(CHANGES)


def test_a_change_that_is_being_made_has_its_entry(settings: Settings) -> None:
    with state_of(settings) as state:
        number = state.audit.begin("key 1 desk", "127.0.0.1", "DELETE /x", "news", "a", "mine")
        assert [(entry.number, entry.subject, entry.status) for entry in state.audit.list()] == [(number, "a", 0)]
        state.audit.end(number, "b", 204)
        state.audit.end(number, "c", 500)
        state.audit.drop(number)
        assert [(entry.number, entry.subject, entry.status) for entry in state.audit.list()] == [(number, "b", 204)]


def test_a_worker_starts_while_nothing_can_be_written(settings: Settings) -> None:
    with state_of(settings) as state:
        secret, key = state.keys.make("desk", ["read"])
        with files_bounded(Path(settings.state, "service.sqlite-wal").stat().st_size), state_of(settings) as started:
            assert started.keys.find(secret) == key


def test_a_key_is_read_without_writing_and_its_use_recorded_later(settings: Settings) -> None:
    with state_of(settings) as state:
        secret, key = state.keys.make("desk", ["read"])
        log = Path(settings.state, "service.sqlite-wal")
        with files_bounded(log.stat().st_size):
            assert state.keys.find(secret) == key
            state.keys.record_uses()
            with state.database.reading() as connection:
                assert connection.execute("SELECT used_at FROM key").fetchone()[0] is None
        assert state.keys.all()[0].used_at is not None


def test_figures_are_kept_while_they_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    monkeypatch.setattr("prometheus_client.values.ValueClass", None)
    share_metrics(tmp_path)
    metrics = Metrics()

    def total(route: str) -> float | None:
        return metrics.registry().get_sample_value(
            "whorl_requests_total", {"method": "GET", "route": route, "status": "200"}
        )

    with files_bounded(0):
        metrics.requests.labels("GET", "/a", "200").inc()
        assert total("/a") is None
    metrics.requests.labels("GET", "/b", "200").inc()
    size = max(file.stat().st_size for file in tmp_path.rglob("*.db"))
    with files_bounded(size + 10):
        for number in range(20):
            metrics.requests.labels("GET", f"/c{number}", "200").inc()
            metrics.seconds.labels("GET", f"/c{number}").observe(0.1)
        metrics.requests.labels("GET", "/a", "200").inc()
        assert total("/a") in (1, 2)
    metrics.requests.labels("GET", "/a", "200").inc()
    assert [total(route) for route in ("/a", "/b", "/c0", "/c19")] == [3, 1, 1, 1]


def _can_mount() -> bool:
    tried = "mount -t tmpfs -o size=1m tmpfs /mnt"
    return (
        bool(shutil.which("unshare"))
        and not subprocess.run(["unshare", "-rm", "sh", "-c", tried], capture_output=True, check=False).returncode
    )


def _fill_up(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@pytest.mark.skipif(not _can_mount(), reason="no disk can be mounted here")
@pytest.mark.parametrize("workers", [1, 2])
def test_on_a_full_disk_no_process_dies(settings: Settings, tmp_path: Path, workers: int) -> None:
    fill(settings)
    state, program = tmp_path / "small", tmp_path / "program.py"
    state.mkdir()
    program.write_text(_PROGRAM)
    log = tmp_path / "log"
    command = ["unshare", "-rm", sys.executable, program, settings.libraries["news"], state, str(workers)]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            asking = {"Authorization": f"Bearer {process.stdout.readline().strip()}"}
            until = time.monotonic() + _PATIENCE
            while "http://" not in log.read_text("utf-8"):
                assert time.monotonic() < until
                time.sleep(0.05)
            address = next(word for word in log.read_text("utf-8").split() if word.startswith("http://"))
            before = [pid for pid, line in _children(process.pid) if "spawn_main" in line]
            filler = Path(f"/proc/{process.pid}/root{state}/filler")
            with pytest.raises(OSError, match="space"):
                _fill_up(filler)
            with httpx.Client(base_url=address, headers=asking, timeout=_PATIENCE) as client:
                assert [client.get(f"{PLACE}{path}").status_code for path in READS * 3] == [200] * 3 * len(READS)
                assert client.get("/metrics").status_code == 200
                refused = [change(client) for change in CHANGES.values()]
                assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(507, "full")}
                assert not any(str(tmp_path) in answer.text for answer in refused)
                assert becomes(client, "full")
                assert changed(settings) == set()
                assert [pid for pid, line in _children(process.pid) if "spawn_main" in line] == before
                filler.unlink()
                assert [change(client).is_success for change in CHANGES.values()] == [True] * 3
                assert becomes(client, "ready")
                audit = client.get("/v1/audit").json()["items"]
                assert {entry["what"] for entry in audit if entry["status"] in range(200, 300)} == set(CHANGES)
        finally:
            process.terminate()
            process.wait(_PATIENCE)
