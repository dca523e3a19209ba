"""What a library holds, and the care of it. A library is given by its address, or open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.cards import card
from whorl.corpus.compression import standard_input
from whorl.errors import InputError, UsageError
from whorl.language import say
from whorl.library.copying import CopyResult
from whorl.library.copying import copy as copy_rows
from whorl.library.files import write_documents
from whorl.library.model import Cluster, IntegrityReport, Match, TraceStep
from whorl.model import Plain
from whorl.stores import shown
from whorl.tasks import Silent
from whorl.tasks.arguments import Place, lent

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks import Progress


@dataclass(frozen=True, slots=True)
class Stats:
    """What a library holds.

    Attributes:
        held: its recipe, how much it has of each kind, and its bytes.
        index: the state of its index.
    """

    held: Mapping[str, Any]
    index: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {**self.held, "index": dict(self.index)}

    def _repr_html_(self) -> str:
        return card(say("Library"), [*self.held.items(), ("index", self.index)])


@dataclass(frozen=True, slots=True)
class Removed(Plain):
    """How many articles were removed."""

    removed: int


@dataclass(frozen=True, slots=True)
class Collected(Plain):
    """What was put into a collection.

    Attributes:
        collection: its name; empty where the articles were taken out of theirs.
        collected: how many of the articles that were named are in it now.
        unknown: the ids of which there is no article.
    """

    collection: str
    collected: int
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reindexed(Plain):
    """How many articles were indexed again."""

    documents: int


@dataclass(frozen=True, slots=True)
class BackedUp(Plain):
    """Where the copy of a library is."""

    copy: str


@dataclass(frozen=True, slots=True)
class Exported(Plain):
    """What was written of a library.

    Attributes:
        documents: how many.
        bytes: that the file holds.
        written: bytes that it takes, less where it is compressed.
        order: of the documents.
    """

    documents: int
    bytes: int
    written: int
    order: str


def articles(library: Library | Place, *, among: str | None = None) -> Iterator[str]:
    """Yield the ids of all articles, or those of a collection, in the order of adding.

    Close it, or read it to its end.
    """
    with lent(library) as opened:
        yield from opened.ids(among=among)


def clusters(library: Library | Place, *, top: int | None = None, at_least: int = 2) -> tuple[Cluster, ...]:
    """Return the clusters, the largest first: all, or the first ``top``, of ``at_least`` so many articles.

    Cost: a pass over all documents.
    """
    with lent(library) as opened:
        return tuple(opened.cluster(size.id) for size in opened.clusters(at_least=at_least, most=top))


def trace(library: Library | Place, cluster: int) -> tuple[TraceStep, ...]:
    """Return the articles of a cluster in the order of time, each with what ties it to those before it.

    Raises:
        UsageError: there is no such cluster.
    """
    with lent(library) as opened:
        return tuple(opened.trace(cluster))


def matches(library: Library | Place, id: str) -> tuple[Match, ...]:
    """Return the matches of an article, the best first.

    Raises:
        UsageError: there is no such article.
    """
    with lent(library) as opened:
        return opened.matches(id)


def notices(library: Library | Place) -> tuple[str, ...]:
    """Return how the boilerplate that a library has learned begins, the oldest first."""
    with lent(library) as opened:
        return tuple(opened.notices())


def remove(library: Library | Place, ids: str | Iterable[str]) -> Removed:
    """Remove articles; those that are not there change nothing. Linear in their clusters."""
    with lent(library) as opened:
        return Removed(opened.remove(ids))


def collect(
    library: Library | Place, collection: str, ids: Iterable[str] = (), *, ids_from: Place | None = None
) -> Collected:
    """Put articles into a collection, out of the one that they are in; those that are not there change nothing.

    Args:
        library: its address, or an open library.
        collection: its name; empty for none.
        ids: of the articles.
        ids_from: a file of more ids, one a line; ``-`` is standard input.

    Raises:
        UsageError: there are no ids.
        InputError: the file cannot be read, or is not UTF-8.
    """
    wanted = dict.fromkeys([*ids, *([] if ids_from is None else _lines(fspath(ids_from)))])
    if not wanted:
        raise UsageError(say("no articles are named"), cure=say("give their ids, or a file of ids: `--ids-from`"))
    with lent(library) as opened:
        unknown = tuple(id for id in wanted if id not in opened)
        return Collected(collection, opened.collect(list(wanted), collection), unknown)


def _lines(place: str) -> Iterator[str]:
    """The lines of a file, or of standard input, that are not empty."""
    try:
        with nullcontext(standard_input()) if place == "-" else Path(place).open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if text := _decoded(line, number, place):
                    yield text
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {error}", path=place, error=error.strerror), cure=say("name a file of ids")
        ) from error


def _decoded(line: bytes, number: int, place: str) -> str:
    try:
        return line.decode().strip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            say("line {number} of {path} is not UTF-8", number=number, path=place), cure=say("convert it")
        ) from error


def stats(library: Library | Place) -> Stats:
    """Return how much of each kind a library holds, its bytes, and the state of its index."""
    with lent(library) as opened:
        found = opened.stats()
    return Stats({name: value for name, value in found.items() if name != "index"}, found["index"])


def verify(library: Library | Place, *, repair: bool = False) -> IntegrityReport:
    """Read everything back and check it; an index that disagrees is built again.

    Args:
        library: its address, or an open library.
        repair: look up every article again, and keep the matches that are missing.

    Returns:
        What was found; a library is sound if there are no ``faults``.

    Cost: that of fingerprinting all texts, and of reading every byte; with ``repair`` that of adding them again.
    """
    with lent(library) as opened:
        return opened.verify(repair=repair)


def reindex(library: Library | Place) -> Reindexed:
    """Build the index again from the texts: below a minute for a million articles of a thousand characters."""
    with lent(library) as opened:
        opened.reindex()
        return Reindexed(len(opened))


def backup(library: Library | Place, to: Place) -> BackedUp:
    """Write a copy of this moment into a new folder, or to another place of its kind, while others read and write.

    Raises:
        UsageError: the folder holds other files, or the place is none of its kind.
        ResourceError: it cannot be written.
    """
    with lent(library) as opened:
        opened.backup(to)
    return BackedUp(shown(fspath(to)))


def copy(source: Place, to: Place, *, progress: Progress | None = None) -> CopyResult:
    """Copy a library of any store to a new place in any store, number for number, and compare the two.

    A copy that was interrupted goes on; until it is whole nothing can be asked of it.

    Args:
        source: the address of a library.
        to: that of the copy.
        progress: is told how many articles were copied, and how many compared.

    Raises:
        UsageError: another library is there, or the library has changed since its copy was begun.
        InputError: there is no library, it is damaged, or the copy is not equal to it.
        ResourceError: one of the two cannot be reached.
    """
    report = progress or Silent()
    return copy_rows(source, to, stage=report.stage, advance=report.advance)


def export(library: Library | Place, to: Place, *, order: str = "added", progress: Progress | None = None) -> Exported:
    """Write every article with its cluster as JSON Lines, compressed as the name of the file says.

    Args:
        library: its address, or an open library.
        to: a new file: .jsonl, .jsonl.gz or .jsonl.zst.
        order: "added", "time" or "cluster": copies beside each other, which are compressed best.
        progress: is told how many are written.

    Raises:
        UsageError: there is such a file, or no such order.
    """
    path, report = Path(to), progress or Silent()
    with lent(library) as opened:
        report.stage("write", len(opened), "documents")
        documents, size = write_documents(_told(opened.export(order), report), path)
    return Exported(documents, size, path.stat().st_size, order)


def _told(documents: Iterable[dict[str, Any]], progress: Progress) -> Iterator[dict[str, Any]]:
    for document in documents:
        yield document
        progress.advance(1)


__all__ = [
    "BackedUp",
    "Cluster",
    "Collected",
    "CopyResult",
    "Exported",
    "IntegrityReport",
    "Match",
    "Reindexed",
    "Removed",
    "Stats",
    "TraceStep",
    "articles",
    "backup",
    "clusters",
    "collect",
    "copy",
    "export",
    "matches",
    "notices",
    "reindex",
    "remove",
    "stats",
    "trace",
    "verify",
]
