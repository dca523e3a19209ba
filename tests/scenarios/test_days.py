"""Days of watching on loopback: every verdict and event is as a slow truth expects, also if runs are killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.clock import FIRST_DAY, SimulatedClock
from tests.scenarios.planting import scenario
from tests.scenarios.scenario import Scenario
from tests.scenarios.truth import Expected, expected_cases
from tests.stores import place
from tests.unit.monitor.alerts.receivers import answering, hooks

import whorl
from whorl.results import Case

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD, and 127.0.1.1 as an address")

_ROOT = Path(__file__).parents[2]


@dataclass
class Lived:
    """A scenario after all its days.

    Attributes:
        cases: cases by address and article.
        events: day and kind of the events of each case, without alerts; repeated requests of a day count once.
        alerts: number of events with an alert by case.
        accused: innocent pages that were called copies, on any day.
        faults: what the integrity check of the library complains about.
        kills: number of killed runs.
    """

    cases: dict[tuple[str, str], Case] = field(default_factory=dict)
    events: dict[tuple[str, str], list[tuple[int, str]]] = field(default_factory=dict)
    alerts: dict[tuple[str, str], int] = field(default_factory=dict)
    accused: set[str] = field(default_factory=set)
    faults: tuple[str, ...] = ()
    kills: int = 0


def live(planted: Scenario, library: str, folder: Path, kills: float, seed: int = 0) -> Lived:
    """Watch the sites of a scenario on each of its days; kill a share of the runs at random points."""
    rng, clock, lived = random.Random(seed), SimulatedClock(folder), Lived()
    whorl.open(library).close()
    with planted.web.served(planted.hosts), hooks(answering(200)) as receiver:
        task = {"library": library, "state": str(folder / "state"), "hook": receiver.url}
        clock.begin(-1)
        _finish(clock, {**task, "actions": planted.actions(-1)})
        for day in range(planted.days):
            planted.web.day = day
            clock.begin(day)
            actions = planted.actions(day)
            if any(actions.values()):
                _finish(clock, {**task, "actions": actions})
            run = {**task, "sites": planted.settings()}
            while rng.random() < kills:
                _kill(clock, run, rng.uniform(0.5, 4))
                lived.kills += 1
            _finish(clock, run)
        _collect(lived, planted, library)
    return lived


def _begin(clock: SimulatedClock, task: dict[str, Any]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.day"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env=clock.environment(),
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(task))
    process.stdin.close()
    process.stdin = None
    return process


def _finish(clock: SimulatedClock, task: dict[str, Any]) -> None:
    process = _begin(clock, task)
    _, error = process.communicate()
    assert process.returncode == 0, error


def _kill(clock: SimulatedClock, task: dict[str, Any], seconds: float) -> None:
    process = _begin(clock, task)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def _collect(lived: Lived, planted: Scenario, library: str) -> None:
    innocent = {planted.web.at(host, path) for host, path in planted.innocent}
    with whorl.open(library) as opened:
        lived.faults = opened.verify().faults
        for case in opened.cases:
            key = case.url, case.article
            events = opened.cases.events(case.number)
            lived.cases[key] = case
            lived.events[key] = [
                item
                for item, _ in groupby(
                    ((event.at - FIRST_DAY).days, event.kind) for event in events if event.kind != "alert"
                )
            ]
            lived.alerts[key] = sum(event.kind == "alert" for event in events)
            if case.url in innocent and "copy" in {case.verdict, *(event.data.get("judged") for event in events)}:
                lived.accused.add(case.url)


def complaints(planted: Scenario, lived: Lived) -> Iterator[str]:
    """Yield what differs from the truth."""
    rest = dict(lived.cases)
    for expected in expected_cases(planted, doubted(planted, lived)):
        key = planted.web.at(expected.host, expected.path), expected.article
        yield from _of_case(planted.kinds[expected.host, expected.path], expected, rest.pop(key, None), lived, key)
    yield from (f"unexpected: {planted.kinds[_place(key[0])]} {case}" for key, case in rest.items())


def doubted(planted: Scenario, lived: Lived) -> dict[tuple[str, str], int]:
    """Return the days on which doubtful cases were found, by host and path of their pages."""
    days: dict[tuple[str, str], int] = {}
    for item in expected_cases(planted):
        key = planted.web.at(item.host, item.path), item.article
        if item.is_doubtful and key in lived.cases:
            day = lived.events[key][0][0]
            days[item.host, item.path] = min(day, days.get((item.host, item.path), day))
    return days


def _place(url: str) -> tuple[str, str]:
    host, _, path = url.removeprefix("http://").partition("/")
    return host.partition(":")[0], f"/{path}"


def _of_case(kind: str, expected: Expected, case: Case | None, lived: Lived, key: tuple[str, str]) -> Iterator[str]:
    if expected.is_doubtful:
        if case is not None and case.verdict != "undetermined":
            yield f"verdict: {kind}: {case.verdict} instead of undetermined: {case}"
        return
    if case is None:
        yield f"verdict: {kind}: no case instead of {expected.verdict}: {key}"
        return
    if case.verdict != expected.verdict:
        yield f"verdict: {kind}: {case.verdict} instead of {expected.verdict}: {case}"
    if case.state != expected.state:
        yield f"state: {kind}: {case.state} instead of {expected.state}: {case}"
    if lived.events[key] != expected.events:
        yield f"events: {kind}: {lived.events[key]} instead of {expected.events}: {case}"
    if lived.alerts[key] != expected.alerts:
        yield f"alerts: {kind}: {lived.alerts[key]} instead of {expected.alerts}: {case}"


def figures(planted: Scenario, lived: Lived) -> dict[str, Any]:
    """Return how many verdicts are right; doubtful and undetermined ones are counted apart."""
    expected = expected_cases(planted)
    certain = [item for item in expected if not item.is_doubtful]
    wrong = [item for item in complaints(planted, lived) if item.startswith(("verdict", "unexpected"))]
    verdicts = Counter(case.verdict for case in lived.cases.values())
    return {
        "pages": len(planted.web.pages),
        "cases": len(certain),
        "right": 1 - len(wrong) / len(certain),
        "undetermined": sum(item.verdict == "undetermined" for item in certain),
        "doubtful": sum(item.is_doubtful for item in expected),
        "accused": len(lived.accused),
        "kills": lived.kills,
        "events": sum(map(len, lived.events.values())),
        **verdicts,
    }


def demand(planted: Scenario, lived: Lived) -> None:
    """Assert that verdicts and events are as expected, and that no innocent page is accused."""
    differences = list(complaints(planted, lived))
    print(figures(planted, lived), *differences, sep="\n")  # noqa: T201
    assert lived.faults == ()
    assert not lived.accused
    assert figures(planted, lived)["right"] >= 0.97
    assert not [item for item in differences if not item.startswith(("verdict", "unexpected"))]


def outcome(planted: Scenario, lived: Lived, without: Container[tuple[str, str]]) -> dict[tuple[str, str, str], Any]:
    """Return what must be the same on every store and with any kills.

    Doubtful matches are left out, and so are pages that have one: whether a notice is learned as boilerplate before a
    page with it is judged depends on the order in which sites answer.
    """
    result: dict[tuple[str, str, str], Any] = {}
    for item in expected_cases(planted):
        key = planted.web.at(item.host, item.path), item.article
        case = None if item.is_doubtful or (item.host, item.path) in without else lived.cases.get(key)
        if case is not None:
            judged = case.verdict, case.state, case.relation, round(case.share, 6), lived.events[key]
            result[item.host, item.path, item.article] = judged
    return result


def test_six_days_of_three_sites_are_as_expected(tmp_path: Path) -> None:
    planted = scenario(3, 6, seed=1)
    lived = live(planted, place("sqlite", tmp_path), tmp_path, kills=0.2, seed=1)
    assert lived.kills
    demand(planted, lived)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scenario, Lived]:
    """Return a month of forty sites without kills, on SQLite."""
    planted, folder = scenario(40, 30, seed=2), tmp_path_factory.mktemp("usual")
    return planted, live(planted, place("sqlite", folder), folder, kills=0)


@pytest.mark.soak
def test_a_month_of_forty_sites_is_as_expected(usual: tuple[Scenario, Lived]) -> None:
    demand(*usual)


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["sqlite", "postgresql", "mongodb"])
def test_a_month_with_kills_is_the_same_on_every_store(
    scheme: str, usual: tuple[Scenario, Lived], tmp_path: Path
) -> None:
    planted = scenario(40, 30, seed=2)
    lived = live(planted, place(scheme, tmp_path), tmp_path, kills=0.2)
    demand(planted, lived)
    differing = doubted(*usual).keys() | doubted(planted, lived).keys()
    expected = outcome(*usual, without=differing)
    assert expected
    assert outcome(planted, lived, without=differing) == expected
