"""Case pages: the list of cases, and a timeline of each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from whorl.errors import WhorlError
from whorl.i18n import Language
from whorl.library import Library
from whorl.reports.cases import EVENTS, STATES, details_of
from whorl.reports.comparison.wording import RELATIONS
from whorl.service.console.pages import page, path
from whorl.service.http.access import Reads, Reviews, library_for
from whorl.service.http.callers import Caller
from whorl.service.http.problems import TITLES, code_of
from whorl.tasks.library.cases import case_file, record_event
from whorl.tasks.library.notices import MEDIA, LetterFormat, Notice, notice_letter
from whorl.types.cases import OPEN_STATES

router = APIRouter()
Opened = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("review"))]

_PAGE_SIZE = 50
Note = Annotated[str, Form(max_length=10_000)]
Name = Annotated[str, Form(max_length=1000)]


@router.get("/libraries/{library}/cases")
def show_cases(
    request: Request,
    library: str,
    opened: Opened,
    state: Literal["", "open", "undetermined", "noticed", "removed", "permitted", "rejected", "closed", "all"] = "",
    article: str = "",
    site: str = "",
    after: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
) -> Response:
    """Show cases, the latest first; by default those that are not settled."""
    states = OPEN_STATES if state == "" else None if state == "all" else (state,)
    cases = opened.cases.page(states=states, article=article or None, site=site or None, after=after, limit=_PAGE_SIZE)
    titles = {case.article: opened.get(case.article) for case in cases.items}
    return page(
        request,
        "cases.html.j2",
        tab="cases",
        library=library,
        cases=cases,
        counts=opened.cases.counts(),
        titles={id: (document and document.title) or id for id, document in titles.items()},
        filters={"state": state, "article": article, "site": site},
        after=after,
        states=STATES,
        open_states=OPEN_STATES,
        now=datetime.now(UTC),
    )


@router.get("/libraries/{library}/cases/{number}")
def show_case(request: Request, library: str, opened: Opened, caller: Reads, number: int) -> Response:
    """Show a case with its timeline."""
    return _case_page(request, library, opened, caller, number)


@router.post("/libraries/{library}/cases/{number}/events")
def add_event(
    request: Request,
    library: str,
    opened: Changed,
    caller: Reviews,
    number: int,
    kind: Annotated[Literal["closed", "reopened", "note"], Form()],
    note: Note = "",
) -> Response:
    """Close or reopen a case, or add a note."""
    try:
        record_event(opened, number, kind, by=caller.signature, note=note)
    except WhorlError as error:
        return _case_page(request, library, opened, caller, number, error)
    return RedirectResponse(path(library, "cases", number), 303)


@router.post("/libraries/{library}/cases/{number}/notice")
def send_notice(
    request: Request,
    library: str,
    opened: Changed,
    caller: Reviews,
    number: int,
    to: Name = "",
    sender: Name = "",
    days: Annotated[int, Form(ge=0, le=365)] = 7,
    format: Annotated[LetterFormat, Form()] = "docx",
    language: Annotated[Language, Form()] = "zh",
) -> Response:
    """Record a notice, and download its letter."""
    deadline = (datetime.now(UTC) + timedelta(days=days)).isoformat() if days else None
    notice = Notice(to, sender, deadline, caller.signature, "", None, language)
    try:
        content, _ = notice_letter(opened, number, format, notice)
    except WhorlError as error:
        return _case_page(request, library, opened, caller, number, error)
    headers = {"Content-Disposition": f'attachment; filename="case-{number}.{format}"'}
    return Response(content, media_type=MEDIA[format], headers=headers)


def _case_page(
    request: Request, library: str, opened: Library, caller: Caller, number: int, error: WhorlError | None = None
) -> Response:
    file = case_file(opened, number)
    snapshots = {snapshot.number: snapshot for snapshot in opened.pages.at(file.case.url)}
    return page(
        request,
        "case.html.j2",
        tab="cases",
        library=library,
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        file=file,
        case=file.case,
        details={event.number: details_of(event, UTC) for event in file.events},
        snapshots=snapshots,
        relations=RELATIONS,
        states=STATES,
        kinds=EVENTS,
        may_edit=caller.may("review"),
        overdue=file.case.is_overdue(datetime.now(UTC)),
    )


__all__ = ["router"]
