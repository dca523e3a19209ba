"""Contract of all stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from whorl.stores.monitoring import MonitoringReader, MonitoringWriter
from whorl.stores.records import (
    BoilerplateRecord,
    ChangeSet,
    Content,
    ContentReview,
    CopyCount,
    Counters,
    DocumentBrief,
    DocumentFilter,
    Entry,
    FormerText,
    Mark,
    PairRecord,
    ReviewRecord,
    SightingRecord,
    Sketch,
)


class Reader(MonitoringReader, Protocol):
    """A consistent read snapshot."""

    def mark(self) -> Mark:
        """Return the current high-water marks; constant cost."""
        ...

    def counters(self) -> Counters:
        """Return the last numbers that were assigned; constant cost."""
        ...

    def changes(self, since: int, limit: int) -> ChangeSet:
        """Return the next changes after a number (``Mark.change`` or ``ChangeSet.last``), up to a limit; 0 for all.

        Cost: proportional to the changes returned, whatever the length of the log.
        """
        ...

    def has_been(self, state: int) -> bool:
        """Return True if ``put_state`` recorded this state; an earlier copy of the store does not have it."""
        ...

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the documents with these ids; unknown ids are omitted."""
        ...

    def entries_from(self, origins: Iterable[str]) -> dict[str, Entry]:
        """Return the documents with these origins; unknown origins are omitted."""
        ...

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Return the documents with these numbers; unknown numbers are omitted."""
        ...

    def all_entries(self, collection: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """Yield all documents in the order of adding, optionally of a collection, or first seen at or after a time."""
        ...

    def documents(
        self, chosen: DocumentFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> tuple[list[Entry], int | None]:
        """Return the next selected documents after a number, up to a limit, and the number to continue after, or None.

        They are in the order of adding, or ``newest`` first; ``after`` None starts at the beginning. If few of many
        match, a page may be short: the cost of a call is bounded for any selection.
        """
        ...

    def ordered(self, order: str) -> Sequence[int]:
        """Return the numbers of all documents, 8 bytes each, ordered as "added", by "time" or by "cluster"."""
        ...

    def members(
        self, contents: Iterable[int], limit: int | None = None, collection: str | None = None
    ) -> dict[int, list[Entry]]:
        """Return the first documents of each content, optionally of a collection only, up to a limit each."""
        ...

    def briefs(self, contents: Iterable[int]) -> Iterator[DocumentBrief]:
        """Yield the documents of contents in brief, in no order."""
        ...

    def extents(self, contents: Iterable[int], clock: str) -> dict[int, tuple[int, int]]:
        """Return the earliest and the latest time of the documents of each content, by the clock of a window."""
        ...

    def texts(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the packed texts of documents by number; missing ones are omitted."""
        ...

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, bytes]:
        """Return the packed text of the first document of each content, by the number of the content."""
        ...

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """Return the contents with these numbers; unknown numbers are omitted."""
        ...

    def contents_after(self, number: int, limit: int) -> list[Content]:
        """Return the next contents after a number in ascending order, up to a limit."""
        ...

    def removed_after(self, removal: int) -> list[int]:
        """Return the numbers of the contents that were removed after a mark."""
        ...

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """Return the sketches of contents, if sketches are stored."""
        ...

    def pairs(self, contents: Iterable[int]) -> dict[int, list[PairRecord]]:
        """Return all pairs of each content, in both lists if both are requested; contents without pairs are omitted."""
        ...

    def all_pairs(self, collection: str | None = None) -> Iterator[PairRecord]:
        """Yield all pairs once, in no order; with a collection, only those where one of its documents has a content."""
        ...

    def repeated(self, collection: str | None = None) -> list[int]:
        """Return the contents that several documents have, in no order, optionally only those of a collection."""
        ...

    def joined(self, contents: Iterable[int]) -> list[PairRecord]:
        """Return all pairs between two of these contents that join."""
        ...

    def notices_after(self, number: int) -> list[BoilerplateRecord]:
        """Return the boilerplate that was learned after a number, ascending."""
        ...

    def cluster(self, cluster: int) -> int:
        """Return the cluster that ``cluster`` was merged into, or itself."""
        ...

    def aliases(self, clusters: Iterable[int]) -> dict[int, list[int]]:
        """Return the clusters merged into each of these, ascending; clusters without aliases are omitted."""
        ...

    def borne(self, contents: Iterable[int]) -> dict[int, list[int]]:
        """Return the clusters that were merged into others while a content was in them, with an entry for each."""
        ...

    def in_clusters(self, clusters: Iterable[int]) -> dict[int, list[Content]]:
        """Return the contents of each cluster, ascending; clusters without contents are omitted."""
        ...

    def cluster_sizes(
        self, at_least: int, since: int | None, limit: int | None, after: tuple[int, int] | None = None
    ) -> list[tuple[int, int]]:
        """Return cluster and number of documents first seen at or after ``since``, the largest first.

        Ties are in the order of cluster numbers; with ``after``, only rows following that one.
        """
        ...

    def names(self, kind: str, since: int, until: int) -> dict[str, int]:
        """Count the documents of each name that were first seen at or after one time and before another.

        Kinds of names: "author"; "day" of the first sighting, in ISO 8601 and UTC; and "site", ``//`` followed by the
        authority of the address (the part between ``://`` and the next slash), or the publisher if there is no such
        address. Unknown names are empty.
        """
        ...

    def copies(self, kind: str, since: int, until: int) -> list[CopyCount]:
        """Count the documents that are copies, by their name and that of the first document of their cluster.

        The first document is a registered one, or else the one published earliest, or first seen if that is unknown;
        ties are decided by the order of adding. Registered documents are never copies. Kinds of names and the counted
        documents are as in ``names``.
        """
        ...

    def sightings(self, documents: Iterable[int]) -> dict[int, list[SightingRecord]]:
        """Return the sightings of each document after the first, in chronological order, without empty entries."""
        ...

    def links(self, documents: Iterable[int]) -> dict[int, list[str]]:
        """Return the outgoing links of each document, in their order; documents without links are omitted."""
        ...

    def verdicts(self, documents: Iterable[int]) -> dict[int, dict[int, ReviewRecord]]:
        """Return the decisions about the matches of each document, by the number of the other one."""
        ...

    def all_verdicts(self) -> Iterator[ReviewRecord]:
        """Yield the decision about each match once, in no order."""
        ...

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """Return the decisions about documents of two contents, at least one of them listed, once each."""
        ...

    def former(self, documents: Iterable[int]) -> dict[int, list[FormerText]]:
        """Return the former texts of each document, by revision; documents without any are omitted."""
        ...

    def count(self) -> int:
        """Return the number of documents."""
        ...

    def collections(self) -> dict[str, int]:
        """Return the number of documents in each collection, by name, without the unnamed one."""
        ...

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each kind, of clusters with two documents or more, and the bytes on disk."""
        ...


@runtime_checkable
class LookingAhead(Protocol):
    """A reader for which round trips cost more than rows."""

    def look_ahead(self, contents: Sequence[int], limit: int, equal: Sequence[int]) -> None:
        """Read what a check needs, so that the following calls of this snapshot need not.

        Args:
            contents: candidates: their contents, their first documents, and the texts of the very first ones.
            limit: maximum number of documents of each.
            equal: contents with the text of the check: the same, their pairs and the decisions about them.
        """
        ...


class StoreChanged(Exception):
    """Something was written to the store during an optimistic read."""


@runtime_checkable
class OptimisticStore(Protocol):
    """A store for which the beginning and the end of a snapshot cost as much as its rows."""

    def reading_optimistically(self) -> AbstractContextManager[Reader]:
        """Read without a transaction.

        Yields:
            A reader whose rows are all of the state at the beginning, as those of a snapshot. It raises `StoreChanged`
            instead of returning rows of a later one; the caller then repeats everything with ``Store.reading``.
        """
        ...


class Writer(MonitoringWriter, Reader, Protocol):
    """A write transaction. No key occurs twice among the rows of a call, unless a method allows it."""

    def next_document(self) -> int:
        """Return the number of the next new document."""
        ...

    def next_content(self) -> int:
        """Return the number of the next new content."""
        ...

    def next_clusters(self, count: int) -> range:
        """Reserve ``count`` new cluster ids."""
        ...

    def put_counters(self, counters: Counters) -> None:
        """Continue numbering after these counters; counters that are already higher stay."""
        ...

    def put_settings(self, settings: Mapping[str, str]) -> None:
        """Store settings, replacing those with the same names."""
        ...

    def put_state(self, state: int) -> None:
        """Record this state under a unique number below 2^62."""
        ...

    def put_entries(self, entries: Sequence[Entry]) -> None:
        """Store new documents, and replace existing ones."""
        ...

    def put_texts(self, packed: Mapping[int, bytes]) -> None:
        """Store the packed texts of documents by number, replacing existing ones."""
        ...

    def put_former(self, former: Sequence[FormerText]) -> None:
        """Store former texts of documents."""
        ...

    def put_contents(self, contents: Sequence[Content]) -> None:
        """Store new contents, and replace existing ones."""
        ...

    def put_sketches(self, sketches: Sequence[Sketch]) -> None:
        """Store the sketches of contents."""
        ...

    def put_pairs(self, pairs: Sequence[PairRecord]) -> None:
        """Store pairs."""
        ...

    def remove_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Remove pairs, each identified by its lower and its higher number."""
        ...

    def put_notices(self, notices: Sequence[BoilerplateRecord]) -> None:
        """Store boilerplate under the next numbers, in the order of the arguments."""
        ...

    def put_sightings(self, sightings: Sequence[SightingRecord]) -> None:
        """Store sightings; existing and repeated ones are ignored."""
        ...

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """Append the outgoing links of documents to the existing ones, without repeats."""
        ...

    def put_verdicts(self, verdicts: Sequence[ReviewRecord]) -> None:
        """Store decisions about matches, replacing the existing ones."""
        ...

    def remove_verdicts(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Remove decisions about matches, each identified by the lower and the higher number of its documents."""
        ...

    def move(self, clusters: Mapping[int, int]) -> None:
        """Assign each content to a cluster."""
        ...

    def merge_clusters(self, into: Mapping[int, int]) -> None:
        """Merge each cluster into another one, which is not merged itself; it and its aliases become aliases."""
        ...

    def put_aliases(self, aliases: Mapping[int, int]) -> None:
        """Store which cluster each of these was merged into."""
        ...

    def put_borne(self, borne: Mapping[int, Sequence[int]]) -> None:
        """Add clusters that were merged into others while a content was in them, for each content."""
        ...

    def redirect(self, aliases: Sequence[int]) -> None:
        """Point each alias to the cluster of the oldest content that was in it; delete an alias without contents."""
        ...

    def remove_entries(self, documents: Sequence[int]) -> None:
        """Remove documents and everything that belongs only to them."""
        ...

    def remove_contents(self, contents: Sequence[int]) -> None:
        """Remove contents and their pairs; each removal is counted, in the order of the arguments."""
        ...


class Store(Protocol):
    """A persistent store of a library. Thread-safe."""

    @property
    def folder(self) -> Path | None:
        """Folder for caches next to the store; None if there is no such folder, so that the user's cache is used."""
        ...

    def settings(self) -> dict[str, str]:
        """Return the settings of the library; empty for a new one."""
        ...

    def settle(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Store the settings of a new library; return those in effect: these, or those of a concurrent creator."""
        ...

    def reading(self) -> AbstractContextManager[Reader]:
        """Open a consistent read snapshot."""
        ...

    def writing(self) -> AbstractContextManager[Writer]:
        """Wait for the write lock and open an atomic write transaction.

        Raises:
            ResourceError: another process writes for too long, the disk is full, or the store is not writable.
        """
        ...

    def backup(self, address: str) -> None:
        """Write a consistent copy to the address of a new store of this kind, while others read and write.

        Raises:
            UsageError: the address is occupied, or invalid for this kind of store.
            ResourceError: it is not writable.
        """
        ...

    def tend(self) -> None:
        """Run maintenance that keeps the store fast, while others read and write; it is optional.

        Raises:
            ResourceError: the disk is full, or the store is not writable.
        """
        ...

    def faults(self) -> list[str]:
        """Check everything that the store can check by itself; return a sentence for each fault."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


class TableVersions(NamedTuple):
    """Versions of the tables of a store.

    Attributes:
        existing: version of the existing tables.
        current: version of this program, to which opening the store migrates older ones.
        oldest: the oldest version whose programs can use the tables of this program; 0 if only its own can.
    """

    existing: int
    current: int
    oldest: int = 0


class StoreModule(Protocol):
    """Interface of the module of a store."""

    def exists(self, address: str) -> bool:
        """Return True if a store exists at an address, without opening it; False if the address cannot be reached."""
        ...

    def open_store(self, address: str, create: bool) -> Store:
        """Return the store at an address; with ``create``, create it if it does not exist.

        Raises:
            InputError: there is no store, the address holds other data, or the store is damaged.
            UsageError: it was created by a newer version.
            ResourceError: it cannot be reached.
        """
        ...

    def versions(self, address: str) -> TableVersions:
        """Return the versions of the tables at an address, without migrating them.

        Raises:
            InputError: there is no store, or the address holds other data.
            UsageError: a newer version of the program created it.
            ResourceError: it cannot be reached.
        """
        ...


__all__ = [
    "LookingAhead",
    "OptimisticStore",
    "Reader",
    "Store",
    "StoreChanged",
    "StoreModule",
    "TableVersions",
    "Writer",
]
