"""Request accounting: access log, metrics and audit log."""

from __future__ import annotations

import logging
from time import monotonic, perf_counter
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.errors import ResourceError, WhorlError
from whorl.service.http.problems import problem_of
from whorl.service.logs import REQUESTS
from whorl.service.running import Service
from whorl.service.state.database import demand_room

_LOG = logging.getLogger(__name__)
_SAFE = ("GET", "HEAD", "OPTIONS")
_ASKING = (
    "/check", "/check/file", "/compare", "/compare/report", "/segment", "/fingerprint", "/evidence/verify"
)  # fmt: skip
"""Suffixes of POST routes that only read: they compute on the submitted text and change nothing."""
_EVIDENCE = ("evidence", "/ledger", "/jobs/{id}/result")
_ARTICLES = {
    ("POST", "/v1/libraries/{library}/check"): "checked",
    ("POST", "/v1/libraries/{library}/documents"): "added",
}
"""Article counter of each route that handles a single article."""
_EXPIRED = "expired key"
_EXPIRED_SECONDS = 60.0
"""Interval between audit entries for one expired key. A program may retry every second."""
_SIGN_IN = "/sign-in"
_UNWRITTEN = (304, 429, 507)
"""Statuses that are written only to the log: they changed nothing, and they are frequent or the disk is full."""
_FREE = ("/healthz", "/readyz", "/metrics", "/static/")


class AccountingMiddleware:
    """Middleware that records requests and their results. A change is recorded before its response is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._expired: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and record it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        service: Service = scope["app"].state.service
        begun, status, is_refused = perf_counter(), 0, False

        async def sending(message: Message) -> None:
            nonlocal status, is_refused
            if is_refused:
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                error = await run_in_threadpool(_audit, service, scope, status) if _is_audited(scope, status) else None
                if error is not None and route_of(scope) == _SIGN_IN and "entry" not in scope["state"]:
                    is_refused = True
                    problem = problem_of(Request(scope), error).answer()
                    status = problem.status_code
                    await problem(scope, receive, send)
                    return
                if self._is_expiry_news(scope):
                    await run_in_threadpool(_audit_expired, service, scope, status)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            _write(service, scope, status, perf_counter() - begun)

    def _is_expiry_news(self, scope: Scope) -> bool:
        """Return True if an expired key was used for the first time in the last minute."""
        key, at = scope.get("state", {}).get("expired_key"), monotonic()
        if key is None or at - self._expired.get(key, float("-inf")) < _EXPIRED_SECONDS:
            return False
        self._expired[key] = at
        return True


def route_of(scope: Scope) -> str:
    """Return the route template of a request, or an empty string."""
    template = getattr(scope.get("route"), "path_format", "")
    is_nested = scope["path"].startswith("/v1/") and not template.startswith("/v1/")
    return f"/v1{template}" if template and is_nested else template


async def open_entry(request: Request) -> None:
    """Write the audit entry of a change before it is applied. Without space for the entry, nothing is changed.

    Raises:
        DiskFullError: the disk of the state or of the library is full.
        ResourceError: the entry cannot be written.
    """
    scope = request.scope
    if _caller(scope) is not None and _is_change(scope):
        scope["state"]["entry"] = await run_in_threadpool(_begun, scope["app"].state.service, scope)


def _begun(service: Service, scope: Scope) -> int:
    """Begin the audit entry of a change and return its number."""
    library = service.shelf.get(_library(scope))
    if library is not None:
        # Revoking keys must work on an almost full disk, so only changes to libraries keep a reserve.
        service.state.database.demand_room()
        if library.folder is not None:
            demand_room(library.folder)
    return service.state.audit.begin(*_act(scope), _subject(scope), scope["state"]["number"])


def _is_change(scope: Scope) -> bool:
    return scope["method"] not in _SAFE and not route_of(scope).endswith(_ASKING)


def _is_audited(scope: Scope, status: int) -> bool:
    """Return True if an authenticated caller, or one who just signed in, changed something or read evidence."""
    if "entry" in scope.get("state", {}):
        return True
    route = route_of(scope)
    if not route or (_caller(scope) is None and route != _SIGN_IN) or status in _UNWRITTEN:
        return False
    return _is_change(scope) or (scope["method"] in _SAFE and any(part in route for part in _EVIDENCE))


def _audit(service: Service, scope: Scope, status: int) -> ResourceError | None:
    """Write the result of a request to the audit log; return the error on failure."""
    audit, state = service.state.audit, scope["state"]
    try:
        if "entry" not in state:
            audit.note(*_act(scope), _subject(scope), status, state["number"])
        elif status in _UNWRITTEN:
            audit.drop(state["entry"])
        else:
            audit.end(state["entry"], _subject(scope), status)
    except WhorlError as error:
        _LOG.error("request %s: the result is not in the audit log: %s", state["number"], error.message)
        return error if isinstance(error, ResourceError) else None
    return None


def _act(scope: Scope) -> tuple[str, str, str, str]:
    """Return caller, address, action and library of a request."""
    caller = _caller(scope)
    who = caller.who if caller else ""
    return who, _address(scope), f"{scope['method']} {route_of(scope)}", _library(scope)


def _subject(scope: Scope) -> str:
    named = {name: value for name, value in scope.get("path_params", {}).items() if name != "library"}
    return scope["state"].get("subject") or " ".join(map(str, named.values()))


def _audit_expired(service: Service, scope: Scope, status: int) -> None:
    """Record the use of an expired key. The request was refused before its route was resolved."""
    state, what = scope["state"], f"{scope['method']} {scope['path']}"
    try:
        service.state.audit.note(
            state["expired_key"], _address(scope), what, "", _EXPIRED, status, state.get("number", "")
        )
    except WhorlError as error:
        _LOG.error("request %s is not in the audit log: %s", state.get("number", ""), error.message)


def _write(service: Service, scope: Scope, status: int, seconds: float) -> None:
    """Write the log line of a request and update its metrics. Aborted requests have the status 0."""
    route, caller = route_of(scope), _caller(scope)
    service.metrics.requests.labels(scope["method"] if route else "", route, status).inc()
    service.metrics.seconds.labels(scope["method"] if route else "", route).observe(seconds)
    what = _ARTICLES.get((scope["method"], route))
    if what is not None and 200 <= status < 300:
        service.metrics.articles.labels(_library(scope), what).inc()
    if not scope["path"].startswith(_FREE):
        fields = {
            "request": scope.get("state", {}).get("number", ""),
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "caller": caller.who if caller else "",
            "address": _address(scope),
            "library": _library(scope),
        }
        REQUESTS.info("request", extra=fields)


def _caller(scope: Scope) -> Any:
    return scope.get("state", {}).get("caller")


def _library(scope: Scope) -> str:
    return str(scope.get("path_params", {}).get("library", ""))


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else ""


__all__ = ["AccountingMiddleware", "open_entry", "route_of"]
