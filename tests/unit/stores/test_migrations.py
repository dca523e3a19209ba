"""Libraries of older versions keep what they store."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores import SERVERS, TO_VERSION_5, place, run_sql

import whorl
from whorl.results import Attestation, Permission
from whorl.stores.mongodb.address import client_of, place_of
from whorl.stores.mongodb.chain import Chain

PERMISSIONS = [Permission("partner.example", "/news"), Permission("partner.example", author="边", note="合同")]
ATTESTATION = Attestation("a", "server-log", "2026-03-05T08:00:00+08:00", by="editor")


def _fill(library: whorl.Library) -> None:
    library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
    library.permissions.put(PERMISSIONS)
    library.attestations.put([ATTESTATION])


def _in_sqlite(address: str) -> None:
    with closing(sqlite3.connect(Path(address.removeprefix("sqlite:")) / "library.sqlite")) as connection:
        connection.executescript(
            "ALTER TABLE permission RENAME TO leave; ALTER TABLE attestation RENAME TO proof;"
            "DROP INDEX permission_of;"
            "CREATE UNIQUE INDEX leave_of ON leave (domain, path, author, coalesce(since, 0));"
            "PRAGMA user_version = 9;"
        )


def _in_sql(address: str) -> None:
    run_sql(address, *TO_VERSION_5, "UPDATE library SET version = 5")


def _in_mongodb(address: str) -> None:
    location = place_of(address.removeprefix("mongodb:"))
    former = {"permission": "leave", "attestation": "proof"}
    with client_of(location) as client:
        turn = Chain(client[location.database], location.label).take()
        for name, old in former.items():
            client[location.database][name].rename(old)
        turn.state.alive = {former.get(kind, kind): count for kind, count in turn.state.alive.items()}
        turn.state.rows = {former.get(kind, kind): count for kind, count in turn.state.rows.items()}
        turn.state.tables = 1
        turn.commit()


def _upgrade(address: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "whorl", "library", "upgrade", address, "--json", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


DOWNGRADES = {"sqlite": _in_sqlite, "postgresql": _in_sql, "mysql": _in_sql, "mongodb": _in_mongodb}


@pytest.mark.parametrize("scheme", ["sqlite", *SERVERS])
def test_permissions_and_attestations_keep_their_rows_under_the_new_names(scheme: str, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    with whorl.open(address) as library:
        _fill(library)
        permissions, attestations = list(library.permissions), list(library.attestations)
    DOWNGRADES[scheme](address)
    for _ in range(2):
        with whorl.open(address, create=False) as library:
            assert (list(library.permissions), list(library.attestations)) == (permissions, attestations)
            assert (len(library.permissions), len(library.attestations)) == (2, 1)
            assert library.verify().faults == ()
    with whorl.open(address) as library:
        assert library.permissions.put(PERMISSIONS[:1]) == 1
        assert library.permissions.remove(PERMISSIONS) == 2
        assert list(library.permissions) == []
        library.remove("a")
        assert list(library.attestations) == []


@pytest.mark.parametrize("scheme", ["sqlite", *SERVERS])
def test_an_upgrade_is_checked_before_it_is_made(scheme: str, tmp_path: Path) -> None:
    address = place(scheme, tmp_path)
    missing = _upgrade(address, "--check")
    assert (missing.returncode, "no library at" in missing.stderr) == (3, True)
    with whorl.open(address) as library:
        _fill(library)
    fresh = _upgrade(address, "--check")
    versions = json.loads(fresh.stdout)
    assert (fresh.returncode, versions["existing"], versions["upgraded"]) == (0, versions["current"], False)
    DOWNGRADES[scheme](address)
    for _ in range(2):
        older = _upgrade(address, "--check")
        assert older.returncode == 1, older.stderr
        assert json.loads(older.stdout)["existing"] < versions["current"]
    now = _upgrade(address)
    assert (now.returncode, json.loads(now.stdout)["upgraded"]) == (0, True)
    assert json.loads(_upgrade(address, "--check").stdout) == versions
