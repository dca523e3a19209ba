"""How many articles and copies there are, by site, author and day."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from whorl.library import Library
from whorl.service.access import library_for
from whorl.service.api.examples import STATISTICS, shown
from whorl.service.replies import reply
from whorl.tasks.statistics import TOP, By, Statistics, statistics

router = APIRouter(tags=["statistics"])


@router.get(
    "/libraries/{library}/statistics",
    response_model=Statistics,
    responses=shown(STATISTICS),
)
def count_articles(
    library: Annotated[Library, Depends(library_for("read"))],
    by: Annotated[By, Query(description="What is counted by.")] = "site",
    since: Annotated[datetime | None, Query(description="Only articles first seen at or after this time.")] = None,
    until: Annotated[datetime | None, Query(description="Only articles first seen before this time.")] = None,
    top: Annotated[int, Query(ge=1, le=10_000, description="How many sites, authors or days.")] = TOP,
) -> Response:
    """How many articles and copies each site, author or day has, who is copied most, and who copies most.

    The first article of a cluster by date is taken as its original; `trace` of a cluster judges by more than dates.
    """
    return reply(statistics(library, by=by, since=since, until=until, top=top))
