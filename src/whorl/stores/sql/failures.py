"""Translate failures of a server into errors with a hint."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from whorl.errors import InputError, ResourceError, UsageError, WhorlError
from whorl.i18n import Message, say


class SqlFailure(Enum):
    """Kinds of failures of a server or its driver."""

    GONE = auto()
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
        SqlFailure.GONE: say("try again when the server is there; nothing of what was being written is kept by half"),
        SqlFailure.UNREACHABLE: say(
            "check host and port of the address, and whether the server runs and may be reached"
        ),
        SqlFailure.UNTRUSTED: say(
            "check the certificates: the authority that the address names, and who vouches for the server"
        ),
        SqlFailure.REFUSED: say(
            "check user and password: those of the address, its `password_file`, or the environment"
        ),
        SqlFailure.NO_DATABASE: say("check the name of the database; whoever runs the server makes one"),
        SqlFailure.NO_RIGHT: say("whoever runs the server gives the rights that docs/STORES.md names"),
        SqlFailure.READ_ONLY: say("name the server that may be written to, not a copy of it that may only be read"),
        SqlFailure.BUSY: say("another process writes to the library; try again when it is done"),
        SqlFailure.SLOW: say("try again when the server has less to do"),
        SqlFailure.FULL: say("free some disk space on the server; what was acknowledged is still there"),
        SqlFailure.CROWDED: say("let the server take more connections, or run fewer workers"),
        SqlFailure.NO_TEXT: say("clean it before it is added"),
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
        return ResourceError(problem, hint=say("see what is wrong: `whorl library verify`"))
    hint = _hints()[trouble]
    if trouble in (SqlFailure.NO_DATABASE, SqlFailure.NO_TEXT):
        return InputError(problem, hint=hint)
    if trouble is SqlFailure.REFUSED:
        return UsageError(problem, hint=hint)
    return ResourceError(problem, hint=hint)


__all__ = ["SqlFailure", "failure"]
