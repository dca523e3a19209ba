"""Map the columns of a row to the fields of a document: usual names of each field, with the rest as metadata."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from whorl.corpus.dates import DATE_NAMES, plain_name
from whorl.corpus.formats.json.nested import value_at, without
from whorl.errors import InputError, UsageError
from whorl.library.ingest.documents import decided, is_storable, publication_fields
from whorl.library.provenance.times import publication_of, time_of
from whorl.types.times import PRECISIONS, UNKNOWN_ZONE, demand_zone

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "编号", "編號"),
    "title": ("title", "headline", "标题", "標題", "题目", "題目"),
    "url": ("url", "link", "permalink", "uri", "href", "网址", "網址", "链接", "連結"),
    "source": ("source", "publisher", "site", "sitename", "media", "outlet", "来源", "來源", "媒体", "媒體"),
    "author": ("author", "authors", "byline", "writer", "作者", "记者", "記者"),
    "published_at": DATE_NAMES,
    "first_seen_at": (
        *("firstseenat", "firstseen", "crawledat", "crawltime", "crawldate", "fetchedat", "fetchtime"),
        *("首见时间", "首見時間", "采集时间", "採集時間", "抓取时间", "抓取時間"),
    ),
    "collection": ("collection", "集合"),
    "links": ("links", "outlinks", "hyperlinks", "外链", "外鏈"),
    "metadata": ("metadata",),
}
"""Usual column names of each field, the most specific first. Case, spaces, - and _ are ignored."""


_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "published_precision": ("publishedprecision",),
    "published_zone": ("publishedzone",),
    "published_original": ("publishedoriginal",),
}
"""Columns that describe how the publication time of the same row was written."""


class UnparsedValues(NamedTuple):
    """Values that could not be parsed and are kept as metadata.

    Attributes:
        column: name of the column.
        field: field that the values were parsed as.
    """

    column: str
    field: str


class RowFields(NamedTuple):
    """Id and fields of a document, as a row has them.

    Attributes:
        id: id of the document; None if no column has one.
        fields: the other fields of the document.
    """

    id: str | None
    fields: dict[str, Any]


class ColumnReader:
    """Reader of the rows of one file.

    Args:
        named: column of each field that was named explicitly; for other fields the usual names apply.
        texts: columns of the text.
        id_: column of the id; None for the usual names.

    Attributes:
        misread: number of values that could not be parsed.
    """

    def __init__(self, named: Mapping[str, str], texts: tuple[str, ...], id_: str | None) -> None:
        self.misread: Counter[UnparsedValues] = Counter()
        self._named = named if id_ is None else {**named, "id": id_}
        self._texts = texts

    def columns(self) -> set[str]:
        """Return the columns that were named explicitly."""
        return set(self._named.values())

    def fields_of(self, row: Mapping[str, Any], text: str | None = None) -> RowFields:
        """Return the fields of a document in a row, without its text.

        Of the usual columns of a field, the first one with a value is used, in the order of ``USUAL``. If a column was
        named, only that one is used. All other columns become metadata.

        Args:
            row: columns of the row, as Python values.
            text: column of the text, if it differs from the requested one.
        """
        usual: dict[str, str] = {}
        for column in row:
            name = plain_name(column)
            usual[name] = column if column == name else usual.get(name, column)
        used = {*self._texts, *decided(row)} | ({text} if text else set())
        fields: dict[str, Any] = {}
        for field, names in USUAL.items():
            columns = [self._named[field]] if field in self._named else [usual[name] for name in names if name in usual]
            used |= self._tell(row, field, columns, fields)
        if "published_at" in fields:
            for field, names in _WRITTEN.items():
                used |= self._tell(row, field, [usual[name] for name in names if name in usual], fields)
            _publish(fields)
        others = {name: plain(value) for name, value in without(row, used).items() if value is not None}
        metadata = fields.pop("metadata", {})
        apart = {f"{name} (column)" if name in metadata else name: value for name, value in others.items()}
        return RowFields(fields.pop("id", None), fields | {"metadata": apart | metadata})

    def _tell(self, row: Mapping[str, Any], field: str, columns: Sequence[str], fields: dict[str, Any]) -> set[str]:
        """Parse the columns of a field into ``fields``; return the columns that metadata can omit."""
        values = {column: value_at(row, column) for column in columns}
        empty = {column for column, value in values.items() if value in (None, "")}
        for column in columns:
            if column in empty:
                continue
            parsed = _READ[field](values[column])
            if parsed is not None:
                fields[field] = parsed
                return {column} | empty
            self.misread[UnparsedValues(column, field)] += 1
        if field in _TEXTS and any(values[column] is not None for column in empty):
            fields[field] = ""
        return empty


def _publish(fields: dict[str, Any]) -> None:
    """Combine the columns of the publication time: its value, precision, zone and written form."""
    precision, zone, original = (fields.pop(f"published_{part}", None) for part in ("precision", "zone", "original"))
    time = publication_of(fields["published_at"], "", precision=precision, zone=zone, original=original)
    fields.update(publication_fields(time))


def plain(value: Any) -> Any:
    """Return a value of a file as JSON represents it: times as ISO 8601, bytes as text or hexadecimal digits."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Decimal | float):
        return _plain_number(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return _decoded(value)
    return value if isinstance(value, str | int | None) else str(value)


def _plain_number(value: Decimal | float) -> float | str:
    if not math.isfinite(value):
        return str(value)
    return int(value) if isinstance(value, Decimal) and value == int(value) else float(value)


def _decoded(value: bytes) -> str:
    with suppress(UnicodeDecodeError):
        return value.decode()
    return value.hex()


def _text(value: Any) -> str | None:
    """Return text, or a number as text."""
    if isinstance(value, bytes):
        value = _decoded(value)
    if isinstance(value, float | Decimal):
        value = str(_plain_number(value))
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return value if isinstance(value, str) and is_storable(value) else None


def _name(value: Any) -> str | None:
    """Return text, the name of an object that has one, or several names joined by commas."""
    if isinstance(value, list):
        parts = [_name(part) for part in value]
        return ", ".join(part or "" for part in parts) if parts and None not in parts else None
    return _text(value.get("name") if isinstance(value, Mapping) else value)


def _id(value: Any) -> str | None:
    """Return an id as it is usually written. Decimal("2.00") and 2 are different ids."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    written = str(value) if isinstance(value, float | Decimal | UUID | date | time) else value
    return _text(written) if isinstance(written, str | int | bytes) else None


def _time(value: Any) -> datetime | None:
    with suppress(InputError):
        return time_of(value.strip() if isinstance(value, str) else value, "")
    return None


def _published(value: Any) -> Any:
    """Return a value that is a publication time, unchanged."""
    return value if _time(value) is not None else None


def _precision(value: Any) -> str | None:
    return value if value in PRECISIONS else None


def _zone(value: Any) -> str | None:
    with suppress(UsageError):
        return UNKNOWN_ZONE if value == UNKNOWN_ZONE else demand_zone(value)
    return None


def _links(value: Any) -> tuple[str, ...] | None:
    """Parse a list of addresses, a JSON list of them, or addresses separated by blanks."""
    parsed = value
    if isinstance(value, str):
        parsed = _json(value) if value.lstrip().startswith("[") else value.split()
    if not isinstance(parsed, list) or not all(isinstance(link, str) and is_storable(link) for link in parsed):
        return None
    return tuple(parsed)


def _metadata(value: Any) -> dict[str, Any] | None:
    parsed = _json(value) if isinstance(value, str) else value
    return plain(parsed) if isinstance(parsed, Mapping) else None


def _json(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


_TEXTS = frozenset(("title", "url", "source", "author", "collection"))
_READ: Mapping[str, Callable[[Any], Any]] = {
    "id": _id,
    **dict.fromkeys(("title", "url", "collection"), _text),
    **dict.fromkeys(("source", "author"), _name),
    "published_at": _published,
    "published_precision": _precision,
    "published_zone": _zone,
    "published_original": _text,
    "first_seen_at": _time,
    "links": _links,
    "metadata": _metadata,
}

__all__ = ["USUAL", "ColumnReader", "RowFields", "UnparsedValues", "plain"]
