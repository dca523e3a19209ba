"""Endpoints for watched sites, findings on them, and alerts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.library.reviews.outbox import DEAD, Alert
from whorl.monitor.findings.records import Finding, Recheck
from whorl.monitor.findings.watched import WatchLog, findings, rechecks, watch_log
from whorl.monitor.settings.stored_sites import import_sites, remove_sites
from whorl.service.api.examples import ALERT, COPY, FINDING, ORIGINAL, RECHECK, WATCHED, example_response, page
from whorl.service.api.pages import counted_page
from whorl.service.http.access import library_for
from whorl.service.http.idempotency import Repeatable
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.http.responses import reply
from whorl.tasks.library.maintenance import Removed
from whorl.tasks.library.monitoring import Imported

router = APIRouter(tags=["watch"], route_class=Repeatable)
Reading = Annotated[Library, Depends(library_for("read"))]
Administering = Annotated[Library, Depends(library_for("admin"))]
_LARGEST = 2**63 - 1


_WATCHED: dict[str, Any] = {
    "contact": "https://paper.example/watch",
    "site": [{"name": "转载站", "start": ["https://copies.example/news/"], "every": "12h", "zone": "Asia/Shanghai"}],
}


class WatchedSites(BaseModel):
    """The sites that a watch visits, in the format of `sites.toml`."""

    model_config = ConfigDict(json_schema_extra={"examples": [_WATCHED]})

    contact: str = Field("", description="Web or e-mail address that the crawler gives to sites.")
    site: list[dict[str, Any]] = Field(
        description="Sites: name, addresses (start, feeds, sitemaps, lists, pages), schedule (every) and limits.",
        max_length=10_000,
    )


class Retry(BaseModel):
    """Alerts to retry."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"numbers": [12]}]})

    numbers: list[int] | None = Field(
        None, description="Numbers of alerts; default: all failed alerts.", max_length=10_000
    )


class Retried(BaseModel):
    """Number of alerts that wait for another attempt."""

    alerts: int


@router.get(
    "/libraries/{library}/watch",
    response_model=WatchLog,
    responses=example_response(WATCHED),
)
def describe_watch(
    library: Reading,
    most: Annotated[int, Query(ge=1, le=1000, description="Number of runs, sites, articles and days.")] = DEFAULT_LIMIT,
) -> Response:
    """Summarize the watch of a library by site, article and day, also while it runs."""
    return reply(watch_log(library, limit=most))


@router.get("/libraries/{library}/watch/sites", responses=example_response(_WATCHED))
def list_watched_sites(library: Reading) -> WatchedSites:
    """Return the sites that the watch of a library visits, and their schedules."""
    stored = library.watch_settings.read()
    return WatchedSites(contact=stored.get("contact", ""), site=stored.get("site", []))


@router.put("/libraries/{library}/watch/sites", responses=example_response(Imported(1)))
def put_watched_sites(library: Administering, body: WatchedSites) -> Imported:
    """Add or replace watched sites by name. Nothing is stored if one is invalid.

    Hosts in private networks and lists in local files cannot be stored.
    """
    return Imported(len(import_sites(library, body.model_dump(exclude_unset=True))))


@router.delete("/libraries/{library}/watch/sites", responses=example_response(Removed(1)))
def remove_watched_sites(
    library: Administering,
    name: Annotated[list[str], Query(description="Names; may be repeated.", examples=[["转载站"]])],
) -> Removed:
    """Remove watched sites by name. Their pages and cases stay."""
    return Removed(remove_sites(library, name))


@router.get("/libraries/{library}/watch/findings", responses=page(FINDING, more="MTAw"))
def list_findings(
    library: Reading,
    site: Annotated[str | None, Query(description="Only findings on this site, by its name in the watch.")] = None,
    article: Annotated[
        str | None, Query(description="Only findings with text of this article.", examples=[ORIGINAL])
    ] = None,
    verdict: Annotated[
        Literal["copy", "reprint", "syndication", "undetermined"] | None,
        Query(description="Only this verdict; reprint: permitted reprints."),
    ] = None,
    run: Annotated[int | None, Query(ge=0, le=_LARGEST, description="Only findings of this run.")] = None,
    gone: Annotated[bool | None, Query(description="Only pages that are gone, or only pages that are not.")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Finding]:
    """List pages with text of protected articles, in the order of discovery."""
    after = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    rows = findings(
        library, site=site, article=article, verdict=verdict, run=run, is_gone=gone, after=after, limit=limit + 1
    )
    last = rows[limit - 1][0] if len(rows) > limit else None
    return Page(items=[finding for _, finding in rows[:limit]], next=cursor_of(last))


@router.get("/libraries/{library}/watch/checks", responses=page(RECHECK))
def list_checks(
    library: Reading,
    url: Annotated[str, Query(description="Address of the page.", examples=[COPY])],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Recheck]:
    """List the rechecks of a page with text of protected articles, the oldest first: still there, changed, or gone."""
    return counted_page(rechecks(library, url), cursor, limit)


@router.get("/libraries/{library}/alerts", responses=page(ALERT))
def list_alerts(
    library: Reading,
    state: Annotated[Literal["waiting", "sent", "dead"] | None, Query(description="Only alerts in this state.")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Alert]:
    """List the alerts of a library, oldest first: waiting, sent and failed ones."""
    after = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    alerts = library.outbox.after(after, limit + 1, state=state)
    return Page(items=alerts[:limit], next=cursor_of(alerts[limit - 1].number if len(alerts) > limit else None))


@router.post("/libraries/{library}/alerts/retry", responses=example_response({"alerts": 1}))
def retry_alerts(
    library: Annotated[Library, Depends(library_for("write"))], body: Annotated[Retry | None, Body()] = None
) -> Retried:
    """Retry alerts, including failed ones. The next watch, or `whorl alerts`, sends them."""
    numbers = None if body is None else body.numbers
    chosen = [item.number for item in library.outbox.of(DEAD)] if numbers is None else numbers
    library.outbox.retry(chosen)
    return Retried(alerts=len(set(chosen)))
