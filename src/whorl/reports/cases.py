"""Words for the states and events of cases, and times with their offset, for terminal, console, letters and reports."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from whorl.errors import UsageError
from whorl.i18n import Message, say
from whorl.types.cases import REMOVED_DOCUMENT, CaseEvent
from whorl.types.comparison import percent

STATES: dict[str, Message] = {
    "open": say("online"),
    "undetermined": say("undetermined"),
    "noticed": say("notice sent"),
    "removed": say("taken down"),
    "permitted": say("permitted"),
    "rejected": say("ruled out"),
    "closed": say("settled"),
}
"""Labels of the states of cases."""

EVENTS: dict[str, Message] = {
    "found": say("copy found"),
    "fetched": say("page requested"),
    "changed": say("copy changed"),
    "removed": say("copy removed"),
    "returned": say("copy is there again"),
    "permission": say("permission"),
    "decision": say("decision"),
    "notice": say("notice sent"),
    "deadline": say("deadline"),
    "alert": say("alert queued"),
    "closed": say("case closed"),
    "reopened": say("case reopened"),
    "note": say("note"),
}
"""Labels of the kinds of events."""

OUTCOMES: dict[str, Message] = {
    "there": say("still there"),
    "changed": say("there, without the text"),
    "gone": say("gone"),
    "unknown": say("no response"),
}
"""Labels of the results of a request."""

REMOVALS: dict[str, Message] = {
    "gone": say("the page is gone"),
    "moved": say("the page redirects to another address"),
    "changed": say("the page no longer has the text"),
}
PERMISSIONS: dict[str, Message] = {
    "given": say("permitted"),
    "claimed": say("permitted only if the claims of the page are true"),
    "none": say("not permitted"),
}
DECISIONS: dict[str, Message] = {
    "pending": say("pending"),
    "confirmed": say("confirmed"),
    "rejected": say("ruled out"),
    "authorised": say("permitted"),
}


def details_of(event: CaseEvent, zone: tzinfo | None = None) -> list[Message | str]:
    """Return the details of an event as short texts, in the order of reading."""
    data = event.data
    parts: list[Message | str] = []
    match event.kind:
        case "fetched":
            parts.append(say("HTTP {status}", status=data["status"]) if data["status"] else say("no response"))
            parts.append(OUTCOMES.get(data["outcome"], data["outcome"]))
            parts += [data["why"]] if data.get("why") else []
        case "found" | "changed" | "returned" if "share" in data:
            parts.append(say("{share} of the article", share=percent(data["share"])))
            parts.append(say("{count:,} characters in common", count=data["length"]))
        case "removed":
            parts.append(REMOVALS.get(data["why"], data["why"]))
        case "permission":
            parts.append(PERMISSIONS.get(data["permission"], data["permission"]))
        case "decision":
            parts.append(DECISIONS.get(data["state"], data["state"]))
        case "note" if data.get(REMOVED_DOCUMENT):
            parts.append(say("{id!r:.60} removed from the library by force", id=data[REMOVED_DOCUMENT]))
        case "notice" if data.get("to"):
            parts.append(say("to {name}", name=data["to"]))
    if event.kind in ("notice", "deadline") and data.get("deadline"):
        at = datetime.fromisoformat(data["deadline"])
        parts.append(say("deadline {time}", time=shown_time(at, zone)))
    return [*parts, *_people(data)]


def _people(data: Mapping[str, Any]) -> list[Message | str]:
    parts: list[Message | str] = [say("by {name}", name=data["by"])] if data.get("by") else []
    return [*parts, data["note"]] if data.get("note") else parts


def zone_of(name: str | None) -> tzinfo | None:
    """Return a time zone by name; None is that of this machine.

    Raises:
        UsageError: the zone is unknown.
    """
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            say("unknown time zone {zone!r}", zone=name), hint=say("use a name such as Asia/Shanghai")
        ) from None


def shown_time(at: datetime, zone: tzinfo | None = None) -> str:
    """Return a time in a zone, to the minute and with its offset.

    >>> from datetime import UTC
    >>> shown_time(datetime(2026, 3, 5, 0, 30, tzinfo=UTC), zone_of("Asia/Shanghai"))
    '2026-03-05 08:30 +08:00'
    """
    local = at.astimezone(zone)
    offset = local.strftime("%z")
    return f"{local:%Y-%m-%d %H:%M} {offset[:3]}:{offset[3:5]}"


__all__ = [
    "DECISIONS",
    "EVENTS",
    "OUTCOMES",
    "PERMISSIONS",
    "REMOVALS",
    "STATES",
    "details_of",
    "shown_time",
    "zone_of",
]
