"""The collections: what a row of each is, by what its versions are told apart, and what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Any, NamedTuple

from whorl.stores.records import (
    Alert,
    Body,
    Content,
    Decision,
    Entry,
    Former,
    Leave,
    Noted,
    Notice,
    Pair,
    Proof,
    Seen,
    Site,
    Sketch,
    Snapshot,
    Verdict,
)

VERSION = 1
"""Of these collections; a library of a newer one is refused."""

CHAIN = "turn"
"""The collection of the links of the chain."""


class Text(NamedTuple):
    """The packed text of a document."""

    document: int
    body: bytes


class Links(NamedTuple):
    """The links out of a document."""

    document: int
    urls: list[str]


class Removal(NamedTuple):
    """That a content was removed, by the number of the removal."""

    number: int
    content: int


class Alias(NamedTuple):
    """That a cluster became part of another."""

    cluster: int
    is_now: int


class Bore(NamedTuple):
    """That a cluster became part of another while a content was in it."""

    content: int
    cluster: int


class Named(NamedTuple):
    """A state of the library, by its number."""

    token: int


class Setting(NamedTuple):
    """What a library was made with."""

    name: str
    value: str


class Logged(NamedTuple):
    """Some changes, each as three numbers of 8 bytes: of what kind it is, and the lower and the higher number."""

    first: int
    packed: bytes


@dataclass(frozen=True, eq=False)
class Kind:
    """A collection.

    Attributes:
        name: what it is called.
        record: what its rows are made of.
        key: the fields that no two rows share; the first one is in every question about keys.
        indexed: the fields by which rows are asked for.
        hashed: texts of any length that are asked for by their hashes.
        digests: bytes that are asked for, and kept as hexadecimal digits.
    """

    name: str
    record: type[Any]
    key: tuple[str, ...]
    indexed: tuple[str, ...]
    hashed: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()

    def key_of(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """What of a row tells its versions apart."""
        return tuple([row[name] for name in self.key])

    def row_of(self, record: Any) -> dict[str, Any]:
        """The row that keeps a record."""
        row = {name: kept(value) for name, value in zip(record._fields, record, strict=True)}
        for name in self.digests:
            row[name] = row[name].hex()
        for name in self.hashed:
            value = getattr(record, name)
            row[hash_of(name)] = hashed(value) if value else None
        return row

    def record_of(self, row: Mapping[str, Any]) -> Any:
        """The record that a row keeps; an older row may lack what records have by default."""
        values = [row[name] if name in row else self.record._field_defaults[name] for name in self.record._fields]
        binary = _BINARY[self.record]
        for position, value in enumerate(values):
            kind = type(value)
            if kind is list or (kind is bytes and position not in binary):
                values[position] = told(value)
            elif kind is str and position in binary:
                values[position] = bytes.fromhex(value)
            elif kind is not int and isinstance(value, int) and kind is not bool:
                values[position] = int(value)
        return self.record(*values)

    @cached_property
    def blank(self) -> Mapping[str, Any]:
        """A row of which nothing is known."""
        return dict.fromkeys((*self.record._fields, *map(hash_of, self.hashed), "gone"))

    def asked(self, name: str, values: Iterable[Any]) -> tuple[str, set[Any]]:
        """The field and the values by which rows are asked for that have one of some values in a field."""
        if name in self.hashed:
            return hash_of(name), {hashed(value) for value in values if value}
        if name in self.digests:
            return name, {value if isinstance(value, str) else value.hex() for value in values}
        return name, set(map(kept, values))

    @property
    def questions(self) -> tuple[str, ...]:
        """All fields by which rows are asked for, as they are called in the collection."""
        return tuple(dict.fromkeys(chain(self.indexed, map(hash_of, self.hashed))))


def hash_of(name: str) -> str:
    """What the hash of a field is called."""
    return f"{name}_hash"


def hashed(text: str) -> str:
    """The hash by which a text of any length is asked for."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def kept(value: Any) -> Any:
    """A value as it is kept: as bytes if it is a text with a NUL, which not every server takes."""
    if isinstance(value, list):
        return list(map(kept, value))
    return value.encode("utf-8") if isinstance(value, str) and "\0" in value else value


def told(value: Any) -> Any:
    """A text as it was before it was kept."""
    if isinstance(value, list):
        return list(map(told, value))
    return value.decode("utf-8") if isinstance(value, bytes) else value


SETTINGS = Kind("setting", Setting, ("name",), ("name",))
DOCUMENTS = Kind(
    "document",
    Entry,
    ("number",),
    ("number", "content", "collection"),
    hashed=("id", "origin"),
)
TEXTS = Kind("text", Text, ("document",), ("document",))
FORMER = Kind("former", Former, ("document", "revision"), ("document",))
CONTENTS = Kind("content", Content, ("number",), ("number", "cluster"))
SKETCHES = Kind("sketch", Sketch, ("content",), ("content",))
PAIRS = Kind("pair", Pair, ("high", "low"), ("high", "low"))
REMOVALS = Kind("removal", Removal, ("number",), ("number",))
ALIASES = Kind("alias", Alias, ("cluster",), ("cluster", "is_now"))
BORNE = Kind("bore", Bore, ("content", "cluster"), ("content", "cluster"))
SEEN = Kind("seen", Seen, ("document", "at", "url"), ("document",))
LINKS = Kind("link", Links, ("document",), ("document",))
VERDICTS = Kind("verdict", Verdict, ("low", "high"), ("low", "high"))
STATES = Kind("state", Named, ("token",), ("token",))
NOTICES = Kind("notice", Notice, ("number",), ("number",))
CHANGES = Kind("change", Logged, ("first",), ("first",))
SITES = Kind("site", Site, ("domain",), ("domain",))
LEAVES = Kind("leave", Leave, ("domain", "path", "author", "since"), ("domain",))
PROOFS = Kind("proof", Proof, ("document", "at", "kind", "by", "note"), ("document",))
BODIES = Kind("body", Body, ("digest",), ("digest",), digests=("digest",))
SNAPSHOTS = Kind(
    "snapshot",
    Snapshot,
    ("number",),
    ("number", "digest", "document"),
    hashed=("url",),
    digests=("digest",),
)
LEDGER = Kind("ledger", Noted, ("number",), ("number",))
DECISIONS = Kind("decision", Decision, ("number",), ("number", "low", "high"))
ALERTS = Kind("alert", Alert, ("number",), ("number", "state"), hashed=("key",))

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
    SEEN,
    LINKS,
    VERDICTS,
    STATES,
    NOTICES,
    CHANGES,
    SITES,
    LEAVES,
    PROOFS,
    BODIES,
    SNAPSHOTS,
    LEDGER,
    DECISIONS,
    ALERTS,
)
KINDS = {kind.name: kind for kind in _ALL}
"""All collections but that of the chain, by their names."""


def _binary(fields: Iterable[str], record: type[Any]) -> frozenset[int]:
    annotations = {name: str(record.__annotations__[name]) for name in fields}
    return frozenset(place for place, name in enumerate(fields) if "bytes" in annotations[name])


_BINARY = {kind.record: _binary(kind.record._fields, kind.record) for kind in _ALL}
"""The places of bytes among the fields of each record."""
