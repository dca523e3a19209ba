"""PostgreSQL with its default settings, commits synced to disk."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Sequence
from pathlib import Path

from tests.servers import HOST, PASSWORD, QUOTED, USER, Server, answers, program

_PLACES = ("usr/lib/postgresql/*/bin", "opt/homebrew/opt/postgresql@*/bin")
_OPTIONS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "log_min_messages": "fatal",
}


class PostgreSQL(Server):
    """A server with the database ``whorl`` of the superuser ``whorl``, who has a password."""

    name = "postgresql"
    ending = signal.SIGINT  # does not wait for connected clients

    def prepare(self) -> None:
        """Create the database cluster."""
        password = self.folder / "password"
        password.write_text(PASSWORD, encoding="utf-8")
        password.chmod(0o644)
        self.run(
            program("initdb", _PLACES),
            *("--pgdata", self._data, "--username", USER, "--pwfile", password, "--auth", "scram-sha-256"),
            *("--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"),
        )

    def command(self) -> Sequence[str | Path]:
        """Return the server command."""
        options = [argument for name, value in _OPTIONS.items() for argument in ("-c", f"{name}={value}")]
        return (program("postgres", _PLACES), "-D", self._data, "-p", str(self.port), *options)

    def is_ready(self) -> bool:
        """Return True if it responds."""
        import psycopg

        if not answers(self.port):
            return False
        try:
            psycopg.connect(self.conninfo, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def fresh(self) -> str:
        """Return the address of a schema that does not exist yet."""
        return f"{self.address}?schema=s{secrets.token_hex(8)}"

    def fresh_database(self) -> str:
        """Return the address of a new database, without parameters."""
        import psycopg

        name = f"d{secrets.token_hex(8)}"
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
        return f"{self.address.rpartition('/')[0]}/{name}"

    @property
    def address(self) -> str:
        """Return the address of the database, without parameters."""
        return f"postgresql://{USER}:{QUOTED}@{HOST}:{self.port}/postgres"

    @property
    def conninfo(self) -> str:
        """Return the connection string of a driver."""
        return self.address

    @property
    def _data(self) -> Path:
        return self.folder / "data"
