"""The MongoDB protocol: FerretDB over a private PostgreSQL, commits synced to disk."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from tests.servers import HOST, QUOTED, USER, Server, Unavailable, answers
from tests.servers.postgresql import PostgreSQL

BUILT = Path(__file__).parents[2] / ".servers" / "ferretdb"
"""The folder in which `scripts/ferretdb.sh` builds it."""


class MongoDB(Server):
    """A server whose users are those of its PostgreSQL, where each database is a schema."""

    name = "mongodb"

    def __init__(self, folder: Path | None = None, port: int | None = None) -> None:
        super().__init__(folder, port)
        self._below: PostgreSQL | None = None

    def start(self) -> None:
        """Start its PostgreSQL, then FerretDB."""
        if self._below is None:
            if not os.access(BUILT, os.X_OK):
                raise Unavailable("FerretDB is not installed. Hint: run sh scripts/servers.sh mongodb")
            self._below = PostgreSQL(self.folder / "postgresql")
        super().start()

    def prepare(self) -> None:
        """Prepare the PostgreSQL."""
        self.run("mkdir", self.folder / "state")

    def command(self) -> Sequence[str | Path]:
        """Return the server command."""
        assert self._below is not None
        self._below.start()
        _, _, place = self._below.address.rpartition("@")
        return (
            *(BUILT, "--handler=postgresql", f"--postgresql-url=postgres://{place}"),
            *(f"--listen-addr={HOST}:{self.port}", "--debug-addr=-", f"--state-dir={self.folder / 'state'}"),
            *("--telemetry=disable", "--log-level=error", "--log-format=text"),
        )

    def is_ready(self) -> bool:
        """Return True if it responds."""
        return answers(self.port)

    def kill(self) -> None:
        """Kill both servers."""
        super().kill()
        if self._below is not None:
            self._below.kill()

    def stop(self) -> None:
        """Stop both servers."""
        is_temporary, self._is_temporary = self._is_temporary, False
        super().stop()
        self._is_temporary = is_temporary
        if self._below is not None:
            self._below.stop()
        super().stop()

    def fresh(self) -> str:
        """Return the address of a database that does not exist yet."""
        return f"{self.address}/d{secrets.token_hex(8)}?authMechanism=PLAIN"

    @property
    def address(self) -> str:
        """Return the address of the server."""
        return f"mongodb://{USER}:{QUOTED}@{HOST}:{self.port}"
