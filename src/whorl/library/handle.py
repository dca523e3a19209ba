"""An open library as a resource: its address and settings, its integrity, and how it is closed."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from whorl.i18n import say
from whorl.library.core import Core
from whorl.library.ingest.arguments import address_of
from whorl.library.maintenance.copy import copy_store
from whorl.library.maintenance.repair import repair as find_again
from whorl.library.maintenance.verification import verify
from whorl.library.provenance.zones import library_zone, set_library_zone
from whorl.library.rules import Rules
from whorl.recipe import Recipe
from whorl.stores import in_folder
from whorl.types.cards import card
from whorl.types.library import IntegrityReport


class LibraryHandle:
    """An open library, without the documents and clusters in it. Thread-safe.

    Args:
        core: store, index and rules.
        address: address, without secrets.
    """

    def __init__(self, core: Core, address: str) -> None:
        self._core = core
        self._address = address
        self._closing = Lock()
        self._is_open = True
        self._process = os.getpid()

    @property
    def folder(self) -> Path | None:
        """Folder of the library; None if its store has no folder.

        >>> library.folder.name
        'newsroom'
        """
        return self._core.store.folder

    @property
    def identity(self) -> str:
        """Unique name of the library, by which caches and the state of a watch are found; its backups share it.

        >>> len(library.identity)
        32
        """
        return self._core.store.settings()["identity"]

    @property
    def rules(self) -> Rules:
        """Rules of the library.

        >>> library.rules.similarity
        0.5
        """
        return self._core.making.rules

    @property
    def zone(self) -> str:
        """Default zone of publication times without one, for articles that are added later; empty without one.

        >>> library.zone = "Asia/Shanghai"
        >>> report = library.add({"id": "dated", "text": "渔港的冰厂", "published_at": "2026-11-24 08:00"})
        >>> str(library.get("dated").publication)
        '2026-11-24 08:00 +08:00'
        >>> removed, library.zone = library.remove("dated"), ""
        """
        return library_zone(self._core)

    @zone.setter
    def zone(self, zone: str | None) -> None:
        set_library_zone(self._core, zone)

    @property
    def recipe(self) -> Recipe:
        """Recipe of the keys.

        >>> library.recipe.method
        'winnowing'
        """
        return self._core.making.recipe

    def verify(self, *, repair: bool = False) -> IntegrityReport:
        """Read everything back: rows, texts and checksums, and the consistency of index and store.

        >>> library.verify().faults
        ()

        An inconsistent index is rebuilt.

        Args:
            repair: look up every article again, store missing matches, and recompute the clusters; ``faults`` lists
                what was wrong before.

        Raises:
            ResourceError: the library cannot be reached.
            UsageError: ``repair`` is set for a library that keeps no texts.

        Cost: fingerprinting all texts and reading every byte; with ``repair``, adding all documents again.
        """
        checkup = verify(self._core)
        return replace(checkup, repaired=find_again(self._core)) if repair else checkup

    def reindex(self) -> None:
        """Rebuild the index from the texts.

        >>> library.reindex()

        Cost: fingerprinting all texts: less than a minute for a million articles of a thousand characters.
        """
        with self._core.turn, self._core.store.reading() as reader:
            self._core.index.rebuild(reader)
            self._core.index.save()

    def backup(self, path: str | PathLike[str]) -> None:
        """Write a consistent copy to a folder, or to another place of the same kind, while others read and write.

        The index of the copy is rebuilt when it is opened. The copy of a library on a server in a folder has an
        identity of its own.

        >>> library.backup("copy-of-newsroom")

        Raises:
            UsageError: the folder holds other files.
            ResourceError: it cannot be written.
        """
        place, store = address_of(path), self._core.store
        if store.folder is None and in_folder(place):
            copy_store(store, place)
        else:
            store.backup(place)

    def stats(self) -> dict[str, Any]:
        """Return counts of each kind, sizes in bytes, and the state of the index.

        Clusters are those that `clusters` lists: of two articles or more.

        >>> library.stats()["documents"]
        91
        """
        with self._core.store.reading() as reader:
            self._core.index.catch_up(reader)
            counts = reader.counts() | {"notices": len(self._core.notices.excerpts(reader))}
            kept = {name: count for name, count in reader.kept().items() if count}
        return {"recipe": self._core.making.name, **counts, **kept, "index": self._core.index.stats()}

    def _repr_html_(self) -> str:
        if not self._is_open:
            return card(say("Library"), [(say("address"), self._address), (say("state"), say("closed"))])
        with self._core.store.reading() as reader:
            counts = reader.counts()
        return card(
            say("Library"),
            [(say("address"), self._address), *counts.items(), (say("recipe"), self._core.making.name)],
        )

    def close(self) -> None:
        """Save the index and release all resources; added documents are durable without it.

        >>> library.close()
        """
        if os.getpid() != self._process:
            self._core.store.close()
            return
        with self._closing:
            if self._is_open:
                with self._core.turn:
                    self._core.upkeep.close()
                    self._core.store.close()
                self._is_open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


__all__ = ["LibraryHandle"]
