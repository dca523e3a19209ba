"""What watched sites have of protected articles, and who was told."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Body, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.library.outbox import DEAD, Alert
from whorl.monitor.records import Finding, Recheck
from whorl.monitor.watched import WatchLog, findings, rechecks, watch_log
from whorl.service.access import library_for
from whorl.service.api.examples import ALERT, COPY, FINDING, ORIGINAL, RECHECK, WATCHED, page, shown
from whorl.service.api.pages import counted_page
from whorl.service.paging import MOST, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.repeating import Repeatable
from whorl.service.replies import reply

router = APIRouter(tags=["watch"], route_class=Repeatable)
Reading = Annotated[Library, Depends(library_for("read"))]
_LARGEST = 2**63 - 1


class Retry(BaseModel):
    """Which alerts are tried again."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"numbers": [12]}]})

    numbers: list[int] | None = Field(
        None, description="Of alerts; all that were given up, unless given.", max_length=10_000
    )


class Retried(BaseModel):
    """How many alerts wait to be tried again."""

    alerts: int


@router.get(
    "/libraries/{library}/watch",
    response_model=WatchLog,
    responses=shown(WATCHED),
)
def describe_watch(
    library: Reading,
    most: Annotated[int, Query(ge=1, le=1000, description="How many runs, sites, articles and days.")] = MOST,
) -> Response:
    """What the watch of a library has found up to now, by site, article and day; also while it runs."""
    return reply(watch_log(library, most=most))


@router.get("/libraries/{library}/watch/findings", responses=page(FINDING, more="MTAw"))
def list_findings(
    library: Reading,
    site: Annotated[str | None, Query(description="Only on this site, as the watch calls it.")] = None,
    article: Annotated[str | None, Query(description="Only with text of this article.", examples=[ORIGINAL])] = None,
    verdict: Annotated[
        Literal["copy", "leave", "undetermined"] | None, Query(description="Only these; leave: reprints with leave.")
    ] = None,
    run: Annotated[int | None, Query(ge=0, le=_LARGEST, description="Only those that this run found.")] = None,
    gone: Annotated[bool | None, Query(description="Only those that are gone, or only those that are not.")] = None,
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Page[Finding]:
    """The pages that have text of protected articles, in the order of finding."""
    after = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    found = findings(
        library, site=site, article=article, verdict=verdict, run=run, gone=gone, after=after, most=limit + 1
    )
    last = found[limit - 1][0] if len(found) > limit else None
    return Page(items=[one for _, one in found[:limit]], next=cursor_of(last))


@router.get("/libraries/{library}/watch/checks", responses=page(RECHECK))
def list_checks(
    library: Reading,
    url: Annotated[str, Query(description="Of the page.", examples=[COPY])],
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Page[Recheck]:
    """The looks at a page that had text of protected articles, the oldest first: still there, changed, or gone."""
    return counted_page(rechecks(library, url), cursor, limit)


@router.get("/libraries/{library}/alerts", responses=page(ALERT))
def list_alerts(
    library: Reading,
    state: Annotated[Literal["waiting", "sent", "dead"] | None, Query(description="Only these.")] = None,
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Page[Alert]:
    """The alerts of a library, oldest first: those that wait, those that were sent, and those that were given up."""
    after = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    found = library.outbox.after(after, limit + 1, state=state)
    return Page(items=found[:limit], next=cursor_of(found[limit - 1].number if len(found) > limit else None))


@router.post("/libraries/{library}/alerts/retry", responses=shown({"alerts": 1}))
def retry_alerts(
    library: Annotated[Library, Depends(library_for("write"))], asked: Annotated[Retry | None, Body()] = None
) -> Retried:
    """Let alerts wait again, those that were given up too; the next watch, or `whorl alerts`, sends them."""
    numbers = None if asked is None else asked.numbers
    chosen = [one.number for one in library.outbox.of(DEAD)] if numbers is None else numbers
    library.outbox.retry(chosen)
    return Retried(alerts=len(set(chosen)))
