"""The ten commands from an empty machine to a first check, run against a real server behind TLS; the systemd unit."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
import uvicorn
from tests.docs.test_readme import ROOT, both_languages
from tests.replicas import until
from tests.servers import free_port
from tests.servers.shared import fresh_database

HOST = "copies.paper.example"


def _commands(name: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if "CREATE ROLE" in block).splitlines()


@contextmanager
def _tls_proxy(folder: Path, port: int) -> Iterator[int]:
    """Terminate TLS before a local service, as the documented proxies do; return the port."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt"),
            *("ec_paramgen_curve:prime256v1", "-keyout", "tls.key", "-out", "tls.pem"),
            *("-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )

    async def forward(scope: Any, receive: Any, send: Any) -> None:
        body, message = b"", {"more_body": True}
        while message.get("more_body"):
            message = await receive()
            body += message["body"]
        headers = [*scope["headers"], (b"x-forwarded-for", b"192.0.2.1"), (b"x-forwarded-proto", b"https")]
        async with httpx.AsyncClient(timeout=60) as client:
            place = f"http://127.0.0.1:{port}{scope['path']}"
            answer = await client.request(scope["method"], place, headers=headers, content=body)
        kept = [(name.lower(), value) for name, value in answer.headers.raw]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": kept})
        await send({"type": "http.response.body", "body": answer.content})

    tls_port = free_port()
    files = {"ssl_certfile": folder / "tls.pem", "ssl_keyfile": folder / "tls.key"}
    server = uvicorn.Server(
        uvicorn.Config(forward, port=tls_port, lifespan="off", log_level="warning", server_header=False, **files)
    )
    thread = Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        yield tls_port
    finally:
        server.should_exit = True
        thread.join()


def _created(command: str, folder: Path) -> str:
    """Run the statements of the command for the administrator of the database; return the address of the database."""
    administered = fresh_database("postgresql")
    suffix = urlsplit(administered).path[1:]
    password = (folder / "database-password").read_text("utf-8").strip()
    statements = [part for part in shlex.split(command) if part.startswith("CREATE")]
    assert len(statements) == 2
    with psycopg.connect(administered, autocommit=True) as connection:
        for statement in statements:
            created = statement.replace("$(cat database-password)", password).replace("whorl", f"r{suffix}")
            connection.execute(created.replace("articles", f"a{suffix}"))  # type: ignore[call-overload]
    return f"postgresql://r{suffix}@127.0.0.1:{urlsplit(administered).port}/a{suffix}"


@pytest.mark.skipif(os.name != "posix", reason="a shell runs the commands")
@both_languages("docs/DEPLOY")
def test_ten_commands_start_a_service_with_a_tenant(name: str, tmp_path: Path) -> None:
    install, secrets, database, package, address, serve, proxy, *requests = _commands(name)
    assert install.startswith("sudo apt-get install")
    assert package.endswith("install '.[postgresql,serve]'")
    assert proxy.startswith("sudo caddy start")
    assert len(requests) == 3
    subprocess.run(secrets, shell=True, cwd=tmp_path, check=True)
    place = _created(database, tmp_path)
    begin = address.replace("postgresql://whorl@127.0.0.1:5432/articles", place)
    assert begin != address
    port = free_port()
    program = shlex.join([sys.executable, "-m", "whorl"])
    run = serve.removesuffix(" &").replace("venv/bin/whorl", f"exec {program}") + f" --port {port}"
    service = subprocess.Popen(f"{begin}; {run}", shell=True, cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        until(lambda: service.poll() is not None or _answers(port))
        assert service.poll() is None, service.communicate()[1]
        with _tls_proxy(tmp_path, port) as tls_port:
            options = f"--silent --show-error --cacert tls.pem --connect-to {HOST}:443:127.0.0.1:{tls_port}"
            answers = [
                json.loads(
                    subprocess.run(
                        request.replace("curl ", f"curl {options} ", 1),
                        shell=True,
                        cwd=tmp_path,
                        check=True,
                        capture_output=True,
                    ).stdout
                )
                for request in requests
            ]
        assert answers[0]["documents"] == 0
        assert answers[1]["key"]["libraries"] == ["desk"]
        assert answers[2]["state"] == "checked"
    finally:
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@both_languages("docs/DEPLOY")
def test_systemd_accepts_the_unit(name: str, tmp_path: Path) -> None:
    (unit,) = re.findall(r"^```ini\n(.*?)^```$", (ROOT / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    file = tmp_path / "whorl.service"
    file.write_text(unit.replace("/srv/whorl/venv/bin/whorl", "/bin/true"), "utf-8")
    verified = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, check=True)
    assert verified.stdout + verified.stderr == ""


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", headers={"Host": HOST}).status_code == 200
    except httpx.HTTPError:
        return False
