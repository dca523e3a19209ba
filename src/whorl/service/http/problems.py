"""Errors as problem details (RFC 9457): a code for programs, a message and a hint for people."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from whorl._internal.frozen import frozen
from whorl.errors import DiskFullError, InputError, NotFoundError, ResourceError, UsageError, WhorlError
from whorl.i18n import Message, say, translated
from whorl.service.http.access import ForbiddenError, service_of
from whorl.service.http.bodies import RefusedError
from whorl.service.http.callers import UnknownCallerError
from whorl.service.http.idempotency import BusyError
from whorl.service.http.paging import ChangedError
from whorl.service.http.validation import message_of
from whorl.service.state.users import TooManyGuesses
from whorl.service.throttling import TooManyError

if TYPE_CHECKING:
    from whorl.service.running import Service

MEDIA = "application/problem+json"
_LOG = logging.getLogger(__name__)
_MAX_ERRORS, _LONGEST = 20, 200
_SERVER = re.compile(r"\b(?:postgresql|mysql|mongodb|rediss?)://")
"""Beginning of the address of a server."""
_ABSOLUTE = re.compile(r"""(?<![\w.:/~-])/(?:[^\s/'"]+/)+([^\s/'":]*)""")
"""An absolute path; the group captures its last component."""
_BY_STATUS = {
    401: "unknown-caller",
    403: "forbidden",
    404: "not-found",
    408: "too-slow",
    413: "too-large",
    429: "too-many",
    503: "resource",
    507: "full",
}

TITLES: dict[str, tuple[int, Message]] = {
    "unknown-caller": (401, say("Authentication required")),
    "forbidden": (403, say("Forbidden")),
    "not-found": (404, say("Not found")),
    "too-many": (429, say("Too many requests")),
    "too-slow": (408, say("Request timed out")),
    "too-large": (413, say("Request too large")),
    "busy": (409, say("Request in progress")),
    "changed": (412, say("Precondition failed")),
    "usage": (422, say("Invalid request")),
    "input": (422, say("Invalid input")),
    "resource": (503, say("Resource unavailable")),
    "full": (507, say("Disk full")),
    "invalid": (422, say("Validation failed")),
    "http": (400, say("Request refused")),
    "defect": (500, say("Internal error")),
}
"""Problem codes, each with a default status and a title."""

_CODES: tuple[tuple[type[WhorlError], str], ...] = (
    (UnknownCallerError, "unknown-caller"),
    (ForbiddenError, "forbidden"),
    (TooManyGuesses, "too-many"),
    (ChangedError, "changed"),
    (BusyError, "busy"),
    (TooManyError, "too-many"),
    (NotFoundError, "not-found"),
    (UsageError, "usage"),
    (InputError, "input"),
    (DiskFullError, "full"),
    (ResourceError, "resource"),
    (WhorlError, "usage"),
)


@frozen
class Problem:
    """A failed request.

    Attributes:
        code: one of `TITLES`.
        detail: error message.
        hint: hint that fixes it.
        status: HTTP status; 0 for the default of the code.
        more: further members, such as ``errors``.
        headers: response headers.
    """

    code: str
    detail: str = ""
    hint: str = ""
    status: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def answer(self) -> Response:
        """Return the problem details in the current language."""
        default_status, title = TITLES[self.code]
        body = {
            "type": f"urn:whorl:problem:{self.code}",
            "title": translated(title),
            "status": self.status or default_status,
            "code": self.code,
            "detail": translated(self.detail),
            "hint": translated(self.hint),
            **self.more,
        }
        headers = {**self.headers, **({"WWW-Authenticate": "Bearer"} if self.code == "unknown-caller" else {})}
        return JSONResponse(body, self.status or default_status, headers, MEDIA)


Showing = Callable[[Request, Problem], Response]
"""Renders a problem for the client."""
Answering = Callable[[Request, BaseException], Response]
"""Converts an exception into a response."""


def problem_of(request: Request, error: BaseException) -> Problem:
    """Convert an exception into a problem. Defects are logged, and the message contains the request id."""
    if isinstance(error, WhorlError):
        wait = {"Retry-After": str(error.seconds)} if isinstance(error, TooManyError) else {}
        if isinstance(error, ResourceError):
            _LOG.error("request %s: %s", getattr(request.state, "number", ""), error.message)
        return Problem(code_of(error), without_places(error, places_of(service_of(request))), error.hint, headers=wait)
    if isinstance(error, RequestValidationError):
        wrong = [
            {"where": ".".join(map(str, item["loc"])), "message": translated(message_of(item))[:_LONGEST]}
            for item in error.errors()[:_MAX_ERRORS]
        ]
        hint = say("see the API description: {path}", path="/v1/openapi.json")
        return Problem("invalid", say("see `errors`"), hint, more={"errors": wrong})
    if isinstance(error, HTTPException):
        code = _BY_STATUS.get(error.status_code, "http")
        headers = error.headers or {}
        if isinstance(error, RefusedError):
            return Problem(code, error.message, error.hint, error.status_code, headers=headers)
        phrase = HTTPStatus(error.status_code).phrase
        return Problem(code, phrase, _hint(request, error), error.status_code, headers=headers)
    number = getattr(request.state, "number", "")
    _LOG.error("request %s failed", number, exc_info=error)
    return Problem(
        "defect",
        say("request {number} failed", number=number),
        say("report it with the log lines that contain the request id"),
    )


def _hint(request: Request, error: HTTPException) -> str:
    """Return a hint for a path or a method that does not exist."""
    allowed = (error.headers or {}).get("Allow", "")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and allowed:
        return say("allowed here: {methods}", methods=allowed)
    if error.status_code != HTTPStatus.NOT_FOUND:
        return ""
    if request.url.path.startswith("/v1"):
        return say("see the API description: {path}", path="/v1/openapi.json")
    return say("begin at the start page: {path}", path="/")


def places_of(service: Service) -> tuple[str, ...]:
    """Return the folders of a service that are hidden from clients, the longest first."""
    folders = [library.folder for library in service.shelf.opened().values()]
    folders += [service.state.database.folder, service.settings.files_folder]
    absolute = {str(folder) for folder in folders if folder is not None and folder.is_absolute()}
    return tuple(sorted(absolute, key=len, reverse=True))


def without_places(error: WhorlError, places: Sequence[str]) -> str:
    """Return the message of an error without paths of this machine; only file names remain.

    Resource errors refer to files and databases of the service, so every path in them is hidden, and all that a driver
    reports about a server. Input errors may contain paths and
    addresses that the caller has sent, so only the folders of the service are hidden.
    """
    if isinstance(error, ResourceError) and _SERVER.search(str(error.message)):
        return say("a database of the service is not available")

    def hidden(text: str) -> str:
        for place in places:
            text = text.replace(f"{place}{os.sep}", "").replace(place, Path(place).name)
        return _ABSOLUTE.sub(r"\1", text) if isinstance(error, ResourceError) else text

    return error.message.with_texts(hidden) if isinstance(error.message, Message) else hidden(error.message)


def code_of(error: WhorlError) -> str:
    """Return the code of an error."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def answering(show: Showing) -> Answering:
    """Return a function that converts exceptions into responses.

    Args:
        show: renders a problem.
    """
    return lambda request, error: show(request, problem_of(request, error))


def add_problems(app: FastAPI, answer: Answering) -> None:
    """Register the error handlers of an application. Defects are handled by `whorl.service.http.middleware.Defects`."""

    async def answered(request: Request, error: Exception) -> Response:
        return answer(request, error)

    for kind in (WhorlError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answered)


__all__ = [
    "MEDIA",
    "TITLES",
    "Answering",
    "Problem",
    "Showing",
    "add_problems",
    "answering",
    "code_of",
    "places_of",
    "problem_of",
    "without_places",
]
