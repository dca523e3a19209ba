"""Start of a service from nothing: create its libraries and the key of its first administrator."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from pathlib import Path

from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library import open as open_library
from whorl.service.state import open_state

FIRST_KEY = "WHORL_FIRST_KEY"
"""Environment variable with the first key."""
_NAME = "first"
_SECRET = re.compile(r"[!-~]{32,256}")
_LOG = logging.getLogger(__name__)


def create_libraries(addresses: Iterable[str]) -> None:
    """Create the libraries that do not exist yet.

    Raises:
        UsageError: an address is invalid.
        InputError: a library is damaged.
        ResourceError: a store cannot be reached.
    """
    for address in addresses:
        open_library(address).close()


def first_secret(path: str | Path | None) -> str | None:
    """Return the first key from a file, else from the environment; None without either.

    The environment variable is removed, so that no other process inherits it.

    Raises:
        InputError: the file cannot be read.
        UsageError: the key is too short for a secret, or has characters that a header cannot transport.
    """
    secret = os.environ.pop(FIRST_KEY, None)
    origin = f"${FIRST_KEY}"
    if path is not None:
        origin = str(path)
        try:
            secret = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise InputError(
                say("{label}: {reason}", label=path, reason=reason),
                hint=say("name a file that contains only the key"),
            ) from None
    if secret is not None and not _SECRET.fullmatch(secret):
        raise UsageError(
            say("{label}: expected a key of 32 to 256 ASCII characters without spaces", label=origin),
            hint=say("generate one: openssl rand -hex 32"),
        )
    return secret


def create_first_key(state_place: str, secret: str) -> bool:
    """Create the key of the first administrator; return False if the service ever had a key or a user.

    Raises:
        ResourceError: the state is not writable.
    """
    state = open_state(state_place)
    try:
        is_new = state.keys.make_first(_NAME, secret)
    finally:
        state.close()
    _LOG.info("the first key was created" if is_new else "the first key is ignored: there was a key or a user before")
    return is_new


__all__ = ["FIRST_KEY", "create_first_key", "create_libraries", "first_secret"]
