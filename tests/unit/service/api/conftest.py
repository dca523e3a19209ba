"""A service over a newsroom: a site whose article others copied, one in part, and an unrelated article."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from tests.serving import served
from tests.unit.service.api.newsroom import fill

from whorl.service.settings import Settings


@pytest.fixture
def newsroom(settings: Settings) -> Settings:
    """Return settings of a service whose library "news" has the newsroom."""
    fill(settings.libraries["news"])
    return settings


@pytest.fixture
def desk(newsroom: Settings) -> Iterator[httpx.Client]:
    """Return a client on the local machine."""
    with served(newsroom) as address, httpx.Client(base_url=f"{address}/v1/libraries/news", timeout=60) as asking:
        yield asking
