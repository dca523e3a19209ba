"""The compose file starts on an empty database: its commands run as processes against a real server."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import yaml
from tests.docs.test_readme import ROOT, both_languages, run
from tests.servers import PASSWORD
from tests.servers.shared import fresh_database

FILE = ROOT / "examples" / "compose.yaml"
SERVICES: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
SERVICE = SERVICES["service"]
DOCKERFILE = (FILE.parent / SERVICE["build"]["context"] / SERVICE["build"]["dockerfile"]).resolve()
COMMANDS = [line[4:] for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith("#   ")]
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"

posix = pytest.mark.skipif(os.name != "posix", reason="stops the service with a signal")


def run_secrets(folder: Path) -> None:
    """Run the commands of the file that create the secrets."""
    (folder / "examples").mkdir()
    for command in COMMANDS[:2]:
        subprocess.run(command, shell=True, cwd=folder, check=True)


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[str]:
    """Run the command of the service on a free port, and return its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "whorl", *command, "--port=0"],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if match := re.search(r"running at (\S+)", line):
                yield match[1]
                break
        else:
            raise AssertionError("".join(lines))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)


@posix
def test_the_service_starts_on_an_empty_database(tmp_path: Path) -> None:
    run_secrets(tmp_path)
    secrets = tmp_path / "examples" / "secrets"
    key = (secrets / "first-key").read_text(encoding="utf-8").strip()
    database = urlsplit(fresh_database("postgresql"))
    (secrets / "database-password").write_text(PASSWORD, encoding="utf-8")
    places = {
        "@database/articles": f"@127.0.0.1:{database.port}{database.path}",
        "/run/secrets": str(secrets),
        "/state": str(tmp_path / "state"),
    }
    command = SERVICE["command"]
    for place, local in places.items():
        assert any(place in part for part in command)
        command = [part.replace(place, local) for part in command]
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    for start in range(2):
        with started(command, environment) as address, httpx.Client(base_url=address, timeout=60) as client:
            _, program, option, code = SERVICE["healthcheck"]["test"]
            assert (program, option) == ("python3", "-c")
            run([sys.executable, "-c", code.replace("http://127.0.0.1:8000", address)], tmp_path)
            assert client.get("/v1/libraries").status_code == 401
            client.headers["Authorization"] = f"Bearer {key}"
            assert client.get("/v1/libraries").json() == {"libraries": ["newsroom"]}
            library = "/v1/libraries/newsroom"
            if start == 0:
                assert client.post(f"{library}/documents", json={"id": "a", "text": TEXT}).is_success
            (match,) = client.post(f"{library}/check", json={"text": f"据悉，{TEXT}"}).json()["matches"]
            assert match["id"] == "a"
    (state,) = (tmp_path / "state").glob("service.sqlite")
    assert key.encode() not in state.read_bytes()


@posix
def test_secrets_are_readable_within_a_closed_folder(tmp_path: Path) -> None:
    run_secrets(tmp_path)
    secrets = tmp_path / "examples" / "secrets"
    assert secrets.stat().st_mode & 0o777 == 0o700
    defined = yaml.safe_load(FILE.read_text(encoding="utf-8"))["secrets"]
    for name, secret in defined.items():
        path = FILE.parent.relative_to(ROOT) / secret["file"]
        assert (tmp_path / path).stat().st_mode & 0o777 == 0o644
        assert len((tmp_path / path).read_text(encoding="utf-8").strip()) == 64
        users = [service for service in SERVICES.values() if name in service["secrets"]]
        assert all(f"/run/secrets/{name}" in str(service) for service in users)
    assert {name for service in SERVICES.values() for name in service["secrets"]} == set(defined)


def test_the_image_owns_the_folders_that_the_service_writes() -> None:
    dockerfile = DOCKERFILE.read_text(encoding="utf-8")
    (owned,) = re.findall(r"--owner=whorl --mode=700 (.*)$", dockerfile, re.MULTILINE)
    mounted = [volume.partition(":")[2] for volume in SERVICE["volumes"]]
    assert owned.split() == mounted
    written = [SERVICE["environment"]["XDG_CACHE_HOME"], *re.findall(r"--state=(\S+)", " ".join(SERVICE["command"]))]
    assert sorted(written) == sorted(mounted)
    assert dockerfile.index("install --directory") < dockerfile.index("USER whorl")
    assert SERVICE["depends_on"] == {"database": {"condition": "service_healthy"}}


def test_options_exist() -> None:
    options = set(re.findall(r"--[a-z][a-z-]+", run("whorl serve --help", ROOT)))
    assert {part.partition("=")[0] for part in SERVICE["command"] if part.startswith("--")} <= options


@both_languages("docs/STORES")
def test_the_documented_commands_are_those_of_the_file(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "\n".join(COMMANDS) in text
    (user,) = re.findall(r"^docker compose .* exec service (.*)$", text, re.MULTILINE)
    program, *arguments = shlex.split(user)
    assert f'ENTRYPOINT ["{program}"]' in DOCKERFILE.read_text(encoding="utf-8")
    assert arguments[:3] == ["user", "add", "/state"]
