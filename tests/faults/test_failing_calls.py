"""The N-th call that changes a file fails, or ends the process: the invariants hold, and the same command completes.

Every test run takes an even selection of all faults and calls; the soak tests take the requested number."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.faults.injected import FAULTS, KILLED, Fault, Injector
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.rounds import rounds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="calls are intercepted by LD_PRELOAD and /proc")

SAMPLE = 10
INDEXES = {"key index": 60, "hamming index": 60}
SOAK = 200


def suffer(injector: Injector, scenario: Scenario, cases: Sequence[tuple[Fault, int]]) -> int:
    """Apply each fault; return how many occurred."""
    happened = 0
    for fault, at in cases:
        scenario.begin()
        ended = injector.run(scenario.folder, scenario.work, fault, at)
        happened += ended.status == KILLED or ended.calls(fault.kinds) >= at
        try:
            scenario.hold(ended)
            work = scenario.again()
            if work is not None:
                again = injector.run(scenario.folder, work)
                assert again.status == 0, again
            assert scenario.outcome() == scenario.whole
        except Exception as error:
            error.add_note(f"{fault.name}, at call {at}: {ended}")
            raise
    return happened


def counted(injector: Injector, scenario: Scenario) -> list[tuple[Fault, int]]:
    """Return all faults at all calls, after an undisturbed run."""
    scenario.begin()
    ended = injector.run(scenario.folder, scenario.work)
    assert ended.status == 0, ended
    scenario.whole = scenario.outcome()
    scenario.hold(ended)
    return [(fault, at) for fault in FAULTS for at in range(1, ended.calls(fault.kinds) + 1)]


def spread(cases: Sequence[tuple[Fault, int]], number: int) -> list[tuple[Fault, int]]:
    """Return an even selection of at most this number of cases."""
    number = min(number, len(cases))
    return [cases[place * len(cases) // number] for place in range(number)]


@pytest.mark.parametrize("name", SCENARIOS)
def test_some_calls_fail(injector: Injector, tmp_path: Path, name: str) -> None:
    scenario = SCENARIOS[name](tmp_path)
    cases = counted(injector, scenario)
    number = INDEXES.get(name, SAMPLE)
    assert suffer(injector, scenario, spread(cases, number)) > number // 2


@pytest.mark.soak
@pytest.mark.parametrize("name", SCENARIOS)
def test_all_calls_fail(injector: Injector, tmp_path: Path, name: str) -> None:
    scenario = SCENARIOS[name](tmp_path)
    cases = counted(injector, scenario)
    happened = suffer(injector, scenario, spread(cases, rounds(SOAK)))
    print(f"{name}: {happened:,} faults of {len(cases):,}")  # noqa: T201 - counts that documents tell
