"""The ten commands from an empty machine to a first check, run against a real server behind TLS; the configurations."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from tests.docs.test_readme import ROOT, blocks, both_languages
from tests.replicas import until
from tests.servers import free_port
from tests.servers.proxies import Caddy, Nginx, Proxy
from tests.servers.shared import fresh_database, started
from tests.serving import served, settings_of, state_of

HOST = "copies.paper.example"


def _commands(name: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if "CREATE ROLE" in block).splitlines()


def _behind(kind: type[Proxy], folder: Path, service: str) -> Proxy:
    """Return a proxy with the documented configuration; its host, port and certificate are local."""
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
    (site,) = blocks("docs/DEPLOY.md", kind.name)
    port = free_port()
    for documented, local in (
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("/etc/ssl/copies.", "tls."),
        (f"{HOST} {{\n", f"{HOST}:{port} {{\n bind 127.0.0.1\n tls tls.pem tls.key\n"),
        ("127.0.0.1:8000", service),
    ):
        site = site.replace(documented, local)
    return kind(site, {name: (folder / name).read_text("utf-8") for name in ("tls.pem", "tls.key")}, port)


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
        caddy = _behind(Caddy, tmp_path, f"127.0.0.1:{port}")
        with started(caddy):
            options = f"--silent --show-error --cacert tls.pem --connect-to {HOST}:443:127.0.0.1:{caddy.port}"
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


@pytest.mark.skipif(os.name != "posix", reason="the servers are not started here")
@pytest.mark.parametrize("kind", [Nginx, Caddy])
def test_a_check_passes_through_the_documented_proxies(kind: type[Proxy], tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", hosts=(HOST,), is_secure=True, proxies=("127.0.0.1",))
    with state_of(settings) as state:
        secret, _ = state.keys.make("desk", ["read"])
        state.users.make("mei", "a long password", "reader")
    with served(settings) as service:
        proxy = _behind(kind, tmp_path, urlsplit(service).netloc)
        trust = ssl.create_default_context(cafile=tmp_path / "tls.pem")
        with started(proxy), httpx.Client(base_url=proxy.fresh(), verify=trust, headers={"Host": HOST}) as client:
            named = {"extensions": {"sni_hostname": HOST}, "timeout": 60}
            place, key = "/v1/libraries/news/check", {"Authorization": f"Bearer {secret}"}
            assert client.post(place, json={"text": "短讯"}, **named).status_code == 401
            for text in ("渔港的冰厂今年夏天添了两台新机器。", "渔港的冰厂添了新机器。" * 100_000):
                checked = client.post(place, json={"text": text}, headers=key, **named)
                assert checked.json()["state"] == "checked"
            form, origin = {"name": "mei", "password": "a long password"}, {"Origin": f"https://{HOST}"}
            entered = client.post("/sign-in", data=form, headers=origin, **named)
            assert entered.status_code == 303
            assert "secure" in entered.headers["set-cookie"].lower()


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
