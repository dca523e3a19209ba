"""Match the requested columns with the columns of a file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from whorl._internal.frozen import frozen
from whorl.corpus.contract import TEXT_COLUMN, Columns
from whorl.corpus.dates import date_columns
from whorl.corpus.formats.json.nested import LIST, SEPARATOR
from whorl.errors import InputError
from whorl.i18n import either, say

_ID, _ORDER = ("id",), ("date", "keep")
"""Arguments that name the id column and the ranking column."""

_DEFAULT_TEXT = ("text",)
USUAL_TEXTS = ("正文", "内容", "內容", "全文", "content", "body", "article")
"""Usual names of a text column that is not called "text"."""

_USUAL = {
    "text": ("body", "article", "正文", "內容", "内容", "content", "text"),
    "id": ("guid", "url", "网址", "網址", "编号", "編號", "id"),
    "date": ("time", "时间", "時間", "日期", "publish", "date"),
}
"""Candidate column names for suggestions in errors, the most likely last."""

_MOST_SHOWN = 50
"""Maximum number of columns that an error lists."""
_NEEDS_QUOTES = re.compile(r"""[\s"$&()*;<>?\\`|\[\]{}~#!]""")


@frozen
class ColumnPositions:
    """Positions of the requested columns in a file, from 0.

    Attributes:
        text: one position per text column, None for a column that this file lacks; at least one is present.
        id: the position of the id column, None if the file has none.
        order: the position of the ranking column. None if no ranking was requested, or if the column is optional and
            missing.
        dates: the positions of the columns that may hold the publication date, the most specific first; empty unless
            dates are requested.
        notices: notices about the chosen columns.
    """

    text: tuple[int | None, ...]
    id: int | None
    order: int | None
    dates: tuple[int, ...] = ()
    notices: Mapping[str, str] = field(default_factory=dict)

    @property
    def highest(self) -> int:
        """The highest position that is read."""
        return max(place for place in (*self.text, self.id, self.order, *self.dates) if place is not None)


def with_usual_text(columns: Columns, names: Sequence[str], label: str) -> Columns:
    """Choose a text column by its usual names if the file has no column "text" and none was named.

    Args:
        columns: the requested columns.
        names: the columns of the file.
        label: the file.

    Raises:
        InputError: several columns may be the text.
    """
    if columns.text != _DEFAULT_TEXT or "text" in names:
        return columns
    whole = _without_fields(dict.fromkeys(names))
    usual = [name for name in whole if name.strip().casefold() in USUAL_TEXTS]
    if len(usual) > 1:
        raise InputError(
            say(
                "{label} has no column 'text', and several that may be it: {names}",
                label=label,
                names=", ".join(usual),
            ),
            hint=say("name the column: {option}", option=either(f"`text={name}`" for name in usual)),
        )
    return columns._replace(text=tuple(usual)) if usual else columns


def text_notices(columns: Columns, chosen: Columns) -> dict[str, str]:
    """Return the notices for a file whose text comes from a different column than requested."""
    return {} if columns.text == chosen.text else {TEXT_COLUMN: chosen.text[0]}


def locate(columns: Columns, names: Sequence[str], label: str) -> ColumnPositions:
    """Return the positions of ``columns`` among ``names``, the columns of the file ``label``.

    Raises:
        InputError: the file has no text column or lacks the named id or order column, or the name of a requested
            column occurs twice.
    """
    chosen = with_usual_text(columns, names, label)
    text = tuple(_place(name, names, label) for name in chosen.text)
    if all(place is None for place in text):
        raise missing_text(columns, names, label)
    return ColumnPositions(
        text=text,
        id=_optional(columns.id or "id", names, label, *_ID, required=columns.id is not None and columns.id_required),
        order=None
        if columns.order is None
        else _optional(columns.order, names, label, *_ORDER, required=columns.order_required),
        dates=_dates(chosen, names),
        notices=text_notices(columns, chosen),
    )


def demand_named(columns: Columns, names: Sequence[str], label: str, *, id_met: bool, order_met: bool) -> None:
    """Refuse a file of records without a header whose rows lack a named column.

    Args:
        columns: the requested columns.
        names: the columns of its first row.
        label: the file.
        id_met: whether any of its first rows has an id.
        order_met: whether any of them has a value to rank by.

    Raises:
        InputError: the named id or ranking column is missing.
    """
    order = columns.order if columns.order_required else None
    id_ = columns.id if columns.id_required else None
    for name, is_met, arguments in ((id_, id_met, _ID), (order, order_met, _ORDER)):
        if name is not None and not is_met and name not in names:
            raise _missing((name,), names, label, *arguments)


def missing_text(columns: Columns, names: Sequence[str], label: str) -> InputError:
    """Return the error for a file without any of the text columns."""
    return _missing(columns.text, names, label, "text")


def distinct(names: Sequence[str]) -> list[str]:
    """Return a unique name for each column."""
    unique: list[str] = []
    used: set[str] = set()
    for place, name in enumerate(names, 1):
        unique.append(name if name and name not in used else f"{name or 'column'} {place}")
        used.add(unique[-1])
    return unique


def _optional(name: str, names: Sequence[str], label: str, *arguments: str, required: bool) -> int | None:
    return _required(name, names, label, *arguments) if required else _place(name, names, label)


def _dates(columns: Columns, names: Sequence[str]) -> tuple[int, ...]:
    if not columns.dated:
        return ()
    return tuple(names.index(name) for name in date_columns(names, (*columns.text, columns.id)))


def _required(name: str, names: Sequence[str], label: str, *arguments: str) -> int:
    place = _place(name, names, label)
    if place is None:
        raise _missing((name,), names, label, *arguments)
    return place


def _place(name: str, names: Sequence[str], label: str) -> int | None:
    count = names.count(name)
    if count > 1:
        raise InputError(
            say("{label} has {count} columns named {name!r}", label=label, count=count, name=name),
            hint=say("give each column its own name"),
        )
    return names.index(name) if count else None


def _missing(missing: Sequence[str], names: Sequence[str], label: str, *arguments: str) -> InputError:
    column_names = either(map(repr, missing))
    if not all(map(str.isprintable, map(str.strip, names))):
        return InputError(
            say(
                "{label} has no column {asked}: its first line is binary data, not a header",
                label=label,
                asked=column_names,
            ),
            hint=say("check that the file has the format that its name suggests"),
        )
    if not any(names):
        return InputError(
            say("{label} has no column {asked}, and no other column", label=label, asked=column_names),
            hint=say("remove the file from the input"),
        )
    rest = _without_fields(filter(None, names))
    likely = _quoted(max(rest, key=lambda name: _likelihood(name, arguments[0])))
    option = either(f"`{argument}={likely}`" for argument in arguments)
    listing = ", ".join(f'"{name}"' if "," in name else name for name in rest[:_MOST_SHOWN])
    if len(rest) > _MOST_SHOWN:
        listing += ", …"
    return InputError(
        say("{label} has no column {asked}; its columns are {names}", label=label, asked=column_names, names=listing),
        hint=say("name the column: {option}", option=option),
    )


def _quoted(name: str) -> str:
    """Quote a column name for the command line: double quotes if it has commas, single quotes if it has blanks."""
    name = f'"{name}"' if "," in name else name
    return f"'{name}'" if _NEEDS_QUOTES.search(name) and "'" not in name else name


def _without_fields(names: Iterable[str]) -> list[str]:
    """Return the columns without nested columns in them or in their lists.

    A file may have tens of thousands of columns. Names with a common prefix are neighbors in a sorted list.
    """
    names = list(names)
    ordered = sorted(names)

    def has_fields(name: str) -> bool:
        for beginning in (name + SEPARATOR, name + LIST + SEPARATOR):
            place = bisect_left(ordered, beginning)
            if place < len(ordered) and ordered[place].startswith(beginning):
                return True
        return False

    return [name for name in names if not has_fields(name)]


def _likelihood(name: str, role: str) -> int:
    """Score how likely a column is meant for a role; negative if its name belongs to another role."""
    last = name.rpartition(SEPARATOR)[2].casefold()
    rank = max((rank for rank, word in enumerate(_USUAL[role], 1) if word in last), default=0)
    return rank or -int(any(last in words for other, words in _USUAL.items() if other != role))


__all__ = [
    "USUAL_TEXTS",
    "ColumnPositions",
    "demand_named",
    "distinct",
    "locate",
    "missing_text",
    "text_notices",
    "with_usual_text",
]
