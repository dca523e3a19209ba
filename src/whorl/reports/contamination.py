"""HTML page of a decontamination: items seen by benchmark and source, and the hits with their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whorl._internal.frozen import frozen
from whorl.i18n import Message, say, say_many
from whorl.reports.html import clip, render
from whorl.reports.naming import without_folders

_EXCERPT = 400
_PER_REASON = 40
_LIMIT = 200

REASON_NAMES = {
    "verbatim": say("verbatim"),
    "edited": say("edited"),
    "passage_only": say("passage only"),
    "template": say("template"),
    "quotation": say("quotation"),
}
"""The reasons for people."""


@frozen
class _HitView:
    hit: Mapping[str, Any]
    reason: Message
    place: str
    text: str
    item_text: str


def render_contamination(run: Mapping[str, Any], hits: Sequence[Mapping[str, Any]]) -> str:
    """Render a decontamination as one self-contained HTML page.

    Args:
        run: content of ``run.json``.
        hits: hits to show, in order; at most 40 for each reason.

    Returns:
        HTML that loads no external resource and runs no script; texts are escaped.
    """
    return render(
        "contamination.html.j2",
        command="whorl decontaminate",
        version=run.get("whorl") or "",
        at=run.get("started") or "",
        typed=without_folders(run.get("command") or ""),
        title=headline(run),
        run=run,
        reasons=[(REASON_NAMES[name], count, name in run["counted"]) for name, count in run["reasons"].items()],
        groups=[(REASON_NAMES[name], _views(hits, name)) for name in REASON_NAMES if _views(hits, name)],
    )


def headline(run: Mapping[str, Any]) -> Message:
    """Return the result in one sentence."""
    count = sum(entry["seen"] for entry in run["benchmarks"])
    items = say_many("{seen:,} of {count:,} item", "{seen:,} of {count:,} items", run["items"], seen=count)
    return say(
        "{items} in {count:,} of {total:,} documents", items=items, count=run["contaminated"], total=run["documents"]
    )


def _views(hits: Sequence[Mapping[str, Any]], reason: str) -> list[_HitView]:
    several = [hit for hit in hits[:_LIMIT] if hit["reason"] == reason][:_PER_REASON]
    return [_view(hit) for hit in several]


def _view(hit: Mapping[str, Any]) -> _HitView:
    place = hit["id"] or f"{hit['file']}:{hit['row']}"
    return _HitView(
        hit, REASON_NAMES[hit["reason"]], place, clip(hit["text"], _EXCERPT), clip(hit["item_text"], _EXCERPT)
    )


__all__ = ["REASON_NAMES", "headline", "render_contamination"]
