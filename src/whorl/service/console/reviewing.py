"""Review page: the queue of matches, the most severe first, with both articles side by side."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.library import Library
from whorl.reports.comparison.passages import View, view
from whorl.reports.comparison.wording import RELATIONS, REVIEWS
from whorl.service.console.pages import page, path, query
from whorl.service.http.access import LibraryName, Reads, Reviews, library_for, service_of
from whorl.service.recent import queue_of
from whorl.tasks.compare.run import compare_documents
from whorl.tasks.compare.sides import precedence
from whorl.tasks.review.decisions import answers, decide, last_decisions, standing_of_others
from whorl.tasks.review.run import Decision, QueuePlace, RankedQueue, WaitingMatch, review_history
from whorl.types.library import Document, Review

if TYPE_CHECKING:
    from collections.abc import Sequence

router = APIRouter()

_VISIBLE_LENGTH = 8000
"""Maximum length of the shown text in code points. The rest is reported as a count."""
_LISTED, _LOG = 20, 30
_MOST_NOTE = 2000

Read = Annotated[Library, Depends(library_for("read"))]
Decide = Annotated[Library, Depends(library_for("review"))]
Id = Annotated[str, Form(max_length=4096)]


class Looked(BaseModel):
    """Query parameters of the review page.

    Attributes:
        collection: collection; empty for the default.
        state: state of the matches.
        after: encoded queue position (`_written`) after which to continue; empty for the start.
        id: copy of the selected match; empty for the first match of the queue.
        other: original of the selected match.
        last: number of the decision that the user has just made; 0 for none.
        last_seen: number of the last decision that the user saw before it.
    """

    collection: str = Field("", alias="among")
    state: str = "pending"
    after: str = ""
    id: str = ""
    other: str = ""
    last: int = 0
    last_seen: int = Field(0, alias="seen")


@frozen
class SelectedMatch:
    """The selected match.

    Attributes:
        copy: the copy.
        original: the original.
        rows: both texts side by side.
        copied: share of the copy that is in the original, in [0, 1].
        kind: relation of the copy to the original.
        counts: effective decision.
        decisions: all decisions, oldest first.
        waiting: entry in the queue; None if the match is not in it.
    """

    copy: Document
    original: Document
    rows: View
    copied: float
    kind: str
    counts: Review
    decisions: tuple[Decision, ...]
    waiting: WaitingMatch | None

    @property
    def last_decision(self) -> int:
        """Number of the last decision about the match."""
        return self.decisions[-1].number if self.decisions else 0


@router.get("/libraries/{library}/review")
def show_queue(
    request: Request, library: LibraryName, opened: Read, caller: Reads, looked: Annotated[Looked, Query()]
) -> Response:
    """Show the queue and the first match, or the selected one."""
    reviewers = service_of(request).settings.reviewers
    queue = queue_of(opened, looked.collection or None, looked.state, reviewers)
    by = caller.signature
    after = _read(looked.after) if looked.after else None
    rest = queue.open_to(by, after)
    shown_queue = queue.listed(rest[: _LISTED + 1])
    match_shown = _selected(opened, queue, shown_queue.matches, looked)
    log = last_decisions(opened, _LOG)
    return page(
        request,
        "review.html.j2",
        tab="review",
        library=library,
        queue=shown_queue,
        looked=looked,
        shown=match_shown,
        behind=_behind_it(library, looked, match_shown),
        rest=[match for match in shown_queue.matches if match_shown is None or match != match_shown.waiting][:_LISTED],
        left=len(rest),
        collections=sorted(filter(None, opened.collections())),
        states=REVIEWS,
        kinds=RELATIONS,
        contested=queue.listed(queue.contested()[:_LISTED]).matches,
        log=log,
        last=_last(log, looked, by),
        answers=answers(log, by, reviewers)[:_LISTED] if caller.may("review") else (),
        by=by,
        address=path(library, "review"),
        document=lambda id: path(library, "documents", id),
        pair=lambda match: path(library, "review") + query({"id": match.id, "other": match.other}),
    )


@router.post("/libraries/{library}/review")
def keep_decision(
    request: Request,
    library: LibraryName,
    opened: Decide,
    caller: Reviews,
    id: Id,
    other: Id,
    do: Annotated[str, Form(max_length=20)],
    note: Annotated[str, Form(max_length=_MOST_NOTE)] = "",
    last_seen: Annotated[int, Form(alias="seen", ge=0)] = 0,
    collection: Annotated[str, Form(alias="among")] = "",
    state: Annotated[str, Form()] = "pending",
    after: Annotated[str, Form()] = "",
) -> Response:
    """Record a decision and continue with the next match."""
    request.state.subject = f"{do} {id} {other}"
    here = {"among": collection, "state": "" if state == "pending" else state}
    reviewers = service_of(request).settings.reviewers
    outcome = decide(
        opened, id, other, do, by=caller.signature, note=note.strip(), reviewers=reviewers, last_seen=last_seen
    )  # fmt: skip
    return _on(library, here, after=after, last=outcome.decision.number, seen=last_seen)


@router.post("/libraries/{library}/review/undo")
def take_back(
    request: Request,
    library: LibraryName,
    opened: Decide,
    caller: Reviews,
    id: Id,
    other: Id,
    number: Annotated[int, Form(ge=1)],
) -> Response:
    """Undo a decision and show its match again."""
    request.state.subject = f"{number} {id} {other}"
    reviewers = service_of(request).settings.reviewers
    opened.reviews.undo(id, other, by=caller.signature, reviewers=reviewers, number=number)
    return _on(library, {}, id=id, other=other)


def _on(library: str, here: dict[str, str], **more: object) -> Response:
    changed = {name: value for name, value in more.items() if value}
    return RedirectResponse(path(library, "review") + query(here, **changed), 303)


def _behind_it(library: str, looked: Looked, match: SelectedMatch | None) -> str:
    """Return the address of the queue after the shown match."""
    after = _written(match.waiting.place) if match and match.waiting else looked.after
    return path(library, "review") + query({"among": looked.collection, "state": looked.state, "after": after})


def _selected(
    library: Library, queue: RankedQueue, rest: Sequence[WaitingMatch], looked: Looked
) -> SelectedMatch | None:
    """Return the selected match, otherwise the first of the queue."""
    if looked.id and looked.other:
        ranked = queue.find(looked.id, looked.other)
        waiting = next(iter(queue.listed([ranked]).matches), None) if ranked else None
        pair = [_document(library, id) for id in (looked.other, looked.id)]
    elif rest:
        waiting = rest[0]
        pair = [_document(library, id) for id in (waiting.other, waiting.id)]
    else:
        return None
    original, copy = sorted(pair, key=precedence)
    id, other = copy.id, original.id
    compared = compare_documents(library, id, other)
    comparison = compared.result
    rows = view([original.text], copy.text, comparison.passages, _VISIBLE_LENGTH)
    history = review_history(library, id, other)
    return SelectedMatch(
        copy, original, rows, comparison.ratios.copied, comparison.relation, history.review, history.decisions, waiting
    )


def _document(library: Library, id: str) -> Document:
    document = library.get(id)
    if document is None:
        raise NotFoundError(say("document {id!r} not found", id=id), hint=say("list them with `whorl library list`"))
    return document


def _last(log: Sequence[Decision], looked: Looked, by: str) -> tuple[Decision, tuple[Decision, ...]] | None:
    """Return the decision just made by the user and decisions by others in the meantime."""
    decision = next((entry for entry in log if entry.number == looked.last and entry.by == by), None)
    if decision is None:
        return None
    pair = {decision.id, decision.other}
    same = [entry for entry in log if {entry.id, entry.other} == pair and entry.number > looked.last_seen]
    return decision, standing_of_others(same, by)


def _written(place: QueuePlace) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode()


def _read(text: str) -> QueuePlace:
    """Decode the queue position in an address.

    Raises:
        UsageError: the position is malformed.
    """
    try:
        severity, id, other = json.loads(urlsafe_b64decode(text.encode()))
    except (ValueError, TypeError, RecursionError):
        severity = id = other = None
    if isinstance(severity, int | float) and isinstance(id, str) and isinstance(other, str):
        return severity, id, other
    raise UsageError(say("the address contains no valid queue position"), hint=say("open the queue from the start"))


__all__ = ["router"]
