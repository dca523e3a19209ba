"""What callers give, as documents; what is kept of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from typing import Any

from whorl import _core
from whorl.errors import InputError
from whorl.library.model import Document, microseconds, moment
from whorl.stores.records import Entry

_NAMES = tuple(field.name for field in fields(Document) if field.name != "revision")
_TEXTS = ("title", "url", "source", "author")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
_LATEST = datetime(9999, 12, 30, tzinfo=UTC)


def document_of(given: Document | Mapping[str, Any]) -> Document:
    """Return a document from one, or from a mapping of its fields; other names in a mapping go to its metadata.

    Raises:
        InputError: it has no id or text, or a value of another kind.
    """
    if isinstance(given, Document):
        named = {name: getattr(given, name) for name in _NAMES}
    elif isinstance(given, Mapping):
        named = {name: value for name, value in given.items() if name in _NAMES and value is not None}
        others = {name: value for name, value in given.items() if name not in (*_NAMES, "revision")}
        named["metadata"] = {**others, **(named.get("metadata") or {})}
    else:
        raise InputError(
            f"a {type(given).__name__} is no document", cure="give a whorl.Document or a dict with id and text"
        )
    return _checked(named)


def _checked(named: dict[str, Any]) -> Document:
    for name in ("id", "text", *_TEXTS):
        value = named.get(name)
        if value is None and name in _TEXTS:
            continue
        if not isinstance(value, str) or (not value and name == "id"):
            problem = "has none" if value is None else f"has {value!r:.60}"
            raise InputError(f"{name}: a document {problem}", cure=f"give a string as {name}")
        if name != "text":
            _demand_storable(name, value)
    links = named.get("links") or ()
    if isinstance(links, str) or not all(isinstance(link, str) for link in links):
        raise InputError(f"links of the document {named['id']!r} are no strings", cure="give a list of addresses")
    for link in links:
        _demand_storable("a link", link)
    _json(named.get("metadata") or {}, named["id"])
    times = {
        name: time_of(named.get(name), f"{name} of the document {named['id']!r}")
        for name in ("published_at", "first_seen_at")
    }
    return Document(**named | times | {"links": tuple(links), "metadata": named.get("metadata") or {}})


def _demand_storable(name: str, value: str) -> None:
    """Databases take no NUL, and UTF-8 has no lone surrogates."""
    if _UNSTORABLE.search(value):
        raise InputError(f"{name} {value!r:.60} has a NUL or half a character", cure="clean it before it is added")


def time_of(value: Any, name: str) -> datetime | None:
    """Return a time in UTC from a datetime, a date or text; None for None.

    Raises:
        InputError: it is none.
    """
    if value is None:
        return None
    given = value
    if isinstance(value, str):
        seconds = memoryview(_core.order_values([value])).cast("B").cast("d")[0]
        value = None if math.isnan(seconds) else _after_1970(seconds)
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, datetime):
        raise InputError(
            f"{name} is no time: {given!r:.60}", cure="give a datetime, or text such as 2019-12-20T08:00:00+08:00"
        )
    time = value if value.tzinfo else value.replace(tzinfo=UTC)
    if not _EARLIEST <= time <= _LATEST:
        raise InputError(f"{name} is {time}, which no calendar reaches", cure="give a year from 1 to 9999")
    return time.astimezone(UTC)


def _after_1970(seconds: float) -> datetime | None:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _json(metadata: Any, id_: str) -> str:
    if not isinstance(metadata, Mapping):
        raise InputError(f"metadata of the document {id_!r} is no mapping", cure="give a dict")
    try:
        return json.dumps(dict(metadata), allow_nan=False, default=_iso) if metadata else ""
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"metadata of the document {id_!r}: {error}", cure="give what JSON can hold") from error


def _iso(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is no JSON")


def times_of(document: Document, now: int) -> tuple[int | None, int]:
    """Return when a new document was published and first seen."""
    published, seen = document.published_at, document.first_seen_at
    return (None if published is None else microseconds(published), now if seen is None else microseconds(seen))


def entry_of(document: Document, number: int, content: int, times: tuple[int | None, int]) -> Entry:
    """Return what is kept of a new document, but for its text and its links."""
    return Entry(
        number,
        document.id,
        content,
        1,
        len(document.text),
        *times,
        document.title,
        document.url,
        document.source,
        document.author,
        _json(document.metadata, document.id),
    )


def updated(entry: Entry, document: Document) -> Entry:
    """Return what is kept of a known document that is given again: what is given now, but where it was first seen."""
    metadata = {**(json.loads(entry.metadata) if entry.metadata else {}), **document.metadata}
    published = entry.published_at if document.published_at is None else microseconds(document.published_at)
    return entry._replace(
        published_at=published,
        title=entry.title if document.title is None else document.title,
        url=entry.url or document.url,
        source=entry.source if document.source is None else document.source,
        author=entry.author if document.author is None else document.author,
        metadata=_json(metadata, entry.id),
    )


def document_from(entry: Entry, text: str, links: list[str]) -> Document:
    """Return the document that is kept."""
    return Document(
        id=entry.id,
        text=text,
        title=entry.title,
        url=entry.url,
        source=entry.source,
        author=entry.author,
        published_at=None if entry.published_at is None else moment(entry.published_at),
        first_seen_at=moment(entry.first_seen_at),
        metadata=json.loads(entry.metadata) if entry.metadata else {},
        links=tuple(links),
        revision=entry.revision,
    )


__all__ = ["document_from", "document_of", "entry_of", "time_of", "times_of", "updated"]
