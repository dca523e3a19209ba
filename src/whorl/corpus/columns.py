"""Match the columns that are asked for with the columns that a file has."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from whorl.corpus.contract import TEXT_COLUMN, Columns
from whorl.corpus.dates import date_columns
from whorl.corpus.nested import LIST, SEPARATOR
from whorl.errors import InputError
from whorl.language import either, say

_ID, _ORDER = ("id",), ("date", "keep")
"""The arguments that name the column of ids, and the one that ranks."""

_DEFAULT_TEXT = ("text",)
USUAL_TEXTS = ("正文", "内容", "內容", "全文", "content", "body", "article")
"""What the column of the text is called where it is not called "text"."""

_USUAL = {
    "text": ("body", "article", "正文", "內容", "内容", "content", "text"),
    "id": ("guid", "url", "网址", "網址", "编号", "編號", "id"),
    "date": ("time", "时间", "時間", "日期", "publish", "date"),
}
"""What columns are called that could have been meant, the likeliest last."""

_MOST_SHOWN = 50
"""Columns that an error names."""
_NEEDS_QUOTES = re.compile(r"""[\s"$&()*;<>?\\`|\[\]{}~#!]""")


@dataclass(frozen=True, slots=True)
class Positions:
    """Where the columns that are asked for stand in a file, from 0.

    Attributes:
        text: one place per text column, None for one that this file lacks; at least one is there.
        id: the place of the id, None when the file has none.
        order: the place of the ranking column, None when none was asked for, or a file may lack it and does.
        dates: the places of the columns that may have the publication date, the most telling first; empty unless
            they are asked for.
        notices: what the run says of the columns that were taken.
    """

    text: tuple[int | None, ...]
    id: int | None
    order: int | None
    dates: tuple[int, ...] = ()
    notices: Mapping[str, str] = field(default_factory=dict)

    @property
    def highest(self) -> int:
        """The last place that is read."""
        return max(place for place in (*self.text, self.id, self.order, *self.dates) if place is not None)


def with_usual_text(columns: Columns, names: Sequence[str], label: str) -> Columns:
    """Return the columns with the one that a file has for the text, where there is no column "text" and none was named.

    Args:
        columns: what is asked for.
        names: of the columns of the file.
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
            cure=say("name the column: {option}", option=either(f"`text={name}`" for name in usual)),
        )
    return replace(columns, text=tuple(usual)) if usual else columns


def text_notices(columns: Columns, chosen: Columns) -> dict[str, str]:
    """Return what the run says of a file whose text was taken from another column than was asked for."""
    return {} if columns.text == chosen.text else {TEXT_COLUMN: chosen.text[0]}


def locate(columns: Columns, names: Sequence[str], label: str) -> Positions:
    """Find ``columns`` among ``names``, the columns of the file ``label``.

    Raises:
        InputError: no text column is there, or the id or order column that was named is not there, or the name
            of one that is there stands twice.
    """
    chosen = with_usual_text(columns, names, label)
    text = tuple(_place(name, names, label) for name in chosen.text)
    if all(place is None for place in text):
        raise missing_text(columns, names, label)
    return Positions(
        text=text,
        id=_optional(columns.id or "id", names, label, *_ID, required=columns.id is not None and columns.id_required),
        order=None
        if columns.order is None
        else _optional(columns.order, names, label, *_ORDER, required=columns.order_required),
        dates=_dates(chosen, names),
        notices=text_notices(columns, chosen),
    )


def demand_named(columns: Columns, names: Sequence[str], label: str, *, id_met: bool, order_met: bool) -> None:
    """Refuse a file without columns whose rows lack a column that was named.

    Args:
        columns: what is asked for.
        names: those of its first row.
        label: the file.
        id_met: whether one of its first rows has an id.
        order_met: whether one of them has what ranks it.

    Raises:
        InputError: the column of ids or the one that ranks was named, and is not there.
    """
    order = columns.order if columns.order_required else None
    id_ = columns.id if columns.id_required else None
    for name, is_met, arguments in ((id_, id_met, _ID), (order, order_met, _ORDER)):
        if name is not None and not is_met and name not in names:
            raise _missing((name,), names, label, *arguments)


def missing_text(columns: Columns, names: Sequence[str], label: str) -> InputError:
    """The error for a file without any of the text columns."""
    return _missing(columns.text, names, label, "text")


def distinct(names: Sequence[str]) -> list[str]:
    """Return a name for each column that no other has."""
    found: list[str] = []
    taken: set[str] = set()
    for place, name in enumerate(names, 1):
        found.append(name if name and name not in taken else f"{name or 'column'} {place}")
        taken.add(found[-1])
    return found


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
            cure=say("give each column its own name"),
        )
    return names.index(name) if count else None


def _missing(wanted: Sequence[str], names: Sequence[str], label: str, *arguments: str) -> InputError:
    asked = either(map(repr, wanted))
    if not all(map(str.isprintable, map(str.strip, names))):
        return InputError(
            say("{label} has no column {asked}: its first line is no header but binary data", label=label, asked=asked),
            cure=say("check that the file is what its name says"),
        )
    if not any(names):
        return InputError(
            say("{label} has no column {asked}; it has no columns at all", label=label, asked=asked),
            cure=say("leave the file out"),
        )
    rest = _without_fields(filter(None, names))
    likely = _quoted(max(rest, key=lambda name: _likelihood(name, arguments[0])))
    option = either(f"`{argument}={likely}`" for argument in arguments)
    shown = ", ".join(f'"{name}"' if "," in name else name for name in rest[:_MOST_SHOWN])
    if len(rest) > _MOST_SHOWN:
        shown += ", …"
    return InputError(
        say("{label} has no column {asked}; its columns are {names}", label=label, asked=asked, names=shown),
        cure=say("name the column: {option}", option=option),
    )


def _quoted(name: str) -> str:
    """The name as a command line takes it: one with commas in double quotes, one with blanks in single quotes."""
    name = f'"{name}"' if "," in name else name
    return f"'{name}'" if _NEEDS_QUOTES.search(name) and "'" not in name else name


def _without_fields(names: Iterable[str]) -> list[str]:
    """The columns that have no others in them, nor in their lists.

    A file may have tens of thousands of columns: names with a common beginning are neighbors in a sorted list.
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
    """How likely a column is meant for a role; below 0 where its name is that of another role."""
    last = name.rpartition(SEPARATOR)[2].casefold()
    rank = max((rank for rank, word in enumerate(_USUAL[role], 1) if word in last), default=0)
    return rank or -int(any(last in words for other, words in _USUAL.items() if other != role))


__all__ = [
    "USUAL_TEXTS",
    "Positions",
    "demand_named",
    "distinct",
    "locate",
    "missing_text",
    "text_notices",
    "with_usual_text",
]
