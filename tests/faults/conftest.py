"""Run all tests of a file in one process, which forks the processes with failing calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.faults.injected import Injector


@pytest.fixture(scope="module")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injector]:
    with Injector(tmp_path_factory.mktemp("faults")) as started:
        yield started
