"""Translate failures of MongoDB into errors with a hint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from bson.errors import InvalidDocument
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DocumentTooLarge,
    NotPrimaryError,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WTimeoutError,
)

from whorl.errors import InputError, ResourceError, UsageError, WhorlError
from whorl.i18n import Message, say


class _Failure(NamedTuple):
    """A kind of failure of the server.

    Attributes:
        codes: error codes that indicate it.
        fragments: fragments of error messages, any of which indicates it; for FerretDB, of its PostgreSQL.
        kinds: exceptions of the driver that indicate it.
        error: resulting error class.
        reason: description of the failure.
        hint: hint for the user.
    """

    codes: frozenset[int]
    fragments: tuple[str, ...]
    kinds: tuple[type[Exception], ...]
    error: type[WhorlError]
    reason: Message
    hint: Message


_TROUBLES = (
    _Failure(
        frozenset({10334, 17280, 17419, 17420}),
        ("BSONObjectTooLarge", "too large"),
        (DocumentTooLarge, InvalidDocument),
        InputError,
        say("a document exceeds the 16 MB limit of the server"),
        say("remove it, or use a store without that limit"),
    ),
    _Failure(
        frozenset({18, 8000}),
        ("authentication failed", "Authentication failed"),
        (ConfigurationError,),
        UsageError,
        say("the server rejected the user or password"),
        say("check the user and password in the address, its `password_file`, or the environment"),
    ),
    _Failure(
        frozenset({13}),
        ("permission denied",),
        (),
        ResourceError,
        say("the database user lacks a permission"),
        say("ask the administrator of the server for the permissions listed in docs/STORES.md"),
    ),
    _Failure(
        frozenset({91, 189, 10058, 10107, 11600, 11602, 13435, 13436}),
        ("read-only transaction",),
        (NotPrimaryError,),
        ResourceError,
        say("the server is read-only"),
        say("use the primary server, not a read-only replica"),
    ),
    _Failure(
        frozenset({39, 14031}),
        ("No space left", "disk full"),
        (),
        ResourceError,
        say("the disk of the server is full"),
        say("free disk space on the server; acknowledged data is intact"),
    ),
    _Failure(
        frozenset({64}),
        (),
        (WTimeoutError,),
        ResourceError,
        say("too few members of the replica set acknowledged the write in time"),
        say("try again when they respond"),
    ),
    _Failure(
        frozenset(),
        (),
        (ServerSelectionTimeoutError,),
        ResourceError,
        say("no server responds"),
        say("check the host and port of the address, and that the server is running and reachable"),
    ),
    _Failure(
        frozenset(),
        ("connection refused", "the database system is", "terminating connection", "unexpected EOF"),
        (ConnectionFailure,),
        ResourceError,
        say("the connection to the server was lost"),
        say("try again when the server is available; no partial data was written"),
    ),
)


@contextmanager
def failures(label: str) -> Iterator[None]:
    """Translate failures of the driver into errors with a hint; ``label`` is the address for display."""
    try:
        yield
    except (PyMongoError, InvalidDocument) as error:
        raise _error(label, error) from error


def _error(label: str, error: Exception) -> WhorlError:
    for trouble in _TROUBLES:
        if isinstance(error, trouble.kinds) or _is_said(error, trouble):
            return trouble.error(say("{label}: {reason}", label=label, reason=trouble.reason), hint=trouble.hint)
    return ResourceError(
        say("{label}: {reason}", label=label, reason=_in_a_line(error)),
        hint=say("check the library with `whorl library verify`"),
    )


def _is_said(error: Exception, trouble: _Failure) -> bool:
    """Return True if an error has one of the codes or fragments of a kind of failure."""
    if not isinstance(error, OperationFailure):
        return False
    codes = {error.code}
    if isinstance(error, BulkWriteError):
        codes |= {detail.get("code") for detail in error.details.get("writeErrors", ())}
    return bool(trouble.codes & codes) or any(part in str(error) for part in trouble.fragments)


def _in_a_line(error: Exception) -> str:
    """Return the message of the server as one line of bounded length."""
    return " ".join(str(error).partition(", full error:")[0].split())[:300]


__all__ = ["failures"]
