"""MariaDB with its default settings, commits synced to disk."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from tests.servers import HOST, PASSWORD, QUOTED, USER, Server, answers, program

_PLACES = ("usr/sbin", "usr/bin", "opt/homebrew/bin", "usr/local/bin")
_SYSTEM_TABLES = ("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql")
_HASTY = ("--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite", "--innodb-flush-method=nosync")
"""Preparation need not be synced to disk."""


class MariaDB(Server):
    """A server with the user ``whorl``, who has all privileges and a password."""

    name = "mariadb"

    def prepare(self) -> None:
        """Create the system tables."""
        self._first.write_text(
            f"CREATE USER IF NOT EXISTS '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'%' WITH GRANT OPTION;\n",
            encoding="utf-8",
        )
        self._first.chmod(0o644)
        self.run("mkdir", self._data, self._temporary)
        # The work of mariadb-install-db, which additionally requires client programs.
        tables = "".join((self._messages / name).read_text(encoding="utf-8") for name in _SYSTEM_TABLES)
        self.run(*self._basic(), "--bootstrap", *_HASTY, input=f"CREATE DATABASE mysql;\nUSE mysql;\n{tables}")

    def command(self) -> Sequence[str | Path]:
        """Return the server command."""
        return (
            *self._basic(),
            *(f"--bind-address={HOST}", f"--port={self.port}", f"--socket={self.folder / 'socket'}"),
            *(f"--pid-file={self.folder / 'pid'}", f"--init-file={self._first}"),
            *("--skip-name-resolve", "--max-connections=200", "--character-set-server=utf8mb4"),
        )

    def _basic(self) -> Sequence[str | Path]:
        server = program("mariadbd", _PLACES)
        places = (f"--basedir={server.parents[1]}", f"--lc-messages-dir={self._messages}")
        # A starting server removes the temporary tables in its folder, including those of other servers.
        return (server, "--no-defaults", *places, f"--datadir={self._data}", f"--tmpdir={self._temporary}")

    @property
    def _messages(self) -> Path:
        share = program("mariadbd", _PLACES).parents[1] / "share"
        return next((share / name for name in ("mysql", "mariadb") if (share / name).is_dir()), share)

    def is_ready(self) -> bool:
        """Return True if it responds."""
        import pymysql

        if not answers(self.port):
            return False
        try:
            self._connected().close()
        except pymysql.err.OperationalError:
            return False
        return True

    def fresh(self) -> str:
        """Return the address of a new database."""
        name = f"d{secrets.token_hex(8)}"
        with self._connected() as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        return f"mysql://{USER}:{QUOTED}@{HOST}:{self.port}/{name}"

    def _connected(self):  # type: ignore[no-untyped-def]
        import pymysql

        return pymysql.connect(host=HOST, port=self.port, user=USER, password=PASSWORD.encode(), connect_timeout=5)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _temporary(self) -> Path:
        return self.folder / "temporary"

    @property
    def _first(self) -> Path:
        return self.folder / "first.sql"
