"""Keys of programs: shown once, kept as digests, each for some libraries and some of what can be done."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock

from whorl.errors import NotFoundError, ResourceError, UsageError
from whorl.language import say
from whorl.model import Plain
from whorl.service.state.database import Database, close_to_strangers, now, stamp
from whorl.service.state.secrets import digest, new_secret

SCOPES = ("read", "review", "write", "admin")
"""What a caller may do: ask; decide about matches; add, change and remove; see to the service itself."""
_PREFIX = "whorl_"
_SHOWN = 12
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_PERIOD = re.compile(r"([1-9][0-9]{0,5})([hdw])")
_FRESH = timedelta(minutes=1)
"""Time in which the last use of a key is not recorded anew."""


@dataclass(frozen=True, slots=True)
class Key(Plain):
    """A key, without its secret.

    Attributes:
        number: of the key.
        name: what it is for.
        hint: its first characters, by which its owner knows it.
        scopes: what it may do.
        libraries: for which, by name; empty for all.
        made_at: when it was made.
        used_at: when it was used last, to the minute, and some seconds later; None if never.
        revoked_at: since when it is not valid; None while it is.
        expires_at: from when on it is not valid; None for a key without an end.
    """

    number: int
    name: str
    hint: str
    scopes: tuple[str, ...]
    libraries: tuple[str, ...]
    made_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None
    expires_at: datetime | None = None

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and self.expires_at <= datetime.now(UTC)


class Keys:
    """The keys of a service. Safe from threads and other processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._used: dict[int, str] = {}
        self._lock = Lock()

    def make(
        self, name: str, scopes: Sequence[str], libraries: Iterable[str] = (), *, expires_at: datetime | None = None
    ) -> tuple[str, Key]:
        """Return the secret of a new key, which is told only here, and the key.

        Args:
            name: what it is for.
            scopes: what it may do.
            libraries: for which, by name; empty for all.
            expires_at: from when on it is not valid, with a time zone; None for a key without an end.

        Raises:
            UsageError: it has no name, a scope that there is not, or has expired already.
        """
        if expires_at is not None and expires_at <= datetime.now(UTC):
            raise UsageError(
                say("expected an expiry in the future, found {at:%Y-%m-%d %H:%M}", at=expires_at),
                cure=say("give a later date, or a period such as 90d"),
            )
        wrong = [scope for scope in scopes if scope not in SCOPES]
        if wrong or not scopes:
            raise UsageError(
                say("there is no scope {scope!r}", scope=wrong[0] if wrong else ""),
                cure=say("give some of read, review, write and admin"),
            )
        if not name.strip():
            raise UsageError(say("the key has no name"), cure=say("say what it is for"))
        secret = new_secret(_PREFIX)
        chosen = [scope for scope in SCOPES if scope in scopes]
        with self._database.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO key (name, digest, hint, scopes, libraries, made_at, expires_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    name, digest(secret), secret[:_SHOWN], " ".join(chosen), "\n".join(libraries), now(),
                    expires_at and stamp(expires_at),
                ),
            )  # fmt: skip
            close_to_strangers(connection)
            row = connection.execute("SELECT * FROM key WHERE number = ?", (cursor.lastrowid,)).fetchone()
        return secret, _key(row)

    def find(self, secret: str) -> Key | None:
        """Return the key of a secret; None for one that is unknown or revoked.

        A key that has expired is returned as well, so that its holder can learn why it does not work. It only reads, so
        that a full disk keeps nobody from reading; `record_uses` writes that it was used.
        """
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT * FROM key WHERE digest = ? AND revoked_at IS NULL", (digest(secret),)
            ).fetchone()
        if found is None:
            return None
        key = _key(found)
        if key.has_expired:
            return key
        # A use from the future is of a clock that was wrong.
        if key.used_at is None or abs(datetime.now(UTC) - key.used_at) >= _FRESH:
            with self._lock:
                self._used[key.number] = now()
        return key

    def record_uses(self) -> None:
        """Write when keys were used last; what cannot be written now is kept for the next call."""
        with self._lock:
            uses, self._used = self._used, {}
        if not uses:
            return
        try:
            with self._database.writing(is_synced=False) as connection:
                connection.executemany(
                    "UPDATE key SET used_at = ? WHERE number = ?", [(at, number) for number, at in uses.items()]
                )
        except ResourceError:
            with self._lock:
                self._used = uses | self._used

    def all(self) -> list[Key]:
        """Return all keys, the newest first, also those that are no longer valid."""
        self.record_uses()
        with self._database.reading() as connection:
            return [_key(row) for row in connection.execute("SELECT * FROM key ORDER BY number DESC")]

    def revoke(self, number: int) -> Key:
        """End a key at once, and return it.

        Raises:
            NotFoundError: there is none.
        """
        if abs(number) >= 2**63:  # more than the database takes
            raise _absent(number)
        with self._database.writing() as connection:
            connection.execute("UPDATE key SET revoked_at = coalesce(revoked_at, ?) WHERE number = ?", (now(), number))
            row = connection.execute("SELECT * FROM key WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise _absent(number)
        return _key(row)


def _absent(number: int) -> NotFoundError:
    return NotFoundError(say("there is no key {number}", number=number), cure=say("see `whorl key list`"))


def _key(row: sqlite3.Row) -> Key:
    return Key(
        number=row["number"],
        name=row["name"],
        hint=row["hint"],
        scopes=tuple(row["scopes"].split()),
        libraries=tuple(filter(None, row["libraries"].split("\n"))),
        made_at=datetime.fromisoformat(row["made_at"]),
        used_at=row["used_at"] and datetime.fromisoformat(row["used_at"]),
        revoked_at=row["revoked_at"] and datetime.fromisoformat(row["revoked_at"]),
        expires_at=row["expires_at"] and datetime.fromisoformat(row["expires_at"]),
    )


def expiry_of(text: str) -> datetime | None:
    """Return when a key expires that is valid for a period such as ``90d``, ``12h`` or ``8w``, or until a date in UTC.

    An empty text is no end.

    Raises:
        UsageError: the text is none of these.
    """
    if not text:
        return None
    try:
        if period := _PERIOD.fullmatch(text):
            return datetime.now(UTC) + int(period[1]) * _UNITS[period[2]]
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UsageError(
            say("expected a period or a date, found {text!r:.40}", text=text),
            cure=say("give a period such as 90d, 12h or 8w, or a date such as 2030-12-31"),
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


__all__ = ["SCOPES", "Key", "Keys", "expiry_of"]
