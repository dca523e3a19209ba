"""The durable online library: every added article gets its matches and its cluster immediately, for years on end.

A store (`whorl.stores`) is the source of truth. An index of keys, which can always be rebuilt, selects candidates.

**Contents.** Documents with the same normalized text share a *content*. Only contents are indexed, compared and
clustered, so thousands of reprints of one text cost little more than the first. In a library with a window, a content
belongs to a period of an eighth of the window; otherwise a text that appears every day would grow one content forever.

**Index and store.** Two durable structures that change together need a distributed transaction, or one of them must be
a cache. Here the index is a cache. Content numbers only grow, so what a saved index lacks are the larger numbers, and
they are read from the store. The index saves its high-water marks and the name of the store's state with its rows,
atomically. The store remembers the names of its states. After an older copy of the store was restored, it does not
recognize the name in a newer index, and the index is rebuilt. Rows enter the index before the commit and are taken back
if it fails. Merging and saving run in a separate thread on segments that never change. Digests are keys of the index
too: a SQLite index on such random values would write a page for almost every article.

**Round trips.** Every store method handles a batch, so exporting and removing take as few exchanges for a thousand
documents as for ten; `tests/unit/library/test_round_trips.py` counts them. Adding takes that number for each part of a
batch: boilerplate learned from one part is removed from the keys of the next (`ingest.pace`).

**Changes.** The store numbers all changes in one log, within the transaction that makes them. Writers take turns, so a
visible number never has a smaller one that appears later, and a consumer can continue after any mark
(`provenance.changes`).
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack
from uuid import uuid4

from whorl import stores
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.library.addresses import Address
from whorl.library.boilerplate.cache import BoilerplateCache
from whorl.library.core import Core
from whorl.library.ingest.arguments import address_of
from whorl.library.library import Library
from whorl.library.maintenance.copy import demand_whole
from whorl.library.maintenance.segments import Maintenance
from whorl.library.memory import MEMORY, MemoryLibrary, memory_folder
from whorl.library.rules import GivenRules, Making, made_with, making
from whorl.library.search.index_cache import FOLDER, IndexCache
from whorl.library.search.indexing import Index
from whorl.recipe import Recipe, recipe_of
from whorl.release import missing_package
from whorl.stores import Store

if TYPE_CHECKING:
    from whorl.tasks.library.add import add_files, check_files
    from whorl.tasks.library.attribution import fit_attribution, trace
    from whorl.tasks.library.statistics import statistics
    from whorl.tasks.review.run import review_queue

# Use cases of a library are public here, but belong to a higher layer; they are imported on first use.
_HOMES = {
    "add_files": "whorl.tasks.library.add",
    "check_files": "whorl.tasks.library.add",
    "fit_attribution": "whorl.tasks.library.attribution",
    "review_queue": "whorl.tasks.review.run",
    "statistics": "whorl.tasks.library.statistics",
    "trace": "whorl.tasks.library.attribution",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def open(
    address: str | PathLike[str],
    recipe: Recipe | str | PathLike[str] | None = None,
    *,
    create: bool = True,
    zone: str | None = None,
    **rules: Unpack[GivenRules],
) -> Library:
    """Open a library, or create one.

    >>> import whorl
    >>> with whorl.open("wire", window="30d") as library:
    ...     len(library), library.rules.window
    (0, '30d')

    Args:
        address: path of its folder, or the address of a store such as ``sqlite:news`` or
            ``postgresql://user@host/database``. With ``?index=redis://host:6379/0`` appended, all processes that use
            the same address share that index. ``:memory:`` is a new library that ends when it is closed.
        recipe: recipe for a new library: a recipe, the name of a preset or a method, or a TOML file; None selects the
            preset "library". For an existing library it must equal the recipe that the library was created with, or be
            None.
        create: create the library if it does not exist.
        zone: default zone of publication times without one, such as "Asia/Shanghai" or "+08:00", for articles that are
            added from now on; stored in the library. None keeps the stored one. Without any, the offset of such times
            is unknown.
        **rules: rules for a new library: fields of ``whorl.results.Rules``, such as ``window="30d"``.

    Returns:
        The library. Close it, or use it in a ``with`` statement.

    Raises:
        InputError: the library does not exist and ``create`` is false, or it is damaged.
        UsageError: the address is invalid, the library was created with another recipe or by an incompatible version,
            or a rule is out of range.
        ResourceError: the store cannot be reached.

    Cost: milliseconds at any size if the index was saved; otherwise that of ``Library.reindex``.
    """
    full_address = address_of(address)
    if full_address == MEMORY:
        return _open_in_memory(recipe, rules, zone)
    place, shared = Address.of(full_address)
    core = _opened(place, shared, recipe, rules, create=create)
    library = Library(core, stores.masked(full_address))
    if zone is not None:
        try:
            library.zone = zone
        except BaseException:
            library.close()
            raise
    return library


def _open_in_memory(recipe: Recipe | str | PathLike[str] | None, rules: GivenRules, zone: str | None) -> Library:
    scratch = memory_folder()
    try:
        library = MemoryLibrary(_opened(str(scratch.path / "library"), None, recipe, rules, create=True), scratch)
        if zone is not None:
            library.zone = zone
        return library
    except BaseException:
        scratch.cleanup()
        raise


def _opened(
    place: str, shared: str | None, recipe: Recipe | str | PathLike[str] | None, rules: GivenRules, *, create: bool
) -> Core:
    store = stores.open_store(place, create=create)
    try:
        kept = store.settings()
        demand_whole(kept)
        requested = None if recipe is None else recipe_of(recipe)
        chosen = _chosen(requested, rules, made_with(kept["making"], requested) if kept else None)
        if not kept:
            kept = store.settle({"making": chosen.described, "identity": uuid4().hex})
            chosen = _chosen(requested, rules, made_with(kept["making"], requested))
        return _core(store, chosen, kept["identity"], shared)
    except BaseException:
        store.close()
        raise


def exists(address: str | PathLike[str]) -> bool:
    """Return True if an address may hold a library, or the index that remains of one whose store was deleted.

    Any path is accepted, without opening it. The address of a server always counts as a library; opening it shows
    whether it exists.
    """
    place = Address.of(fspath(address)).store
    if stores.on_server(place) or stores.exists(place):
        return True
    try:
        return any(file.suffix == ".manifest" for file in Path(place, FOLDER).iterdir())
    except (OSError, ValueError):
        return False


def _core(store: Store, chosen: Making, identity: str, shared: str | None) -> Core:
    index = IndexCache(store, chosen, identity) if shared is None else _shared(store, chosen, identity, shared)
    try:
        with store.reading() as reader:
            index.catch_up(reader)
    except BaseException:
        if shared is not None:
            index.close()
        raise
    return Core(store, chosen, index, BoilerplateCache(), Maintenance(store, index))


def _shared(store: Store, chosen: Making, identity: str, address: str) -> Index:
    try:
        from whorl.library.search.shared_index import SharedIndex
    except ModuleNotFoundError as error:
        what = say("an index in Redis")
        raise missing_package(say("{what} needs {package}", what=what, package=error.name), "redis") from error
    return SharedIndex(store, chosen, identity, address)


def _chosen(recipe: Recipe | None, rules: GivenRules, kept: Making | None) -> Making:
    """Resolve recipe and rules of a new library, or verify that they match those of an existing one.

    Raises:
        UsageError: they differ from those of the existing library.
    """
    if kept is None:
        return making(recipe, rules)
    requested = making(kept.recipe, {**kept.kept_rules(), **rules}) if recipe is None else making(recipe, rules)
    if requested.identity != kept.identity:
        hint = say(
            "open it without a recipe, or export it with `whorl library export` and add the file to a new library"
        )
        raise UsageError(
            say("the library has another recipe: {kept}, not {asked}", kept=kept.name, asked=requested.name),
            hint=hint,
        )
    return kept


__all__ = [
    "Library",
    "add_files",
    "check_files",
    "exists",
    "fit_attribution",
    "open",
    "review_queue",
    "statistics",
    "trace",
]
