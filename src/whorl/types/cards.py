"""HTML cards that show results in notebooks, without side effects on the rest of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from whorl._internal.visible_text import visible
from whorl.i18n import say_many, translated

ROWS = 20
"""Maximum number of rows of a card."""

_ROOM = 17_000
_TITLE, _CELL, _NOTE = 300, 80, 300
_FACTS, _NOTES = 16, 8
_LIGHT = "{--ink:#1f2328;--faint:#59636e;--line:#d1d9e0;--ground:#fff}"
_DARK = "{--ink:#e6edf3;--faint:#9198a1;--line:#3d444d;--ground:#0d1117}"
# JupyterLab, VS Code and Colab expose the active theme, independent of the system preference.
_THEMES = f"""
.whorl-card{_LIGHT}
@media (prefers-color-scheme:dark){{.whorl-card{_DARK}}}
:is([data-jp-theme-light=true],.vscode-light,html[theme=light]) .whorl-card{_LIGHT}
:is([data-jp-theme-light=false],.vscode-dark,html[theme=dark]) .whorl-card{_DARK}
"""
_RULES = """.whorl-card{color:var(--ink);background:var(--ground);border:1px solid var(--line);border-radius:6px;\
padding:.7em 1em;max-width:64em;overflow-x:auto;font:14px/1.5 system-ui,sans-serif}
.whorl-card .whorl-title{font-weight:600;overflow-wrap:anywhere}
.whorl-card .whorl-fact{display:inline-block;margin:.2em 1.4em 0 0;overflow-wrap:anywhere}
.whorl-card .whorl-fact span,.whorl-card .whorl-note{color:var(--faint)}
.whorl-card .whorl-rows{border-collapse:collapse;margin:.6em 0 0;font-size:13px}
.whorl-card .whorl-rows th,.whorl-card .whorl-rows td{color:var(--ink);background:var(--ground);text-align:left;\
vertical-align:top;padding:.15em 1.2em .15em 0;border:0;border-bottom:1px solid var(--line)}
.whorl-card .whorl-rows th{color:var(--faint);font-weight:400}
"""
_STYLE = f"<style>{_THEMES}{_RULES}</style>"

_Member = TypeVar("_Member")


def card(
    title: str,
    facts: Iterable[tuple[str, Any]] = (),
    *,
    columns: Sequence[str] = (),
    rows: Iterable[Sequence[Any]] = (),
    count: int = 0,
    notes: Iterable[str] = (),
) -> str:
    """Return a card of less than 20 kB; everything is escaped, and omitted content is counted.

    Args:
        title: one-line title.
        facts: labels with values.
        columns: table headings; empty for no table.
        rows: table rows, with a value for each column; at most ``ROWS`` are consumed.
        count: total number of rows.
        notes: further sentences.
    """
    room = _Room(_ROOM)
    head = f'<div class="whorl-title">{_safe(title, _TITLE)}</div>'
    fact_parts = [f'<div class="whorl-fact"><span>{_safe(name)}</span> {_safe(value)}</div>' for name, value in facts]
    note_parts = [f'<div class="whorl-note">{_safe(note, _NOTE)}</div>' for note in islice(notes, _NOTES)]
    parts = [*room.admit([head]), *room.admit(fact_parts[:_FACTS]), *room.admit(note_parts)]
    body = "".join(parts) + (_table(columns, rows, count, room) if columns and count else "")
    return f'<div class="whorl-card">{_STYLE}{body}</div>'


class _Room:
    """The number of bytes left on a card."""

    def __init__(self, size: int) -> None:
        self.remaining = size

    def admit(self, parts: Iterable[str]) -> list[str]:
        """Return the leading parts that fit."""
        admitted = []
        for part in parts:
            size = len(part.encode())
            if size > self.remaining:
                break
            self.remaining -= size
            admitted.append(part)
        return admitted


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], count: int, room: _Room) -> str:
    heads = "".join(f"<th>{_safe(name)}</th>" if name else "<td></td>" for name in columns)
    lines = (f"<tr>{''.join(f'<td>{_safe(value)}</td>' for value in row)}</tr>" for row in islice(rows, ROWS))
    admitted = room.admit(lines)
    more = say_many("… {count:,} more row", "… {count:,} more rows", count - len(admitted))
    rest = f'<div class="whorl-note">{_safe(translated(more))}</div>' if count > len(admitted) else ""
    return f'<table class="whorl-rows"><tr>{heads}</tr>{"".join(admitted)}</table>{rest}'


def _safe(value: Any, length: int = _CELL) -> str:
    """Format a value for people: clipped, with hidden characters named, escaped."""
    from html import escape

    text = visible(_worded(value)[: length + 1])
    return escape(text if len(text) <= length else f"{text[: length - 1]}…")


def _worded(value: Any) -> str:
    value = translated(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, Mapping):
        return ", ".join(f"{_worded(name)} {_worded(item)}" for name, item in islice(value.items(), _FACTS)) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(_worded, value[:_FACTS])) or "–"
    return str(value)


def data_card(data: Any) -> str:
    """Return the card of a dataclass: its fields as facts, and its first nonempty collection as a table."""
    values = {field.name: getattr(data, field.name) for field in fields(data)}
    table = next((name for name, value in values.items() if isinstance(value, list | tuple) and value), None)
    facts = [(name, _brief(value)) for name, value in values.items() if name != table]
    members = () if table is None else values[table]
    return card(type(data).__name__, facts, **_rows(table or "", members))


def _rows(name: str, members: Sequence[Any]) -> dict[str, Any]:
    """Return the table of a collection: the fields of dataclasses, or the plain values."""
    if not members or not is_dataclass(members[0]):
        return {"columns": [name], "rows": ((member,) for member in members), "count": len(members)}
    names = [field.name for field in fields(members[0])]
    rows = ([_brief(getattr(member, field_name)) for field_name in names] for member in members)
    return {"columns": names, "rows": rows, "count": len(members)}


def _brief(value: Any) -> Any:
    """Return a short form for a cell: the first field of a dataclass, or the length of a collection."""
    if is_dataclass(value):
        return getattr(value, fields(value)[0].name)
    many = isinstance(value, list | tuple) and bool(value) and is_dataclass(value[0])
    return len(value) if many else value


class NotebookCard:
    """Base of dataclasses that notebooks show as a card."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return data_card(self)


class CardList(list[_Member]):
    """A list that notebooks show as a card."""

    def _repr_html_(self) -> str:
        kind = type(self[0]).__name__ if self else ""
        return card(f"{len(self):,} {kind}".strip(), **_rows(kind, self))


__all__ = ["ROWS", "CardList", "NotebookCard", "card", "data_card"]
