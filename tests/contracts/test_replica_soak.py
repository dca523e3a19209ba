"""Four replicas with two workers each on one PostgreSQL, while they are killed and the database stalls.

Clients add articles and check them through a round-robin proxy. In turns, a replica is killed and started again, a
worker is killed, and the database stops responding. After each of these faults, once all replicas are ready, a calm
follows, in which every request must be answered. Every acknowledged article must be found by every check, and be in
the library at the end. The memory of a replica that is never killed may not grow: in the last third of a run of ten
minutes it is about that of the second third.

``SOAK=150 make soak PYTEST_ARGS="tests/contracts/test_replica_soak.py -s"`` runs for 150 seconds, ten minutes without
SOAK, and prints what was counted.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.articles import article, edited
from tests.proxy import round_robin, stallable
from tests.replicas import Replica, until
from tests.servers import free_port
from tests.servers.shared import fresh_database

import whorl
from whorl.service.settings import Settings

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(sys.platform != "linux", reason="processes and their memory are read from /proc"),
]

REPLICAS, WORKERS, CLIENTS = 4, 2, 6
CALM = 6.0
"""Seconds without a fault, once all replicas are ready."""
STALL = 8.0
"""Seconds for which the database does not respond; its timeout is shorter."""
LENGTH = 400
KEY = "0123456789abcdef" * 4
MIB = 2**20
_ENOUGH, _GROWTH = 4, 1.3
"""Measurements in a third of a run from which memory is compared, and the growth that the larger library may cause."""


@dataclass
class Observed:
    """What the clients saw.

    Attributes:
        acknowledged: number of the text of each article whose addition was answered.
        statuses: answers by operation and status, -1 for none.
        wrong: answers that contradict what was acknowledged before.
        unanswered: requests of calms without a good answer.
        memory: bytes of the replica that is never killed, at the end of each calm.
    """

    acknowledged: dict[str, int] = field(default_factory=dict)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


class Calm:
    """Periods without faults, numbered; 0 while there is a fault."""

    def __init__(self) -> None:
        self._number = 0
        self.now = 0

    def begin(self) -> None:
        """Begin the next one."""
        self._number += 1
        self.now = self._number

    def end(self) -> None:
        """End it."""
        self.now = 0


class Requester:
    """One client of the service.

    Args:
        name: prefix of the ids of its articles.
        address: address of the service.
        observed: where to record what it sees.
        calm: the current calm.
    """

    def __init__(self, name: str, address: str, observed: Observed, calm: Calm) -> None:
        self._name, self._observed, self._calm = name, observed, calm
        self._rng = random.Random(name)
        self._http = httpx.Client(
            base_url=f"{address}/v1/libraries/news",
            headers={"Authorization": f"Bearer {KEY}"},
            timeout=60,
            limits=httpx.Limits(max_keepalive_connections=0),
        )
        self._added = 0

    def run(self, ending: Event) -> None:
        """Send requests until the end."""
        with self._http:
            while not ending.is_set():
                if self._rng.random() < 0.3:
                    self._add()
                else:
                    self._check()

    def _add(self) -> None:
        self._added += 1
        id_ = f"{self._name}-{self._added}"
        number = self._rng.randrange(2000)
        text = edited(article(number, LENGTH), self._rng.randrange(4), self._added)
        answer = self._request("add", "/documents", {"id": id_, "text": text}, {"Idempotency-Key": id_})
        if answer is None:
            return
        with self._observed.lock:
            self._observed.acknowledged[id_] = number
            if answer.json()["id"] != id_:
                self._observed.wrong.append(f"{id_} was answered with {answer.json()['id']}")

    def _check(self) -> None:
        with self._observed.lock:
            acknowledged = list(self._observed.acknowledged.items())[-200:]
        if not acknowledged:
            return
        id_, number = self._rng.choice(acknowledged)
        answer = self._request("check", "/check", {"text": article(number, LENGTH)})
        if answer is None:
            return
        report = answer.json()
        # A report has at most 32 matches; of a text with fewer, the acknowledged article is one.
        if len(report["matches"]) < 32 and id_ not in {match["id"] for match in report["matches"]}:
            with self._observed.lock:
                self._observed.wrong.append(f"a check does not find {id_}")

    def _request(
        self, operation: str, path: str, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> httpx.Response | None:
        """Send a request; return a good answer."""
        calm, answer, problem = self._calm.now, None, ""
        try:
            answer = self._http.post(path, json=body, headers=headers)
        except httpx.HTTPError as error:
            problem = repr(error)
        status = -1 if answer is None else answer.status_code
        with self._observed.lock:
            self._observed.statuses[operation, status] += 1
            if calm and calm == self._calm.now and not 200 <= status < 300:
                self._observed.unanswered.append(f"{operation}: {status} {problem}{answer.text if answer else ''}")
        return answer if answer is not None and answer.is_success else None


class Site:
    """The replicas of a service on one database, and the faults that they meet."""

    def __init__(self, settings: Settings, folder: Path, is_flowing: Event) -> None:
        self._settings, self._folder, self._is_flowing = settings, folder, is_flowing
        self._ports = [free_port() for _ in range(REPLICAS)]
        self._starts = 0
        self.addresses = [f"http://127.0.0.1:{port}" for port in self._ports]
        self.replicas = [self._started(number) for number in range(REPLICAS)]

    def _started(self, number: int) -> Replica:
        self._starts += 1
        log = self._folder / f"{number}-{self._starts}.log"
        options = ["--port", str(self._ports[number]), "--workers", str(WORKERS)]
        return Replica(self._settings, log, options)

    def wait(self) -> None:
        """Wait until all replicas are ready: several times in a row, since any worker may answer."""
        for address, replica in zip(self.addresses, self.replicas, strict=True):
            for _ in range(2 * WORKERS):
                try:
                    until(lambda address=address: not _unready(address))
                except AssertionError:
                    processes = [replica.process.poll(), *replica.workers()]
                    raise AssertionError(f"{_unready(address)} of {processes}:\n{replica.log()[-4000:]}") from None

    def restart(self, number: int) -> None:
        """Kill a replica, and start it again."""
        self.replicas[number].kill()
        time.sleep(1)
        self.replicas[number] = self._started(number)

    def kill_worker(self, number: int) -> None:
        """Kill a worker of a replica."""
        workers = self.replicas[number].workers()
        if workers:
            os.kill(workers[-1], signal.SIGKILL)

    def stall(self) -> None:
        """Let the database respond to nothing for a while."""
        self._is_flowing.clear()
        time.sleep(STALL)
        self._is_flowing.set()

    def end(self) -> None:
        """Stop all replicas."""
        for replica in self.replicas:
            replica.process.terminate()
        for replica in self.replicas:
            replica.end()


def _unready(address: str) -> str:
    """Return why a replica is not ready; empty if it is."""
    try:
        answer = httpx.get(f"{address}/readyz", timeout=30)
    except httpx.HTTPError as error:
        return repr(error)
    return "" if answer.status_code == 200 else f"{answer.status_code} {answer.text}"


@contextmanager
def site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Site, str]]:
    """Run the replicas on a new database; yield them and the address of the library."""
    direct = fresh_database("postgresql")
    library = f"{direct}?schema=news"
    whorl.open(library).close()
    monkeypatch.setenv("WHORL_FIRST_KEY", KEY)
    with ExitStack() as closing:
        port, is_flowing = closing.enter_context(stallable(urlsplit(direct).port or 0))
        behind = direct.replace(f":{urlsplit(direct).port}/", f":{port}/")
        timeouts = "timeout=4&connect_timeout=2"
        settings = Settings(
            {"news": f"{behind}?schema=news&{timeouts}"}, f"{behind}?{timeouts}", files=str(folder / "files")
        )
        running = Site(settings, folder, is_flowing)
        closing.callback(running.end)
        running.wait()
        yield running, library


def _faults(running: Site, ending: float, calm: Calm, observed: Observed) -> list[str]:
    """Cause faults until the end, each followed by a calm; return their names."""
    rng, happened = random.Random(1), []
    kinds: list[tuple[str, Callable[[], None]]] = [
        ("restart", lambda: running.restart(rng.randrange(1, REPLICAS))),
        ("worker", lambda: running.kill_worker(rng.randrange(1, REPLICAS))),
        ("stall", running.stall),
    ]
    while time.monotonic() < ending:
        name, cause = kinds[len(happened) % len(kinds)]
        cause()
        happened.append(name)
        running.wait()
        calm.begin()
        time.sleep(CALM)
        calm.end()
        observed.memory.append(running.replicas[0].memory())
    return happened


def test_kills_and_stalls_lose_nothing_and_falsify_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = float(os.environ.get("SOAK", "600"))
    observed, calm, ending = Observed(), Calm(), Event()
    with site(tmp_path, monkeypatch) as (running, library), round_robin(running.addresses) as proxy:
        clients = [Requester(f"c{number}", proxy, observed, calm) for number in range(CLIENTS)]
        threads = [Thread(target=client.run, args=(ending,)) for client in clients]
        for thread in threads:
            thread.start()
        try:
            happened = _faults(running, time.monotonic() + seconds, calm, observed)
        finally:
            ending.set()
            for thread in threads:
                thread.join()
    with whorl.open(library) as opened:
        documents = opened.get_all(list(observed.acknowledged), texts=False)
        lost = sorted(observed.acknowledged.keys() - documents.keys())
        faults = opened.verify().faults
    figures = {
        "seconds": seconds,
        "faults": dict(Counter(happened)),
        "answers": {f"{operation} {status}": count for (operation, status), count in observed.statuses.items()},
        "acknowledged": len(observed.acknowledged),
        "lost": len(lost),
        "wrong": len(observed.wrong),
        "unanswered in calms": len(observed.unanswered),
        "MiB of a replica": [round(size / MIB) for size in observed.memory],
    }
    print(json.dumps(figures))  # noqa: T201
    assert not lost
    assert not observed.wrong, observed.wrong[:10]
    assert not observed.unanswered, observed.unanswered[:10]
    assert faults == ()
    assert observed.acknowledged
    third = len(observed.memory) // 3
    if third >= _ENOUGH:
        before, after = observed.memory[third : 2 * third], observed.memory[-third:]
        assert max(after) < _GROWTH * max(before), figures["MiB of a replica"]
