"""Where a library lives: the contract that every store fulfils, and the choice of one by its address.

A store keeps rows and decides nothing. Each method is one exchange with it for any number of rows, or one for each
thousand; texts cross as the bytes into which the library packed them. What is written in one ``writing`` counts whole
or not at all, and is on the disk before the block ends; what is read in one ``reading`` is that of one moment. Writers
of several processes take turns. Its members do not import each other; the suite of promises is
`tests/contracts/test_stores.py`.

A store may also be a module of another package, which names it, under the scheme of its addresses, in its
``pyproject.toml``::

    [project.entry-points."whorl.stores"]
    my_store = "my_package.my_store"

Once that package is installed, ``my_store:...`` is the address of a library; the schemes of this package's own are
taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from whorl.errors import UsageError
from whorl.language import Message, say
from whorl.release import missing_package
from whorl.stores.records import Changes, Content, Entry, Former, Mark, Notice, Pair, Seen, Sketch, Verdict

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

USUAL = "sqlite"
"""The scheme of a path that has none."""

OWN = {USUAL: "whorl.stores.sqlite"}
"""The modules of this package's own stores by their schemes, which are also the extras that bring their drivers."""

ENTRY_POINTS = "whorl.stores"
"""The group of entry points by which other packages bring stores."""


class Reader(Protocol):
    """The truth at one moment."""

    def mark(self) -> Mark:
        """How far it has come; constant cost."""
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

    def all_entries(self) -> Iterator[Entry]:
        """All documents, in the order of adding."""
        ...

    def ordered(self, order: str) -> Sequence[int]:
        """The numbers of all documents, 8 bytes each, as they were "added", by "time" or by "cluster"."""
        ...

    def members(self, contents: Iterable[int], most: int | None = None) -> dict[int, list[Entry]]:
        """The documents of each content, first added first; the first ``most`` of them."""
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

    def cluster_sizes(self, at_least: int, since: int | None, most: int | None) -> list[tuple[int, int]]:
        """Cluster and number of documents, of those first seen at or after ``since``, the largest first."""
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

    def former(self, documents: Iterable[int]) -> dict[int, list[Former]]:
        """What each document said before, by revision; documents without are left out."""
        ...

    def count(self) -> int:
        """How many documents there are."""
        ...

    def counts(self) -> dict[str, int]:
        """How many rows of each kind there are, and the bytes on disk."""
        ...


class Writer(Reader, Protocol):
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

    def move(self, clusters: Mapping[int, int]) -> None:
        """Put each content into a cluster."""
        ...

    def merge_clusters(self, into: Mapping[int, int]) -> None:
        """Put all of each cluster into another, which is none of those that go; it, and its aliases, become aliases."""
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


def schemes() -> list[str]:
    """Return the schemes of all stores: those of this package, and those that other packages bring."""
    return [*OWN, *sorted(_brought())]


def open_store(address: str, *, create: bool) -> Store:
    """Return the store at ``address``: a path, or an address with a scheme such as ``sqlite:news``.

    Raises:
        UsageError: there is no store for the scheme, or a package that it needs is missing.
        InputError: there is no library, or it is damaged.
        ResourceError: it cannot be reached.
    """
    scheme, rest = _parts(address)
    if not _is_known(scheme):
        known = ", ".join(f"{name}:" for name in schemes())
        raise UsageError(
            say("there is no store for '{scheme}:'", scheme=scheme),
            cure=say("give a path, or an address that begins {known}", known=known),
        )
    return _module(scheme).open_store(rest, create)


def exists(address: str) -> bool:
    """Whether a store is at ``address``; any string may be asked for, and nothing is opened.

    Raises:
        UsageError: a package that its scheme needs is missing.
    """
    scheme, rest = _parts(address)
    return _is_known(scheme) and _module(scheme).exists(rest)


def _parts(address: str) -> tuple[str, str]:
    """The scheme of an address, and what follows; of a path the scheme that needs not be said."""
    scheme, colon, rest = address.partition(":")
    if not colon or len(scheme) == 1 or "/" in scheme or not scheme.isidentifier():
        return USUAL, address
    return scheme, rest.removeprefix("//")


def _is_known(scheme: str) -> bool:
    return scheme in OWN or scheme in _brought()  # what is installed is looked through only where it must be


@cache
def _brought() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS) if entry.name not in OWN}


def _module(scheme: str) -> StoreModule:
    if scheme in OWN:
        try:
            return cast(StoreModule, import_module(OWN[scheme]))
        except ModuleNotFoundError as error:
            raise missing_package(_lacking(scheme, error), scheme) from error
    entry = _brought()[scheme]
    try:
        module: StoreModule = entry.load()
        _ = module.exists, module.open_store
    except Exception as error:
        own, package = entry.module.partition(".")[0], entry.dist.name if entry.dist else entry.value
        if isinstance(error, ModuleNotFoundError) and error.name and error.name.partition(".")[0] != own:
            cure = say("pip install {package}", package=error.name.partition(".")[0])
            raise UsageError(_lacking(scheme, error), cure=cure) from error
        raise UsageError(
            say(
                "the store '{scheme}:' of the package {package} cannot be loaded: {error}",
                scheme=scheme,
                package=package,
                error=error,
            ),
            cure=say("update or remove {package}", package=package),
        ) from error
    return module


def _lacking(scheme: str, error: ModuleNotFoundError) -> Message:
    return say("{what} needs {package}", what=say("the store '{scheme}:'", scheme=scheme), package=error.name)


__all__ = ["ENTRY_POINTS", "OWN", "Reader", "Store", "Writer", "exists", "open_store", "schemes"]
