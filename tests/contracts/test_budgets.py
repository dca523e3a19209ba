"""What a request may cost, whatever its shape: bytes of memory, bytes of the answer, and nobody else's time.

Every run sends a part of the shapes to every operation, and looks at memory, answers and states. A soak sends larger
ones for as long as it is told, and looks at the event loop too.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited
from tests.budgets import Outcome, Request, Watched, operations, request_of, requests, watched_service
from tests.operations import CASES, label
from tests.serving import settings_of

import whorl
from whorl.service.http.bodies import MOST_VALUES
from whorl.service.settings import state_folder
from whorl.service.state.state import open_state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the memory of other processes is read from /proc")
MIB = 2**20
SIZE = 2**14
"""Bytes of a body in every run."""
SAMPLES = 24
"""Requests of an operation in every run."""
LARGEST = 4 * MIB
"""Bytes of a body in a soak."""
GROWTH, GROWTH_PER_BYTE = 128 * MIB, 24
"""Bytes by which memory may grow for a request, and for each byte of it."""
GROWTH_OF_PARSERS = 512 * MIB
"""What the processes take in addition that read files and print reports."""
FILE = 4 * MIB
"""Bytes of a file that is made for an answer, such as a report with its fonts."""
WITH_FILES = ("/check/file", "/evidence", "/report", "/jobs")
"""Operations that read or make files, by how their paths end."""
ANSWER, ANSWER_PER_BYTE = 2 * MIB, 100
"""Bytes of an answer, such as a page of a list, and for each byte of the request: each wrong line has its reason."""
STALL = 0.25
"""Seconds within which somebody else is answered."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a library with copies, and the secret of a key with all scopes."""
    settings = settings_of(tmp_path_factory.mktemp("service"), "news")
    folder = Path(settings.libraries["news"])
    with whorl.open(folder) as library:
        text = article(1)
        library.add({"id": "original", "text": text, "collection": "protected"})
        library.add([{"id": "copy", "text": edited(text, 2)}, {"id": "kept", "text": "图书馆晚上十点关门"}])
    state = open_state(state_folder(str(folder)))
    try:
        secret, _ = state.keys.make("all", ("read", "review", "write", "admin"))
    finally:
        state.close()
    return folder, secret


@pytest.fixture(scope="module")
def watched(place: tuple[Path, str]) -> Iterator[Watched]:
    with watched_service(*place) as service:
        yield service


def demand(request: Request, outcome: Outcome) -> None:
    """Demand what holds for every answer."""
    path = request.arguments.path.partition("?")[0]
    has_files = path.endswith(WITH_FILES)
    growth = GROWTH + GROWTH_PER_BYTE * request.size + GROWTH_OF_PARSERS * has_files
    assert outcome.status < 500, (request.name, outcome)
    assert outcome.size <= ANSWER + ANSWER_PER_BYTE * request.size + FILE * has_files, (request.name, outcome)
    assert outcome.grown <= growth, (request.name, outcome)


@pytest.mark.parametrize("operation", operations())
def test_no_shape_of_a_request_costs_more_than_its_budget(watched: Watched, operation: str) -> None:
    shapes = list(requests(operation, SIZE))
    for request in random.Random(operation).sample(shapes, min(SAMPLES, len(shapes))):
        demand(request, watched.answer(request))
    watched.wait()


@pytest.mark.parametrize("case", [case for case in CASES if "json" in case], ids=label)
def test_no_body_of_too_many_values_is_looked_at(watched: Watched, case: dict[str, Any]) -> None:
    body = {
        "content": f"[{'1,' * MOST_VALUES}1]".encode(),
        "json": None,
        "headers": {"Content-Type": "application/json"},
    }
    assert watched.answer(request_of(case, "too many values", body)).status == 413


@pytest.mark.soak
def test_no_shape_of_a_request_stalls_the_service(place: tuple[Path, str]) -> None:
    """Ask for SOAK seconds, an hour unless that is set; a stall counts where the same request stalls again."""
    seconds = float(os.environ.get("SOAK", "3600"))
    seed = os.environ.get("WHORL_SEED", "1")
    rng = random.Random(seed)
    begun, sent, longest = time.monotonic(), 0, 0.0
    stalls: dict[str, float] = {}
    with watched_service(*place, stalls=True) as service:
        while time.monotonic() - begun < seconds:
            operation = rng.choice(operations())
            size = int(2 ** rng.uniform(10, LARGEST.bit_length() - 1))
            for request in requests(operation, size):
                if rng.random() > 1 / SAMPLES:
                    continue
                outcome = service.answer(request)
                demand(request, outcome)
                sent += 1
                repeated = outcome.stalled
                for _ in range(2):
                    if repeated > STALL:
                        repeated = min(repeated, service.answer(request).stalled)
                longest = max(longest, repeated)
                if repeated > STALL:
                    stalls[request.name] = max(repeated, stalls.get(request.name, 0.0))
            service.wait()
    print(f"{sent:,} requests of seed {seed}, longest stall {longest * 1000:.0f} ms")  # noqa: T201
    worst = sorted(stalls.items(), key=lambda item: -item[1])
    assert not worst, "\n".join(f"{1000 * stalled:.0f} ms: {name}" for name, stalled in worst)
