"""HTML page and terminal panel of a strip run: what was removed, by unit and source, and the largest repeated texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from whorl._internal.visible_text import visible
from whorl.i18n import Message, say, say_many
from whorl.reports.figures import part, percent, unread_sentence
from whorl.reports.html import clip, render
from whorl.reports.naming import without_folders
from whorl.reports.tables import message_text, new_grid

_SOURCES = 50
_SHARED = 100
_TEXT = 300
_LABEL = 120

UNITS = {
    "line": say("lines"),
    "sentence": say("sentences"),
    "paragraph": say("paragraphs"),
    "passage": say("passages"),
    "heading": say("headings without a body"),
    "table row": say("table rows"),
    "table head": say("table heads"),
    "code block": say("code blocks"),
}
"""Names of units."""


def strip_sentence(run: Mapping[str, Any]) -> Message:
    """Return the result of a run in one sentence."""
    counts, removed = part(run, "counts"), part(run, "removed")
    rows = int(counts.get("rows") or 0)
    if nothing := unread_sentence(rows, int(counts.get("rejected") or 0)):
        return nothing
    action = part(run, "strip").get("action")
    share = percent(removed.get("share") or 0.0, 1)
    if action == "cut":
        return say(
            "{share} of the text was removed from {changed:,} of {rows:,} articles",
            share=share,
            changed=int(counts.get("changed") or 0) + int(counts.get("dropped") or 0),
            rows=rows,
        )
    if action == "mask":
        return say(
            "{share} of the text was masked in {changed:,} of {rows:,} articles",
            share=share,
            changed=counts.get("changed") or 0,
            rows=rows,
        )
    return say(
        "{share} of the text is repeated, in {changed:,} of {rows:,} articles",
        share=share,
        changed=counts.get("changed") or 0,
        rows=rows,
    )


def strip_panel(run: Mapping[str, Any]) -> RenderableType:
    """Return a panel with the figures of a run and the paths of its results."""
    counts, removed = part(run, "counts"), part(run, "removed")
    table = new_grid()
    table.add_column(justify="right")
    table.add_column()
    for name, label in (
        ("rows", say("rows read")),
        ("kept", say("kept")),
        ("dropped", say("dropped, because too little was left")),
        ("rejected", say("rejected")),
    ):
        if counts.get(name) or name in ("rows", "kept"):
            table.add_row(f"{counts.get(name) or 0:,}", label)
    approved = part(run, "approved")
    if approved:
        label = say("of {texts:,} approved texts were found", texts=approved["texts"])
        table.add_row(f"{approved['found']:,}", label)
    for unit, figures in part(removed, "by_unit").items():
        row = say(
            "{unit}: {characters:,} characters, {tokens:,} tokens",
            unit=UNITS.get(unit, unit),
            characters=figures["characters"],
            tokens=figures["tokens"],
        )
        table.add_row(f"{figures['cuts']:,}", row)
    places = new_grid()
    places.add_column(style="dim")
    places.add_column(overflow="fold")
    for name, place in part(run, "outputs").items():
        if name != "rejected" or counts.get("rejected"):
            places.add_row(name, visible(str(place)))
    blocks: list[RenderableType] = [message_text(strip_sentence(run), "bold"), Text(), table]
    if places.row_count:
        blocks += [Text(), places]
    return Panel(
        Group(*blocks), title=Text("whorl strip"), title_align="left", border_style="dim", padding=(1, 2), expand=False
    )


def learned_panel(run: Mapping[str, Any]) -> RenderableType:
    """Return a panel with the figures of a list of boilerplate, and what to do with it."""
    counts, settings = part(run, "counts"), part(run, "strip")
    path, texts = visible(str(part(run, "outputs").get("list"))), int(counts.get("texts") or 0)
    table = new_grid()
    table.add_column(justify="right")
    table.add_column()
    table.add_row(f"{counts.get('rows') or 0:,}", say("rows read"))
    if counts.get("sites"):
        table.add_row(f"{counts['sites']:,}", say("sites"))
    table.add_row(
        f"{texts:,}",
        say("texts in at least {count:,} documents of a site", count=settings["repeats"])
        if settings.get("per")
        else say("texts in at least {count:,} documents", count=settings["repeats"]),
    )
    for name, label in (
        ("rejected", say("rejected")),
        ("too_long", say("texts too long for a list")),
        ("omitted", say("texts beyond the last row of the list")),
    ):
        if counts.get(name):
            table.add_row(f"{counts[name]:,}", label)
    next_step = (
        say("write cut in the column decision of text to remove, then run whorl strip --approved {path}", path=path)
        if texts
        else say("nothing is repeated often enough; try a lower --repeats or --least, or another --inside")
    )
    blocks: list[RenderableType] = [table, Text(), Text(path, style="dim"), Text(), message_text(next_step)]
    return Panel(
        Group(*blocks),
        title=Text("whorl strip --learn"),
        title_align="left",
        border_style="dim",
        padding=(1, 2),
        expand=False,
    )


def render_strip_report(run: Mapping[str, Any]) -> str:
    """Render a strip run as one self-contained HTML page without scripts.

    Args:
        run: content of `run.json`.
    """
    removed, hot = part(run, "removed"), part(run, "hot_keys")
    sources = removed.get("by_source") or []
    shared = run.get("shared") or []
    return render(
        "strip.html.j2",
        command="whorl strip",
        version=run.get("whorl") or "",
        at=run.get("started") or "",
        typed=without_folders(run.get("command") or ""),
        sentence=strip_sentence(run),
        counts=part(run, "counts"),
        removed=removed,
        units=[(UNITS.get(unit, unit), figures) for unit, figures in part(removed, "by_unit").items()],
        largest=[
            {**entry, "text": clip(entry["text"], _TEXT), "example": clip(entry["example"], _LABEL)}
            for entry in run.get("largest") or []
        ],
        sources=[{**entry, "source": _named(entry["source"])} for entry in sources[:_SOURCES]],
        more_sources=max(0, len(sources) - _SOURCES),
        shared=[
            {**entry, "source": _named(entry["source"]), "kept_in": _named(entry["kept_in"])}
            for entry in shared[:_SHARED]
        ],
        more_shared=max(0, len(shared) - _SHARED),
        settings=[(name, value) for name, value in part(run, "strip").items() if value is not None],
        keep=run.get("keep") or "",
        hot=say_many(
            "{count:,} sampled key has too many different surroundings; not all were compared at {places:,} places",
            "{count:,} sampled keys have too many different surroundings; not all were compared at {places:,} places",
            hot.get("count") or 0,
            places=hot.get("places") or 0,
        )
        if hot.get("count")
        else "",
        versions=part(run, "versions"),
    )


def _named(source: str) -> Any:
    return clip(source, _LABEL) if source else say("no value")


__all__ = ["UNITS", "learned_panel", "render_strip_report", "strip_panel", "strip_sentence"]
