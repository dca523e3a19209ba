"""Events that follow from a check of a page, and from a match that a person opens a case for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.library.cases.recording import NewEvent, case_from
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_entry
from whorl.library.search.queries import report_of
from whorl.matching.compare import COPIES
from whorl.types.cases import Case, CopyDetails, PageCheck
from whorl.types.library import microseconds

if TYPE_CHECKING:
    from whorl.stores import Reader
    from whorl.types.library import Match


def events_of(check: PageCheck, cases: Sequence[Case], next_case: int) -> Iterator[NewEvent]:
    """Yield the events of a check of a page with its cases, each case's in order.

    A rejected case is no copy: its page is not followed. A page whose text is the same as before (``copies`` is None)
    has a copy that was removed again only if the page itself was away.
    """
    at = microseconds(check.at)
    copies = {} if check.copies is None else {copy.article: copy for copy in check.copies}
    for case in cases:
        if case.decision != "rejected" and (check.is_request or case.article in copies):
            yield from _events_of_case(check, case, copies, at)
    articles = {case.article for case in cases}
    new = [copy for article, copy in copies.items() if article not in articles]
    for number, copy in enumerate(new, next_case):
        yield NewEvent(number, "found", at, details(copy, check.url))
        if check.is_request:
            yield NewEvent(number, "fetched", at, _fetch(check, copy.snapshot))


def _events_of_case(check: PageCheck, case: Case, copies: Mapping[str, CopyDetails], at: int) -> Iterator[NewEvent]:
    copy = copies.get(case.article)
    outcome = check.outcome if check.copies is None or copy is not None else _without_copy(check)
    is_repeated = case.checked_at == check.at and (case.status, case.outcome) == (check.status, outcome)
    if check.is_request and not is_repeated:
        snapshot = check.snapshot if copy is None else copy.snapshot
        yield NewEvent(case.number, "fetched", at, {**_fetch(check, snapshot), "outcome": outcome})
    if copy is not None:
        data = details(copy, check.url)
        if case.removed_at is not None:
            yield NewEvent(case.number, "returned", at, data)
        elif copy.differs(case):
            yield NewEvent(case.number, "changed", at, data)
        else:
            yield from _rulings(case, copy, at)
    elif outcome == "there" and case.removed_by in ("gone", "moved"):
        yield NewEvent(case.number, "returned", at, {"snapshot": case.snapshot})
    elif outcome in ("gone", "changed") and case.removed_at is None:
        why = check.why if outcome == "changed" and check.why == "moved" else outcome
        yield NewEvent(case.number, "removed", at, {"why": why, "status": check.status, "snapshot": check.snapshot})


def _without_copy(check: PageCheck) -> str:
    """Return the outcome of a check for an article whose text is not among the copies of the page."""
    return "changed" if check.outcome == "there" else check.outcome


def _rulings(case: Case, copy: CopyDetails, at: int) -> Iterator[NewEvent]:
    """Yield changes of permission and decision that came about without an event, such as the end of a permission."""
    if copy.permission != case.permission:
        yield NewEvent(case.number, "permission", at, {"permission": copy.permission})
    if copy.decision != case.decision:
        yield NewEvent(case.number, "decision", at, {"state": copy.decision})


def _fetch(check: PageCheck, snapshot: int | None) -> dict[str, Any]:
    data: dict[str, Any] = {"status": check.status, "outcome": check.outcome, "snapshot": snapshot}
    return {**data, "why": check.why} if check.why else data


def details(copy: CopyDetails, url: str) -> dict[str, Any]:
    """Return the details of an event about a copy."""
    return copy.to_dict() | {"url": url}


def case_at(reader: Reader, url: str, article: str) -> Case | None:
    """Return the case of an article at an address, or None."""
    return next((case_from(row) for row in reader.cases_at([url]).get(url, ()) if row.article == article), None)


def copy_of_match(core: Core, document: str, article: str) -> tuple[CopyDetails, str]:
    """Return the copy that a match of the library shows, and its address.

    Raises:
        NotFoundError: a document does not exist, or the two have no match.
    """
    with core.store.reading() as reader:
        entry, original = demand_entry(reader, document), demand_entry(reader, article)
        match = next((item for item in report_of(core, reader, entry, None).matches if item.id == original.id), None)
        snapshots = reader.snapshots_of([entry.number]).get(entry.number, [])
    if match is None:
        raise NotFoundError(
            say("{id!r} and {other!r} have no match", id=document, other=article),
            hint=say("`whorl review` lists the matches"),
        )
    url = entry.url or entry.id
    copy = CopyDetails(
        document,
        article,
        entry.source or "",
        entry.revision,
        match.relation,
        judged(match, match.other_in_this, core.making.rules.similarity),
        "none",
        match.review.state,
        match.other_in_this,
        sum(passage.matched for passage in match.passages),
        snapshots[-1].number if snapshots else None,
    )
    return copy, url


def judged(match: Match, share: float, similarity: float) -> str:
    """Return the verdict of the texts alone: "copy" or "undetermined"."""
    is_copy = match.relation in COPIES and (match.joins or share >= similarity)
    return "copy" if is_copy else "undetermined"


__all__ = ["case_at", "copy_of_match", "details", "events_of", "judged"]
