"""Endpoints for article and copy counts, and for the copies of a collection."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from whorl.library import Library
from whorl.monitor.findings.copy_statistics import CopyGroup, CopyPeriod, copy_statistics
from whorl.service.api.examples import COPY_STATISTICS, STATISTICS, example_response
from whorl.service.http.access import library_for
from whorl.service.http.responses import reply
from whorl.tasks.library.statistics import TOP, By, Statistics, statistics
from whorl.types.copies import CopyStatistics

router = APIRouter(tags=["statistics"])


@router.get(
    "/libraries/{library}/statistics",
    response_model=Statistics,
    responses=example_response(STATISTICS),
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


@router.get(
    "/libraries/{library}/statistics/copies",
    response_model=CopyStatistics,
    responses=example_response(COPY_STATISTICS),
)
def count_copies(
    library: Annotated[Library, Depends(library_for("read"))],
    of: Annotated[str, Query(description="Collection of the copied articles.")] = "protected",
    by: Annotated[CopyGroup, Query(description="Unit of the rows.")] = "site",
    period: Annotated[CopyPeriod | None, Query(description="Divide the rows by the time of finding.")] = None,
    zone: Annotated[str, Query(description="Time zone, such as Asia/Shanghai.", max_length=60)] = "UTC",
    since: Annotated[datetime | None, Query(description="Only copies found at or after this time.")] = None,
    until: Annotated[datetime | None, Query(description="Only copies found before this time.")] = None,
    top: Annotated[int, Query(ge=1, le=10_000, description="Number of rows.")] = TOP,
    listed: Annotated[bool, Query(description="List all copies behind the figures.")] = False,
) -> Response:
    """Count who copies the articles of a collection: by site, author, work or month, with permissions and removals.

    An article counts once for each site, whatever the number of its addresses and revisions there.
    """
    counted = copy_statistics(library, of=of, by=by, period=period, zone=zone, since=since, until=until, top=top)
    return reply(counted if listed else replace(counted, copies=()))
