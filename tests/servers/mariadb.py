"""MariaDB, as it is by default, its commits down to the disk."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from tests.servers import HOST, PASSWORD, QUOTED, USER, Server, answers, program

_PLACES = ("usr/sbin", "usr/bin", "opt/homebrew/bin", "usr/local/bin")
_SYSTEM_TABLES = ("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql")
_HASTY = ("--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite", "--innodb-flush-method=nosync")
"""What is made before anything counts need not be on the disk."""


class MariaDB(Server):
    """A server with the user ``whorl``, who may do everything and has to tell a password."""

    name = "mariadb"

    def prepare(self) -> None:
        """See the base."""
        self._first.write_text(
            f"CREATE USER IF NOT EXISTS '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'%' WITH GRANT OPTION;\n",
            encoding="utf-8",
        )
        self._first.chmod(0o644)
        self.run("mkdir", self._data, self._temporary)
        # What mariadb-install-db does, which wants programs of the client besides.
        tables = "".join((self._messages / name).read_text(encoding="utf-8") for name in _SYSTEM_TABLES)
        self.run(*self._basic(), "--bootstrap", *_HASTY, told=f"CREATE DATABASE mysql;\nUSE mysql;\n{tables}")

    def command(self) -> Sequence[str | Path]:
        """See the base."""
        return (
            *self._basic(),
            *(f"--bind-address={HOST}", f"--port={self.port}", f"--socket={self.folder / 'socket'}"),
            *(f"--pid-file={self.folder / 'pid'}", f"--init-file={self._first}"),
            *("--skip-name-resolve", "--max-connections=200", "--character-set-server=utf8mb4"),
        )

    def _basic(self) -> Sequence[str | Path]:
        server = program("mariadbd", _PLACES)
        places = (f"--basedir={server.parents[1]}", f"--lc-messages-dir={self._messages}")
        # A server that begins removes the temporary tables that lie in its folder, whosever they are.
        return (server, "--no-defaults", *places, f"--datadir={self._data}", f"--tmpdir={self._temporary}")

    @property
    def _messages(self) -> Path:
        share = program("mariadbd", _PLACES).parents[1] / "share"
        return next((share / name for name in ("mysql", "mariadb") if (share / name).is_dir()), share)

    def is_ready(self) -> bool:
        """See the base."""
        import pymysql

        if not answers(self.port):
            return False
        try:
            self._connected().close()
        except pymysql.err.OperationalError:
            return False
        return True

    def fresh(self) -> str:
        """The address of a new database."""
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
