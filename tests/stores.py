"""Where tests keep stores of each scheme: addresses of places in which nothing is yet."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from tests.servers.shared import fresh
from whorl.stores import Store, open_store

SERVERS = {"postgresql": "postgresql", "mysql": "mariadb", "mongodb": "mongodb"}
"""The server on which stores of a scheme are; those of other schemes are in folders."""


def place(scheme: str, folder: Path, name: str = "kept") -> str:
    """The address of a new place for a store, below a folder where a store of this scheme is in one."""
    return fresh(SERVERS[scheme]) if scheme in SERVERS else f"{scheme}:{folder / name}"


def copy_place(scheme: str, folder: Path) -> str:
    """Where a copy of a store can be, as `Store.backup` takes it: without the scheme of a folder."""
    return place(scheme, folder, "copy").removeprefix("" if scheme in SERVERS else f"{scheme}:")


class Open:
    """Opens a store in the same place again and again; to be used as a context, which closes all of them."""

    def __init__(self, scheme: str, folder: Path) -> None:
        self.scheme = scheme
        self._address = place(scheme, folder)
        self._stores: list[Store] = []

    def __call__(self) -> Store:
        self._stores.append(open_store(self._address, create=True))
        return self._stores[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        for store in self._stores:
            store.close()
