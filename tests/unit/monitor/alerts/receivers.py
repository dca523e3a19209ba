"""Real local receivers: HTTP servers with configurable behavior, and a mail server."""

from __future__ import annotations

import socket
import socketserver
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HERE = ("127.0.0.0/8",)


class Received(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Hooks(ThreadingHTTPServer):
    """Server that answers each request by ``behaviour``, which gets the handler."""

    daemon_threads = True
    scheme = "http"

    def __init__(self, behaviour: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.received: list[Received] = []
        self.released = Event()
        hooks = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hooks.received.append(Received(self.path, dict(self.headers), body))
                behaviour(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore closed connections."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_port}/hook"


def answering(status: int, body: bytes = b"", **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@contextmanager
def hooks(behaviour: Callable[[BaseHTTPRequestHandler], None], certificate: Path | None = None) -> Iterator[Hooks]:
    """Run a receiver; with a file of a certificate and its key it uses HTTPS."""
    server = Hooks(behaviour)
    if certificate is not None:
        server.scheme, context = "https", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


class Letters(socketserver.ThreadingTCPServer):
    """A mail server that stores messages; ``refused`` are unknown recipients."""

    daemon_threads = True

    def __init__(self, refused: dict[str, str], greeting: str) -> None:
        self.letters: list[tuple[str, list[str], bytes]] = []
        self.refused, self.greeting = refused, greeting
        super().__init__(("127.0.0.1", 0), _Conversation)


class _Conversation(socketserver.StreamRequestHandler):
    server: Letters

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self._say(self.server.greeting)
        sender, to = "", []
        while line := self.rfile.readline():
            command = line.decode().strip()
            word = command[:4].upper()
            address = command.partition("<")[2].partition(">")[0]
            if word == "MAIL":
                sender = address
                self._say("250 yes")
            elif word == "RCPT":
                if address not in self.server.refused:
                    to.append(address)
                self._say(self.server.refused.get(address, "250 yes"))
            elif word == "DATA":
                self._say("354 go on")
                self.server.letters.append((sender, to, b"".join(iter(self.rfile.readline, b".\r\n"))))
                self._say("250 kept")
            elif word == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 yes")


@contextmanager
def letters(refused: dict[str, str] | None = None, greeting: str = "220 here") -> Iterator[Letters]:
    server = Letters(refused or {}, greeting)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def certified(path: Path, name: str = "127.0.0.1") -> Path:
    """Write a self-signed certificate for an address, with its key, into a file."""
    key, value = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(value)
        .issuer_name(value)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(name))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(certificate.public_bytes(pem) + secret)
    return path


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
