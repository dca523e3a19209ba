"""Servers with TLS: traffic is encrypted, and the identity of the server is verified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.authority import openssl
from tests.servers import Server, Unavailable
from tests.servers.mariadb import MariaDB
from tests.servers.postgresql import PostgreSQL
from tests.servers.shared import fresh

import whorl
from whorl.errors import ResourceError
from whorl.stores import open_store

CERTIFICATE = (
    *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"),
    *("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"),
    *("-keyout", "tls.key", "-out", "tls.pem"),
)


def with_certificate(kind: type[Server], options: Sequence[str]) -> type[Server]:
    """Return a kind of server with a certificate, created during preparation; ``{}`` is its folder."""

    class WithCertificate(kind):  # type: ignore[misc, valid-type]
        def prepare(self) -> None:
            super().prepare()
            self.run("openssl", *CERTIFICATE)

        def command(self) -> Sequence[str | Path]:
            return (*super().command(), *(option.format(self.folder) for option in options))

    return WithCertificate


KINDS = {
    "postgresql": (
        PostgreSQL,
        ("-c", "ssl=on", "-c", "ssl_cert_file={}/tls.pem", "-c", "ssl_key_file={}/tls.key"),
        ("sslmode=verify-full&sslrootcert={}", "sslmode=require", "sslmode=disable"),
        "SELECT CASE WHEN ssl THEN version ELSE '' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    ),
    "mysql": (
        MariaDB,
        ("--ssl-cert={}/tls.pem", "--ssl-key={}/tls.key"),
        ("ssl=verify&ssl_ca={}", "ssl=require", "ssl=off"),
        "SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'Ssl_version'",
    ),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(kind: str) -> Iterator[Server]:
    server_kind, options, *_ = KINDS[kind]
    try:
        with with_certificate(server_kind, options)() as started:
            yield started
    except Unavailable:
        fresh(kind)  # reports the missing program
        raise


def with_settings(address: str, settings: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{settings}"


def protocol(address: str, question: str) -> str:
    """Return the TLS version of the connection to a library; empty without encryption."""
    with closing(open_store(address, create=True)) as store, store.reading() as reader:
        ((version,),) = reader.query(question)
        return str(version)


def test_server_certificate_is_verified(kind: str, server: Server) -> None:
    _, _, (verified, encrypted, open_), question = KINDS[kind]
    address = with_settings(server.fresh(), verified.format(server.folder / "tls.pem"))
    with whorl.open(address) as library:
        library.add({"id": "a", "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"})
        assert len(library) == 1
    assert protocol(address, question).startswith("TLSv1.")
    assert protocol(with_settings(server.fresh(), encrypted), question).startswith("TLSv1.")
    assert protocol(with_settings(server.fresh(), open_), question) == ""


def test_another_server_is_refused(kind: str, server: Server, tmp_path: Path) -> None:
    openssl(*CERTIFICATE, folder=tmp_path)
    address = with_settings(server.fresh(), KINDS[kind][2][0].format(tmp_path / "tls.pem"))
    with pytest.raises(ResourceError, match="certificate") as failed:
        whorl.open(address)
    assert "certificate" in failed.value.hint
