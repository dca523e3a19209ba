"""Endpoints for cases: copies of protected articles, from the first sighting to the settlement."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.i18n import Language
from whorl.library import Library
from whorl.service.api.examples import AT, COPY, LATER, ORIGINAL, example_response, page
from whorl.service.http.access import Reviews, library_for
from whorl.service.http.idempotency import Repeatable
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.http.responses import reply
from whorl.tasks.library.cases import CaseFile, case_file, open_case, record_event
from whorl.tasks.library.notices import MEDIA, LetterFormat, Notice, notice_letter
from whorl.types.cases import OPEN_STATES, Case, CaseEvent

router = APIRouter(tags=["cases"], route_class=Repeatable)
Reading = Annotated[Library, Depends(library_for("read"))]
Reviewing = Annotated[Library, Depends(library_for("review"))]
Number = Annotated[int, Path(ge=1, lt=2**63, description="Number of the case.", examples=[1])]
State = Literal["open", "undetermined", "noticed", "removed", "permitted", "rejected", "closed"]

_CASE = Case(
    1, ORIGINAL, COPY, COPY, "copies.example", AT, 1, "near_duplicate", "copy", share=1.0, length=26, snapshot=41,
    opened_at=AT, checked_at=LATER, status=200, outcome="there", confirmed_at=LATER, unalerted=42, cause="found",
    events=2, last=43,
)  # fmt: skip
_OPENING = CaseEvent(42, 1, "found", AT, {"article": ORIGINAL, "url": COPY, "document": COPY, "judged": "copy"})
_FETCHED = CaseEvent(43, 1, "fetched", LATER, {"status": 200, "outcome": "there", "snapshot": None})
_FILE = CaseFile(_CASE, (_OPENING, _FETCHED), "渔港添了两台制冰机", ORIGINAL, "渔港添了两台制冰机", "Copies")


class CaseInput(BaseModel):
    """A match to open a case for."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"id": COPY, "other": ORIGINAL}]})

    id: str = Field(description="Id of the copy.")
    other: str = Field(description="Id of the protected article.")
    note: str = Field("", description="Reason.", max_length=10_000)


class EventInput(BaseModel):
    """An event that a person records."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"kind": "notice", "to": "Copies", "deadline": "2026-03-12T00:00:00+08:00"}]},
    )

    kind: Literal["notice", "deadline", "closed", "reopened", "note"] = Field(description="Kind of event.")
    note: str = Field("", description="Reason or text.", max_length=10_000)
    to: str = Field("", description="Recipient of a notice.", max_length=1000)
    at: datetime | None = Field(None, description="When it happened; default: now.")
    deadline: datetime | None = Field(None, description="Deadline of a notice, or a new deadline; null for none.")


class LetterInput(BaseModel):
    """A letter that asks a site to take a copy down."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"sender": "Daily", "deadline": "7d", "language": "en"}]}
    )

    format: LetterFormat = Field("docx", description="Format of the letter.")
    to: str = Field("", description="Recipient; default: the name of the site.", max_length=1000)
    sender: str = Field("", description="Sender; empty leaves a line to fill in.", max_length=1000)
    deadline: str | None = Field(None, description="A period from now on, such as 7d, or a time.", max_length=100)
    note: str = Field("", description="Remark, which is not part of the letter.", max_length=10_000)
    zone: str | None = Field(None, description="Time zone, such as Asia/Shanghai.", max_length=100)
    language: Language | None = Field(None, description="Language of the letter; default: that of the request.")


@router.get("/libraries/{library}/cases", responses=page(_CASE, more="MTAw"))
def list_cases(
    library: Reading,
    state: Annotated[
        list[State] | None,
        Query(description="Only cases in these states; may be repeated. Default: those that are not settled."),
    ] = None,
    article: Annotated[
        str | None, Query(description="Only cases of this protected article.", examples=[ORIGINAL])
    ] = None,
    site: Annotated[str | None, Query(description="Only cases on this site, by its name in the watch.")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Case]:
    """List cases, the latest first."""
    cases = library.cases.page(
        states=state or OPEN_STATES, article=article, site=site, after=position_of(cursor, int), limit=limit
    )
    return Page(items=list(cases.items), next=cursor_of(cases.mark))


@router.post("/libraries/{library}/cases", response_model=Case, responses=example_response(replace(_CASE, last=42)))
def add_case(library: Reviewing, caller: Reviews, match: CaseInput) -> Response:
    """Open a case for a match. An existing case of this address and article is returned unchanged."""
    return reply(open_case(library, match.id, match.other, by=caller.signature, note=match.note))


@router.get("/libraries/{library}/cases/{number}", response_model=CaseFile, responses=example_response(_FILE))
def get_case(library: Reading, number: Number) -> Response:
    """Return a case with all its events, the oldest first."""
    return reply(case_file(library, number))


@router.post("/libraries/{library}/cases/{number}/events", response_model=Case, responses=example_response(_CASE))
def add_event(library: Reviewing, caller: Reviews, number: Number, event: EventInput) -> Response:
    """Record a notice, a deadline, a note, or that a case is closed or reopened, in the name of the caller."""
    details = {"to": event.to} if event.to else {}
    case = record_event(
        library,
        number,
        event.kind,
        by=caller.signature,
        note=event.note,
        at=event.at,
        deadline=event.deadline,
        **details,
    )
    return reply(case)


@router.post(
    "/libraries/{library}/cases/{number}/letters",
    response_class=Response,
    responses={200: {"content": {media: {} for media in MEDIA.values()}, "description": "The letter."}},
)
def write_letter(library: Reviewing, caller: Reviews, number: Number, letter: LetterInput) -> Response:
    """Record a notice in the name of the caller, and return its letter."""
    notice = Notice(
        letter.to, letter.sender, letter.deadline, caller.signature, letter.note, letter.zone, letter.language
    )
    content, _ = notice_letter(library, number, letter.format, notice)
    return Response(content, media_type=MEDIA[letter.format])


__all__ = ["router"]
