"""Endpoints for matches, clusters, attribution and the most reprinted articles."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.library import Library
from whorl.service.api.examples import AT, COPY, HOT, ORIGINAL, PAIR, REPORT, TRACE, Id, Other, example_response, page
from whorl.service.api.pages import counted_page, wrong_cursor
from whorl.service.http.access import library_for, service_of
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.http.responses import reply
from whorl.tasks.compare.pairs import SideBySide, side_by_side
from whorl.tasks.dedup.hot import HotCluster, HotClusters, hot
from whorl.tasks.library.attribution import trace
from whorl.types.attribution import Trace
from whorl.types.library import Cluster, ClusterSize, Report, Sighting

router = APIRouter(tags=["clusters"])
Reading = Annotated[Library, Depends(library_for("read"))]
Number = Annotated[int, Path(description="Number of a cluster, as in reports.", examples=[17])]
Of = Annotated[str, Query(description="Id of the article.", examples=[COPY])]
Since = Annotated[
    datetime | None, Query(description="Only articles first seen at or after this time; UTC if it has no zone.")
]
MOST_TRACED = 1000
"""Maximum size of a cluster that is traced within a request."""

_LARGEST = 2**63
_MOST_LISTED = 20
_TITLE_LENGTH = 120


@router.get("/libraries/{library}/matches", response_model=Report, responses=example_response(REPORT))
def matches_of_article(
    library: Reading,
    of: Of,
    among: Annotated[
        str | None, Query(description="Only matches with articles of this collection.", examples=["protected"])
    ] = None,
) -> Response:
    """Return the cluster of an article and the articles that share text with it."""
    return reply(library.report(of, collection=among))


@router.get("/libraries/{library}/sightings", responses=page(Sighting(COPY, AT), more="MTAw"))
def sightings_of_article(
    library: Reading, of: Of, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Sighting]:
    """List where and when an article was seen, the first sighting first."""
    return counted_page(library.sightings(of), cursor, limit)


@router.get(
    "/libraries/{library}/pair",
    response_model=SideBySide,
    responses=example_response(PAIR),
)
def compare_two_articles(library: Reading, id: Id, other: Other) -> Response:
    """Compare two articles of the library: texts, passages that the first copied from the other, and decisions.

    In `found`, text a is the other article and text b is the first; offsets are code points.
    """
    return reply(side_by_side(library, id, other))


@router.get("/libraries/{library}/clusters", responses=page(ClusterSize(17, 11), ClusterSize(4, 5), more="WzUsNF0"))
def list_clusters(
    library: Reading,
    at_least: Annotated[int, Query(ge=1, le=10**9, description="Minimum number of articles in a cluster.")] = 2,
    since: Since = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[ClusterSize]:
    """List clusters of articles that copy each other, the largest first."""
    clusters = library.clusters(at_least=at_least, since=since, limit=limit + 1, after=_after(cursor))
    last = clusters[limit - 1] if len(clusters) > limit else None
    return Page(items=clusters[:limit], next=cursor_of(None if last is None else [last.size, last.id]))


def _after(cursor: str | None) -> ClusterSize | None:
    """Decode the last cluster of the previous page.

    Raises:
        UsageError: the cursor is not one of this list.
    """
    position = position_of(cursor, list)
    if position is None:
        return None
    if [type(part) for part in position] != [int, int] or not all(0 <= part < _LARGEST for part in position):
        raise wrong_cursor(cursor)
    return ClusterSize(position[1], position[0])


@router.get(
    "/libraries/{library}/clusters/{number}",
    response_model=Cluster,
    responses=example_response(Cluster(17, (21,), 2, (ORIGINAL, COPY))),
)
def describe_cluster(library: Reading, number: Number) -> Response:
    """Return the articles of a cluster in insertion order. A merged cluster returns the cluster that absorbed it."""
    return reply(library.cluster(number))


@router.get(
    "/libraries/{library}/clusters/{number}/trace",
    response_model=Trace,
    responses=example_response(TRACE),
)
async def trace_cluster(
    request: Request,
    library: Reading,
    number: Number,
    confidence: Annotated[
        float | None, Query(description="Minimum probability to call an article the original.", examples=[0.8])
    ] = None,
) -> Response:
    """Estimate the original of a cluster, with probabilities and reasons in the language of the request.

    Articles are in order of time, each with its match to an earlier one. Probabilities are not proof.
    """

    def traced() -> Response:
        size = library.cluster(number).size
        if size > MOST_TRACED:
            raise UsageError(
                say(
                    "cluster {number} has {size:,} articles, expected at most {most:,}",
                    number=number,
                    size=size,
                    most=MOST_TRACED,
                ),
                hint=say("run `whorl trace` on the machine of the library"),
            )
        return reply(trace(library, number, confidence=confidence))

    return await service_of(request).slow.run(request, "traces", traced)


@router.get(
    "/libraries/{library}/hot",
    response_model=HotClusters,
    responses=example_response(HOT),
)
def list_hot(
    library: Reading,
    top: Annotated[int, Query(ge=1, le=1000, description="Number of clusters.")] = 30,
    since: Since = None,
) -> Response:
    """List the most reprinted articles: the largest clusters with titles of their first articles.

    At most 20 articles of a cluster are listed; `size` counts all. Titles are cut after 120 code points.
    """
    hottest = cast("HotClusters", hot(library, top=top, since=since))
    return reply(replace(hottest, largest=tuple(map(_bounded, hottest.largest))))


def _bounded(cluster: HotCluster) -> HotCluster:
    """Return a cluster whose size in bytes does not depend on its articles."""
    listed = (replace(article, title=_clipped(article.title)) for article in cluster.articles[:_MOST_LISTED])
    return replace(cluster, articles=tuple(listed))


def _clipped(title: str) -> str:
    return title if len(title) <= _TITLE_LENGTH else f"{title[:_TITLE_LENGTH]}…"
