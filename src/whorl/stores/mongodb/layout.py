"""The collections: fields of their rows, keys that identify versions of a row, and indexes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.stores.monitoring_records import (
    AlertRecord,
    AttestationRecord,
    BodyRecord,
    CaseEventRecord,
    CaseRecord,
    LedgerRecord,
    PermissionRecord,
    SiteRecord,
    SnapshotRecord,
)
from whorl.stores.records import (
    BoilerplateRecord,
    Content,
    DecisionRecord,
    Entry,
    FormerText,
    PairRecord,
    ReviewRecord,
    SightingRecord,
    Sketch,
)

VERSION = 2
"""Version of these collections; a library with a newer one is refused, one with an older one is migrated."""

CHAIN = "turn"
"""Collection of the links of the chain."""


class PackedText(NamedTuple):
    """The packed text of a document."""

    document: int
    body: bytes


class DocumentLinks(NamedTuple):
    """The outgoing links of a document."""

    document: int
    urls: list[str]


class Removal(NamedTuple):
    """Removal of a content, by the number of the removal."""

    number: int
    content: int


class Alias(NamedTuple):
    """Merge of a cluster into another."""

    cluster: int
    is_now: int


class BorneCluster(NamedTuple):
    """Merge of a cluster into another while a content was in it."""

    content: int
    cluster: int


class NamedState(NamedTuple):
    """A state of the library, by its number."""

    token: int


class Setting(NamedTuple):
    """A setting of the library."""

    name: str
    value: str


class LoggedChanges(NamedTuple):
    """A block of changes, each as three numbers of 8 bytes: kind, lower and higher number."""

    first: int
    packed: bytes


@frozen(slots=False, eq=False)
class MongoCollection:
    """A collection.

    Attributes:
        name: its name.
        record: type of its records.
        key: fields that identify a row; the first one is part of every query by key.
        indexed: fields that rows are queried by.
        hashed: text fields of any length, queried by hash.
        digests: bytes that rows are queried by, stored as hexadecimal digits.
    """

    name: str
    record: type[Any]
    key: tuple[str, ...]
    indexed: tuple[str, ...]
    hashed: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()

    def key_of(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the key of a row, which all its versions share."""
        return tuple([row[name] for name in self.key])

    def row_of(self, record: Any) -> dict[str, Any]:
        """Convert a record to a row."""
        row = {name: kept(value) for name, value in zip(record._fields, record, strict=True)}
        for name in self.digests:
            row[name] = row[name].hex()
        for name in self.hashed:
            value = getattr(record, name)
            row[hash_of(name)] = hashed(value) if value else None
        return row

    def record_of(self, row: Mapping[str, Any]) -> Any:
        """Convert a row to a record; fields that an older row lacks get their defaults."""
        defaults = self.record._field_defaults
        values = [defaults.get(name) if row.get(name) is None else row[name] for name in self.record._fields]
        binary = _BINARY[self.record]
        for position, value in enumerate(values):
            kind = type(value)
            if kind is list or (kind is bytes and position not in binary):
                values[position] = restored(value)
            elif kind is str and position in binary:
                values[position] = bytes.fromhex(value)
            elif kind is not int and isinstance(value, int) and kind is not bool:
                values[position] = int(value)
        return self.record(*values)

    @cached_property
    def blank(self) -> Mapping[str, Any]:
        """A row with all fields None."""
        return dict.fromkeys((*self.record._fields, *map(hash_of, self.hashed), "gone"))

    def query_terms(self, name: str, values: Iterable[Any]) -> tuple[str, set[Any]]:
        """Return the field and the values of a query for some values of a field."""
        if name in self.hashed:
            return hash_of(name), {hashed(value) for value in values if value}
        if name in self.digests:
            return name, {value if isinstance(value, str) else value.hex() for value in values}
        return name, set(map(kept, values))

    @property
    def questions(self) -> tuple[str, ...]:
        """All fields that rows are queried by, by their names in the collection."""
        return tuple(dict.fromkeys(chain(self.indexed, map(hash_of, self.hashed))))


def hash_of(name: str) -> str:
    """Return the name of the hash of a field."""
    return f"{name}_hash"


def hashed(text: str) -> str:
    """Return the hash by which a text of any length is queried."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def kept(value: Any) -> Any:
    """Return a value as it is stored: text with a NUL, which some servers reject, becomes bytes."""
    if isinstance(value, list):
        return list(map(kept, value))
    return value.encode("utf-8") if isinstance(value, str) and "\0" in value else value


def restored(value: Any) -> Any:
    """Return a text in its original form."""
    if isinstance(value, list):
        return list(map(restored, value))
    return value.decode("utf-8") if isinstance(value, bytes) else value


SETTINGS = MongoCollection("setting", Setting, ("name",), ("name",))
DOCUMENTS = MongoCollection(
    "document",
    Entry,
    ("number",),
    ("number", "content", "collection"),
    hashed=("id", "origin"),
)
TEXTS = MongoCollection("text", PackedText, ("document",), ("document",))
FORMER = MongoCollection("former", FormerText, ("document", "revision"), ("document",))
CONTENTS = MongoCollection("content", Content, ("number",), ("number", "cluster"))
SKETCHES = MongoCollection("sketch", Sketch, ("content",), ("content",))
PAIRS = MongoCollection("pair", PairRecord, ("high", "low"), ("high", "low"))
REMOVALS = MongoCollection("removal", Removal, ("number",), ("number",))
ALIASES = MongoCollection("alias", Alias, ("cluster",), ("cluster", "is_now"))
BORNE = MongoCollection("bore", BorneCluster, ("content", "cluster"), ("content", "cluster"))
SIGHTINGS = MongoCollection("seen", SightingRecord, ("document", "at", "url"), ("document",))
LINKS = MongoCollection("link", DocumentLinks, ("document",), ("document",))
VERDICTS = MongoCollection("verdict", ReviewRecord, ("low", "high"), ("low", "high"))
STATES = MongoCollection("state", NamedState, ("token",), ("token",))
NOTICES = MongoCollection("notice", BoilerplateRecord, ("number",), ("number",))
CHANGES = MongoCollection("change", LoggedChanges, ("first",), ("first",))
SITES = MongoCollection("site", SiteRecord, ("domain",), ("domain",))
PERMISSIONS = MongoCollection("permission", PermissionRecord, ("domain", "path", "author", "since"), ("domain",))
ATTESTATIONS = MongoCollection(
    "attestation", AttestationRecord, ("document", "at", "kind", "by", "note"), ("document",)
)
BODIES = MongoCollection("body", BodyRecord, ("digest",), ("digest",), digests=("digest",))
SNAPSHOTS = MongoCollection(
    "snapshot",
    SnapshotRecord,
    ("number",),
    ("number", "digest", "document"),
    hashed=("url",),
    digests=("digest",),
)
LEDGER = MongoCollection("ledger", LedgerRecord, ("number",), ("number",))
DECISIONS = MongoCollection("decision", DecisionRecord, ("number",), ("number", "low", "high"))
ALERTS = MongoCollection("alert", AlertRecord, ("number",), ("number", "state"), hashed=("key",))
CASES = MongoCollection(
    "case_file", CaseRecord, ("number",), ("number", "state"), hashed=("article", "url", "document", "site")
)
CASE_EVENTS = MongoCollection("case_event", CaseEventRecord, ("number",), ("number", "case_number"))

_ALL = (
    SETTINGS,
    DOCUMENTS,
    TEXTS,
    FORMER,
    CONTENTS,
    SKETCHES,
    PAIRS,
    REMOVALS,
    ALIASES,
    BORNE,
    SIGHTINGS,
    LINKS,
    VERDICTS,
    STATES,
    NOTICES,
    CHANGES,
    SITES,
    PERMISSIONS,
    ATTESTATIONS,
    BODIES,
    SNAPSHOTS,
    LEDGER,
    DECISIONS,
    ALERTS,
    CASES,
    CASE_EVENTS,
)
KINDS = {kind.name: kind for kind in _ALL}
"""All collections except the chain, by name."""


def _binary(fields: Iterable[str], record: type[Any]) -> frozenset[int]:
    annotations = {name: str(record.__annotations__[name]) for name in fields}
    return frozenset(place for place, name in enumerate(fields) if "bytes" in annotations[name])


_BINARY = {kind.record: _binary(kind.record._fields, kind.record) for kind in _ALL}
"""Positions of bytes among the fields of each record."""
