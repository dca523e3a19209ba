"""A library is copied from any store into any other, to continue there: all of it, compared when it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple
from uuid import uuid4

from whorl import stores
from whorl.errors import InputError, ResourceError, UsageError
from whorl.language import say
from whorl.library.addresses import Address
from whorl.library.arguments import address_of
from whorl.library.blocks import PARTS, After, Digests, Part, blocks
from whorl.model import Plain
from whorl.stores import Reader, Store
from whorl.stores.records import Counters

COPYING = "copying"
"""The setting that a library has while it is filled from another one."""


_NOTHING = Counters(0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Copied(Plain):
    """What was copied.

    Attributes:
        documents: how many.
        rows: how many there are of each kind, that of documents too.
        digests: a SHA-256 over all rows of each kind, which both libraries have.
        resumed: whether an earlier copy that did not end was continued.
        faults: what the store of the copy finds wrong with it; nothing but what is wrong with the library too.
    """

    documents: int
    rows: Mapping[str, int]
    digests: Mapping[str, str]
    resumed: bool
    faults: tuple[str, ...]


class _Mark(NamedTuple):
    """How far a copy has come.

    Attributes:
        of: the identity of the library that is copied.
        identity: that of the copy.
        counters: how far the library had come when its copy began.
        part: the place of the part that is copied now.
        after: where in it to go on.
    """

    of: str
    identity: str
    counters: Counters
    part: int
    after: After

    @classmethod
    def read(cls, text: str) -> _Mark:
        told = json.loads(text)
        return cls(told["of"], told["identity"], Counters(*told["counters"]), told["part"], told["after"])

    def written(self) -> str:
        return json.dumps(self._asdict())


def copy(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    stage: Callable[[str, int, str], None] = lambda *_: None,
    advance: Callable[[int], None] = lambda _: None,
) -> Copied:
    """Copy a library of any store to the address of a new one in any store, and compare the two.

    Every row is copied as it is, under its number: whoever asks the copy hears what the library would tell. A copy that
    was interrupted goes on where it was; until it is whole it cannot be opened. It has an identity of its own, so that
    its index is built anew, and a log of changes that begins behind that of the library: who followed that by a mark is
    told of everything again.

    Args:
        source: the address of the library; it is read as it is at one moment.
        target: that of the copy.
        stage: is told what begins: "write" and "compare", the documents, and what they are called.
        advance: is told how many documents more were copied, or compared.

    Raises:
        UsageError: another library is at the target, or the copy that was begun there is of an older moment.
        InputError: there is no library, it is damaged, or the copy is not equal to it.
        ResourceError: one of the two cannot be reached, or another process copies to the same place.
    """
    with closing(stores.open_store(_store(source), create=False)) as own:
        settings = own.settings()
        if not settings:
            raise InputError(say("there is no library to copy"), cure=say("check its address"))
        demand_whole(settings)
        with closing(stores.open_store(_store(target), create=True)) as other, own.reading() as reader:
            mark, resumed = _begun(settings["identity"], reader, other)
            count = reader.count()
            stage("write", count, "documents")
            _fill(reader, other, mark, advance)
            stage("compare", count, "documents")
            digests = _compared(reader, other, advance)
            with other.writing() as writer:
                writer.put_counters(reader.counters()._replace(change=0))
                writer.put_settings({**settings, "identity": mark.identity, COPYING: ""})
            return Copied(count, digests.counts, digests.told(), resumed, tuple(other.faults()))


def demand_whole(settings: Mapping[str, str]) -> None:
    """Raise a UsageError if these are the settings of a copy that has not ended."""
    if settings.get(COPYING):
        raise UsageError(
            say("this is a part of a library, whose copy has not ended"),
            cure=say("run the same `whorl library copy` again: it goes on"),
        )


def _store(address: str | PathLike[str]) -> str:
    """Where the store of a library is; its index is nobody's concern here."""
    return Address.of(address_of(address)).store


def _begun(identity: str, reader: Reader, target: Store) -> tuple[_Mark, bool]:
    """Where to go on in a target, and whether a copy was begun there before.

    Raises:
        UsageError: what is there is another library, or the copy of another moment.
    """
    known = target.settings()
    if known and not known.get(COPYING):
        raise UsageError(say("a library is there already"), cure=say("name a place where none is"))
    counters = reader.counters()
    if not known:
        mark = _Mark(identity, uuid4().hex, counters, 0, None)
        with target.writing() as writer:
            writer.put_settings({COPYING: mark.written()})
            writer.put_counters(_NOTHING._replace(change=counters.change))
        return mark, False
    mark = _Mark.read(known[COPYING])
    if mark.of != identity:
        raise UsageError(say("the copy of another library is there, unfinished"), cure=say("name another place"))
    if mark.counters != counters:
        raise UsageError(
            say("the library has changed since its copy was begun"),
            cure=say("copy it to a new place; to continue a copy, add nothing in between"),
        )
    return mark, True


def _fill(reader: Reader, target: Store, mark: _Mark, advance: Callable[[int], None]) -> None:
    """Copy what is still to be copied, each block and the mark behind it in one transaction."""
    for number in range(mark.part, len(PARTS)):
        part = PARTS[number]
        for block in blocks(part, reader, mark.after):
            now = mark._replace(after=block.after, part=number + (block.after is None))
            with target.writing() as writer:
                if target.settings().get(COPYING) != mark.written():
                    raise ResourceError(say("another process copies to the same place"), cure=say("let it end"))
                part.put(writer, block.rows)
                writer.put_settings({COPYING: now.written()})
            mark = now
            advance(block.size if number == 0 else 0)


def _compared(reader: Reader, target: Store, advance: Callable[[int], None]) -> Digests:
    """The digests of all rows, which both have.

    Raises:
        InputError: they have different ones.
    """
    own, others = Digests(), Digests()
    with target.reading() as copied:
        for part in PARTS:
            _take_all(part, copied, others, lambda _: None)
            _take_all(part, reader, own, advance if part is PARTS[0] else lambda _: None)
    differing = [kind for kind, digest in own.told().items() if others.told()[kind] != digest]
    if differing:
        raise InputError(
            say("the copy is not equal to the library: {kinds}", kinds=", ".join(differing)),
            cure=say("copy it to a new place, while nobody writes to it"),
        )
    return own


def _take_all(part: Part, reader: Reader, digests: Digests, advance: Callable[[int], None]) -> None:
    for block in blocks(part, reader):
        digests.take(block.rows)
        advance(block.size)


__all__ = ["COPYING", "Copied", "copy", "demand_whole"]
