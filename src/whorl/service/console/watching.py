"""Watch: sites, runs, findings, alerts and takedowns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from whorl.errors import NotFoundError, WhorlError
from whorl.language import Message, as_message, say
from whorl.library import Library
from whorl.library.outbox import DEAD, WAITING, Alert
from whorl.monitor.reasons import VERDICTS, WHY
from whorl.monitor.records import Finding
from whorl.monitor.watched import LatestFindings, WatchLog, latest_findings, rechecks, watch_log
from whorl.service.access import Caller, ForbiddenError, Reads, Writes, library_for, service_of
from whorl.service.console.pages import page, path
from whorl.service.jobs import Job
from whorl.service.jobs.kinds import scope_of
from whorl.service.problems import TITLES, code_of

router = APIRouter()
Opened = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("write"))]

_SHOWN = 20
_JOBS = 3
_ROWS = 20
_ALERTS = 50

OUTCOMES: dict[str, Message] = {
    "there": say("still there"),
    "changed": say("there, without the text"),
    "gone": say("gone"),
    "unknown": say("nothing came"),
}
"""What a look at a page has shown."""

EXAMPLE = """\
contact = "https://our-paper.example/crawler"

[[site]]
name = "example"
start = "https://copies.example/news/"
rate = 1
"""
"""What a watch is told, to begin with."""


@dataclass(frozen=True, slots=True)
class Told:
    """An alert as the page shows it.

    Attributes:
        alert: as the outbox has it.
        channel: to which it goes.
        url: of the copy.
        original: the title of the article, or its id.
    """

    alert: Alert
    channel: str
    url: str
    original: str

    @classmethod
    def of(cls, alert: Alert) -> Told:
        """Read an alert of the outbox, whoever has put it there."""
        copy = alert.payload.get("copy")
        given: dict[str, Any] = copy if isinstance(copy, dict) else {}
        original = given.get("original_title") or given.get("original") or alert.rule
        return cls(alert, str(alert.payload.get("channel", "–")), str(given.get("url") or ""), str(original))


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
    """What was found on watched sites, and what is being done about it."""
    return _shown(
        request, library, opened, caller,
        chosen={"verdict": verdict, "site": site, "article": article, "containing": containing}, skip=skip,
    )  # fmt: skip


@router.post("/libraries/{library}/watch")
def start_watch(
    request: Request, library: str, opened: Changed, caller: Writes, sites: Annotated[str, Form(max_length=2**20)]
) -> Response:
    """Look once at sites; a job does it, which may take hours."""
    given = {"sites": sites.replace("\r\n", "\n")}
    try:
        if not caller.may(scope_of("watch", given)):
            raise ForbiddenError(
                say("only administrators may watch hosts that are not of the public network"),
                cure=say("leave `allow_private` away"),
            )
        service_of(request).jobs.submit("watch", library, given, by=caller.who)
    except WhorlError as error:
        return _shown(request, library, opened, caller, error=error, sites=sites)
    return RedirectResponse(f"{path(library, 'watch')}#jobs", 303)


@router.post("/libraries/{library}/watch/jobs/{id}/cancel")
def cancel_watch(request: Request, library: str, opened: Changed, caller: Writes, id: str) -> Response:  # noqa: ARG001
    """End a run; what it has found stays, and the next one goes on from there."""
    jobs = service_of(request).jobs
    job = jobs.get(id)
    if (job.kind, job.library) != ("watch", library):
        raise NotFoundError(say("there is no job {id!r:.60}", id=id), cure=say("see which there are"))
    if not _may_end(caller, job):
        raise ForbiddenError(say("somebody else has asked for it"), cure=say("ask them, or an administrator"))
    if not job.has_ended:
        jobs.cancel(id)
    return RedirectResponse(f"{path(library, 'watch')}#jobs", 303)


@router.post("/libraries/{library}/watch/alerts/retry")
def retry_alerts(library: str, opened: Changed, number: Annotated[int | None, Form(ge=1, lt=2**63)] = None) -> Response:
    """Let an alert that was given up wait again, or all of them; the next run sends them."""
    opened.outbox.retry([one.number for one in opened.outbox.of(DEAD) if number in (None, one.number)])
    return RedirectResponse(f"{path(library, 'watch')}#alerts", 303)


@router.get("/libraries/{library}/watch/page")
def show_page(request: Request, library: str, opened: Opened, url: str) -> Response:
    """What became of a page that has, or had, text of protected articles."""
    found = latest_findings(opened, url=url).findings
    if not found:
        raise NotFoundError(say("nothing was found at {url:.200}", url=url), cure=say("see what was found"))
    return page(
        request,
        "watched_page.html.j2",
        tab="watch",
        library=library,
        url=url,
        found=found,
        checks=rechecks(opened, url),
        titles=_titles(opened, found),
        outcomes=OUTCOMES,
        verdicts=VERDICTS,
        snapshots=opened.pages.at(url),
        since=min(one.found_at for one in found),
        gone=_gone(found),
    )


def _shown(
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
    log, found = _found(opened, filters, skip)
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
        found=found,
        titles=_titles(opened, found.findings),
        filters=filters,
        skip=skip,
        step=_SHOWN,
        jobs=service_of(request).jobs.list(library=library, kind="watch", most=_JOBS),
        may_start=caller.may("write"),
        may_end=partial(_may_end, caller),
        protected=opened.collections().get("protected", 0),
        waiting=[Told.of(one) for one in waiting[:_ALERTS]],
        waiting_count=len(waiting),
        dead=[Told.of(one) for one in dead[-_ALERTS:]],
        dead_count=len(dead),
        sent_count=len(opened.outbox) - len(waiting) - len(dead),
        verdicts=VERDICTS,
        why=WHY,
        as_message=as_message,
    )


def _found(library: Library, filters: dict[str, str], skip: int) -> tuple[WatchLog | None, LatestFindings]:
    """What a watch has found, None where nothing was watched; and what of it was asked for."""
    try:
        log = watch_log(library, most=_ROWS)
    except NotFoundError:
        return None, LatestFindings(0, ())
    asked: dict[str, Any] = {name: value for name, value in filters.items() if value}
    return log, latest_findings(library, **asked, skip=skip, most=_SHOWN)


def _titles(library: Library, findings: Iterable[Finding]) -> dict[str, str]:
    """The titles of the articles that findings are of, by their ids."""
    return dict(_titled(library, {one.article for one in findings}))


def _titled(library: Library, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for id in ids:
        article = library.get(id)
        yield id, (article and article.title) or id


def _may_end(caller: Caller, job: Job) -> bool:
    """Whether somebody may end a job: their own, and administrators any."""
    return caller.may("write") and (job.by == caller.who or caller.may("admin"))


def _gone(findings: Iterable[Finding]) -> datetime | None:
    """Since when a page has none of its texts any more; None while it has one."""
    times = [one.gone_at for one in findings]
    return None if None in times else max(time for time in times if time)


__all__ = ["router"]
