"""A drill: the service is backed up in use, lost, and restored as the documentation of deployment describes."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from tests.articles import article
from tests.replicas import until
from tests.servers.shared import fresh
from tests.serving import served, settings_of, state_of
from tests.stores import SERVERS

import whorl
from whorl.service.settings import Settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the servers are not started here")

LIBRARY = "/v1/libraries/news"


@contextmanager
def _client(settings: Settings, secret: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {secret}"}
    with served(settings) as address, httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        yield client


def _add(client: httpx.Client, number: int) -> None:
    document = {"id": str(number), "text": article(number), "title": f"第{number}篇"}
    assert client.post(f"{LIBRARY}/documents", json=document).status_code == 201


def _ids(client: httpx.Client, number: int) -> set[str]:
    response = client.post(f"{LIBRARY}/check", json={"text": article(number)})
    assert response.status_code == 200
    return {match["id"] for match in response.json()["matches"]}


def _backup(client: httpx.Client) -> bytes:
    job = client.post(f"{LIBRARY}/jobs", json={"kind": "backup"}).json()["id"]
    until(lambda: client.get(f"/v1/jobs/{job}").json()["state"] not in ("queued", "running"))
    result = client.get(f"/v1/jobs/{job}/result")
    assert result.status_code == 200, result.text
    return result.content


@pytest.mark.parametrize("store", ["sqlite", *SERVERS])
def test_a_restored_service_has_what_was_backed_up_and_goes_on(store: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    folder, state = tmp_path / "news", Path(settings.state) / "service.sqlite"
    if store in SERVERS:
        shutil.rmtree(folder)
        settings = replace(settings, libraries={"news": fresh(SERVERS[store])})
        whorl.open(settings.libraries["news"]).close()
    with state_of(settings) as opened:
        secret, _ = opened.keys.make("desk", ["read", "review", "write", "admin"])
    with _client(settings, secret) as client:
        _add(client, 1)
        saved = _backup(client)
        with closing(sqlite3.connect(state)) as source, closing(sqlite3.connect(tmp_path / "copy.sqlite")) as copy:
            source.backup(copy)
        _add(client, 2)
        assert (_ids(client, 1), _ids(client, 2)) == ({"1"}, {"2"})
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(settings.state)

    with tarfile.open(fileobj=io.BytesIO(saved)) as archive:
        archive.extractall(tmp_path, filter="data")
    Path(settings.state).mkdir()
    shutil.copy(tmp_path / "copy.sqlite", state)
    if store in SERVERS:
        settings = replace(settings, libraries={"news": fresh(SERVERS[store])})
        command = [sys.executable, "-m", "whorl", "library", "copy", folder, settings.libraries["news"], "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
    with _client(settings, secret) as client:
        assert (_ids(client, 1), _ids(client, 2)) == ({"1"}, set())
        assert client.get(f"{LIBRARY}/documents/1").json()["title"] == "第1篇"
        _add(client, 2)
        assert _ids(client, 2) == {"2"}
        entries = [entry["what"] for entry in client.get("/v1/audit").json()["items"]]
        assert entries.count("POST /v1/libraries/{library}/documents") == 2
