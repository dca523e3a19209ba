"""Second factor: time-based one-time passwords (TOTP, RFC 6238) with recovery codes."""

from __future__ import annotations

import hmac
import secrets
from base64 import b32decode, b32encode
from datetime import datetime
from hashlib import sha256
from urllib.parse import quote

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.service.state.database import Connection, Database
from whorl.types.comparison import Plain

STEP_SECONDS, DIGITS = 30, 6
"""Defaults of all authenticator apps."""
_SECRET_BYTES = 20
_DRIFT = 1
"""Permitted clock drift in steps, in both directions (RFC 6238, section 5.2)."""
_RECOVERY_CODES, _RECOVERY_BYTES, _GROUP = 10, 10, 4


@frozen
class SecondFactor(Plain):
    """The second factor of a user.

    Attributes:
        confirmed_at: when it was enabled.
        recovery_codes: number of unused recovery codes.
    """

    confirmed_at: datetime
    recovery_codes: int


class SecondFactors:
    """The second factors of the users of a service."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> SecondFactor | None:
        """Return the second factor of a user; None if it is disabled."""
        with self._database.reading() as connection:
            row = connection.execute(
                'SELECT confirmed_at, (SELECT count(*) FROM recovery_code WHERE "user" = second_factor."user") '
                'AS codes FROM second_factor WHERE "user" = ? AND confirmed_at IS NOT NULL',
                (name,),
            ).fetchone()
        return None if row is None else SecondFactor(datetime.fromisoformat(row["confirmed_at"]), row["codes"])

    def begin(self, name: str) -> str:
        """Return a new secret for the app of a user. It takes effect after a code is confirmed.

        Raises:
            UsageError: the second factor is already enabled.
        """
        secret = b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()
        with self._database.writing() as connection:
            if _confirmed(connection, name) is not None:
                raise UsageError(say("the second factor is already enabled"), hint=say("disable it first"))
            values = {"user": name, "secret": secret, "last_step": -1}
            connection.put("second_factor", values, ("user",), ("secret", "last_step"))
        return secret

    def pending(self, name: str) -> str | None:
        """Return the unconfirmed secret of a user, or None."""
        with self._database.reading() as connection:
            row = connection.execute(
                'SELECT secret FROM second_factor WHERE "user" = ? AND confirmed_at IS NULL', (name,)
            ).fetchone()
        return None if row is None else str(row["secret"])

    def confirm(self, name: str, code: str) -> tuple[str, ...] | None:
        """Enable the second factor and return its recovery codes; None for a wrong code.

        Raises:
            UsageError: there is no unconfirmed secret.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                'SELECT secret FROM second_factor WHERE "user" = ? AND confirmed_at IS NULL', (name,)
            ).fetchone()
            if row is None:
                raise UsageError(
                    say("the secret to confirm no longer exists"), hint=say("set up the second factor again")
                )
            step = matching_step(row["secret"], code, connection.time().timestamp())
            if step is None:
                return None
            connection.execute(
                'UPDATE second_factor SET confirmed_at = ?, last_step = ? WHERE "user" = ?',
                (connection.now(), step, name),
            )
            codes = tuple(_new_recovery_code() for _ in range(_RECOVERY_CODES))
            connection.execute('DELETE FROM recovery_code WHERE "user" = ?', (name,))
            connection.executemany(
                "INSERT INTO recovery_code VALUES (?, ?)", [(name, _digest(recovery_code)) for recovery_code in codes]
            )
        return codes

    def end(self, name: str) -> None:
        """Disable the second factor of a user."""
        with self._database.writing() as connection:
            forget(connection, name)


def forget(connection: Connection, name: str) -> None:
    """Disable the second factor of a user within a transaction."""
    connection.execute('DELETE FROM second_factor WHERE "user" = ?', (name,))
    connection.execute('DELETE FROM recovery_code WHERE "user" = ?', (name,))


def is_right_code(connection: Connection, name: str, code: str) -> bool:
    """Check and consume a code within a transaction: no code is accepted twice. True if no second factor is set."""
    secret = _confirmed(connection, name)
    if secret is None:
        return True
    step = matching_step(secret, code, connection.time().timestamp())
    if step is not None:
        used = connection.execute(
            'UPDATE second_factor SET last_step = ? WHERE "user" = ? AND last_step < ?', (step, name, step)
        )
    else:
        used = connection.execute('DELETE FROM recovery_code WHERE "user" = ? AND digest = ?', (name, _digest(code)))
    return bool(used.rowcount)


def code_of(secret: str, step: int, digits: int = DIGITS) -> str:
    """Return the code of a secret at a time step (RFC 4226, section 5.3)."""
    mac = hmac.digest(b32decode(secret), step.to_bytes(8, "big"), "sha1")
    offset = mac[-1] & 0x0F
    number = int.from_bytes(mac[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def matching_step(secret: str, code: str, at: float) -> int | None:
    """Return the time step of a code within the permitted drift; None for a wrong code."""
    typed = "".join(code.split()).encode("utf-8", "surrogatepass")
    current = int(at) // STEP_SECONDS
    steps = range(max(0, current - _DRIFT), current + _DRIFT + 1)
    matching = [step for step in steps if hmac.compare_digest(code_of(secret, step).encode(), typed)]
    return max(matching, default=None)


def address_of(secret: str, name: str) -> str:
    """Return the address from which an authenticator app reads a secret."""
    return f"otpauth://totp/whorl:{quote(name, safe='')}?secret={secret}&issuer=whorl"


def _confirmed(connection: Connection, name: str) -> str | None:
    row = connection.execute(
        'SELECT secret FROM second_factor WHERE "user" = ? AND confirmed_at IS NOT NULL', (name,)
    ).fetchone()
    return None if row is None else str(row["secret"])


def _new_recovery_code() -> str:
    letters = b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower()
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))


def _digest(code: str) -> bytes:
    """Return the stored digest of a recovery code, independent of case, spaces and hyphens."""
    return sha256("".join(code.lower().replace("-", " ").split()).encode("utf-8", "surrogatepass")).digest()


__all__ = [
    "STEP_SECONDS",
    "SecondFactor",
    "SecondFactors",
    "address_of",
    "code_of",
    "forget",
    "is_right_code",
    "matching_step",
]
