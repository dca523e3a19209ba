"""Endpoints for the review of matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.service.api.examples import BAND, COPY, HISTORY, ORIGINAL, REVIEW, WAITING, Id, Other, example_response
from whorl.service.api.pages import wrong_cursor
from whorl.service.http.access import Reviews, library_for, service_of
from whorl.service.http.idempotency import Repeatable
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, cursor_of, position_of
from whorl.service.http.responses import reply
from whorl.service.recent import queue_of
from whorl.tasks.review.run import (
    QueuePlace,
    ReviewBand,
    ReviewHistory,
    WaitingMatch,
    review,
    review_history,
    undo_review,
)
from whorl.types.library import Review

router = APIRouter(tags=["reviews"], route_class=Repeatable)
Reading = Annotated[Library, Depends(library_for("read"))]
Reviewing = Annotated[Library, Depends(library_for("review"))]
State = Literal["pending", "confirmed", "rejected", "authorised"]


def _agreeing(request: Request) -> int:
    """Return how many people must agree. It is a setting of the service, not of a caller."""
    return service_of(request).settings.reviewers


Agreeing = Annotated[int, Depends(_agreeing)]


class Queue(BaseModel):
    """Matches waiting for review, the most severe first."""

    items: list[WaitingMatch] = Field(description="Matches of this page.")
    next: str | None = Field(None, description="Cursor of the next page; null on the last page.")
    waiting: int = Field(description="Total number of waiting matches.")
    decided: Mapping[str, int] = Field(description="Number of decided matches by state.")
    bands: list[ReviewBand] = Field(description="Precision of decided matches, by the larger share.")
    unlisted: int = Field(description="Number of further matches of articles that have too many.")
    reviewers: int = Field(description="Number of people who must agree.")


class DecisionInput(BaseModel):
    """A decision about a match."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"id": COPY, "other": ORIGINAL, "state": "confirmed", "note": "ours"}]},
    )

    id: str = Field(description="Id of one article.")
    other: str = Field(description="Id of the other article.")
    state: State = Field(description="The decision; pending leaves the match open.")
    note: str = Field("", description="Reason.", max_length=10_000)


@router.get(
    "/libraries/{library}/reviews",
    responses=example_response(
        {"items": [WAITING], "next": None, "waiting": 1, "decided": {"confirmed": 13, "authorised": 0, "rejected": 1}}
        | {"bands": [BAND], "unlisted": 0, "reviewers": 1}
    ),
)
def list_waiting_matches(
    library: Reading,
    reviewers: Agreeing,
    state: Annotated[list[State] | None, Query(description="States of the matches; may be repeated.")] = None,
    among: Annotated[
        str | None,
        Query(description="Only matches of articles of this collection; default: `protected`, if it has articles."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Queue:
    """List matches waiting for review, the most severe first, with the estimated precision.

    A page continues after the last match of the previous page, even if others were decided in the meantime.
    """
    after = _after(cursor)
    queue = queue_of(library, among, state or "pending", reviewers)
    rest = queue.behind(after)
    result = queue.listed(rest[:limit])
    severity, *pair = rest[limit - 1].place if len(rest) > limit else (0.0,)
    return Queue(
        items=list(result.matches),
        next=cursor_of([-severity, *pair] if pair else None),
        waiting=result.waiting,
        decided=result.decided,
        bands=list(result.bands),
        unlisted=result.unlisted,
        reviewers=result.reviewers,
    )


def _after(cursor: str | None) -> QueuePlace | None:
    """Decode the last position of the previous page.

    Raises:
        UsageError: the cursor is not one of this list.
    """
    match position_of(cursor, list):
        case None:
            return None
        case [int() | float() as severity, str() as id, str() as other]:
            return -severity, id, other
    raise wrong_cursor(cursor)


@router.post("/libraries/{library}/reviews", responses=example_response(REVIEW))
def decide(library: Reviewing, caller: Reviews, reviewers: Agreeing, decision: DecisionInput) -> Review:
    """Record a decision of the caller about a match and return the effective decision.

    Decisions affect clusters: a rejected match no longer joins two articles, a confirmed match does. If the service
    requires several reviewers, a decision takes effect once that many agree.
    """
    by = caller.signature
    return review(library, decision.id, decision.other, decision.state, by=by, note=decision.note, reviewers=reviewers)


@router.delete("/libraries/{library}/reviews", responses=example_response(Review()))
def undo(library: Reviewing, caller: Reviews, reviewers: Agreeing, id: Id, other: Other) -> Review:
    """Undo the last decision about a match in the name of the caller and return the effective decision."""
    return undo_review(library, id, other, by=caller.signature, reviewers=reviewers)


@router.get(
    "/libraries/{library}/reviews/decisions",
    response_model=ReviewHistory,
    responses=example_response(HISTORY),
)
def list_decisions(library: Reading, id: Id, other: Other) -> Response:
    """List all decisions about a match: reviewer, time, undone decisions, and the effective decision."""
    return reply(review_history(library, id, other))
