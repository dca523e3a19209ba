"""Locations of test stores of each scheme: addresses of empty locations."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import psycopg
import pymysql

from tests.servers import HOST, PASSWORD, USER
from tests.servers.shared import fresh
from whorl.stores import Store, open_store

SERVERS = {"postgresql": "postgresql", "mysql": "mariadb", "mongodb": "mongodb"}
"""The server of a store scheme; other schemes use folders."""

TO_VERSION_5 = (
    'ALTER TABLE "permission" RENAME COLUMN "permission_key" TO "leave_key"',
    'ALTER TABLE "permission" RENAME TO "leave"',
    'ALTER TABLE "attestation" RENAME COLUMN "attestation_key" TO "proof_key"',
    'ALTER TABLE "attestation" RENAME TO "proof"',
    'ALTER TABLE "library" DROP COLUMN "oldest"',
)
"""Statements that turn the tables of a library on a SQL server into those of version 5."""


def place(scheme: str, folder: Path, name: str = "kept") -> str:
    """Return the address of a new location for a store, below a folder if its scheme uses folders."""
    return fresh(SERVERS[scheme]) if scheme in SERVERS else f"{scheme}:{folder / name}"


def copy_place(scheme: str, folder: Path) -> str:
    """Return a location for a copy of a store, as `Store.backup` expects it: without the scheme of a folder."""
    return place(scheme, folder, "copy").removeprefix("" if scheme in SERVERS else f"{scheme}:")


def run_sql(address: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements at a location as administrator; return the rows of the last one."""
    port = int(address.rpartition("@")[2].partition(":")[2].partition("/")[0])
    rows: list[tuple[Any, ...]] = []
    if address.startswith("postgresql"):
        schema = address.rpartition("=")[2]
        where = {"host": HOST, "port": port, "user": USER, "password": PASSWORD, "dbname": "postgres"}
        with psycopg.connect(**where, autocommit=True) as connection:
            for statement in (f"CREATE SCHEMA IF NOT EXISTS {schema}", f"SET search_path = {schema}", *statements):
                cursor = connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
        return rows
    with (
        pymysql.connect(host=HOST, port=port, user=USER, password=PASSWORD.encode(), autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        for statement in (f"USE {address.rpartition('/')[2]}", "SET sql_mode = 'ANSI_QUOTES'", *statements):
            cursor.execute(statement)
            rows = list(cursor.fetchall())
    return rows


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
