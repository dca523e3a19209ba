"""Watch pages: sites, runs, findings, alerts and takedowns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, WhorlError
from whorl.i18n import Message, as_message, say
from whorl.library import Library
from whorl.library.reviews.outbox import DEAD, WAITING, Alert
from whorl.monitor.findings.reasons import VERDICTS, WHY
from whorl.monitor.findings.records import Finding
from whorl.monitor.findings.watched import LatestFindings, WatchLog, latest_findings, rechecks, watch_log
from whorl.monitor.settings.stored_sites import watch_for
from whorl.service.console.pages import page, path
from whorl.service.http.access import ForbiddenError, Reads, Writes, library_for, service_of
from whorl.service.http.callers import Caller
from whorl.service.http.problems import TITLES, code_of
from whorl.service.jobs import Job
from whorl.service.jobs.kinds import scope_of

router = APIRouter()
Opened = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("write"))]

_PAGE_SIZE = 20
_JOBS = 3
_ROWS = 20
_ALERTS = 50

OUTCOMES: dict[str, Message] = {
    "there": say("still there"),
    "changed": say("there, without the text"),
    "gone": say("gone"),
    "unknown": say("no response"),
}
"""Result of a recheck of a page."""

EXAMPLE = """\
contact = "https://our-paper.example/crawler"

[[site]]
name = "example"
start = "https://copies.example/news/"
rate = 1
"""
"""Initial content of the watch form."""


@frozen
class AlertRow:
    """An alert on the page.

    Attributes:
        alert: the alert in the outbox.
        channel: name of its channel.
        url: address of the copy.
        original: title of the article, or its id.
    """

    alert: Alert
    channel: str
    url: str
    original: str

    @classmethod
    def of(cls, alert: Alert) -> AlertRow:
        """Read an alert of the outbox. Its payload may come from any program, so all fields are optional."""
        copy = alert.payload.get("copy")
        details: dict[str, Any] = copy if isinstance(copy, dict) else {}
        original = details.get("original_title") or details.get("original") or alert.rule
        return cls(alert, str(alert.payload.get("channel", "–")), str(details.get("url") or ""), str(original))


@router.get("/libraries/{library}/watch")
def show_watch(
    request: Request,
    library: str,
    opened: Opened,
    caller: Reads,
    verdict: str = "",
    site: str = "",
    article: str = "",
    containing: str = "",
    skip: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Show findings on watched sites, runs and alerts."""
    return _watch_page(
        request, library, opened, caller,
        chosen={"verdict": verdict, "site": site, "article": article, "containing": containing}, skip=skip,
    )  # fmt: skip


@router.post("/libraries/{library}/watch")
def start_watch(
    request: Request, library: str, opened: Changed, caller: Writes, sites: Annotated[str, Form(max_length=2**20)] = ""
) -> Response:
    """Start a watch run of these sites, or of those of the library, as a background job, which may take hours."""
    parameters = {"sites": sites.replace("\r\n", "\n")}
    try:
        if not sites:
            watch_for(opened)
        if not caller.may(scope_of("watch", parameters)):
            raise ForbiddenError(
                say("only administrators may watch hosts outside the public network"),
                hint=say("remove `allow_private`"),
            )
        service_of(request).jobs.submit("watch", library, parameters, by=caller.who)
    except WhorlError as error:
        return _watch_page(request, library, opened, caller, error=error, sites=sites)
    return RedirectResponse(f"{path(library, 'watch')}#jobs", 303)


@router.post("/libraries/{library}/watch/jobs/{id}/cancel")
def cancel_watch(request: Request, library: str, opened: Changed, caller: Writes, id: str) -> Response:  # noqa: ARG001
    """Cancel a run. Its findings are kept, and the next run continues from there."""
    jobs = service_of(request).jobs
    job = jobs.get(id)
    if (job.kind, job.library) != ("watch", library):
        raise NotFoundError(say("job {id!r:.60} not found", id=id), hint=say("open the list of jobs"))
    if not _may_end(caller, job):
        raise ForbiddenError(
            say("the job belongs to another caller"), hint=say("ask its submitter, or an administrator")
        )
    if not job.has_ended:
        jobs.cancel(id)
    return RedirectResponse(f"{path(library, 'watch')}#jobs", 303)


@router.post("/libraries/{library}/watch/alerts/retry")
def retry_alerts(library: str, opened: Changed, number: Annotated[int | None, Form(ge=1, lt=2**63)] = None) -> Response:
    """Retry one failed alert, or all of them. The next run sends them."""
    opened.outbox.retry([item.number for item in opened.outbox.of(DEAD) if number in (None, item.number)])
    return RedirectResponse(f"{path(library, 'watch')}#alerts", 303)


@router.get("/libraries/{library}/watch/page")
def show_page(request: Request, library: str, opened: Opened, url: str) -> Response:
    """Show the history of a page with text of protected articles."""
    findings = latest_findings(opened, url=url).findings
    if not findings:
        raise NotFoundError(say("no finding at {url:.200}", url=url), hint=say("open the list of findings"))
    return page(
        request,
        "watched_page.html.j2",
        tab="watch",
        library=library,
        url=url,
        found=findings,
        checks=rechecks(opened, url),
        titles=_titles(opened, findings),
        outcomes=OUTCOMES,
        verdicts=VERDICTS,
        snapshots=opened.pages.at(url),
        since=min(finding.found_at for finding in findings),
        gone=_gone_since(findings),
    )


def _watch_page(
    request: Request,
    library: str,
    opened: Library,
    caller: Caller,
    *,
    chosen: dict[str, str] | None = None,
    skip: int = 0,
    error: WhorlError | None = None,
    sites: str = "",
) -> Response:
    filters = chosen or {}
    log, latest = _filtered(opened, filters, skip)
    waiting, dead = opened.outbox.of(WAITING), opened.outbox.of(DEAD)
    return page(
        request,
        "watch_page.html.j2",
        tab="watch",
        library=library,
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        sites=sites or EXAMPLE,
        log=log,
        found=latest,
        titles=_titles(opened, latest.findings),
        filters=filters,
        skip=skip,
        step=_PAGE_SIZE,
        jobs=service_of(request).jobs.list(library=library, kind="watch", limit=_JOBS),
        may_start=caller.may("write"),
        may_manage=caller.may("admin"),
        stored_count=len(opened.watch_settings.read().get("site", ())),
        may_end=partial(_may_end, caller),
        protected=opened.collections().get("protected", 0),
        waiting=[AlertRow.of(item) for item in waiting[:_ALERTS]],
        waiting_count=len(waiting),
        dead=[AlertRow.of(item) for item in dead[-_ALERTS:]],
        dead_count=len(dead),
        sent_count=len(opened.outbox) - len(waiting) - len(dead),
        verdicts=VERDICTS,
        why=WHY,
        as_message=as_message,
    )


def _filtered(library: Library, filters: dict[str, str], skip: int) -> tuple[WatchLog | None, LatestFindings]:
    """Return the watch log, None without a watch, and the filtered findings."""
    try:
        log = watch_log(library, limit=_ROWS)
    except NotFoundError:
        return None, LatestFindings(0, ())
    conditions: dict[str, Any] = {name: value for name, value in filters.items() if value}
    return log, latest_findings(library, **conditions, skip=skip, limit=_PAGE_SIZE)


def _titles(library: Library, findings: Iterable[Finding]) -> dict[str, str]:
    """Return the titles of the articles of findings by id."""
    return dict(_titled(library, {finding.article for finding in findings}))


def _titled(library: Library, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for id in ids:
        article = library.get(id)
        yield id, (article and article.title) or id


def _may_end(caller: Caller, job: Job) -> bool:
    """Return True if the caller may cancel a job: its submitter and administrators may."""
    return caller.may("write") and (job.by == caller.who or caller.may("admin"))


def _gone_since(findings: Iterable[Finding]) -> datetime | None:
    """Return when a page lost the last of the articles' texts; None if it still has some."""
    times = [finding.gone_at for finding in findings]
    return None if None in times else max(time for time in times if time)


__all__ = ["router"]
