"""All that a service keeps of its own, in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whorl.service.state.answers import Answers
from whorl.service.state.audit import Audit
from whorl.service.state.database import Database, now
from whorl.service.state.jobs import Jobs
from whorl.service.state.keys import Keys
from whorl.service.state.second_factor import SecondFactors
from whorl.service.state.users import Users


@dataclass(frozen=True, slots=True)
class State:
    """What a service keeps.

    Attributes:
        database: the file.
        keys: of programs.
        users: people and their sessions.
        second_factors: one-time codes of users.
        answers: to requests that may be made again.
        jobs: work that takes longer than a request.
        audit: who did what.
    """

    database: Database
    keys: Keys
    users: Users
    second_factors: SecondFactors
    answers: Answers
    jobs: Jobs
    audit: Audit

    @property
    def is_open_to_all(self) -> bool:
        """Whether there never was a key or a user, so that whoever is on this machine may do everything."""
        with self.database.reading() as connection:
            (closed,) = connection.execute("SELECT EXISTS (SELECT 1 FROM closed)").fetchone()
        return not closed

    @property
    def has_callers(self) -> bool:
        """Whether there is a valid key or a user."""
        with self.database.reading() as connection:
            (found,) = connection.execute(
                "SELECT EXISTS (SELECT 1 FROM key WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)) "
                "OR EXISTS (SELECT 1 FROM user)",
                (now(),),
            ).fetchone()
        return bool(found)

    def close(self) -> None:
        """Close the file."""
        self.keys.record_uses()
        self.database.close()


def open_state(folder: str | Path) -> State:
    """Open the folder of a service, or make it.

    Raises:
        InputError: it is damaged, or newer than this version of whorl.
        ResourceError: it cannot be written.
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
    )


__all__ = ["State", "open_state"]
