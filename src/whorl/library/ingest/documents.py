"""Convert between documents as callers pass them and entries as a store keeps them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import date
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.provenance.history import COLUMN, ExportedDocument, understood
from whorl.library.provenance.times import publication_of, time_of
from whorl.stores.records import Entry
from whorl.types.library import Document, microseconds, moment
from whorl.types.times import PublicationTime

_NAMES = tuple(field.name for field in fields(Document) if field.name != "revision")
_FIELDS = frozenset(_NAMES)
_DECIDED = frozenset(("revision", "cluster"))
_WRITTEN = ("published_precision", "published_zone", "published_original")
_EXPORTED = frozenset((*_NAMES, *_DECIDED)) - {"collection", *_WRITTEN}  # older exports lack them
_EXPORT_FIELDS = _DECIDED | {COLUMN}
_TEXTS = ("title", "url", "source", "author", "collection")
MAX_ID = 10_000
"""Maximum length of an id in characters: it is in the reports of all documents that match it."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@frozen
class FileDocument(Document):
    """A document whose id is derived from the path of its file.

    Attributes:
        origin: absolute, resolved path of the file and the row, which identify the document whatever its id.
    """

    origin: str = ""


def document_of(document: Document | Mapping[str, Any]) -> Document:
    """Return a document from one, or from a mapping of its fields; unknown names in a mapping become metadata.

    Raises:
        InputError: it has no id or text, its id is too long, or a value has the wrong type.
    """
    if isinstance(document, FileDocument):
        _demand_storable("the path", document.origin)
    if isinstance(document, Document):
        return replace(document, **_checked({name: getattr(document, name) for name in _NAMES}), revision=1)
    if isinstance(document, Mapping):
        field_names = _FIELDS | decided(document)
        named = {name: value for name, value in document.items() if name in _FIELDS and value is not None}
        others = {name: value for name, value in document.items() if name not in field_names}
        named["metadata"] = {**others, **(named.get("metadata") or {})}
    else:
        raise InputError(
            say("expected a document, got {kind}", kind=type(document).__name__),
            hint=say("use a whorl.Document or a dict with id and text"),
        )
    return with_history(Document(**_checked(named)), document)


def decided(row: Mapping[str, Any]) -> frozenset[str]:
    """Return the names in a row that are not metadata, including the fields that only exports of a library have."""
    return _EXPORT_FIELDS if row.keys() >= _EXPORTED else frozenset()


def with_history(document: Document, row: Mapping[str, Any]) -> Document:
    """Return the document of a row with the history that the row of an export has.

    Raises:
        InputError: the history is malformed.
    """
    if not decided(row):
        return document
    values = {field.name: getattr(document, field.name) for field in fields(Document)}
    return ExportedDocument(**values, history=understood(row))


def statements_in(document: Document) -> int:
    """Return the number of decisions, attestations and cases of people that a row of an export carries."""
    history = document.history if isinstance(document, ExportedDocument) else None
    return 0 if history is None else len(history.reviews) + len(history.attestations) + len(history.cases)


def demand_no_statements(document: Document) -> Document:
    """Return a document without statements of people, as an export carries them.

    Raises:
        InputError: its history has decisions, attestations or cases.
    """
    if statements_in(document):
        raise InputError(
            say("the history of {id!r:.60} has decisions, attestations or cases of other people", id=document.id),
            hint=say("remove the field `history`, or ask an administrator to add the export"),
        )
    return document


def _checked(named: dict[str, Any]) -> dict[str, Any]:
    for name in ("id", "text", *(name for name in _TEXTS if named.get(name) is not None)):
        value = named.get(name)
        if not isinstance(value, str) or (not value and name == "id"):
            hint = say("use a string for {name}", name=name)
            if value is None:
                raise InputError(say("{name}: a document has no value", name=name), hint=hint)
            raise InputError(say("{name}: a document has {value!r:.60}", name=name, value=value), hint=hint)
        if name != "text":
            _demand_storable(name, value)
    if len(named["id"]) > MAX_ID:
        raise InputError(
            say("expected an id of up to {most:,} characters, got {count:,}", most=MAX_ID, count=len(named["id"])),
            hint=say("shorten it, or use a digest of it"),
        )
    links = _links(named.get("links"), named["id"])
    _json(named.get("metadata") or {}, named["id"])
    first_seen = named.get("first_seen_at")
    times = {
        "first_seen_at": time_of(
            first_seen, say("{name} of the document {id!r}", name="first_seen_at", id=named["id"])
        ),
        **_published(named),
    }
    others = {"links": links, "metadata": named.get("metadata") or {}, "collection": named.get("collection") or ""}
    return named | times | others


def _published(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the publication time."""
    precision, zone, original = (named.get(name) for name in _WRITTEN)
    what = say("{name} of the document {id!r}", name="published_at", id=named["id"])
    time = publication_of(named.get("published_at"), what, precision=precision, zone=zone, original=original)
    return publication_fields(time)


def publication_fields(time: PublicationTime | None) -> dict[str, Any]:
    """Return a publication time as the fields of a document."""
    if time is None:
        return {"published_at": None, **dict.fromkeys(_WRITTEN)}
    return {
        "published_at": time.at,
        "published_precision": time.precision,
        "published_zone": time.zone,
        "published_original": time.original or None,
    }


def _links(link_list: Any, id_: str) -> tuple[str, ...]:
    if link_list is None:
        return ()
    links = tuple(link_list) if isinstance(link_list, Iterable) and not isinstance(link_list, str) else (None,)
    if not all(isinstance(link, str) for link in links):
        raise InputError(
            say("links of the document {id!r} must be strings", id=id_), hint=say("use a list of addresses")
        )
    for link in links:
        _demand_storable(say("a link"), link)
    return links


def is_storable(text: str) -> bool:
    """Return True if a text can be stored unpacked: databases reject NUL, and UTF-8 rejects lone surrogates."""
    return not _UNSTORABLE.search(text)


def _demand_storable(name: str, value: str) -> None:
    if not is_storable(value):
        raise InputError(
            say("{name} {value!r:.60} contains NUL or an unpaired surrogate", name=name, value=value),
            hint=say("remove it before adding the document"),
        )


def _json(metadata: Any, id_: str) -> str:
    if not isinstance(metadata, Mapping):
        raise InputError(say("metadata of the document {id!r} must be a mapping", id=id_), hint=say("use a dict"))
    try:
        return json.dumps(dict(metadata), allow_nan=False, default=_iso) if metadata else ""
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            say("metadata of the document {id!r}: {error}", id=id_, error=error),
            hint=say("use values that JSON can represent"),
        ) from error


def _iso(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} is no JSON")


def times_of(document: Document, now: int) -> tuple[int | None, int]:
    """Return publication time and first sighting of a new document."""
    published, first_seen = document.published_at, document.first_seen_at
    return (
        None if published is None else microseconds(published),
        now if first_seen is None else microseconds(first_seen),
    )


def entry_of(document: Document, number: int, content: int, times: tuple[int | None, int]) -> Entry:
    """Return the entry of a new document, without its text and links."""
    return Entry(
        number,
        document.id,
        content,
        document.history.revision if isinstance(document, ExportedDocument) and document.history else 1,
        len(document.text),
        *times,
        document.title,
        document.url,
        document.source,
        document.author,
        _json(document.metadata, document.id),
        (document.origin or None) if isinstance(document, FileDocument) else None,
        document.collection,
        None if document.publication is None else document.publication.packed,
    )


def updated(entry: Entry, document: Document) -> Entry:
    """Return the entry of a stored document that is added again: new fields, with the first sighting unchanged."""
    metadata = {**(json.loads(entry.metadata) if entry.metadata else {}), **document.metadata}
    time = document.publication
    return entry._replace(
        published_at=entry.published_at if time is None else microseconds(time.at),
        published_as=entry.published_as if time is None else time.packed,
        title=entry.title if document.title is None else document.title,
        url=entry.url or document.url,
        source=entry.source if document.source is None else document.source,
        author=entry.author if document.author is None else document.author,
        metadata=_json(metadata, entry.id),
        collection=document.collection or entry.collection,
    )


def document_from(entry: Entry, text: str, links: Iterable[str]) -> Document:
    """Return a stored document."""
    return Document(
        id=entry.id,
        text=text,
        title=entry.title,
        url=entry.url,
        source=entry.source,
        author=entry.author,
        first_seen_at=moment(entry.first_seen_at),
        metadata=json.loads(entry.metadata) if entry.metadata else {},
        links=tuple(links),
        collection=entry.collection,
        revision=entry.revision,
        **publication_fields(publication_in(entry)),
    )


def publication_in(entry: Entry) -> PublicationTime | None:
    """Return the publication time of a stored document."""
    if entry.published_at is None:
        return None
    return PublicationTime.unpacked(moment(entry.published_at), entry.published_as)


__all__ = [
    "MAX_ID",
    "FileDocument",
    "decided",
    "demand_no_statements",
    "document_from",
    "document_of",
    "entry_of",
    "is_storable",
    "publication_fields",
    "publication_in",
    "statements_in",
    "times_of",
    "updated",
    "with_history",
]
