"""Cases: copies of protected articles, each with its events, and the state that follows from them.

The events of a case are the truth; its state is never stored without them. ``after`` applies one event to a state, and
``state_of`` all events of a case. Both are pure, so every store, the console and a report show the same state, and a
projection that was lost can be computed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from datetime import datetime
from typing import Any

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain

KINDS = (
    "found",
    "fetched",
    "changed",
    "removed",
    "returned",
    "permission",
    "decision",
    "notice",
    "deadline",
    "alert",
    "closed",
    "reopened",
    "note",
)
"""Kinds of events. A case begins with "found"."""

STATES = ("open", "undetermined", "noticed", "removed", "permitted", "rejected", "closed")
OPEN_STATES = ("open", "undetermined", "noticed", "removed")
"""States of cases that are not settled: their evidence is kept."""

BY_HAND = ("notice", "deadline", "closed", "reopened", "note")
"""Kinds of events that people record."""

ALERTED = ("found", "changed", "returned")
"""Kinds of events that cause an alert."""

RULINGS = ("permission", "decision")
"""Kinds of events that change the verdict, but not the copy. They cause an alert if they make it a copy."""

REMOVED_DOCUMENT = "document_removed"
"""Detail of a note: id of the copy or the article that was removed from the library, by force."""

PAGE_TIME = "page_at"
"""Detail of an exported event: time of the fetch of the page that it refers to."""

_NUMBERS = frozenset(("revision", "length", "status", "snapshot", "of"))
_LARGEST_NUMBER = 2**53
_DETAIL_TIMES = frozenset(("deadline", PAGE_TIME))
_OPTIONAL = frozenset(("snapshot", "deadline"))

_COPY_FIELDS = (
    "document", "revision", "relation", "judged", "permission", "decision", "share", "length", "snapshot"
)  # fmt: skip


@frozen
class CaseEvent(Plain):
    """An event of a case.

    >>> from datetime import UTC, datetime
    >>> from whorl.results import CaseEvent
    >>> CaseEvent(7, 1, "closed", datetime(2026, 3, 5, tzinfo=UTC), {"by": "mei"}).data["by"]
    'mei'

    Attributes:
        number: number of its entry in the ledger.
        case: number of the case.
        kind: "found", "fetched", "changed", "removed", "returned", "permission", "decision", "notice", "deadline",
            "alert", "closed", "reopened" or "note".
        at: when it happened.
        data: details, which depend on the kind.
    """

    number: int
    case: int
    kind: str
    at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Case(Plain):
    """A copy of a protected article at an address, as its events describe it.

    >>> from datetime import UTC, datetime
    >>> from whorl.results import Case
    >>> now = datetime(2026, 3, 5, tzinfo=UTC)
    >>> case = Case(1, "a1", "https://copies.example/7", "b7", "Copies", now, judged="copy")
    >>> case.state, case.verdict, case.is_open
    ('open', 'copy', True)

    Attributes:
        number: number of the case.
        article: id of the protected article.
        url: address of the copy.
        document: id of the document with the text of the copy.
        site: name of the site.
        since: when the copy was first seen, or seen again after it had been removed.
        revision: revision of the document with the copy.
        relation: relation of the copy to the article.
        judged: verdict of the text alone: "copy", "undetermined" or another verdict of the watch.
        permission: "given", "claimed" (only if the claims of the page are true) or "none".
        decision: decision about the match: "pending", "confirmed", "rejected" or "authorised".
        share: share of the article in the copy.
        length: length of the common text in normalized code points.
        snapshot: number of the snapshot of the copy; None if no page was stored.
        opened_at: when the case was opened; None is ``since``.
        checked_at: last time the page was requested; None if it never was.
        status: HTTP status of that request; 0 if there was no response.
        outcome: its result: "there", "changed" (there without the text), "gone" or "unknown".
        confirmed_at: last time the copy was seen there.
        removed_at: when the copy was no longer there; None while it is.
        removed_by: "gone" (the page), "moved" (to another address) or "changed" (the page lost the text); else empty.
        noticed_at: when a notice was sent; None if none was.
        deadline: end of the period that a notice set; None without one.
        closed_at: when the case was closed; None while it is not.
        returns: how often the copy returned after it had been removed.
        changes: how often the copy changed.
        unalerted: number of the last event that should cause an alert and has not; 0 without one.
        cause: kind of the last event that should cause an alert.
        events: number of events.
        last: number of the last event.
        verdict: "copy", "undetermined", "reprint" (permitted), "rejected", or another verdict of the watch. It follows
            from the text, the permission and the decision.
        state: one of ``STATES``.
    """

    number: int
    article: str
    url: str
    document: str
    site: str
    since: datetime
    revision: int = 1
    relation: str = ""
    judged: str = "undetermined"
    permission: str = "none"
    decision: str = "pending"
    share: float = 0.0
    length: int = 0
    snapshot: int | None = None
    opened_at: datetime | None = None
    checked_at: datetime | None = None
    status: int = 0
    outcome: str = ""
    confirmed_at: datetime | None = None
    removed_at: datetime | None = None
    removed_by: str = ""
    noticed_at: datetime | None = None
    deadline: datetime | None = None
    closed_at: datetime | None = None
    returns: int = 0
    changes: int = 0
    unalerted: int = 0
    cause: str = ""
    events: int = 0
    last: int = 0

    verdict: str = field(init=False, default="")
    state: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", self._verdict())
        object.__setattr__(self, "state", self._state())

    def _verdict(self) -> str:
        """A decision of a person precedes a permission, and a permission the verdict of the text."""
        if self.decision == "rejected":
            return "rejected"
        if self.decision == "authorised" or self.permission == "given":
            return "reprint"
        if self.decision == "confirmed":
            return "copy"
        return "undetermined" if self.judged == "copy" and self.permission == "claimed" else self.judged

    def _state(self) -> str:
        if self.closed_at is not None:
            return "closed"
        if self.verdict == "rejected":
            return "rejected"
        if self.removed_at is not None:
            return "removed"
        if self.verdict not in ("copy", "undetermined"):
            return "permitted"
        if self.noticed_at is not None:
            return "noticed"
        return "open" if self.verdict == "copy" else "undetermined"

    @property
    def is_open(self) -> bool:
        """True if the case is not settled."""
        return self.state in OPEN_STATES

    def is_overdue(self, now: datetime) -> bool:
        """Return True if the deadline of a notice has passed and the copy is still there."""
        return self.state == "noticed" and self.deadline is not None and self.deadline < now


@frozen
class CopyDetails(Plain):
    """A copy at an address, as a check of the page found it.

    Attributes:
        document: id of the document with the text of the copy.
        article: id of the protected article.
        site: name of the site.
        revision: revision of the document.
        relation: relation of the copy to the article.
        judged: verdict of the text alone.
        permission: "given", "claimed" or "none".
        decision: decision about the match.
        share: share of the article in the copy.
        length: length of the common text.
        snapshot: number of the snapshot; None if no page was stored.
    """

    document: str
    article: str
    site: str
    revision: int = 1
    relation: str = ""
    judged: str = "undetermined"
    permission: str = "none"
    decision: str = "pending"
    share: float = 0.0
    length: int = 0
    snapshot: int | None = None

    def differs(self, case: Case) -> bool:
        """Return True if the copied text is another than that of a case; other text of the page does not matter."""
        before = (case.relation, case.judged, case.length, round(case.share, 3))
        return (self.relation, self.judged, self.length, round(self.share, 3)) != before


@frozen
class PageCheck(Plain):
    """A request for a page that may contain copies.

    Attributes:
        url: address.
        at: time of the request.
        status: HTTP status; 0 without a response.
        outcome: "there", "changed" (there without the text), "gone" or "unknown".
        why: reason of a failure or of a removal, such as "robots" or "moved"; empty without one.
        copies: copies in the page; None if its text is the same as before.
        snapshot: number of the snapshot; None if no page was stored.
        is_request: False if the page was not requested, but a stored one was compared with a new article; then only
            ``copies`` are recorded.
    """

    url: str
    at: datetime
    status: int
    outcome: str
    why: str = ""
    copies: tuple[CopyDetails, ...] | None = None
    snapshot: int | None = None
    is_request: bool = True


def opened(event: CaseEvent) -> Case:
    """Return the state of a case after its first event."""
    data = event.data
    case = Case(event.case, data["article"], data["url"], data["document"], data["site"], event.at)
    return after(replace(case, opened_at=event.at), event)


def after(case: Case, event: CaseEvent) -> Case:
    """Return the state of a case after an event."""
    changed = replace(case, events=case.events + 1, last=event.number, **_changes(case, event))
    is_new_copy = event.kind in RULINGS and changed.verdict == "copy" != case.verdict
    if event.kind in ALERTED or is_new_copy:
        return replace(changed, unalerted=event.number, cause=event.kind)
    return changed


def _changes(case: Case, event: CaseEvent) -> dict[str, Any]:
    """Return the fields that an event changes."""
    data, at = event.data, event.at
    match event.kind:
        case "found" | "changed" | "returned":
            return _copy(case, event)
        case "fetched":
            return _fetch(case, at, data)
        case "removed":
            return {"removed_at": at, "removed_by": data["why"]}
        case "permission":
            return {"permission": data["permission"]}
        case "decision":
            return {"decision": data["state"]}
        case "alert":
            return {"unalerted": 0 if data["of"] >= case.unalerted else case.unalerted}
    return _handling(case, event)


def _copy(case: Case, event: CaseEvent) -> dict[str, Any]:
    """Return the fields that change if a copy is found, has changed or has returned."""
    changed = {name: event.data[name] for name in _COPY_FIELDS if name in event.data} | {"confirmed_at": event.at}
    if event.kind == "changed":
        changed["changes"] = case.changes + 1
    if event.kind == "returned":
        changed |= dict.fromkeys(("removed_at", "noticed_at", "deadline", "closed_at"))
        changed |= {"removed_by": "", "since": event.at, "returns": case.returns + 1}
    return changed


def _handling(case: Case, event: CaseEvent) -> dict[str, Any]:
    """Return the fields that change by what people do."""
    deadline = _time(event.data.get("deadline"))
    match event.kind:
        case "notice":
            return {"noticed_at": event.at, "deadline": deadline or case.deadline}
        case "deadline":
            return {"deadline": deadline}
        case "closed":
            return {"closed_at": event.at}
        case "reopened":
            return {"closed_at": None}
    return {}


def _fetch(case: Case, at: datetime, data: Mapping[str, Any]) -> dict[str, Any]:
    changed = {"checked_at": at, "status": data["status"], "outcome": data["outcome"]}
    if data["outcome"] == "there":
        changed["confirmed_at"] = at
    if case.removed_by and data["outcome"] == "changed" and data.get("why") != "moved":
        changed["removed_by"] = "changed"  # a page that was away has returned without the text
    return changed


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def state_of(events: Iterable[CaseEvent]) -> Case | None:
    """Return the state of a case after all its events, the oldest first; None without events.

    >>> from datetime import UTC, datetime
    >>> from whorl.results import CaseEvent
    >>> from whorl.types.cases import state_of
    >>> now = datetime(2026, 3, 5, tzinfo=UTC)
    >>> copy = {"article": "a1", "url": "https://copies.example/7", "document": "b7", "site": "", "judged": "copy"}
    >>> gone = CaseEvent(2, 1, "removed", now, {"why": "gone"})
    >>> state_of([CaseEvent(1, 1, "found", now, copy), gone]).state
    'removed'
    """
    case: Case | None = None
    for event in events:
        case = opened(event) if case is None else after(case, event)
    return case


def has_valid_details(event: CaseEvent) -> bool:
    """Return True if the details of an event are of the types that `after` and reports expect.

    Events of this library have them; those that came with a file may have anything.

    >>> from datetime import UTC, datetime
    >>> from whorl.results import CaseEvent
    >>> now = datetime(2026, 3, 5, tzinfo=UTC)
    >>> [has_valid_details(CaseEvent(7, 1, "notice", now, {"deadline": time})) for time in ("2026-03-09", 9, [])]
    [True, False, False]
    """
    is_measured = "length" in event.data or "share" not in event.data
    return is_measured and all(_is_valid(name, value) for name, value in event.data.items())


def _is_valid(name: str, value: Any) -> bool:
    if value is None:
        return name in _OPTIONAL
    if name in _NUMBERS:
        return type(value) is int and 0 <= value < _LARGEST_NUMBER
    if name == "share":
        return type(value) in (int, float) and 0 <= value <= 1
    if name == "alerts":
        return isinstance(value, list) and all(type(item) is int and 0 < item < _LARGEST_NUMBER for item in value)
    if not isinstance(value, str):
        return False
    if name in _DETAIL_TIMES:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return False
    return True


_TIMES = frozenset(
    ("since", "opened_at", "checked_at", "confirmed_at", "removed_at", "noticed_at", "deadline", "closed_at")
)


def case_of(data: Mapping[str, Any]) -> Case:
    """Return a case from the data of ``to_dict``."""
    names = {item.name for item in fields(Case) if item.init}
    return Case(**{name: _value(name, value) for name, value in data.items() if name in names})


def _value(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name in _TIMES and value is not None else value


__all__ = [
    "ALERTED",
    "BY_HAND",
    "KINDS",
    "OPEN_STATES",
    "PAGE_TIME",
    "REMOVED_DOCUMENT",
    "RULINGS",
    "STATES",
    "Case",
    "CaseEvent",
    "CopyDetails",
    "PageCheck",
    "after",
    "case_of",
    "has_valid_details",
    "opened",
    "state_of",
]
