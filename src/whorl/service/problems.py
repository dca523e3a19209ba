"""What goes wrong, as problem details (RFC 9457): a code for programs, a sentence and its cure for people."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from whorl.errors import DiskFullError, InputError, NotFoundError, ResourceError, UsageError, WhorlError
from whorl.language import Message, say, translated
from whorl.service.access import ForbiddenError, UnknownCallerError, service_of
from whorl.service.bodies import RefusedError
from whorl.service.limits import TooManyError
from whorl.service.paging import ChangedError
from whorl.service.repeating import BusyError
from whorl.service.state.users import TooManyGuesses

if TYPE_CHECKING:
    from whorl.service.running import Service

MEDIA = "application/problem+json"
_LOG = logging.getLogger(__name__)
_MOST, _LONGEST = 20, 200
_ABSOLUTE = re.compile(r"""(?<![\w.:/~-])/(?:[^\s/'"]+/)+([^\s/'":]*)""")
"""An absolute path, and the name at its end."""
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
    "unknown-caller": (401, say("Nobody knows who asks")),
    "forbidden": (403, say("Not allowed")),
    "not-found": (404, say("Not there")),
    "too-many": (429, say("Too much at once")),
    "too-slow": (408, say("Too slow")),
    "too-large": (413, say("Too large")),
    "busy": (409, say("It is being done")),
    "changed": (412, say("It is another one by now")),
    "usage": (422, say("The request contradicts itself")),
    "input": (422, say("What was given cannot be read")),
    "resource": (503, say("The machine ran out of something")),
    "full": (507, say("The disk is full")),
    "invalid": (422, say("The request is not of the form that it must have")),
    "http": (400, say("The request cannot be answered")),
    "defect": (500, say("whorl has a defect")),
}
"""Every code with its status, where it has only one, and its title."""

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


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong with a request.

    Attributes:
        code: of `TITLES`.
        detail: what is wrong here.
        cure: what to do about it.
        status: of HTTP.
        more: further members, such as ``errors``.
        headers: of the answer.
    """

    code: str
    detail: str = ""
    cure: str = ""
    status: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def answer(self) -> Response:
        """Return it as problem details, in the language that is spoken."""
        own, title = TITLES[self.code]
        body = {
            "type": f"urn:whorl:problem:{self.code}",
            "title": translated(title),
            "status": self.status or own,
            "code": self.code,
            "detail": translated(self.detail),
            "cure": translated(self.cure),
            **self.more,
        }
        headers = {**self.headers, **({"WWW-Authenticate": "Bearer"} if self.code == "unknown-caller" else {})}
        return JSONResponse(body, self.status or own, headers, MEDIA)


Showing = Callable[[Request, Problem], Response]
"""Shows a problem to whoever asked."""
Answering = Callable[[Request, Exception], Response]
"""Answers an error."""


def problem_of(request: Request, error: Exception) -> Problem:
    """Return what an error is; a defect is written to the log, and its caller is told the number of the request."""
    if isinstance(error, WhorlError):
        wait = {"Retry-After": str(error.seconds)} if isinstance(error, TooManyError) else {}
        if isinstance(error, ResourceError):
            _LOG.error("request %s: %s", getattr(request.state, "number", ""), error.message)
        return Problem(code_of(error), without_places(error, places_of(service_of(request))), error.cure, headers=wait)
    if isinstance(error, RequestValidationError):
        wrong = [
            {"where": ".".join(map(str, one["loc"])), "message": str(one["msg"])[:_LONGEST]}
            for one in error.errors()[:_MOST]
        ]
        cure = say("see the description of the API: {path}", path="/v1/openapi.json")
        return Problem("invalid", say("see `errors`"), cure, more={"errors": wrong})
    if isinstance(error, HTTPException):
        code = _BY_STATUS.get(error.status_code, "http")
        headers = error.headers or {}
        if isinstance(error, RefusedError):
            return Problem(code, error.message, error.cure, error.status_code, headers=headers)
        return Problem(code, HTTPStatus(error.status_code).phrase, status=error.status_code, headers=headers)
    number = getattr(request.state, "number", "")
    _LOG.error("request %s failed", number, exc_info=error)
    return Problem(
        "defect",
        say("the request {number} failed", number=number),
        say("report it with the lines of the log that name the request"),
    )


def places_of(service: Service) -> tuple[str, ...]:
    """Return the folders of a service that are nobody's business but its operator's, the longest first."""
    folders = [library.folder for library in service.shelf.values()] + [service.state.database.folder]
    absolute = {str(folder) for folder in folders if folder is not None and folder.is_absolute()}
    return tuple(sorted(absolute, key=len, reverse=True))


def without_places(error: WhorlError, places: Sequence[str]) -> str:
    """Return what is wrong, without where files are on this machine: of a place its name is left.

    The machine has run out of something at places of its own, so that nothing else can be meant by a path; what is
    wrong with input may be a path or an address that the caller has sent.
    """

    def hidden(text: str) -> str:
        for place in places:
            text = text.replace(f"{place}{os.sep}", "").replace(place, Path(place).name)
        return _ABSOLUTE.sub(r"\1", text) if isinstance(error, ResourceError) else text

    return error.message.with_texts(hidden) if isinstance(error.message, Message) else hidden(error.message)


def code_of(error: WhorlError) -> str:
    """Return the code of an error."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


def answering(show: Showing) -> Answering:
    """Return what answers errors.

    Args:
        show: how a problem is shown.
    """
    return lambda request, error: show(request, problem_of(request, error))


def add_problems(app: FastAPI, answer: Answering) -> None:
    """Let an application answer errors; but defects, which `whorl.service.middleware.Defects` answers."""

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
