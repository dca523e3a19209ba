"""Endpoint for article and copy counts by site, author and day."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from whorl.library import Library
from whorl.service.api.examples import STATISTICS, shown
from whorl.service.http.access import library_for
from whorl.service.http.responses import reply
from whorl.tasks.library.statistics import TOP, By, Statistics, statistics

router = APIRouter(tags=["statistics"])


@router.get(
    "/libraries/{library}/statistics",
    response_model=Statistics,
    responses=shown(STATISTICS),
)
def count_articles(
    library: Annotated[Library, Depends(library_for("read"))],
    by: Annotated[By, Query(description="Unit of the rows.")] = "site",
    since: Annotated[datetime | None, Query(description="Only articles first seen at or after this time.")] = None,
    until: Annotated[datetime | None, Query(description="Only articles first seen before this time.")] = None,
    top: Annotated[int, Query(ge=1, le=10_000, description="Number of sites, authors or days.")] = TOP,
) -> Response:
    """Count articles and copies by site, author or day, with the most copied and the most copying ones.

    The article with the earliest date counts as the original of a cluster. `trace` uses more evidence than dates.
    """
    return reply(statistics(library, by=by, since=since, until=until, top=top))
