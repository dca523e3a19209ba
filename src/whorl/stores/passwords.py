"""Read server passwords from files, which keeps them out of process lists and shell histories."""

from __future__ import annotations

from pathlib import Path

from whorl.errors import InputError
from whorl.i18n import say

PASSWORD_FILE = "password_file"
"""Setting of an address that names a password file."""


def password_in(path: str) -> str:
    """Return the password in a file, without the end of its line.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(
            say("{label}: {reason}", label=path, reason=reason),
            hint=say("name a file that contains only the password"),
        ) from None


__all__ = ["PASSWORD_FILE", "password_in"]
