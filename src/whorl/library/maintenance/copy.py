"""Copy a library from any store to any other: all rows, verified afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from os import PathLike
from typing import NamedTuple
from uuid import uuid4

from whorl import stores
from whorl._internal.frozen import frozen
from whorl.errors import InputError, ResourceError, UsageError
from whorl.i18n import say
from whorl.library.addresses import Address
from whorl.library.ingest.arguments import address_of
from whorl.library.maintenance.blocks import PARTS, After, Digests, RowKinds, blocks
from whorl.stores import Reader, Store
from whorl.stores.records import Counters
from whorl.types.comparison import Plain

COPYING = "copying"
"""Setting of a library while it is being filled from another one."""


_NOTHING = Counters(0, 0, 0, 0, 0, 0, 0)


@frozen
class CopyResult(Plain):
    """Result of a copy.

    Attributes:
        documents: number of documents.
        rows: number of rows of each kind, including documents.
        digests: SHA-256 over all rows of each kind, equal in both libraries.
        resumed: whether an earlier, interrupted copy was continued.
        faults: faults that the store of the copy reports; the library itself has all of them.
    """

    documents: int
    rows: Mapping[str, int]
    digests: Mapping[str, str]
    resumed: bool
    faults: tuple[str, ...]


class _Mark(NamedTuple):
    """Progress of a copy.

    Attributes:
        of: identity of the library that is copied.
        identity: identity of the copy.
        counters: counters of the library when its copy began.
        part: index of the part that is being copied.
        after: position in the part after which to continue.
    """

    of: str
    identity: str
    counters: Counters
    part: int
    after: After

    @classmethod
    def read(cls, text: str) -> _Mark:
        saved = json.loads(text)
        return cls(saved["of"], saved["identity"], Counters(*saved["counters"]), saved["part"], saved["after"])

    def written(self) -> str:
        return json.dumps(self._asdict())


def copy(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    stage: Callable[[str, int, str], None] = lambda *_: None,
    advance: Callable[[int], None] = lambda _: None,
) -> CopyResult:
    """Copy a library of any store to a new address in any store, and compare the two.

    Every row keeps its number, so the copy answers queries exactly like the original. An interrupted copy is resumed,
    and cannot be opened until it is complete. The copy has a new identity, so its index is rebuilt. Its change log
    begins after the marks of the original: consumers that follow by mark receive everything again.

    Args:
        source: address of the library; one consistent snapshot of it is read.
        target: address of the copy.
        stage: called when a stage begins, with "write" or "compare", the number of documents, and their label.
        advance: called with the number of documents copied or compared since the last call.

    Raises:
        UsageError: the target holds another library, or an unfinished copy of an earlier snapshot.
        InputError: the source is not a library, is damaged, or differs from the finished copy.
        ResourceError: a store cannot be reached, or another process copies to the same target.
    """
    with closing(stores.open_store(_store(source), create=False)) as original:
        return copy_store(original, target, stage=stage, advance=advance)


def copy_store(
    original: Store,
    target: str | PathLike[str],
    *,
    stage: Callable[[str, int, str], None] = lambda *_: None,
    advance: Callable[[int], None] = lambda _: None,
) -> CopyResult:
    """Copy an open store; see `copy`."""
    settings = original.settings()
    if not settings:
        raise InputError(say("no library to copy"), hint=say("check its address"))
    demand_whole(settings)
    with closing(stores.open_store(_store(target), create=True)) as other, original.reading() as reader:
        mark, resumed = _begun(settings["identity"], reader, other)
        count = reader.count()
        stage("write", count, "documents")
        _fill(reader, other, mark, advance)
        stage("compare", count, "documents")
        digests = _compared(reader, other, advance)
        with other.writing() as writer:
            writer.put_counters(reader.counters()._replace(change=0))
            writer.put_settings({**settings, "identity": mark.identity, COPYING: ""})
        return CopyResult(count, digests.counts, digests.hexdigests(), resumed, tuple(other.faults()))


def demand_whole(settings: Mapping[str, str]) -> None:
    """Raise a UsageError if the settings are those of an unfinished copy."""
    if settings.get(COPYING):
        raise UsageError(
            say("this copy of a library is incomplete"),
            hint=say("run the same `whorl library copy` again to continue"),
        )


def _store(address: str | PathLike[str]) -> str:
    """Return the address of the store of a library, without that of its index."""
    return Address.of(address_of(address)).store


def _begun(identity: str, reader: Reader, target: Store) -> tuple[_Mark, bool]:
    """Return where to continue in a target, and whether a copy was begun there before.

    Raises:
        UsageError: the target holds another library, or a copy of another snapshot.
    """
    settings = target.settings()
    if settings and not settings.get(COPYING):
        raise UsageError(say("the destination already contains a library"), hint=say("choose an empty location"))
    counters = reader.counters()
    if not settings:
        mark = _Mark(identity, uuid4().hex, counters, 0, None)
        with target.writing() as writer:
            writer.put_settings({COPYING: mark.written()})
            writer.put_counters(_NOTHING._replace(change=counters.change))
        return mark, False
    mark = _Mark.read(settings[COPYING])
    if mark.of != identity:
        raise UsageError(
            say("the destination contains an incomplete copy of another library"), hint=say("choose another location")
        )
    if mark.counters != counters:
        raise UsageError(
            say("the library has changed since the copy began"),
            hint=say("copy it to a new location; to continue a copy, do not change the library in between"),
        )
    return mark, True


def _fill(reader: Reader, target: Store, mark: _Mark, advance: Callable[[int], None]) -> None:
    """Copy the remaining blocks, each with its progress in one transaction."""
    for number in range(mark.part, len(PARTS)):
        part = PARTS[number]
        for block in blocks(part, reader, mark.after):
            now = mark._replace(after=block.after, part=number + (block.after is None))
            with target.writing() as writer:
                if target.settings().get(COPYING) != mark.written():
                    raise ResourceError(
                        say("another process is copying to the same location"), hint=say("wait until it ends")
                    )
                part.put(writer, block.rows)
                writer.put_settings({COPYING: now.written()})
            mark = now
            advance(block.size if number == 0 else 0)


def _compared(reader: Reader, target: Store, advance: Callable[[int], None]) -> Digests:
    """Return the digests of all rows, equal in both stores.

    Raises:
        InputError: the digests differ.
    """
    digests, others = Digests(), Digests()
    with target.reading() as copied:
        for part in PARTS:
            _take_all(part, copied, others, lambda _: None)
            _take_all(part, reader, digests, advance if part is PARTS[0] else lambda _: None)
    differing = [kind for kind, digest in digests.hexdigests().items() if others.hexdigests()[kind] != digest]
    if differing:
        raise InputError(
            say("the copy differs from the library: {kinds}", kinds=", ".join(differing)),
            hint=say("copy it to a new location while nothing writes to it"),
        )
    return digests


def _take_all(part: RowKinds, reader: Reader, digests: Digests, advance: Callable[[int], None]) -> None:
    for block in blocks(part, reader):
        digests.take(block.rows)
        advance(block.size)


__all__ = ["COPYING", "CopyResult", "copy", "copy_store", "demand_whole"]
