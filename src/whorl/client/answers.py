"""Parsing of service responses into data and errors of whorl, and the retry policy."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter

from whorl.client.questions import Question
from whorl.errors import InputError, NotFoundError, ResourceError, UsageError, WhorlError
from whorl.i18n import say

_Answer = TypeVar("_Answer")
_KINDS: dict[str, type[WhorlError]] = {
    "not-found": NotFoundError,
    "input": InputError,
    "resource": ResourceError,
    "full": ResourceError,
    "defect": WhorlError,
}
_LATER = (429, 502, 503, 504)
_LONGEST = 30.0
_FIRST = 0.2


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def read(kind: type[_Answer], content: bytes | str) -> _Answer:
    """Parse a JSON response.

    Raises:
        InputError: the response has another form: the server is not whorl, or is an incompatible version.
    """
    with _demanding():
        answer: _Answer = _reader(kind).validate_json(content)  # type: ignore[arg-type]  # a class has a hash
    return answer


def convert(kind: type[_Answer], item: object) -> _Answer:
    """Convert plain data to a type.

    Raises:
        InputError: see `read`.
    """
    with _demanding():
        answer: _Answer = _reader(kind).validate_python(item)  # type: ignore[arg-type]  # a class has a hash
    return answer


@contextmanager
def _demanding() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise InputError(
            say("unexpected response, the server may not be whorl: {error}", error=str(error)[:200]),
            hint=say("check the address, and that client and service have the same version"),
        ) from error


def delay_before(
    came: httpx.Response | httpx.TransportError, question: Question, tried: int, tries: int
) -> float | None:
    """Return the seconds to wait before a retry; None to accept the outcome.

    Args:
        came: the response, or the transport error.
        question: the request.
        tried: number of previous attempts.
        tries: maximum number of attempts.
    """
    if tried >= tries:
        return None
    backed_off: float = _FIRST * 2 ** (tried - 1) * random.uniform(0.5, 1.5)
    if isinstance(came, httpx.TransportError):
        is_unsent = isinstance(came, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        return backed_off if is_unsent or question.is_repeatable else None
    if came.status_code not in _LATER:
        return None
    if came.status_code != httpx.codes.TOO_MANY_REQUESTS and not question.is_repeatable:
        return None
    try:
        return min(_LONGEST, float(came.headers.get("retry-after", backed_off)))
    except ValueError:
        return backed_off


def demand_answer(came: httpx.Response | httpx.TransportError) -> httpx.Response:
    """Return a successful response.

    Raises:
        WhorlError: the error that the service reported, with its hint.
        InputError: there was no response.
    """
    if isinstance(came, httpx.TransportError):
        raise InputError(
            say("no response from the service: {error}", error=str(came) or type(came).__name__),
            hint=say("check the address, and that `whorl serve` is running"),
        ) from came
    if came.is_success:
        return came
    try:
        body = came.json()
        code, detail, hint = (str(body.get(name, "")) for name in ("code", "detail", "hint"))
        wrong = "; ".join(f"{problem['where']}: {problem['message']}" for problem in body.get("errors", ()))
    except (ValueError, AttributeError, TypeError, KeyError):
        code, detail, hint, wrong = "", "", "", ""
    message = wrong or detail or say("the service returned status {status}", status=came.status_code)
    raise _KINDS.get(code, UsageError)(message, hint=hint)


def only(names: Sequence[str]) -> str:
    """Return the name of the only library.

    Raises:
        UsageError: there is no library, or there are several.
    """
    if len(names) == 1:
        return names[0]
    raise UsageError(
        say("this key can access {count} libraries", count=len(names)),
        hint=say("choose one: library=…") if names else say("ask the operator of the service"),
    )


__all__ = ["convert", "delay_before", "demand_answer", "only", "read"]
