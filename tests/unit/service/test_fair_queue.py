"""Slow requests and jobs: no caller and no kind of work holds up the others, and work whose client left is dropped."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import Request
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article
from tests.serving import served, state_of

from whorl._internal.interruption import demand_interest, is_cancelled
from whorl.service.api import checks
from whorl.service.http.bodies import RefusedError
from whorl.service.http.fair_queue import SLOTS, FairQueue, FairSlots
from whorl.service.jobs import KINDS, JobQueue, kinds
from whorl.service.jobs.kinds import EVALUATIONS, LANES, MAX_EVALUATIONS
from whorl.service.running import Service
from whorl.service.settings import Settings
from whorl.service.state import State
from whorl.service.throttling import TooManyError

PATIENCE = 60
CALLERS = st.sampled_from("abc")


@given(
    slots=st.integers(1, 4),
    steps=st.lists(st.tuples(st.sampled_from(("enter", "finish", "abandon")), CALLERS), max_size=60),
)
def test_slots_are_shared_fairly_whatever_the_order_of_events(slots: int, steps: list[tuple[str, str]]) -> None:
    """A slot stays free only where no caller that waits may take it, and a caller leaves one slot to the others."""

    async def play() -> None:
        queue, requests = FairSlots(slots, max_waiting=100), []
        for step, caller in steps:
            mine = [entry for entry in requests if entry[0] == caller]
            if step == "enter":
                requests.append((caller, queue.enter(caller)))
            else:
                entry = next((entry for entry in mine if entry[1].done() == (step == "finish")), None)
                if entry is not None:
                    requests.remove(entry)
                    queue.release(*entry)
            working = Counter(name for name, turn in requests if turn.done())
            waiting = {name for name, turn in requests if not turn.done()}
            limit = max(1, slots - 1)
            assert working.total() <= slots
            assert max(working.values(), default=0) <= limit
            assert working.total() == slots or all(working[name] == limit for name in waiting)
            for name in waiting:
                turns = [turn.done() for other, turn in requests if other == name]
                assert turns == sorted(turns, reverse=True), "the requests of a caller keep their order"

    asyncio.run(play())


def test_a_freed_slot_goes_round_the_callers() -> None:
    async def play() -> list[str]:
        queue, granted = FairSlots(2), []
        requests = [("many", queue.enter("many")) for _ in range(6)]
        requests += [(name, queue.enter(name)) for name in ("second", "third", "fourth")]
        for name, turn in requests:
            turn.add_done_callback(lambda _, name=name: granted.append(name))
        while requests:
            entry = next(entry for entry in requests if entry[1].done())
            requests.remove(entry)
            queue.release(*entry)
            await asyncio.sleep(0)
        return granted

    assert asyncio.run(play()) == ["many", "second", "third", "fourth", *["many"] * 5]


def test_a_caller_queues_no_requests_without_end() -> None:
    async def play() -> None:
        queue = FairSlots(2, max_waiting=3)
        for _ in range(4):
            queue.enter("many")
        with pytest.raises(TooManyError) as refused:
            queue.enter("many")
        assert refused.value.seconds > 0
        assert queue.enter("other").done()

    asyncio.run(play())


class _Client:
    """A client that stays until it is told to leave."""

    def __init__(self, name: str) -> None:
        self.has_left = asyncio.Event()
        self.request = Request(
            {"type": "http", "headers": [], "state": {"caller": None}, "client": (name, 1)}, self._receive
        )

    async def _receive(self) -> dict[str, str]:
        await self.has_left.wait()
        return {"type": "http.disconnect"}


def test_work_of_a_client_that_left_is_dropped_or_told_to_stop() -> None:
    begun, stopped, done = Event(), Event(), []

    def work() -> None:
        begun.set()
        while not is_cancelled():
            time.sleep(0.01)
        stopped.set()
        demand_interest()

    async def play() -> None:
        queue, first, second, third = FairQueue(), *map(_Client, ("192.0.2.1", "192.0.2.1", "192.0.2.2"))
        working = asyncio.create_task(queue.run(first.request, "files", work))
        await asyncio.to_thread(begun.wait, PATIENCE)
        waiting = asyncio.create_task(queue.run(second.request, "files", lambda: done.append("second")))
        await asyncio.sleep(0.05)
        assert await queue.run(third.request, "files", lambda: "third") == "third"
        second.has_left.set()
        with pytest.raises(RefusedError):
            await waiting
        assert not stopped.is_set()
        first.has_left.set()
        with pytest.raises(RefusedError):
            await working
        assert await asyncio.to_thread(stopped.wait, PATIENCE)
        last = _Client("192.0.2.1")
        assert await queue.run(last.request, "files", lambda: "last") == "last"

    asyncio.run(play())
    assert done == []


def _abandon(address: str, body: bytes, secret: str) -> None:
    """Ask for a report, and hang up before it comes."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        head = f"POST /v1/compare/report HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {secret}\r\n"
        connection.sendall(
            f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        time.sleep(0.3)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Let every comparison wait until the test is over; gives how many have begun."""
    free, begun = Event(), []

    def compare(*_: object, **__: object) -> None:
        begun.append(1)
        free.wait(PATIENCE)
        demand_interest()

    monkeypatch.setattr(checks, "compare_texts", compare)
    yield lambda: len(begun)
    free.set()


def test_abandoned_reports_hold_up_no_files_and_no_reports_of_others(
    settings: Settings, stuck: Callable[[], int]
) -> None:
    body = b'{"text": "a", "sources": [{"text": "b"}]}'
    with state_of(settings) as state, served(settings) as address:
        greedy, other = (state.keys.make(name, ["read"])[0] for name in ("greedy", "other"))
        with ThreadPoolExecutor(6) as threads:
            list(threads.map(lambda _: _abandon(address, body, greedy), range(6)))
        assert stuck() == SLOTS["reports"] - 1
        with httpx.Client(base_url=address, timeout=PATIENCE, headers={"Authorization": f"Bearer {other}"}) as client:
            files = {"file": ("a.txt", article(1).encode())}
            assert client.post("/v1/libraries/news/check/file", files=files).status_code == 200
            with pytest.raises(httpx.ReadTimeout):
                client.post("/v1/compare/report", json={"text": "a", "sources": [{"text": "b"}]}, timeout=1)
        assert stuck() == SLOTS["reports"]


@contextmanager
def _desk(settings: Settings) -> Iterator[tuple[JobQueue, State]]:
    service = Service.open(settings)
    try:
        yield service.jobs, service.state
    finally:
        service.close()


TRUTH = {"truth": '{"a": "1", "b": "2"}'}


@pytest.fixture
def stuck_evaluations(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every evaluation wait until the test is over."""
    free = Event()
    for kind in EVALUATIONS:
        waits = kinds.JobKind("read", KINDS[kind].parameters, lambda _: {"waited": free.wait(PATIENCE)})
        monkeypatch.setitem(KINDS, kind, waits)
    yield
    free.set()


@pytest.fixture
def stuck_client(settings: Settings, stuck_evaluations: None) -> Iterator[httpx.Client]:
    """Whoever is at this machine, of a service whose evaluations do not end before the test does."""
    with served(settings) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        yield client


EVALUATION = {"kind": "evaluate", **TRUTH}
JOBS = "/v1/libraries/news/jobs"


def test_evaluations_of_a_caller_are_few(stuck_client: httpx.Client) -> None:
    answers = [stuck_client.post(JOBS, json=EVALUATION) for _ in range(MAX_EVALUATIONS + 2)]
    assert {answer.status_code for answer in answers[:MAX_EVALUATIONS]} == {202}
    assert (answers[-1].status_code, answers[-1].json()["code"]) == (429, "too-many")
    assert int(answers[-1].headers["retry-after"]) > 0
    assert stuck_client.post(JOBS, json={"kind": "export"}).status_code == 202


def test_an_add_waits_for_no_evaluations(stuck_client: httpx.Client) -> None:
    for _ in range(4):
        assert stuck_client.post(JOBS, json=EVALUATION).status_code == 202
    added = stuck_client.post(f"{JOBS}/add", content='{"id": "a", "text": "渔港的冰厂"}\n')
    until = time.monotonic() + PATIENCE
    while stuck_client.get(added.headers["location"]).json()["state"] != "done":
        assert time.monotonic() < until
        time.sleep(0.05)
    jobs = stuck_client.get("/v1/jobs", params={"kind": "evaluate"}).json()["items"]
    assert "done" not in {job["state"] for job in jobs}


def test_jobs_handed_in_at_once_pass_no_limit(settings: Settings) -> None:
    with _desk(settings) as (desk, state):

        def submit(_: int) -> bool:
            try:
                desk.submit("evaluate", "news", TRUTH, "reader")
            except TooManyError:
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(submit, range(3 * MAX_EVALUATIONS))) == MAX_EVALUATIONS
        assert state.jobs.counts() == {("evaluate", "queued"): MAX_EVALUATIONS}


def test_every_kind_has_one_lane() -> None:
    assert sorted(kind for lane in LANES for kind in lane) == sorted(KINDS)
    assert EVALUATIONS in LANES


def test_callers_take_turns_with_their_jobs(settings: Settings) -> None:
    with _desk(settings) as (desk, state):
        names = ("many", "many", "many", "second", "third", "second")
        for number, by in enumerate(names):
            state.jobs.put(f"{number}", "export", f"library {number}", {}, by)
        order = []
        while (claimed := state.jobs.claim("worker", ["export"])) is not None:
            order.append(claimed.job.by)
            state.jobs.end(claimed.job.id, "worker", "done", result={})
        assert order == ["many", "second", "third", "many", "second", "many"]
        for number in range(3):
            state.jobs.put(f"more {number}", "export", f"library {number}", {}, "many")
        desk.submit("export", "another", {}, "second")
        first = state.jobs.claim("one", ["export"], per_caller=1)
        last = state.jobs.claim("two", ["export"], per_caller=1)
        assert first is not None
        assert last is not None
        assert {first.job.by, last.job.by} == {"many", "second"}
        assert state.jobs.claim("three", ["export"], per_caller=1) is None
        assert state.jobs.claim("three", ["export"], per_caller=2) is not None
