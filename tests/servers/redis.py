"""Redis with every write synced to disk before it is acknowledged."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

from tests.servers import HOST, PASSWORD, QUOTED, Server, answers, program

_PLACES = ("usr/bin", "usr/local/bin", "opt/homebrew/bin")
_DATABASES = 10_000


class Redis(Server):
    """A server with many databases and a password."""

    name = "redis"

    def prepare(self) -> None:
        """Write the configuration."""
        self._settings.write_text(
            f'bind {HOST}\nport {self.port}\nrequirepass "{PASSWORD}"\ndatabases {_DATABASES}\n'
            "appendonly yes\nappendfsync always\nsave ''\n",
            encoding="utf-8",
        )
        self._settings.chmod(0o644)

    def command(self) -> Sequence[str | Path]:
        """Return the server command."""
        return (program("redis-server", _PLACES), self._settings)

    def is_ready(self) -> bool:
        """Return True if it responds."""
        return answers(self.port) and self._command_reply("PING") == "+PONG"

    def fresh(self) -> str:
        """Return the address of an empty database; the first one counts them."""
        number = int(self._command_reply("INCR fresh").removeprefix(":"))
        return f"redis://:{QUOTED}@{HOST}:{self.port}/{number}"

    def _command_reply(self, command: str) -> str:
        """Return the raw reply to a command."""
        with socket.create_connection((HOST, self.port), timeout=5) as connection, connection.makefile("rwb") as lines:
            lines.write(f'AUTH "{PASSWORD}"\r\n{command}\r\n'.encode())
            lines.flush()
            lines.readline()
            return lines.readline().decode().strip()

    @property
    def _settings(self) -> Path:
        return self.folder / "redis.conf"
