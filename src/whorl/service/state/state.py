"""The complete state of a service, stored in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whorl.service.state.answers import Answers
from whorl.service.state.audit import Audit
from whorl.service.state.database import Database, now
from whorl.service.state.jobs import Jobs
from whorl.service.state.keys import Keys
from whorl.service.state.second_factor import SecondFactors
from whorl.service.state.tenants import Tenants
from whorl.service.state.users import Users


@dataclass(frozen=True, slots=True)
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
                "SELECT EXISTS (SELECT 1 FROM key WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)) "
                "OR EXISTS (SELECT 1 FROM user)",
                (now(),),
            ).fetchone()
        return bool(exists)

    def close(self) -> None:
        """Close the database."""
        self.keys.record_uses()
        self.database.close()


def open_state(folder: str | Path) -> State:
    """Open or create the folder of a service.

    Raises:
        InputError: it is damaged or newer than this version of whorl.
        ResourceError: it is not writable.
    """
    database = Database(Path(folder))
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


__all__ = ["State", "open_state"]
