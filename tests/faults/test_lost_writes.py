"""A power cut may lose unsynced writes: acknowledged data is present, and the same command completes.

One run is recorded call by call. Possible disks after a cut are derived from the record, for cuts by seed."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import get_args

import pytest
from tests.faults.disks import Disk, Event, Names, read_events
from tests.faults.injected import KILLED, Ended, Injector
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.rounds import rounds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="calls are intercepted by LD_PRELOAD and /proc")

SAMPLE = 8
SOAK = 200


def recorded(injector: Injector, scenario: Scenario, log: Path) -> tuple[Disk, list[Event]]:
    """Return the disk before an undisturbed run, and the recorded calls."""
    scenario.begin()
    disk = Disk(scenario.folder)
    ended = injector.run(scenario.folder.parent, scenario.work, log=log)
    assert ended.status == 0, ended
    scenario.whole = scenario.outcome()
    return disk, read_events(log)


def cut(
    injector: Injector, scenario: Scenario, disk: Disk, events: Sequence[Event], names: Names, rng: random.Random
) -> None:
    """Cut the power once, and check the result."""
    begun = events[: rng.randrange(len(events) + 1)]
    for event in begun:
        disk.happen(event)
    shutil.rmtree(scenario.folder, ignore_errors=True)
    disk.rebuild(names, rng)
    output = b"".join(event.data for event in begun if event.what == "o").decode()
    scenario.hold(Ended(KILLED, output, "", ()))
    work = scenario.again()
    if work is not None:
        again = injector.run(scenario.folder, work)
        assert again.status == 0, again
    assert scenario.outcome() == scenario.whole


def cuts(injector: Injector, scenario: Scenario, log: Path, number: int) -> None:
    disk, events = recorded(injector, scenario, log)
    assert {"w", "s", "c"} <= {event.what for event in events}
    for names in get_args(Names):
        for seed in range(number):
            try:
                cut(injector, scenario, deepcopy(disk), events, names, random.Random(f"{names} {seed}"))
            except Exception as error:
                error.add_note(f"names {names}, seed {seed}")
                raise


@pytest.mark.parametrize("name", SCENARIOS)
def test_state_after_some_power_cuts(injector: Injector, tmp_path: Path, name: str) -> None:
    cuts(injector, SCENARIOS[name](tmp_path / "place"), tmp_path / "log", SAMPLE // 2)


@pytest.mark.soak
@pytest.mark.parametrize("name", SCENARIOS)
def test_state_after_many_power_cuts(injector: Injector, tmp_path: Path, name: str) -> None:
    cuts(injector, SCENARIOS[name](tmp_path / "place"), tmp_path / "log", rounds(SOAK) // 2)
