"""Users: passwords, roles, sessions, and limits for password guessing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, get_args

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.service.state.database import Connection, Database, Row, close_to_strangers, stamp
from whorl.service.state.jobs import cancel_all_by
from whorl.service.state.second_factor import forget, is_right_code
from whorl.service.state.secrets import NOBODY, digest, hashed, is_password, new_secret
from whorl.types.comparison import Plain

Role = Literal["reader", "reviewer", "editor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
SCOPES_OF: dict[Role, tuple[str, ...]] = {
    "reader": ("read",),
    "reviewer": ("read", "review"),
    "editor": ("read", "review", "write"),
    "admin": ("read", "review", "write", "admin"),
}
SESSION = timedelta(hours=12)
_COLUMNS = "name, password, role, libraries, made_at"
_GUESSES, _WITHIN = 10, timedelta(minutes=15)
_LONGEST = 80
_LONGEST_AGENT = 300


@frozen
class User(Plain):
    """A user.

    Attributes:
        name: name of the user.
        role: "reader", "reviewer", "editor" or "admin"; each includes the permissions of the previous ones.
        libraries: names of accessible libraries; empty for all.
        made_at: time of creation.
    """

    name: str
    role: Role
    libraries: tuple[str, ...]
    made_at: datetime


@frozen
class Session(Plain):
    """A session of a user.

    Attributes:
        id: id of the session; it grants no access.
        made_at: time of sign-in.
        expires_at: time of expiry.
        address: address of the client; empty if unknown.
        agent: user agent of the browser; empty if unknown.
        is_current: True for the session of the request.
    """

    id: str
    made_at: datetime
    expires_at: datetime
    address: str
    agent: str
    is_current: bool


class TooManyGuesses(UsageError):
    """Too many failed sign-in attempts; the caller must wait."""


class Users:
    """The users of a service and their sessions.

    Changes through the service set ``way_back``, which requires a remaining administrator of all libraries. Changes on
    the command line do not need it.
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
        """Create or change a user. A changed user is signed out everywhere and loses the second factor.

        Raises:
            UsageError: the name is empty or too long, the password is too short, the role is unknown, or no
                administrator would be left.
        """
        _demand_role(role)
        if not name.strip() or len(name) > _LONGEST or not name.isprintable():
            raise UsageError(say("{name!r:.90} is not a valid user name", name=name), hint=say("choose a short name"))
        values = {"name": name, "password": hashed(password), "role": role, "libraries": "\n".join(libraries)}
        with self._changing(way_back) as connection:
            connection.execute('DELETE FROM session WHERE "user" = ?', (name,))
            forget(connection, name)
            connection.put(
                "user", {**values, "made_at": connection.now()}, ("name",), ("password", "role", "libraries")
            )
            close_to_strangers(connection)
            return _user(connection.execute(f'SELECT {_COLUMNS} FROM "user" WHERE name = ?', (name,)).fetchone())

    def change(
        self, name: str, role: str, libraries: Iterable[str] = (), *, password: str = "", way_back: bool = False
    ) -> User:
        """Change role and libraries of a user, effective immediately for open sessions.

        A new password also signs the user out everywhere and disables the second factor. Either all changes apply or
        none.

        Raises:
            UsageError: the role is unknown, the password is too short, or no administrator would be left.
            NotFoundError: the user does not exist.
        """
        _demand_role(role)
        hashed_password = hashed(password) if password else ""
        with self._changing(way_back) as connection:
            changed = connection.execute(
                'UPDATE "user" SET role = ?, libraries = ? WHERE name = ?', (role, "\n".join(libraries), name)
            )
            if not changed.rowcount:
                raise _unknown(name)
            if password:
                connection.execute('UPDATE "user" SET password = ? WHERE name = ?', (hashed_password, name))
                connection.execute('DELETE FROM session WHERE "user" = ?', (name,))
                forget(connection, name)
            return _user(connection.execute(f'SELECT {_COLUMNS} FROM "user" WHERE name = ?', (name,)).fetchone())

    def all(self) -> list[User]:
        """Return all users by name."""
        with self._database.reading() as connection:
            return [_user(row) for row in connection.execute(f'SELECT {_COLUMNS} FROM "user" ORDER BY name')]

    def remove(self, name: str, *, way_back: bool = False) -> None:
        """Remove a user and their sessions, and cancel their unfinished jobs.

        Raises:
            NotFoundError: the user does not exist.
            UsageError: no administrator would be left.
        """
        with self._changing(way_back) as connection:
            if not connection.execute('DELETE FROM "user" WHERE name = ?', (name,)).rowcount:
                raise _unknown(name)
            cancel_all_by(connection, f"user {name}")

    def sign_in(
        self, name: str, password: str, network: str, *, code: str = "", address: str = "", agent: str = ""
    ) -> tuple[str, User] | None:
        """Return the secret of a new session and its user; None for a wrong name, password or code.

        Args:
            name: name of the user.
            password: password of the user.
            network: network of the client, for counting failed attempts.
            code: one-time code, or a recovery code, for users with a second factor.
            address: address of the client, stored for display.
            agent: user agent of the browser, stored for display.

        Raises:
            TooManyGuesses: ten attempts for this name or from this network failed within 15 minutes.
        """
        row = self._checked(name, password, network, code)
        if row is None:
            return None
        secret = new_secret()
        with self._database.writing() as connection:
            connection.execute("DELETE FROM session WHERE expires_at <= ?", (connection.now(),))
            connection.execute(
                'INSERT INTO session (digest, "user", made_at, expires_at, address, agent) VALUES (?, ?, ?, ?, ?, ?)',
                (
                    digest(secret), name, connection.now(), stamp(connection.time() + SESSION),
                    _kept_text(address), _kept_text(agent),
                ),
            )  # fmt: skip
        return secret, _user(row)

    def change_password(self, name: str, old: str, new: str, network: str, *, session: str) -> bool:
        """Change the password of a user and end their other sessions; return False if the old password is wrong.

        Args:
            name: name of the user.
            old: current password.
            new: new password.
            network: network of the client, for counting failed attempts.
            session: secret of the session to keep.

        Raises:
            TooManyGuesses: ten attempts for this name or from this network failed within 15 minutes.
            UsageError: the new password is too short or too long.
        """
        kept = hashed(new)
        row = self._checked(name, old, network)
        if row is None:
            return False
        with self._database.writing() as connection:
            changed = connection.execute(
                'UPDATE "user" SET password = ? WHERE name = ? AND password = ?', (kept, name, row["password"])
            )
            if not changed.rowcount:  # the password was changed concurrently
                return False
            connection.execute('DELETE FROM session WHERE "user" = ? AND digest <> ?', (name, digest(session)))
        return True

    def is_password(self, name: str, password: str, network: str) -> bool:
        """Check the password of a user; a wrong one counts as a failed attempt.

        Raises:
            TooManyGuesses: ten attempts for this name or from this network failed within 15 minutes.
        """
        return self._checked(name, password, network) is not None

    def _checked(self, name: str, password: str, network: str, code: str | None = None) -> Row | None:
        """Return the user for valid credentials; None counts as a failed attempt.

        The second factor is checked if a code is passed, even an empty one.

        Raises:
            TooManyGuesses: ten attempts for this name or from this network failed within 15 minutes.
        """
        row, attempts = self._begin_guess(name, network)
        is_right = is_password(password, NOBODY if row is None else row["password"])
        with self._database.writing() as connection:
            if row is None or not is_right or not (code is None or is_right_code(connection, name, code)):
                return None
            connection.executemany('DELETE FROM failure WHERE "rowid" = ?', attempts)
        return row

    def _begin_guess(self, name: str, network: str) -> tuple[Row | None, list[tuple[int]]]:
        """Record an attempt and return the user, None if unknown, and the rows to delete on success.

        Attempts count from their start, so that concurrent ones cannot exceed the limit.

        Raises:
            TooManyGuesses: ten attempts for this name or from this network failed within 15 minutes.
        """
        time = self._database.time()
        since, until = stamp(time - _WITHIN), stamp(time + _WITHIN)  # later times come from a clock that was set back
        attempts = []
        with self._database.writing() as connection:
            connection.execute("DELETE FROM failure WHERE at <= ? OR at > ?", (since, until))
            for who in map(connection.key_of, (f"name {name}", f"address {network}")):
                (guesses,) = connection.execute("SELECT count(*) FROM failure WHERE who = ?", (who,)).fetchone()
                if guesses >= _GUESSES:
                    raise TooManyGuesses(say("too many wrong passwords"), hint=say("wait 15 minutes"))
                attempts.append((connection.insert("failure", {"who": who, "at": stamp(time)}, "rowid"),))
            row: Row | None = connection.execute(f'SELECT {_COLUMNS} FROM "user" WHERE name = ?', (name,)).fetchone()
        return row, attempts

    def sessions(self, name: str, current: str) -> list[Session]:
        """Return the sessions of a user, the newest first.

        Args:
            name: name of the user.
            current: secret of the session of the request.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                'SELECT digest, made_at, expires_at, address, agent FROM session WHERE "user" = ? AND expires_at > ? '
                "ORDER BY made_at DESC",
                (name, connection.now()),
            ).fetchall()
        return [
            Session(
                _session_id(row["digest"]),
                datetime.fromisoformat(row["made_at"]),
                datetime.fromisoformat(row["expires_at"]),
                row["address"],
                row["agent"],
                row["digest"] == digest(current),
            )
            for row in rows
        ]

    def end_session(self, name: str, id: str) -> bool:
        """End a session of a user; return False if it does not exist."""
        with self._database.writing() as connection:
            rows = connection.execute('SELECT digest FROM session WHERE "user" = ?', (name,)).fetchall()
            ended = [row["digest"] for row in rows if _session_id(row["digest"]) == id]
            connection.executemany(
                "DELETE FROM session WHERE digest = ?", [(session_digest,) for session_digest in ended]
            )
        return bool(ended)

    def of_session(self, secret: str) -> User | None:
        """Return the user of a session; None if it has expired or begins in the future (clock set back)."""
        time = self._database.time()
        with self._database.reading() as connection:
            row = connection.execute(
                f'SELECT {_COLUMNS} FROM "user" WHERE name = (SELECT "user" FROM session '
                "WHERE digest = ? AND expires_at > ? AND made_at <= ?)",
                (digest(secret), stamp(time), stamp(time + _WITHIN)),
            ).fetchone()
        return None if row is None else _user(row)

    def sign_out(self, secret: str) -> None:
        """End a session."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM session WHERE digest = ?", (digest(secret),))

    @contextmanager
    def _changing(self, way_back: bool) -> Iterator[Connection]:
        """Change users; with ``way_back``, refuse to remove the last administrator."""
        with self._database.writing() as connection:
            demanded = way_back and (_is_administered(connection) or _is_open(connection))
            yield connection
            if demanded and not _is_administered(connection):
                raise UsageError(
                    say("no administrator of all libraries would be left"),
                    hint=say("add another administrator first"),
                )


def _demand_role(role: str) -> None:
    if role not in ROLES:
        raise UsageError(say("unknown role {role!r}", role=role), hint=say("use reader, reviewer, editor or admin"))


def _is_administered(connection: Connection) -> bool:
    return bool(
        connection.execute("SELECT count(*) FROM \"user\" WHERE role = 'admin' AND libraries = ''").fetchone()[0]
    )


def _is_open(connection: Connection) -> bool:
    """Return True if there never was a user or a key, so that nobody has to sign in."""
    return not connection.execute("SELECT count(*) FROM closed").fetchone()[0]


def _session_id(kept: bytes) -> str:
    """Return the public id of a session, which does not reveal the stored digest."""
    return sha256(kept).hexdigest()[:16]


def _kept_text(text: str) -> str:
    return text[:_LONGEST_AGENT].encode("utf-8", "replace").decode()


def _unknown(name: str) -> NotFoundError:
    return NotFoundError(say("user {name!r} not found", name=name), hint=say("see `whorl user list`"))


def _user(row: Row) -> User:
    return User(
        name=row["name"],
        role=row["role"],
        libraries=tuple(filter(None, row["libraries"].split("\n"))),
        made_at=datetime.fromisoformat(row["made_at"]),
    )


__all__ = ["ROLES", "SCOPES_OF", "SESSION", "Role", "Session", "TooManyGuesses", "User", "Users"]
