"""Middleware for every request: request id, language, origin checks and security headers."""

from __future__ import annotations

import re
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from secrets import token_hex
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.errors import UsageError, is_error
from whorl.i18n import LANGUAGES, Language, say, speaking
from whorl.service.http.limits import FREE
from whorl.service.http.problems import Answering, Problem
from whorl.service.settings import Settings
from whorl.types.times import demand_zone, reading_in

LANGUAGE_COOKIE = "whorl_language"
ZONE_COOKIE = "whorl_zone"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_SINGLE = ("host", "content-length", "transfer-encoding", "content-type", "authorization", "cookie", "origin")
"""Headers that must not be repeated: programs differ in which of several values they use."""
_BAD_REQUEST = 400
_SAFE = ("GET", "HEAD", "OPTIONS")
_NUMBER = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Gate:
    """Middleware that assigns request ids and languages, refuses foreign origins, and sets security headers.

    State-changing requests without a key are accepted only from pages of the service: browsers send the origin of a
    request (``Sec-Fetch-Site``, ``Origin``), other programs send none. Unknown host names are refused, so that a
    foreign name cannot be pointed at the service (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle or refuse a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = headers.get("x-request-id", "")
        number = request_id if _NUMBER.fullmatch(request_id) else token_hex(8)
        scope.setdefault("state", {})["number"] = number

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                answer["X-Request-Id"] = number
                if self._settings.is_secure or scope["scheme"] == "https":
                    answer["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        with speaking(language_of(scope, headers)), reading_in(self._zone(headers)):
            problem = _ambiguity(scope, headers) or self._refusal(scope, headers)
            if problem is None:
                await self._app(scope, receive, sending)
            else:
                await problem.answer()(scope, receive, sending)

    def _zone(self, headers: Headers) -> str:
        """Return the zone in which a reader wants to see times: from the cookie, else that of the service."""
        chosen = _cookie(headers, ZONE_COOKIE)
        with suppress(UsageError):
            return demand_zone(chosen) if chosen else self._settings.zone or "UTC"
        return self._settings.zone or "UTC"

    def _refusal(self, scope: Scope, headers: Headers) -> Problem | None:
        """Return why a request is refused, or None."""
        host = headers.get("host", "")
        is_free = scope["path"].startswith(FREE)
        if self._settings.names and not is_free and _name(host) not in self._settings.names:
            return Problem("forbidden", say("unknown host {host!r}", host=host), say("start the service with --name"))
        if scope["method"] in _SAFE or headers.get("authorization"):
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_own = site in ("same-origin", "none") if site else origin is None or urlsplit(origin).netloc == host
        if not is_own:
            return Problem("forbidden", say("the request comes from another site"), say("use the pages of the service"))
        return None


def _ambiguity(scope: Scope, headers: Headers) -> Problem | None:
    """Return why a proxy and the service could interpret a request differently, or None (RFC 9112, section 3.2)."""
    repeated = next((name for name in _SINGLE if len(headers.getlist(name)) > 1), None)
    if repeated is not None:
        return Problem(
            "http", say("expected one header {name}, got several", name=repeated), say("send it once"), _BAD_REQUEST
        )
    if "host" not in headers and scope["http_version"] == "1.1":
        return Problem("http", say("expected a header {name}, got none", name="host"), say("send it"), _BAD_REQUEST)
    return None


class Defects:
    """Middleware that converts unhandled exceptions into regular error responses."""

    def __init__(self, app: ASGIApp, answer: Answering) -> None:
        self._app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and convert exceptions.

        Raises:
            BaseException: the error occurred after the response had started, or asks the process to end.
        """
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except BaseException as error:
            if scope["type"] != "http" or has_begun or not is_error(error):
                raise
            await self._answer(Request(scope), error)(scope, receive, send)


def _name(host: str) -> str:
    """Return the name in a ``Host`` header without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def language_of(scope: Scope, headers: Headers) -> Language:
    """Return the language of a request: from ``lang`` in the query, the cookie, or the preferences of the browser."""
    parameter = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("lang", [""])[0]
    named = [parameter, _cookie(headers, LANGUAGE_COOKIE), *_preferred(headers.get("accept-language", ""))]
    return next((language for name in named for language in LANGUAGES if name.lower().startswith(language)), "en")


def _cookie(headers: Headers, name: str) -> str:
    """Return the value of a cookie; empty if it is missing or malformed."""
    with suppress(CookieError):
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
        return morsel.value if morsel else ""
    return ""


def _preferred(accepted: str) -> list[str]:
    """Return the languages of ``Accept-Language`` by preference (RFC 9110, section 12.5.4)."""
    weighed = []
    for part in accepted[:500].split(","):
        name, _, rest = part.strip().partition(";")
        try:
            weight = float(rest.strip().removeprefix("q=")) if rest else 1.0
        except ValueError:
            weight = 0.0
        weighed.append((-weight, name))
    return [name for weight, name in sorted(weighed, key=lambda item: item[0]) if weight]


__all__ = ["LANGUAGE_COOKIE", "POLICY", "ZONE_COOKIE", "Defects", "Gate", "language_of"]
