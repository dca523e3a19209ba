"""People: their passwords, what each may do, their sessions, and who guesses too often."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from whorl.errors import NotFoundError, UsageError
from whorl.language import say
from whorl.model import Plain
from whorl.service.state.database import Database, close_to_strangers, now, stamp
from whorl.service.state.secrets import NOBODY, digest, hashed, is_password, new_secret

Role = Literal["reader", "reviewer", "editor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
SCOPES_OF: dict[Role, tuple[str, ...]] = {
    "reader": ("read",),
    "reviewer": ("read", "review"),
    "editor": ("read", "review", "write"),
    "admin": ("read", "review", "write", "admin"),
}
SESSION = timedelta(hours=12)
_GUESSES, _WITHIN = 10, timedelta(minutes=15)
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class User(Plain):
    """Somebody who signs in.

    Attributes:
        name: of the user.
        role: "reader", "reviewer", "editor" or "admin"; each may do what those before it may.
        libraries: for which, by name; empty for all.
        made_at: since when.
    """

    name: str
    role: Role
    libraries: tuple[str, ...]
    made_at: datetime


class TooManyGuesses(UsageError):
    """Somebody has guessed wrong too often, and must wait."""


class Users:
    """The users of a service, and their sessions.

    Who changes users over the service asks for ``way_back``: that an administrator of all libraries is left. Who has
    the machine needs none.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def make(
        self,
        name: str,
        password: str,
        role: str = "reader",
        libraries: Iterable[str] = (),
        *,
        way_back: bool = False,
    ) -> User:
        """Add a user, or change one, who is then signed out everywhere.

        Raises:
            UsageError: the name is empty or too long, the password too short, there is no such role, or no
                administrator would be left.
        """
        _demand_role(role)
        if not name.strip() or len(name) > _LONGEST or not name.isprintable():
            raise UsageError(say("{name!r:.90} is no name of a user", name=name), cure=say("give a short name"))
        with self._changing(way_back) as connection:
            connection.execute("DELETE FROM session WHERE user = ?", (name,))
            connection.execute(
                "INSERT INTO user VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
                "password = excluded.password, role = excluded.role, libraries = excluded.libraries",
                (name, hashed(password), role, "\n".join(libraries), now()),
            )
            close_to_strangers(connection)
            return _user(connection.execute("SELECT * FROM user WHERE name = ?", (name,)).fetchone())

    def change(
        self, name: str, role: str, libraries: Iterable[str] = (), *, password: str = "", way_back: bool = False
    ) -> User:
        """Let a user do something else from now on, sessions that have begun included.

        With a password, that is set as well, and the user is signed out everywhere; either all is changed or nothing.

        Raises:
            UsageError: there is no such role, the password is too short, or no administrator would be left.
            NotFoundError: there is no user of that name.
        """
        _demand_role(role)
        with self._changing(way_back) as connection:
            changed = connection.execute(
                "UPDATE user SET role = ?, libraries = ? WHERE name = ?", (role, "\n".join(libraries), name)
            )
            if not changed.rowcount:
                raise _unknown(name)
            if password:
                connection.execute("UPDATE user SET password = ? WHERE name = ?", (hashed(password), name))
                connection.execute("DELETE FROM session WHERE user = ?", (name,))
            return _user(connection.execute("SELECT * FROM user WHERE name = ?", (name,)).fetchone())

    def all(self) -> list[User]:
        """Return all users by name."""
        with self._database.reading() as connection:
            return [_user(row) for row in connection.execute("SELECT * FROM user ORDER BY name")]

    def remove(self, name: str, *, way_back: bool = False) -> None:
        """Take a user away, who is signed out everywhere.

        Raises:
            NotFoundError: there is none of that name.
            UsageError: no administrator would be left.
        """
        with self._changing(way_back) as connection:
            if not connection.execute("DELETE FROM user WHERE name = ?", (name,)).rowcount:
                raise _unknown(name)

    def sign_in(self, name: str, password: str, address: str) -> tuple[str, User] | None:
        """Return the secret of a new session and its user; None for a wrong name or password.

        Args:
            name: of the user.
            password: of the user.
            address: from which it is tried.

        Raises:
            TooManyGuesses: ten wrong ones came for this name or from this address within a quarter of an hour.
        """
        who = (f"name {name}", f"address {address}")
        time = datetime.now(UTC)
        since, until = stamp(time - _WITHIN), stamp(time + _WITHIN)  # later ones are of a clock that was set back
        with self._database.reading() as connection:
            for one in who:
                (guesses,) = connection.execute(
                    "SELECT count(*) FROM failure WHERE who = ? AND at > ? AND at <= ?", (one, since, until)
                ).fetchone()
                if guesses >= _GUESSES:
                    raise TooManyGuesses(say("too many wrong passwords"), cure=say("wait a quarter of an hour"))
            row = connection.execute("SELECT * FROM user WHERE name = ?", (name,)).fetchone()
        is_right = is_password(password, NOBODY if row is None else row["password"])
        with self._database.writing() as connection:
            if row is None or not is_right:
                connection.execute("DELETE FROM failure WHERE at <= ? OR at > ?", (since, until))
                connection.executemany("INSERT INTO failure VALUES (?, ?)", [(one, now()) for one in who])
                return None
            secret = new_secret()
            connection.execute("DELETE FROM session WHERE expires_at <= ?", (now(),))
            connection.execute(
                "INSERT INTO session VALUES (?, ?, ?, ?)",
                (digest(secret), name, now(), stamp(datetime.now(UTC) + SESSION)),
            )
        return secret, _user(row)

    def of_session(self, secret: str) -> User | None:
        """Return who has a session; None where it has ended, or began in the future: the clock was set back since."""
        time = datetime.now(UTC)
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT user.* FROM session JOIN user ON user.name = session.user "
                "WHERE digest = ? AND expires_at > ? AND session.made_at <= ?",
                (digest(secret), stamp(time), stamp(time + _WITHIN)),
            ).fetchone()
        return None if row is None else _user(row)

    def sign_out(self, secret: str) -> None:
        """End a session."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM session WHERE digest = ?", (digest(secret),))

    @contextmanager
    def _changing(self, way_back: bool) -> Iterator[sqlite3.Connection]:
        """Change users, with ``way_back`` not so that nobody could see to the service who could before."""
        with self._database.writing() as connection:
            demanded = way_back and (_is_administered(connection) or _is_open(connection))
            yield connection
            if demanded and not _is_administered(connection):
                raise UsageError(
                    say("nobody could come back here: no administrator of all libraries would be left"),
                    cure=say("add another administrator first"),
                )


def _demand_role(role: str) -> None:
    if role not in ROLES:
        raise UsageError(
            say("there is no role {role!r}", role=role), cure=say("give reader, reviewer, editor or admin")
        )


def _is_administered(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM user WHERE role = 'admin' AND libraries = ''").fetchone()[0])


def _is_open(connection: sqlite3.Connection) -> bool:
    """Whether nobody has to sign in: there never was a user or a key."""
    return not connection.execute("SELECT count(*) FROM closed").fetchone()[0]


def _unknown(name: str) -> NotFoundError:
    return NotFoundError(say("there is no user {name!r}", name=name), cure=say("see `whorl user list`"))


def _user(row: sqlite3.Row) -> User:
    return User(
        name=row["name"],
        role=row["role"],
        libraries=tuple(filter(None, row["libraries"].split("\n"))),
        made_at=datetime.fromisoformat(row["made_at"]),
    )


__all__ = ["ROLES", "SCOPES_OF", "SESSION", "Role", "TooManyGuesses", "User", "Users"]
