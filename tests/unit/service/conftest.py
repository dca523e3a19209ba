"""A service with one library, accessed over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.serving import STATES, served, settings_of

from whorl.service.settings import Settings
from whorl.service.state import secrets


@pytest.fixture(scope="module", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hash passwords in a hundredth of the time, in this process: these tests check hundreds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_COST", 2**8)
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of a service over the empty library "news", without keys and users."""
    return settings_of(tmp_path, "news")


@pytest.fixture(params=STATES)
def everywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Return the same settings, with the state in a folder and on each server that may contain it."""
    return settings_of(tmp_path, "news", kind=request.param)


@pytest.fixture
def client(settings: Settings) -> Iterator[httpx.Client]:
    """Return a client on the local machine."""
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as asking:
        yield asking
