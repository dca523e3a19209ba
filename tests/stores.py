"""Locations of test stores of each scheme: addresses of empty locations."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from tests.servers.shared import fresh
from whorl.stores import Store, open_store

SERVERS = {"postgresql": "postgresql", "mysql": "mariadb", "mongodb": "mongodb"}
"""The server of a store scheme; other schemes use folders."""


def place(scheme: str, folder: Path, name: str = "kept") -> str:
    """Return the address of a new location for a store, below a folder if its scheme uses folders."""
    return fresh(SERVERS[scheme]) if scheme in SERVERS else f"{scheme}:{folder / name}"


def copy_place(scheme: str, folder: Path) -> str:
    """Return a location for a copy of a store, as `Store.backup` expects it: without the scheme of a folder."""
    return place(scheme, folder, "copy").removeprefix("" if scheme in SERVERS else f"{scheme}:")


class Open:
    """Context manager that opens a store in the same location repeatedly, and closes all of them."""

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
