"""What goes wrong with MongoDB, as errors with a cure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
    WriteConcernError,
    WTimeoutError,
)

from whorl.errors import InputError, ResourceError, WhorlError
from whorl.language import Message, say

_WRONG_PASSWORD = {18, 8000}
_NOT_ALLOWED = {13, 8000}
_READ_ONLY = {10058, 10107, 11600, 11602, 13435, 13436, 189, 91}
_FULL = {14031, 39}
_TOO_LONG = {2, 10334, 17280, 17419, 17420}
_TOO_LONG_TOLD = ("too large", "BSONObjectTooLarge", "BSONObj size")


@contextmanager
def failures(label: str) -> Iterator[None]:
    """Turn the failures of the driver into errors with a cure; ``label`` is the address without its secrets."""
    try:
        yield
    except (PyMongoError, InvalidDocument) as error:
        raise _error(label, error) from error


def _error(label: str, error: Exception) -> WhorlError:
    if isinstance(error, DocumentTooLarge | InvalidDocument) or _has_code(error, _TOO_LONG, *_TOO_LONG_TOLD):
        return InputError(
            say("{label}: something is longer than the 16 MB that the server takes", label=label),
            cure=say("leave it out, or keep the library in a store without that limit"),
        )
    if isinstance(error, ServerSelectionTimeoutError):
        return _told(label, say("no server answers"), say("check host and port, and that the server runs"))
    if _has_code(error, _WRONG_PASSWORD, "authentication failed", "no pg_hba.conf entry") or (
        isinstance(error, ConfigurationError)
    ):
        return _told(label, say("the server refuses user or password"), say("check both, and `authSource`"))
    if _has_code(error, {13}, "not authorized", "permission denied"):
        return _told(
            label,
            say("this user may not do that"),
            say("let an administrator grant it the role readWrite of the database"),
        )
    if isinstance(error, NotPrimaryError) or _has_code(error, _READ_ONLY, "read-only transaction"):
        return _told(
            label,
            say("this server may only be read from"),
            say("name all members of its set, or wait until one of them is the primary; then do it again"),
        )
    if _has_code(error, _FULL, "No space left", "disk full"):
        return _told(
            label,
            say("the disk of the server is full"),
            say("free some disk space; what was acknowledged is still there"),
        )
    if isinstance(error, WriteConcernError | WTimeoutError):
        return _told(
            label, say("too few members of the set have acknowledged it"), say("wait for the others; do it again")
        )
    if isinstance(error, ConnectionFailure):
        return _told(
            label,
            say("the server was gone in the middle of it; nothing of it was written"),
            say("do it again when the server answers"),
        )
    return _told(label, say("the server fails: {error}", error=_plain(error)), say("see the log of the server"))


def _told(label: str, reason: Message, cure: Message) -> ResourceError:
    return ResourceError(say("{label}: {reason}", label=label, reason=reason), cure=cure)


def _has_code(error: Exception, codes: set[int], *told: str) -> bool:
    """Whether the server gave one of these codes, or said one of these things."""
    given = {getattr(error, "code", None)}
    text = str(error)
    if isinstance(error, BulkWriteError):
        details = error.details or {}
        given |= {one.get("code") for one in (*details.get("writeErrors", ()), *details.get("writeConcernErrors", ()))}
    return isinstance(error, OperationFailure) and (bool(codes & given) or any(part in text for part in told))


def _plain(error: Exception) -> str:
    """What the server says, in one line of bounded length."""
    return " ".join(str(error).partition(", full error:")[0].split())[:300]


__all__ = ["failures"]
