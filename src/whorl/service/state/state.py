"""The complete state of a service: in one folder, or in a database that several replicas share."""

from __future__ import annotations

from pathlib import Path

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.service.state.answers import Answers
from whorl.service.state.audit import Audit
from whorl.service.state.database import Database
from whorl.service.state.jobs import Jobs
from whorl.service.state.keys import Keys
from whorl.service.state.second_factor import SecondFactors
from whorl.service.state.sqlite import SqliteDatabase
from whorl.service.state.tenants import Tenants
from whorl.service.state.users import Users
from whorl.stores import masked, on_server, sql_server

SCHEMA = "whorl_service"
"""Default schema on PostgreSQL, so that a library and the state may be in one database."""


@frozen
class State:
    """State of a service.

    Attributes:
        database: the database.
        keys: API keys.
        users: users and their sessions.
        second_factors: second factors of users.
        answers: stored responses of idempotent requests.
        jobs: background jobs.
        audit: the audit log.
        tenants: libraries that were created over HTTP.
    """

    database: Database
    keys: Keys
    users: Users
    second_factors: SecondFactors
    answers: Answers
    jobs: Jobs
    audit: Audit
    tenants: Tenants

    @property
    def is_open_to_all(self) -> bool:
        """True if there never was a key or a user, so that local callers have all permissions."""
        with self.database.reading() as connection:
            (closed,) = connection.execute("SELECT EXISTS (SELECT 1 FROM closed)").fetchone()
        return not closed

    @property
    def has_callers(self) -> bool:
        """True if there is a valid key or a user."""
        with self.database.reading() as connection:
            (exists,) = connection.execute(
                'SELECT EXISTS (SELECT 1 FROM "key" WHERE revoked_at IS NULL '
                'AND (expires_at IS NULL OR expires_at > ?)) OR EXISTS (SELECT 1 FROM "user")',
                (connection.now(),),
            ).fetchone()
        return bool(exists)

    def close(self) -> None:
        """Close the database."""
        self.keys.record_uses()
        self.database.close()


def open_state(place: str | Path, *, create: bool = True) -> State:
    """Open or create the state of a service.

    Args:
        place: a folder, or the address of a database on PostgreSQL or MySQL.
        create: whether to create a missing state.

    Raises:
        InputError: it is damaged or newer than this version of whorl, or is missing and may not be created.
        UsageError: it cannot be at this address, a required package is not installed, or the server refuses the user.
        ResourceError: it is not writable, or the server cannot be reached.
    """
    database = _database(place, create=create)
    return State(
        database,
        Keys(database),
        Users(database),
        SecondFactors(database),
        Answers(database),
        Jobs(database),
        Audit(database),
        Tenants(database),
    )


def _database(place: str | Path, *, create: bool) -> Database:
    if isinstance(place, Path) or not on_server(place):
        return SqliteDatabase(Path(place), create=create)
    server = sql_server(place, SCHEMA)
    if server is None:
        raise UsageError(
            say("the state of a service cannot be at {address}", address=masked(place)),
            hint=say("use a folder, or an address that begins with postgresql:// or mysql://"),
        )
    from whorl.service.state.server import ServerDatabase

    return ServerDatabase(*server, create=create)


__all__ = ["State", "open_state"]
