"""API keys with scopes and libraries. Secrets are shown once and stored as digests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, ResourceError, UsageError
from whorl.i18n import say
from whorl.service.state.database import Connection, Database, Row, close_to_strangers, stamp
from whorl.service.state.jobs import cancel_all_by
from whorl.service.state.secrets import digest, new_secret
from whorl.types.comparison import Plain

SCOPES = ("read", "review", "write", "metrics", "admin")
"""Scopes: read and check; decide about matches; add, change and remove; administer the service."""
_COLUMNS = "number, name, hint, scopes, libraries, made_at, used_at, revoked_at, expires_at"
_PREFIX = "whorl_"
_HINT_LENGTH, _SHORT_HINT = 12, 6
"""Characters of a secret that are shown: with the prefix, and of a secret without it."""
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_PERIOD = re.compile(r"([1-9][0-9]{0,5})([hdw])")
_FRESH = timedelta(minutes=1)
"""Interval in which further uses of a key are not recorded."""


@frozen
class Key(Plain):
    """A key without its secret.

    Attributes:
        number: number of the key.
        name: purpose of the key.
        hint: first characters of the secret, for recognition.
        scopes: scopes of the key.
        libraries: names of the libraries it is valid for; empty for all.
        made_at: time of creation.
        used_at: last use, to the minute and updated with a delay of seconds; None if never used.
        revoked_at: time of revocation; None if not revoked.
        expires_at: time of expiry; None if it never expires.
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
        """True after the time of expiry."""
        return self.expires_at is not None and self.expires_at <= datetime.now(UTC)


class Keys:
    """The keys of a service. Thread-safe and process-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._used: dict[int, str] = {}
        self._lock = Lock()

    def make(
        self, name: str, scopes: Sequence[str], libraries: Iterable[str] = (), *, expires_at: datetime | None = None
    ) -> tuple[str, Key]:
        """Create a key and return its secret, which is not available later, and the key.

        Args:
            name: purpose of the key.
            scopes: scopes of the key.
            libraries: names of the libraries it is valid for; empty for all.
            expires_at: time of expiry with a time zone; None if it never expires.

        Raises:
            UsageError: the name is empty, a scope is unknown, or the expiry is in the past.
        """
        if expires_at is not None and expires_at <= datetime.now(UTC):
            raise UsageError(
                say("expected an expiry in the future, got {at:%Y-%m-%d %H:%M}", at=expires_at),
                hint=say("use a later date, or a period such as 90d"),
            )
        wrong = [scope for scope in scopes if scope not in SCOPES]
        if wrong or not scopes:
            raise UsageError(
                say("unknown scope {scope!r}", scope=wrong[0] if wrong else ""),
                hint=say("use some of read, review, write, metrics and admin"),
            )
        if not name.strip():
            raise UsageError(say("the name of the key is empty"), hint=say("describe its purpose"))
        secret = new_secret(_PREFIX)
        chosen = [scope for scope in SCOPES if scope in scopes]
        with self._database.writing() as connection:
            number = _insert(connection, name, secret, chosen, libraries, expires_at)
            row = connection.execute(f'SELECT {_COLUMNS} FROM "key" WHERE number = ?', (number,)).fetchone()
        return secret, _key(row)

    def make_first(self, name: str, secret: str) -> bool:
        """Create a key with all scopes and a known secret, unless there ever was a key or a user.

        Returns:
            True if the key was created.
        """
        with self._database.writing() as connection:
            (is_closed,) = connection.execute("SELECT EXISTS (SELECT 1 FROM closed)").fetchone()
            if not is_closed:
                _insert(connection, name, secret, SCOPES, (), None)
        return not is_closed

    def find(self, secret: str) -> Key | None:
        """Return the key of a secret; None if it is unknown or revoked.

        An expired key is returned as well, so that its holder can be informed. The method only reads, so that it works
        on a full disk; `record_uses` stores the last use.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                f'SELECT {_COLUMNS} FROM "key" WHERE digest = ? AND revoked_at IS NULL', (digest(secret),)
            ).fetchone()
        if row is None:
            return None
        key = _key(row)
        if key.has_expired:
            return key
        # A use in the future means that the clock was wrong.
        time = self._database.time()
        if key.used_at is None or abs(time - key.used_at) >= _FRESH:
            with self._lock:
                self._used[key.number] = stamp(time)
        return key

    def record_uses(self) -> None:
        """Store the last uses of keys; on failure they are kept for the next call."""
        with self._lock:
            uses, self._used = self._used, {}
        if not uses:
            return
        try:
            with self._database.writing(is_synced=False, is_exclusive=False) as connection:
                connection.executemany(
                    'UPDATE "key" SET used_at = ? WHERE number = ?',
                    [(at, number) for number, at in sorted(uses.items())],  # in order, so replicas do not deadlock
                )
        except ResourceError:
            with self._lock:
                self._used = uses | self._used

    def all(self) -> list[Key]:
        """Return all keys, the newest first, including expired and revoked ones."""
        self.record_uses()
        with self._database.reading() as connection:
            return [_key(row) for row in connection.execute(f'SELECT {_COLUMNS} FROM "key" ORDER BY number DESC')]

    def revoke(self, number: int) -> Key:
        """Revoke a key, cancel its unfinished jobs, and return it.

        Raises:
            NotFoundError: the key does not exist.
        """
        if abs(number) >= 2**63:  # exceeds the integers of the database
            raise _absent(number)
        with self._database.writing() as connection:
            connection.execute(
                'UPDATE "key" SET revoked_at = coalesce(revoked_at, ?) WHERE number = ?', (connection.now(), number)
            )
            row = connection.execute(f'SELECT {_COLUMNS} FROM "key" WHERE number = ?', (number,)).fetchone()
            if row is None:
                raise _absent(number)
            cancel_all_by(connection, f"key {number} {row['name']}")
        return _key(row)


def _insert(
    connection: Connection,
    name: str,
    secret: str,
    scopes: Iterable[str],
    libraries: Iterable[str],
    expires_at: datetime | None,
) -> int:
    """Store a key, and return its number. The service is closed to anonymous callers from now on."""
    number = connection.insert(
        "key",
        {
            "name": name,
            "digest": digest(secret),
            "hint": secret[: _HINT_LENGTH if secret.startswith(_PREFIX) else _SHORT_HINT],
            "scopes": " ".join(scopes),
            "libraries": "\n".join(libraries),
            "made_at": connection.now(),
            "expires_at": expires_at and stamp(expires_at),
        },
    )
    close_to_strangers(connection)
    return number


def _absent(number: int) -> NotFoundError:
    return NotFoundError(say("key {number} not found", number=number), hint=say("see `whorl key list`"))


def _key(row: Row) -> Key:
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
    """Return the expiry for a period such as ``90d``, ``12h`` or ``8w``, or for a date in UTC.

    An empty text returns None, which means no expiry.

    Raises:
        UsageError: the text is invalid.
    """
    if not text:
        return None
    try:
        if period := _PERIOD.fullmatch(text):
            return datetime.now(UTC) + int(period[1]) * _UNITS[period[2]]
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UsageError(
            say("expected a period or a date, got {text!r:.40}", text=text),
            hint=say("use a period such as 90d, 12h or 8w, or a date such as 2030-12-31"),
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


__all__ = ["SCOPES", "Key", "Keys", "expiry_of"]
