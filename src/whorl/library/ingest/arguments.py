"""Validate arguments before they reach a store."""

from __future__ import annotations

import os

from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.library.ingest.documents import is_storable
from whorl.stores import Reader
from whorl.stores.records import Entry


def address_of(value: object) -> str:
    """Return the path or address of a library as text.

    Raises:
        UsageError: it is neither a path nor text.
    """
    address = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(address, str) or not address or not is_storable(address):
        raise UsageError(
            say("{given!r:.60} is not a valid location of a library", given=value), hint=say("name a folder")
        )
    return address


def demand_cluster(number: object) -> None:
    """Raise a UsageError unless the argument is a valid cluster number."""
    if type(number) is not int or not 0 <= number < 2**63:
        raise NotFoundError(
            say("cluster {number!r:.60} not found", number=number), hint=say("list them with `whorl library clusters`")
        )


def is_number(value: object) -> bool:
    """Return True if the value is an integer that a store can hold."""
    return type(value) is int and -(2**63) <= value < 2**63


def demand_text(name: str, value: object) -> None:
    """Raise a UsageError unless the argument is text that a store can hold."""
    if not isinstance(value, str) or not is_storable(value):
        raise UsageError(
            say("expected text for {name}, got {value!r:.60}", name=name, value=value),
            hint=say("remove unpaired surrogates"),
        )


def demand_collection(name: object) -> None:
    """Raise a UsageError unless the argument is a valid collection name; None means no collection."""
    if name is None:
        return
    demand_text("collection", name)
    if not name:
        raise UsageError(
            say("the collection name is empty"), hint=say("use the name of a collection, such as protected")
        )


def demand_entry(reader: Reader, id_: str) -> Entry:
    """Return the stored entry of a document.

    Raises:
        NotFoundError: no document has this id.
    """
    entry = reader.entries([id_]).get(id_)
    if entry is None:
        raise NotFoundError(say("document {id!r} not found", id=id_), hint=say("list them with `whorl library list`"))
    return entry


__all__ = ["address_of", "demand_cluster", "demand_collection", "demand_entry", "demand_text", "is_number"]
