"""Replicas of two successive versions side by side, over one state and one library on a server."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.articles import article, jsonl
from tests.replicas import Replica, until
from tests.servers.shared import fresh
from tests.serving import STATES, settings_of, state_of
from tests.stores import SERVERS, run_sql

import whorl
from whorl.stores.sql import schema

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the servers are not started here")

# Worker processes import it, too.
_NEXT_VERSION = """
from whorl.service.state import server, tables
from whorl.stores.sql import schema, store

def added(names):
    return tuple(f'ALTER TABLE "{name}" ADD COLUMN "later" BIGINT NOT NULL DEFAULT 7' for name in names)

for module, place in ((server, tables), (store, schema)):
    place.VERSION = module.VERSION = place.VERSION + 1
    place.MIGRATIONS = module.MIGRATIONS = (*place.MIGRATIONS, added(place.TABLES.tables))

from whorl.cli import main

if __name__ == "__main__":
    main()
"""


class Desk:
    """Uses a service as its callers do; every request must succeed.

    Args:
        name: prefix of the ids of its articles.
        address: address of a replica.
        secret: secret of a key.
    """

    def __init__(self, name: str, address: str, secret: str) -> None:
        self._name = name
        headers = {"Authorization": f"Bearer {secret}"}
        limits = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(base_url=address, headers=headers, timeout=60, limits=limits)
        self.added: list[str] = []

    def work(self) -> None:
        """Add an article and one by a job, find the first, make a key and revoke it."""
        first, second = f"{self._name}{len(self.added)}", f"{self._name}{len(self.added)}-by-job"
        text, library = article(int.from_bytes(first.encode()) % 10**6), "/v1/libraries/news"
        for _ in range(2):
            self._send(
                "POST", f"{library}/documents", json={"id": first, "text": text}, headers={"Idempotency-Key": first}
            )
        matches = self._send("POST", f"{library}/check", json={"text": text}).json()["matches"]
        assert first in {match["id"] for match in matches}
        rows = jsonl([{"id": second, "text": f"{text}{second}"}])
        job = self._send("POST", f"{library}/jobs/add", content=rows).json()["id"]
        until(lambda: self._send("GET", f"/v1/jobs/{job}").json()["state"] == "done")
        key = self._send("POST", "/v1/keys", json={"name": first, "scopes": ["read"]}).json()["key"]["number"]
        self._send("DELETE", f"/v1/keys/{key}")
        self.added += [first, second]

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        response = self._http.request(method, path, **more)
        assert response.is_success, f"{method} {path}: {response.text}"
        return response


@pytest.mark.parametrize("kind", [kind for kind in STATES if kind != "sqlite"])
def test_replicas_are_replaced_one_by_one(kind: str, tmp_path: Path) -> None:
    library, program = fresh(SERVERS[kind]), tmp_path / "next_version.py"
    program.write_text(_NEXT_VERSION)
    whorl.open(library).close()
    settings = replace(settings_of(tmp_path, kind=kind), libraries={"news": library})
    with state_of(settings) as state:
        secret, _ = state.keys.make("desk", ["read", "write", "admin"])
    options = ("--port", "0", "--workers", "2")
    with ExitStack() as closing:
        old = Replica(settings, tmp_path / "old.log", options)
        closing.callback(old.end)
        desks = [Desk("old", old.address, secret)]
        for _ in range(3):
            desks[0].work()
        new = Replica(settings, tmp_path / "new.log", options, [program])
        closing.callback(new.end)
        while "http://" not in new.log():
            desks[0].work()
        assert run_sql(library, "SELECT version, oldest FROM library") == [(schema.VERSION + 1, schema.OLDEST)]
        desks.append(Desk("new", new.address, secret))
        for _ in range(3):
            for desk in desks:
                desk.work()
        killed = old.workers()[-1]
        os.kill(killed, signal.SIGKILL)
        until(lambda: killed not in old.workers() and len(old.workers()) == 3)  # two, and the resource tracker
        until(lambda: _responds(old.address))
        for desk in desks * 3:
            desk.work()
        old.end()
        assert old.process.returncode == 0
        desks[1].work()
        for replica in (old, new):
            assert "Traceback" not in replica.log()
    with whorl.open(library) as opened:
        ids = {entry.id for entry in opened.documents(limit=1000).items}
    assert ids == {id for desk in desks for id in desk.added}


def _responds(address: str) -> bool:
    """Return whether a service has no worker any more that was killed."""
    try:
        return all(httpx.get(f"{address}/readyz", timeout=60).is_success for _ in range(6))
    except httpx.TransportError:
        return False
