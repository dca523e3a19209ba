"""The protocol of MongoDB: FerretDB over a PostgreSQL of its own, whose commits go down to the disk."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from tests.servers import HOST, QUOTED, USER, Server, Unavailable, answers
from tests.servers.postgresql import PostgreSQL

BUILT = Path(__file__).parents[2] / ".servers" / "ferretdb"
"""Where `scripts/ferretdb.sh` builds it."""


class MongoDB(Server):
    """A server whose users are those of its PostgreSQL, where each database is a schema."""

    name = "mongodb"

    def __init__(self, folder: Path | None = None, port: int | None = None) -> None:
        super().__init__(folder, port)
        self._below: PostgreSQL | None = None

    def start(self) -> None:
        """Start the PostgreSQL below it, and it."""
        if self._below is None:
            if not os.access(BUILT, os.X_OK):
                raise Unavailable("there is no FerretDB on this machine. Cure: sh scripts/servers.sh mongodb")
            self._below = PostgreSQL(self.folder / "postgresql")
        super().start()

    def prepare(self) -> None:
        """See the base."""
        self.run("mkdir", self.folder / "state")

    def command(self) -> Sequence[str | Path]:
        """See the base."""
        assert self._below is not None
        self._below.start()
        _, _, place = self._below.address.rpartition("@")
        return (
            *(BUILT, "--handler=postgresql", f"--postgresql-url=postgres://{place}"),
            *(f"--listen-addr={HOST}:{self.port}", "--debug-addr=-", f"--state-dir={self.folder / 'state'}"),
            *("--telemetry=disable", "--log-level=error", "--log-format=text"),
        )

    def is_ready(self) -> bool:
        """See the base."""
        return answers(self.port)

    def kill(self) -> None:
        """See the base."""
        super().kill()
        if self._below is not None:
            self._below.kill()

    def stop(self) -> None:
        """See the base."""
        is_temporary, self._is_temporary = self._is_temporary, False
        super().stop()
        self._is_temporary = is_temporary
        if self._below is not None:
            self._below.stop()
        super().stop()

    def fresh(self) -> str:
        """The address of a database that is not there yet."""
        return f"{self.address}/d{secrets.token_hex(8)}?authMechanism=PLAIN"

    @property
    def address(self) -> str:
        """The address of the server."""
        return f"mongodb://{USER}:{QUOTED}@{HOST}:{self.port}"
