"""Translate failures of a server into errors with a hint."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from whorl.errors import InputError, ResourceError, UsageError, WhorlError
from whorl.i18n import Message, say


class SqlFailure(Enum):
    """Kinds of failures of a server or its driver."""

    CONNECTION_LOST = auto()
    UNREACHABLE = auto()
    UNTRUSTED = auto()
    REFUSED = auto()
    NO_DATABASE = auto()
    NO_RIGHT = auto()
    READ_ONLY = auto()
    BUSY = auto()
    SLOW = auto()
    FULL = auto()
    CROWDED = auto()
    NO_TEXT = auto()


_OF_ENCRYPTION = ("certificate", "ssl", "tls")
"""Words in driver errors when the server was reached but TLS negotiation failed."""


def _hints() -> Mapping[SqlFailure, Message]:
    return {
        SqlFailure.CONNECTION_LOST: say("try again when the server is available; no partial data was written"),
        SqlFailure.UNREACHABLE: say(
            "check the host and port of the address, and that the server is running and reachable"
        ),
        SqlFailure.UNTRUSTED: say(
            "check the certificates: the authority in the address, and the issuer of the server certificate"
        ),
        SqlFailure.REFUSED: say("check the user and password in the address, its `password_file`, or the environment"),
        SqlFailure.NO_DATABASE: say(
            "check the name of the database, or ask the administrator of the server to create it"
        ),
        SqlFailure.NO_RIGHT: say("ask the administrator of the server for the permissions listed in docs/STORES.md"),
        SqlFailure.READ_ONLY: say("use the primary server, not a read-only replica"),
        SqlFailure.BUSY: say("another process is writing to the library; try again later"),
        SqlFailure.SLOW: say("try again when the server is less busy"),
        SqlFailure.FULL: say("free disk space on the server; acknowledged data is intact"),
        SqlFailure.CROWDED: say("raise the connection limit of the server, or run fewer workers"),
        SqlFailure.NO_TEXT: say("remove it before adding the document"),
    }


def failure(label: str, reason: str, trouble: SqlFailure | None) -> WhorlError:
    """Return an error.

    Args:
        label: the address without secrets, for display.
        reason: message of the server or the driver, without a password.
        trouble: kind of the failure; None if unknown.
    """
    problem = say("{label}: {reason}", label=label, reason=" ".join(reason.split()))
    if trouble is SqlFailure.UNREACHABLE and any(word in reason.lower() for word in _OF_ENCRYPTION):
        trouble = SqlFailure.UNTRUSTED
    if trouble is None:
        return ResourceError(problem, hint=say("check the library with `whorl library verify`"))
    hint = _hints()[trouble]
    if trouble in (SqlFailure.NO_DATABASE, SqlFailure.NO_TEXT):
        return InputError(problem, hint=hint)
    if trouble is SqlFailure.REFUSED:
        return UsageError(problem, hint=hint)
    return ResourceError(problem, hint=hint)


__all__ = ["SqlFailure", "failure"]
