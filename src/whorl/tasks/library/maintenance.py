"""Contents and maintenance of a library, which is passed by address or open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import field
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.corpus.compression import standard_input
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library.ingest.files import write_documents
from whorl.library.maintenance.copy import CopyResult
from whorl.library.maintenance.copy import copy as copy_rows
from whorl.library.provenance.history import COLUMN
from whorl.stores import masked, on_server, versions
from whorl.tasks import Silent
from whorl.tasks.library.arguments import Place, lent
from whorl.types.cards import card
from whorl.types.comparison import Plain
from whorl.types.library import Cluster, IntegrityReport, Match, TraceStep

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.recipe import Recipe
    from whorl.tasks import Progress


@frozen
class Stats:
    """Statistics of a library.

    Attributes:
        counts: its recipe, the number of objects of each kind, and its size in bytes.
        index: the state of its index.
    """

    counts: Mapping[str, Any]
    index: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {**self.counts, "index": dict(self.index)}

    def _repr_html_(self) -> str:
        return card(say("Library"), [*self.counts.items(), ("index", self.index)])


@frozen
class Created(Plain):
    """A new library.

    Attributes:
        library: its address, without passwords.
        recipe: its recipe.
    """

    library: str
    recipe: str


@frozen
class Removed(Plain):
    """Number of removed articles."""

    removed: int


@frozen
class CollectResult(Plain):
    """Result of putting articles into a collection.

    Attributes:
        collection: its name; empty if the articles were removed from their collections.
        collected: number of the articles that are in it now.
        unknown: ids without an article.
    """

    collection: str
    collected: int
    unknown: tuple[str, ...]


@frozen
class DefaultZone(Plain):
    """Default zone of publication times without one; empty without a default."""

    zone: str


@frozen
class Reindexed(Plain):
    """Number of reindexed articles."""

    documents: int


@frozen
class UpgradeResult(Plain):
    """Versions of the tables of a library.

    Attributes:
        existing: version before the upgrade.
        current: version of this whorl.
        upgraded: whether the tables were upgraded.
        shared: whether processes of the existing version can use the tables after the upgrade.
    """

    existing: int
    current: int
    upgraded: bool
    shared: bool

    @property
    def is_needed(self) -> bool:
        """True if the tables are still of an older version."""
        return self.existing < self.current and not self.upgraded


@frozen
class BackedUp(Plain):
    """Path of the backup of a library."""

    copy: str


@frozen
class Exported(Plain):
    """Result of an export.

    Attributes:
        documents: number of documents.
        bytes: uncompressed size.
        written: size of the file, smaller if compressed.
        order: order of the documents.
        omitted: number of rows of each kind that the file does not contain; kinds without any are left out. "cases" are
            those whose article and copy were both removed. ``copy`` and ``backup`` contain everything.
    """

    documents: int
    bytes: int
    written: int
    order: str
    omitted: Mapping[str, int] = field(default_factory=dict)


def default_zone(library: Library | Place, zone: str | None = None) -> DefaultZone:
    """Return the default zone of a library, after it was changed if a new one is passed.

    Args:
        library: its address, or an open library.
        zone: new default zone, such as "Asia/Shanghai"; "none" removes it, None leaves it unchanged.

    Raises:
        UsageError: there is no such zone.
    """
    with lent(library) as opened:
        if zone is not None:
            opened.zone = "" if zone == "none" else zone
        return DefaultZone(opened.zone)


def articles(library: Library | Place, *, collection: str | None = None) -> Iterator[str]:
    """Yield the ids of all articles, or those of a collection, in the order of adding.

    Exhaust the iterator or close it.
    """
    with lent(library) as opened:
        yield from opened.ids(collection=collection)


def clusters(library: Library | Place, *, top: int | None = None, at_least: int = 2) -> tuple[Cluster, ...]:
    """Return the clusters, the largest first: all, or the first ``top``, with ``at_least`` or more articles.

    Cost: a pass over all documents.
    """
    with lent(library) as opened:
        return tuple(opened.cluster(size.id) for size in opened.clusters(at_least=at_least, limit=top))


def trace(library: Library | Place, cluster: int) -> tuple[TraceStep, ...]:
    """Return the articles of a cluster in order of time, each with its links to earlier ones.

    Raises:
        UsageError: the cluster does not exist.
    """
    with lent(library) as opened:
        return tuple(opened.trace(cluster))


def matches(library: Library | Place, id: str) -> tuple[Match, ...]:
    """Return the matches of an article, the best first.

    Raises:
        UsageError: the article does not exist.
    """
    with lent(library) as opened:
        return opened.matches(id)


def notices(library: Library | Place) -> tuple[str, ...]:
    """Return the beginning of the boilerplate texts that a library has learned, the oldest first."""
    with lent(library) as opened:
        return tuple(opened.notices())


def remove(library: Library | Place, ids: str | Iterable[str], *, force: bool = False, by: str = "") -> Removed:
    """Remove articles, ignoring unknown ids. Linear in the size of their clusters.

    Args:
        library: its address, or an open library.
        ids: ids of the articles.
        force: remove also the copies and articles of open cases, and record that in the cases.
        by: person who removes them, for that record.

    Raises:
        UsageError: an article is the copy or the protected article of an open case.
    """
    with lent(library) as opened:
        return Removed(opened.remove(ids, force=force, by=by))


def collect(
    library: Library | Place, collection: str, ids: Iterable[str] = (), *, ids_from: Place | None = None
) -> CollectResult:
    """Move articles into a collection, ignoring unknown ids.

    Args:
        library: its address, or an open library.
        collection: its name; empty to remove the articles from their collections.
        ids: ids of the articles.
        ids_from: a file of further ids, one per line; ``-`` is standard input.

    Raises:
        UsageError: there are no ids.
        InputError: the file cannot be read, or is not UTF-8.
    """
    listed = dict.fromkeys([*ids, *([] if ids_from is None else _lines(fspath(ids_from)))])
    if not listed:
        raise UsageError(say("no articles are selected"), hint=say("add their ids, or a file of ids: `--ids-from`"))
    with lent(library) as opened:
        unknown = tuple(id for id in listed if id not in opened)
        return CollectResult(collection, opened.collect(list(listed), collection), unknown)


def _lines(place: str) -> Iterator[str]:
    """Yield the non-empty lines of a file or of standard input."""
    try:
        with nullcontext(standard_input()) if place == "-" else Path(place).open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if text := _decoded(line, number, place):
                    yield text
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {error}", path=place, error=error.strerror), hint=say("use a file of ids")
        ) from error


def _decoded(line: bytes, number: int, place: str) -> str:
    try:
        return line.decode().strip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            say("line {number} of {path} is not UTF-8", number=number, path=place), hint=say("convert it to UTF-8")
        ) from error


def stats(library: Library | Place) -> Stats:
    """Return the number of objects of each kind, the size in bytes, and the state of the index of a library."""
    with lent(library) as opened:
        counts = opened.stats()
    return Stats({name: value for name, value in counts.items() if name != "index"}, counts["index"])


def verify(library: Library | Place, *, repair: bool = False) -> IntegrityReport:
    """Verify a library, and rebuild an index that disagrees with the texts.

    Args:
        library: its address, or an open library.
        repair: search again for every article and add missing matches.

    Returns:
        The report; a library is sound if there are no ``faults``.

    Cost: fingerprinting all texts and reading every byte; with ``repair`` that of adding them again.
    """
    with lent(library) as opened:
        return opened.verify(repair=repair)


def reindex(library: Library | Place) -> Reindexed:
    """Rebuild the index from the texts: less than a minute for a million articles of a thousand characters."""
    with lent(library) as opened:
        opened.reindex()
        return Reindexed(len(opened))


def backup(library: Library | Place, to: Place) -> BackedUp:
    """Write a consistent snapshot to a new folder, or to another place of the same kind, during reads and writes.

    Raises:
        UsageError: the folder contains other files, or the place is on a server of another kind.
        ResourceError: the backup cannot be written.
    """
    with lent(library) as opened:
        opened.backup(to)
    return BackedUp(masked(fspath(to)))


def copy(source: Place, to: Place, *, progress: Progress | None = None) -> CopyResult:
    """Copy a library to a new place in any store, keeping all numbers, and compare the two.

    An interrupted copy can be resumed; it cannot be queried until it is complete.

    Args:
        source: address of the library.
        to: address of the copy.
        progress: receives the number of copied and compared articles.

    Raises:
        UsageError: another library is at ``to``, or the library has changed since the copy was started.
        InputError: the library does not exist or is damaged, or the copy is not equal to it.
        ResourceError: one of the two is not reachable.
    """
    report = progress or Silent()
    return copy_rows(source, to, stage=report.stage, advance=report.advance)


def create(address: Place, *, recipe: Recipe | Place | None = None, zone: str | None = None) -> Created:
    """Create an empty library.

    Args:
        address: its address.
        recipe: a recipe, the name of a preset or method, or a TOML file; None is the preset "library".
        zone: default zone of publication times without one.

    Raises:
        UsageError: there is a library at the address, or the recipe is invalid.
        ResourceError: the store cannot be reached.
    """
    from whorl.library import exists
    from whorl.library import open as open_library

    place = fspath(address)
    if (exists(place) and not on_server(place)) or _opens(place):
        raise UsageError(
            say("{library} already exists", library=masked(place)),
            hint=say("choose another address, or open it as it is"),
        )
    with open_library(place, recipe, zone=zone) as library:
        return Created(masked(place), str(library.stats()["recipe"]))


def upgrade(address: Place, *, check: bool = False) -> UpgradeResult:
    """Upgrade the tables of a library to this version of whorl, in one transaction.

    Args:
        address: its address.
        check: change nothing.

    Raises:
        InputError: there is no library at the address.
        UsageError: a newer version of whorl created it, or the store of another package does not report versions.
        ResourceError: the store cannot be reached.
    """
    from whorl.library.addresses import Address

    existing, current, oldest = versions(Address.of(fspath(address)).store)
    is_shared = existing >= (oldest or current)
    if check or existing >= current:
        return UpgradeResult(existing, current, upgraded=False, shared=is_shared)
    with lent(address):
        return UpgradeResult(existing, current, upgraded=True, shared=is_shared)


def _opens(address: str) -> bool:
    from whorl.library import open as open_library

    try:
        open_library(address, create=False).close()
    except InputError:
        return False
    return True


def export(library: Library | Place, to: Place, *, order: str = "added", progress: Progress | None = None) -> Exported:
    """Write all articles with their clusters as JSON Lines, compressed according to the file suffix.

    Articles have their history: former texts, sightings, decisions, attestations and cases with all events, which
    ``add_files`` restores in another library. ``Exported.omitted`` counts what the file does not contain.

    Args:
        library: its address, or an open library.
        to: a new file: .jsonl, .jsonl.gz or .jsonl.zst.
        order: "added", "time" or "cluster", which places copies next to each other and compresses best.
        progress: receives the number of written articles.

    Raises:
        UsageError: the file exists, or the order is unknown.
    """
    path, report = Path(to), progress or Silent()
    with lent(library) as opened:
        report.stage("write", len(opened), "documents")
        omitted = _outside_documents(opened)
        documents, size = write_documents(_reported(opened.export(order), report, omitted), path)
    return Exported(
        documents, size, path.stat().st_size, order, {name: count for name, count in omitted.items() if count > 0}
    )


def _outside_documents(library: Library) -> Counter[str]:
    """Count the rows that are not part of a document, and all cases."""
    return Counter(
        sites=len(library.sites),
        permissions=len(library.permissions),
        accounts=len(library.accounts),
        snapshots=len(library.pages),
        noted=len(library.ledger),
        alerts=len(library.outbox),
        cases=len(library.cases),
    )


def _reported(
    documents: Iterable[dict[str, Any]], progress: Progress, omitted: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield documents, subtracting their cases and the alerts of these from the omitted ones."""
    for document in documents:
        cases = document.get(COLUMN, {}).get("cases", ())
        omitted["cases"] -= len(cases)
        omitted["alerts"] -= sum(len(case.get("alerts", ())) for case in cases)
        yield document
        progress.advance(1)


__all__ = [
    "BackedUp",
    "Cluster",
    "CollectResult",
    "CopyResult",
    "Created",
    "DefaultZone",
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
    "create",
    "default_zone",
    "export",
    "matches",
    "notices",
    "reindex",
    "remove",
    "stats",
    "trace",
    "verify",
]
