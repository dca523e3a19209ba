"""A service starts from nothing: it creates its libraries, and the first key comes from a secret."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from secrets import token_hex

import httpx
import pytest
from tests.serving import settings_of, state_of

import whorl
from whorl.errors import InputError, UsageError
from whorl.service.beginning import FIRST_KEY, create_first_key, create_libraries, first_secret

SECRET = token_hex(32)


def start(folder: Path, *options: str, **environment: str) -> tuple[subprocess.Popen[str], str]:
    """Start ``whorl serve`` on a free port, and return the process and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "whorl", "serve", *options, "--port", "0"],
        cwd=folder,
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "whorl is running at " in line:
            return process, line.partition("whorl is running at ")[2].split()[0]
    raise AssertionError(f"the service ended with {process.wait()}")


def stop(process: subprocess.Popen[str]) -> str:
    """Stop a service, and return the rest of its log."""
    process.send_signal(signal.SIGTERM)
    log: str = process.communicate(timeout=60)[1]
    assert process.returncode in (0, -signal.SIGTERM)
    return log


@pytest.mark.skipif(os.name != "posix", reason="stops the service with a signal")
@pytest.mark.parametrize("origin", ["file", "environment"])
def test_a_service_starts_from_nothing(origin: str, tmp_path: Path) -> None:
    (tmp_path / "first-key").write_text(f"{SECRET}\n", encoding="utf-8")
    options = ["--first-key-file", "first-key"] if origin == "file" else []
    environment = {FIRST_KEY: SECRET} if origin == "environment" else {}
    for _ in range(2):
        process, address = start(tmp_path, "ours=desk", "--create", *options, **environment)
        try:
            answer = httpx.get(f"{address}/v1/libraries", headers={"Authorization": f"Bearer {SECRET}"}, timeout=30)
            assert answer.json() == {"libraries": ["ours"]}
            keys = httpx.get(f"{address}/v1/keys", headers={"Authorization": f"Bearer {SECRET}"}, timeout=30).json()
            assert [key["name"] for key in keys["items"]] == ["first"]
            assert httpx.get(f"{address}/v1/libraries", timeout=30).status_code == 401
        finally:
            log = stop(process)
        assert SECRET not in log
    stored = b"".join(path.read_bytes() for path in (tmp_path / "desk").rglob("*") if path.is_file())
    assert SECRET.encode() not in stored


def test_the_first_key_is_used_only_before_all_others(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")
    with state_of(settings) as state:
        _, key = state.keys.make("desk", ["read"])
        state.keys.revoke(key.number)
    assert not create_first_key(settings.state, SECRET)
    with state_of(settings) as state:
        assert state.keys.find(SECRET) is None

    other = str(tmp_path / "other")
    assert create_first_key(other, SECRET)
    assert not create_first_key(other, token_hex(32))


def test_a_revoked_first_key_does_not_return(tmp_path: Path) -> None:
    folder = str(tmp_path / "state")
    create_first_key(folder, SECRET)
    settings = settings_of(tmp_path, "news")
    with state_of(settings) as state:
        (key,) = state.keys.all()
        assert key.scopes == ("read", "review", "write", "metrics", "admin")
        assert len(key.hint) < 8
        state.keys.revoke(key.number)
    assert not create_first_key(folder, SECRET)
    with state_of(settings) as state:
        assert state.keys.find(SECRET) is None


@pytest.mark.parametrize("secret", ["", "short", "x" * 300, f"{SECRET} {SECRET}", "键" * 40])
def test_a_weak_or_unusable_key_is_refused_without_showing_it(
    secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "first-key"
    path.write_text(secret, encoding="utf-8")
    with pytest.raises(UsageError, match=r"(?s)32 to 256.*hint: ") as refused:
        first_secret(path)
    assert not secret or secret not in str(refused.value)
    monkeypatch.setenv(FIRST_KEY, secret)
    with pytest.raises(UsageError, match=FIRST_KEY):
        first_secret(None)
    assert FIRST_KEY not in os.environ


def test_a_file_precedes_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "first-key"
    path.write_text(f"{SECRET}\n", encoding="utf-8")
    monkeypatch.setenv(FIRST_KEY, token_hex(32))
    assert first_secret(path) == SECRET
    assert first_secret(None) is None
    with pytest.raises(InputError, match=r"(?s)missing.*hint: "):
        first_secret(tmp_path / "missing")


def test_existing_libraries_are_left_alone(tmp_path: Path) -> None:
    place = str(tmp_path / "news")
    with whorl.open(place, "news") as library:
        library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
        recipe = library.stats()["recipe"]
    create_libraries([place, str(tmp_path / "other")])
    with whorl.open(place, create=False) as library:
        assert (len(library), library.stats()["recipe"]) == (1, recipe)
    assert len(whorl.open(tmp_path / "other", create=False)) == 0
