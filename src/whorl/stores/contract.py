"""What every store fulfils."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from whorl.stores.monitoring import MonitoringReader, MonitoringWriter
from whorl.stores.records import (
    Brief,
    Changes,
    Chosen,
    Content,
    Copies,
    Counters,
    Entry,
    Former,
    Mark,
    Notice,
    Pair,
    Reviewed,
    Seen,
    Sketch,
    Verdict,
)


class Reader(MonitoringReader, Protocol):
    """The truth at one moment."""

    def mark(self) -> Mark:
        """How far it has come; constant cost."""
        ...

    def counters(self) -> Counters:
        """The last numbers that were given; constant cost."""
        ...

    def changes(self, since: int, most: int) -> Changes:
        """The next ``most`` changes after one of which ``Mark.change`` or ``Changes.last`` told; 0 for all.

        Cost: that of the changes told, however many there were before.
        """
        ...

    def has_been(self, state: int) -> bool:
        """Whether ``put_state`` named a state of it so; a copy from before does not know."""
        ...

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """The documents of these ids; unknown ones are left out."""
        ...

    def entries_from(self, origins: Iterable[str]) -> dict[str, Entry]:
        """The documents of these origins; unknown ones are left out."""
        ...

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """The documents of these numbers; unknown ones are left out."""
        ...

    def all_entries(self, collection: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """All documents, in the order of adding: of a collection, and first seen at or after a time."""
        ...

    def documents(
        self, chosen: Chosen, after: int | None, most: int, *, newest: bool = False
    ) -> tuple[list[Entry], int | None]:
        """The next ``most`` chosen documents after a number, of which the last one or None is told to go on after.

        They come in the order of adding, or ``newest`` first; ``after`` None begins. There may be fewer where many are
        looked at for few: a call has bounded cost, whatever is chosen of however many.
        """
        ...

    def ordered(self, order: str) -> Sequence[int]:
        """The numbers of all documents, 8 bytes each, as they were "added", by "time" or by "cluster"."""
        ...

    def members(
        self, contents: Iterable[int], most: int | None = None, collection: str | None = None
    ) -> dict[int, list[Entry]]:
        """The documents of each content, or those of a collection, first added first; the first ``most`` of them."""
        ...

    def briefs(self, contents: Iterable[int]) -> Iterator[Brief]:
        """The documents of contents in brief, in no order."""
        ...

    def extents(self, contents: Iterable[int], clock: str) -> dict[int, tuple[int, int]]:
        """The earliest and the latest time of the documents of each content, by the clock of a window."""
        ...

    def texts(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The packed texts of documents by number; those without one are left out."""
        ...

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, bytes]:
        """The packed text of the first document of each content, by the number of the content."""
        ...

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """The contents of these numbers; unknown ones are left out."""
        ...

    def contents_after(self, number: int, most: int) -> list[Content]:
        """The next ``most`` contents after a number, ascending."""
        ...

    def removed_after(self, removal: int) -> list[int]:
        """The numbers of the contents that were removed after a mark."""
        ...

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """The keys of contents, where they are kept."""
        ...

    def pairs(self, contents: Iterable[int]) -> dict[int, list[Pair]]:
        """All pairs with each content, those of two of them twice; contents without pairs are left out."""
        ...

    def all_pairs(self, collection: str | None = None) -> Iterator[Pair]:
        """All pairs, each once, in no order: with a collection those in which one of its documents has a content."""
        ...

    def repeated(self, collection: str | None = None) -> list[int]:
        """The contents that several documents have, in no order: with a collection those that one of it has."""
        ...

    def joined(self, contents: Iterable[int]) -> list[Pair]:
        """All pairs that join two of these contents."""
        ...

    def notices_after(self, number: int) -> list[Notice]:
        """The boilerplate that was learned after a number, ascending."""
        ...

    def cluster(self, cluster: int) -> int:
        """The cluster that ``cluster`` has become part of, itself where it has not."""
        ...

    def aliases(self, clusters: Iterable[int]) -> dict[int, list[int]]:
        """The clusters that have become part of each of these, ascending; those without aliases are left out."""
        ...

    def borne(self, contents: Iterable[int]) -> dict[int, list[int]]:
        """The clusters that became part of others while a content was in them, ascending; none is left out."""
        ...

    def in_clusters(self, clusters: Iterable[int]) -> dict[int, list[Content]]:
        """The contents of each cluster, ascending; clusters without contents are left out."""
        ...

    def cluster_sizes(
        self, at_least: int, since: int | None, most: int | None, after: tuple[int, int] | None = None
    ) -> list[tuple[int, int]]:
        """Cluster and number of documents, of those first seen at or after ``since``, the largest first.

        Of equals the one with the lower number comes first; with ``after`` only those that come after such a row.
        """
        ...

    def names(self, kind: str, since: int, until: int) -> dict[str, int]:
        """How many documents have each name, of those first seen from one time on and before another.

        The kinds of names: "author"; "day", on which it was first seen, as ISO 8601 has it, in UTC; and "site", ``//``
        and what stands behind ``://`` in the address up to the next slash, or who published it where there is no such
        address. What is not known is empty.
        """
        ...

    def copies(self, kind: str, since: int, until: int) -> list[Copies]:
        """How many documents are copies, by their name and that of the first document of their cluster.

        The first is the one that was published first, or first seen where it does not say, and of equals the one that
        was added first. Kinds of names, and which documents are counted, are as of ``names``.
        """
        ...

    def seen(self, documents: Iterable[int]) -> dict[int, list[Seen]]:
        """The sightings of each document after the first, in order of time; documents without are left out."""
        ...

    def links(self, documents: Iterable[int]) -> dict[int, list[str]]:
        """The links out of each document, in their order; documents without are left out."""
        ...

    def verdicts(self, documents: Iterable[int]) -> dict[int, dict[int, Verdict]]:
        """What was decided about the matches of each document, by the number of the other one; none is left out."""
        ...

    def all_verdicts(self) -> Iterator[Verdict]:
        """What was decided about any match, each once, in no order."""
        ...

    def reviewed(self, contents: Iterable[int]) -> list[Reviewed]:
        """What was decided about documents of two contents, of which at least one is among these, once each."""
        ...

    def former(self, documents: Iterable[int]) -> dict[int, list[Former]]:
        """What each document said before, by revision; documents without are left out."""
        ...

    def count(self) -> int:
        """How many documents there are."""
        ...

    def collections(self) -> dict[str, int]:
        """How many documents each collection has, by name; those of none are left out."""
        ...

    def counts(self) -> dict[str, int]:
        """How many rows of each kind there are, and the bytes on disk."""
        ...


class Writer(MonitoringWriter, Reader, Protocol):
    """One change of the truth. No key occurs twice among the rows of a call, but where a method says so."""

    def next_document(self) -> int:
        """The number that the next new document has."""
        ...

    def next_content(self) -> int:
        """The number that the next new content has."""
        ...

    def next_clusters(self, count: int) -> range:
        """Reserve ``count`` new cluster ids."""
        ...

    def put_counters(self, counters: Counters) -> None:
        """Let numbers go on after these; those of a kind that has come further stay."""
        ...

    def put_settings(self, settings: Mapping[str, str]) -> None:
        """Keep settings, in the place of those of the same names."""
        ...

    def put_state(self, state: int) -> None:
        """Record this state under a unique number below 2^62."""
        ...

    def put_entries(self, entries: Sequence[Entry]) -> None:
        """Keep new documents, and in the place of known ones what is given now."""
        ...

    def put_texts(self, packed: Mapping[int, bytes]) -> None:
        """Keep the packed texts of documents by number, in the place of those known."""
        ...

    def put_former(self, former: Sequence[Former]) -> None:
        """Keep what documents said before."""
        ...

    def put_contents(self, contents: Sequence[Content]) -> None:
        """Keep new contents, and in the place of known ones what is given now."""
        ...

    def put_sketches(self, sketches: Sequence[Sketch]) -> None:
        """Keep the keys of contents."""
        ...

    def put_pairs(self, pairs: Sequence[Pair]) -> None:
        """Keep pairs."""
        ...

    def remove_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Forget pairs, each given by its lower and its higher number."""
        ...

    def put_notices(self, notices: Sequence[Notice]) -> None:
        """Keep boilerplate under the next numbers, in the order given."""
        ...

    def put_seen(self, seen: Sequence[Seen]) -> None:
        """Keep sightings; those that are known, or given twice, stay as they are."""
        ...

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """Keep the links out of documents, after those known; one that is known, or given twice, is not repeated."""
        ...

    def put_verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """Keep what was decided about matches, in the place of what was before."""
        ...

    def remove_verdicts(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Forget what was decided about matches, each given by the lower and the higher number of its documents."""
        ...

    def move(self, clusters: Mapping[int, int]) -> None:
        """Put each content into a cluster."""
        ...

    def merge_clusters(self, into: Mapping[int, int]) -> None:
        """Put all of each cluster into another, which is none of those that go; it, and its aliases, become aliases."""
        ...

    def put_aliases(self, aliases: Mapping[int, int]) -> None:
        """Keep which cluster each of these has become part of."""
        ...

    def put_borne(self, borne: Mapping[int, Sequence[int]]) -> None:
        """Keep the clusters that became part of others while each content was in them; those known stay."""
        ...

    def redirect(self, aliases: Sequence[int]) -> None:
        """Point each alias to the cluster of the oldest content that was in it; delete an alias without contents."""
        ...

    def remove_entries(self, documents: Sequence[int]) -> None:
        """Forget documents and all that belongs to them alone."""
        ...

    def remove_contents(self, contents: Sequence[int]) -> None:
        """Forget contents and their pairs; each removal is counted, in the order given."""
        ...


class Store(Protocol):
    """A place that keeps a library. Safe from threads."""

    @property
    def folder(self) -> Path | None:
        """Where caches may lie beside it; None where there is no such place, and they lie with those of the user."""
        ...

    def settings(self) -> dict[str, str]:
        """What the library was made with; empty for a new one."""
        ...

    def settle(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Keep the settings of a new library; return those that count: these, or those of whoever was first."""
        ...

    def reading(self) -> AbstractContextManager[Reader]:
        """Read what is true at one moment."""
        ...

    def writing(self) -> AbstractContextManager[Writer]:
        """Change the truth, whole or not at all, when it is this one's turn.

        Raises:
            ResourceError: another process writes for too long, the disk is full, or it may not be written to.
        """
        ...

    def backup(self, address: str) -> None:
        """Write a copy of one moment to where a new store of this kind could be, while others read and write.

        Raises:
            UsageError: something is there, or the address is none of this kind.
            ResourceError: it cannot be written to.
        """
        ...

    def tend(self) -> None:
        """Do what keeps the store fast, while others read and write; nothing depends on it.

        Raises:
            ResourceError: the disk is full, or it may not be written to.
        """
        ...

    def faults(self) -> list[str]:
        """Check everything that the store itself can check; a sentence for each fault."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class StoreModule(Protocol):
    """What the module of a store offers."""

    def exists(self, address: str) -> bool:
        """Whether a store is at an address; one that cannot be reached is none. Nothing is opened."""
        ...

    def open_store(self, address: str, create: bool) -> Store:
        """Return the store at an address, which is made if there is none and ``create`` says so.

        Raises:
            InputError: there is none, or what is there is none, or it is damaged.
            UsageError: it was made by a newer version.
            ResourceError: it cannot be reached.
        """
        ...


__all__ = ["Reader", "Store", "StoreModule", "Writer"]
