"""Fixtures and the report of every test run."""

import gc
import os
from collections.abc import Iterator
from functools import cache
from inspect import signature
from typing import Any

import httpx
import pytest
from httpx._transports import default as transports
from hypothesis import settings

from tests import memory
from tests.quality.corpora import data_folder
from tests.servers import shared
from tests.spark import session

os.environ["WHORL_LANG"] = "en"  # independent of the locale of the developer

_PATIENCE = 60.0
"""Seconds that a service may take to answer on a busy machine, where httpx waits five."""
for _phase in ("connect", "read", "write", "pool"):
    setattr(signature(httpx.get).parameters["timeout"].default, _phase, _PATIENCE)

# Every `httpx.get` would otherwise read all certificates of the machine, which takes longer than most requests.
transports.create_ssl_context = cache(transports.create_ssl_context)

settings.register_profile("whorl", deadline=None)
settings.load_profile("whorl")


def pytest_report_header() -> str:
    folder = data_folder()
    if folder is None:
        return "quality gates: mutations of the example newsroom; set WHORL_DATA to add real corpora"
    return f"quality gates: mutations of the example newsroom, and the real corpora in {folder}"


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(50_000, 20, 20)  # with the usual ones, collections took 7% of the time of tests
    memory.begin(config)
    shared.begin()


def pytest_collection_finish() -> None:
    """Exclude the collected tests, a million objects, from all further garbage collections."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    gc.unfreeze()
    memory.end()
    if missing := shared.end():
        print(f"Not tested: {'; '.join(missing)}")  # noqa: T201


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Return a Spark session, started once per test process."""
    with session() as begun:
        yield begun
