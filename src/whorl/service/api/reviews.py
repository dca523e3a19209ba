"""What people decide about matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.library.model import Review
from whorl.service.access import Reviews, library_for, service_of
from whorl.service.api.examples import BAND, COPY, HISTORY, ORIGINAL, REVIEW, WAITING, Id, Other, shown
from whorl.service.api.pages import wrong_cursor
from whorl.service.paging import MOST, Cursor, Limit, cursor_of, position_of
from whorl.service.recent import queue_of
from whorl.service.repeating import Repeatable
from whorl.service.replies import reply
from whorl.tasks.review import (
    QueuePlace,
    ReviewBand,
    ReviewHistory,
    WaitingMatch,
    review,
    review_history,
    undo_review,
)

router = APIRouter(tags=["reviews"], route_class=Repeatable)
Reading = Annotated[Library, Depends(library_for("read"))]
Reviewing = Annotated[Library, Depends(library_for("review"))]
State = Literal["pending", "confirmed", "rejected", "authorised"]


def _agreeing(request: Request) -> int:
    """How many people must agree for a decision to count: the service says so, and no caller."""
    return service_of(request).settings.reviewers


Agreeing = Annotated[int, Depends(_agreeing)]


class Queue(BaseModel):
    """Matches that wait for people, the most severe first."""

    items: list[WaitingMatch] = Field(description="Some of them.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last one.")
    waiting: int = Field(description="How many there are, on this page or not.")
    decided: Mapping[str, int] = Field(description="Of all matches, those that were decided, by state.")
    bands: list[ReviewBand] = Field(description="How often people found matches right, by the larger share.")
    unlisted: int = Field(description="Further matches of articles that have too many.")
    reviewers: int = Field(description="How many people must agree.")


class DecisionTold(BaseModel):
    """What somebody decides about a match."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"id": COPY, "other": ORIGINAL, "state": "confirmed", "note": "ours"}]},
    )

    id: str = Field(description="Of one article.")
    other: str = Field(description="Of the other.")
    state: State = Field(description="What is decided; pending leaves it open.")
    note: str = Field("", description="Why.", max_length=10_000)


@router.get(
    "/libraries/{library}/reviews",
    responses=shown(
        {"items": [WAITING], "next": None, "waiting": 1, "decided": {"confirmed": 13, "authorised": 0, "rejected": 1}}
        | {"bands": [BAND], "unlisted": 0, "reviewers": 1}
    ),
)
def list_waiting_matches(
    library: Reading,
    reviewers: Agreeing,
    state: Annotated[list[State] | None, Query(description="Which matches; may be repeated.")] = None,
    among: Annotated[
        str | None,
        Query(description="Only matches of articles of this collection; of `protected`, unless given, if it has any."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Queue:
    """The matches that wait for a decision, the most severe first, and how likely each is right.

    A page goes on behind the last match of the page before, though others were decided meanwhile.
    """
    after = _after(cursor)
    queue = queue_of(library, among, state or "pending", reviewers)
    rest = queue.behind(after)
    found = queue.told(rest[:limit])
    severity, *pair = rest[limit - 1].place if len(rest) > limit else (0.0,)
    return Queue(
        items=list(found.matches),
        next=cursor_of([-severity, *pair] if pair else None),
        waiting=found.waiting,
        decided=found.decided,
        bands=list(found.bands),
        unlisted=found.unlisted,
        reviewers=found.reviewers,
    )


def _after(cursor: str | None) -> QueuePlace | None:
    """The place of the match that a page ended with.

    Raises:
        UsageError: the cursor is none of this list.
    """
    match position_of(cursor, list):
        case None:
            return None
        case [int() | float() as severity, str() as id, str() as other]:
            return -severity, id, other
    raise wrong_cursor(cursor)


@router.post("/libraries/{library}/reviews", responses=shown(REVIEW))
def decide(library: Reviewing, caller: Reviews, reviewers: Agreeing, decision: DecisionTold) -> Review:
    """Decide about a match in the name of the caller; what counts now is returned.

    Clusters heed it: two articles that are rejected join no longer by themselves, two that are confirmed do. Where the
    service asks for several people, it counts once as many agree.
    """
    by = caller.signature
    return review(library, decision.id, decision.other, decision.state, by=by, note=decision.note, reviewers=reviewers)


@router.delete("/libraries/{library}/reviews", responses=shown(Review()))
def undo(library: Reviewing, caller: Reviews, reviewers: Agreeing, id: Id, other: Other) -> Review:
    """Take back the last decision about a match that stands, in the name of the caller; what counts now is returned."""
    return undo_review(library, id, other, by=caller.signature, reviewers=reviewers)


@router.get(
    "/libraries/{library}/reviews/decisions",
    response_model=ReviewHistory,
    responses=shown(HISTORY),
)
def list_decisions(library: Reading, id: Id, other: Other) -> Response:
    """All that was decided about a match, by whom and when, what was taken back, and what counts now."""
    return reply(review_history(library, id, other))
