"""Libraries that administrators create over HTTP: their names and folders."""

from __future__ import annotations

from datetime import datetime
from secrets import token_hex

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.service.state.database import Database, Row
from whorl.service.state.jobs import cancel_all_by

_COLUMNS = "name, folder, recipe, zone, made_at, removed_at"


@frozen
class Tenant:
    """A library that was created over HTTP.

    Attributes:
        name: its served name.
        folder: name of its folder, which no other library ever has.
        recipe: name of the preset or method that it was created with; empty for the default.
        zone: default zone of publication times; empty for none.
        made_at: time of creation.
    """

    name: str
    folder: str
    recipe: str
    zone: str
    made_at: datetime


class Tenants:
    """The registered libraries of a service. Thread-safe and process-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, name: str, recipe: str, zone: str) -> Tenant:
        """Register a library, or return the one that has the name.

        Raises:
            UsageError: a library with this name was deleted, so existing keys might grant access to the new one.
        """
        with self._database.writing() as connection:
            connection.add(
                "tenant",
                {"name": name, "folder": token_hex(8), "recipe": recipe, "zone": zone, "made_at": connection.now()},
            )
            row = connection.execute(f"SELECT {_COLUMNS} FROM tenant WHERE name = ?", (name,)).fetchone()
        if row["removed_at"] is not None:
            raise UsageError(
                say("a library named {name!r} was deleted", name=name),
                hint=say("choose another name: earlier keys and users might have access to it"),
            )
        return _tenant(row)

    def forget(self, name: str) -> None:
        """Undo the registration of a library that could not be created."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM tenant WHERE name = ?", (name,))

    def find(self, name: str) -> Tenant | None:
        """Return the library with a name; None if there is none."""
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM tenant WHERE name = ? AND removed_at IS NULL", (name,)
            ).fetchone()
        return None if row is None else _tenant(row)

    def names(self) -> list[str]:
        """Return the names of all libraries in order."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT name FROM tenant WHERE removed_at IS NULL ORDER BY name").fetchall()
        return [row["name"] for row in rows]

    def remove(self, name: str) -> Tenant:
        """Unregister a library, revoke the keys for it alone, and cancel their jobs.

        Raises:
            NotFoundError: there is no such library.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM tenant WHERE name = ? AND removed_at IS NULL", (name,)
            ).fetchone()
            if row is None:
                raise NotFoundError(
                    say("library {name!r} not found", name=name), hint=say("list the libraries: GET /v1/libraries")
                )
            connection.execute("UPDATE tenant SET removed_at = ? WHERE name = ?", (connection.now(), name))
            keys = connection.execute(
                'SELECT number, name FROM "key" WHERE libraries = ? AND revoked_at IS NULL ORDER BY number', (name,)
            ).fetchall()
            for key in keys:
                connection.execute(
                    'UPDATE "key" SET revoked_at = ? WHERE number = ?', (connection.now(), key["number"])
                )
                cancel_all_by(connection, f"key {key['number']} {key['name']}")
        return _tenant(row)


def _tenant(row: Row) -> Tenant:
    return Tenant(row["name"], row["folder"], row["recipe"], row["zone"], datetime.fromisoformat(row["made_at"]))


__all__ = ["Tenant", "Tenants"]
