"""The state of a service in another place: keys, users, jobs and the audit log go on as before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from tests.servers import QUOTED
from tests.servers.shared import fresh
from tests.serving import STATES, served, settings_of
from tests.stores import SERVERS

from whorl.errors import InputError, UsageError, WhorlError
from whorl.service.state import State, open_state
from whorl.service.state.copying import StateCopy, copy_state
from whorl.service.state.second_factor import STEP_SECONDS, code_of
from whorl.service.state.sqlite import FILE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the servers are not started here")

ON_SERVERS = [kind for kind in STATES if kind != "sqlite"]
PASSWORD = "a long password"
ENTRIES = 250


def _filled(state: State) -> tuple[str, str]:
    """Fill a state; return the secrets of a key and of a second factor."""
    revoked, _ = state.keys.make("earlier", ["read"])
    state.keys.revoke(1)
    secret, _ = state.keys.make("desk \0 新闻", ["read", "write"], ["news"])
    assert state.keys.find(revoked) is None
    state.users.make("梅", PASSWORD, "editor", ["news"])
    factor = state.second_factors.begin("梅")
    assert state.second_factors.confirm("梅", code_of(factor, int(time.time() // STEP_SECONDS)))
    assert state.users.sign_in("梅", PASSWORD, "192.0.2.1", code=code_of(factor, int(time.time() // STEP_SECONDS) + 1))
    state.tenants.register("desk", "news", "Asia/Shanghai")
    state.jobs.put("waiting", "add", "news", {"text": "甲"}, "key 2 desk")
    state.jobs.put("ended", "export", "news", {}, "key 2 desk")
    claimed = state.jobs.claim("1-worker", ["export"])
    assert claimed is not None
    state.jobs.end("ended", "1-worker", "done", result={"file": "文章.jsonl"})
    for number in range(ENTRIES):
        state.audit.note("key 2 desk", "192.0.2.1", "POST /v1/keys", "news", f"\0{number}", 200, f"r{number}")
    for number in range(1, ENTRIES, 2):
        with state.database.writing() as connection:
            connection.execute("DELETE FROM audit WHERE number = ?", (number,))
    return secret, factor


def _content(state: State) -> tuple[object, ...]:
    return (
        state.keys.all(),
        state.users.all(),
        state.tenants.find("desk"),
        state.jobs.list(),
        state.audit.list(limit=2 * ENTRIES),
    )


def _place(kind: str, folder: Path) -> str:
    return fresh(SERVERS[kind]) if kind in SERVERS else str(folder)


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_state_is_moved_into_a_database_and_back(kind: str, tmp_path: Path) -> None:
    folder, server, back = str(tmp_path / "folder"), _place(kind, tmp_path), str(tmp_path / "back")
    with closing(open_state(folder)) as state:
        secret, factor = _filled(state)
        content = _content(state)
    file = Path(folder) / FILE
    digest = sha256(file.read_bytes()).hexdigest()
    expected = StateCopy(keys=2, users=1, second_factors=1, tenants=1, jobs=2, audit_entries=ENTRIES // 2)
    assert copy_state(folder, server) == expected
    assert sha256(file.read_bytes()).hexdigest() == digest
    assert copy_state(server, back) == expected
    for place in (server, back):
        with closing(open_state(place)) as state:
            assert _content(state) == content
            assert not state.is_open_to_all
            key = state.keys.find(secret)
            assert key is not None
            assert key.number == 2
            assert state.users.sessions("梅", "") == []
            code = code_of(factor, int(time.time() // STEP_SECONDS) + 1)
            assert state.users.sign_in("梅", PASSWORD, "192.0.2.1", code=code) is None, "a used code is valid again"
            assert state.keys.make("next", ["read"])[1].number == 3
            assert state.audit.begin("key 2 desk", "", "", "news", "", "r") == ENTRIES + 1
            assert state.jobs.claim("2-worker", ["add"]) is not None


@pytest.mark.parametrize("kind", STATES)
def test_a_state_that_is_not_empty_stays_as_it_is(kind: str, tmp_path: Path) -> None:
    source, target = str(tmp_path / "source"), _place(kind, tmp_path / "target")
    with closing(open_state(source)) as state:
        state.keys.make("desk", ["read"])
    with closing(open_state(target)) as state:
        state.audit.note("", "192.0.2.1", "POST /sign-in", "", "", 401, "r")
        content = _content(state)
    with pytest.raises(UsageError, match="is not empty") as refused:
        copy_state(source, target)
    assert QUOTED not in str(refused.value)
    with closing(open_state(target)) as state:
        assert _content(state) == content
        assert state.is_open_to_all


@pytest.mark.parametrize("kind", STATES)
def test_a_service_that_runs_a_job_is_not_copied(kind: str, tmp_path: Path) -> None:
    source, target = _place(kind, tmp_path / "source"), str(tmp_path / "target")
    with closing(open_state(source)) as state:
        state.jobs.put("a", "add", "news", {}, "local")
        assert state.jobs.claim("1-worker", ["add"]) is not None
    with pytest.raises(UsageError, match="is running"):
        copy_state(source, target)
    with closing(open_state(target)) as state:
        assert state.jobs.list() == []


@pytest.mark.parametrize("kind", STATES)
def test_a_place_without_a_state_gets_none(kind: str, tmp_path: Path) -> None:
    source, target = _place(kind, tmp_path / "source"), tmp_path / "target"
    for _ in range(2):
        with pytest.raises(InputError, match="no state of a service") as absent:
            copy_state(source, str(target))
        assert QUOTED not in str(absent.value)
    assert not target.exists()


@pytest.mark.parametrize("kind", ON_SERVERS)
def test_a_copy_that_fails_at_the_end_copies_nothing(kind: str, tmp_path: Path) -> None:
    source, target = str(tmp_path / "source"), fresh(SERVERS[kind])
    with closing(open_state(source)) as state:
        state.keys.make("desk", ["read"])
        state.audit.note("", "192.0.2.1", "POST /sign-in", "n", "", 401, "r")
        with state.database.writing() as connection:
            connection.execute("UPDATE audit SET library = ?", ("n" * 501,))
    with pytest.raises(WhorlError) as failed:
        copy_state(source, target)
    assert QUOTED not in f"{failed.value} {failed.value.hint}"
    with closing(open_state(target)) as state:
        assert state.keys.all() == []
    with closing(open_state(source)) as state, state.database.writing() as connection:
        connection.execute("UPDATE audit SET library = 'news'")
    assert copy_state(source, target).keys == 1


def test_keys_of_a_folder_are_valid_for_the_service_on_a_database(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    library, server = settings.libraries["news"], fresh("postgresql")
    secret = _run("key", "add", library, "desk").stdout.strip()
    counts = {"keys": 1, "users": 0, "second_factors": 0, "tenants": 0, "jobs": 0, "audit_entries": 0}
    assert json.loads(_run("copy-state", library, server, "--json").stdout) == counts
    with served(replace(settings, state=server)) as address:
        place = f"{address}/v1/libraries"
        assert httpx.get(place).status_code == 401
        assert httpx.get(place, headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    refused = _run("copy-state", library, server)
    assert refused.returncode == 2
    assert "is not empty" in refused.stderr
    assert QUOTED not in refused.stderr


def test_a_state_is_copied_into_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    library, copy = settings_of(tmp_path, "news").libraries["news"], tmp_path / "new" / "state"
    secret = _run("key", "add", library, "desk").stdout.strip()
    assert _run("copy-state", library, str(copy)).returncode == 0
    with closing(open_state(copy)) as state:
        assert state.keys.find(secret) is not None


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "whorl", *arguments], capture_output=True, text=True, check=False)
