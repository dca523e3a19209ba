"""What is written down of every request: a line in the log, figures, and the audit log."""

from __future__ import annotations

import logging
from time import monotonic, perf_counter
from typing import Any

from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.errors import WhorlError
from whorl.service.logs import REQUESTS
from whorl.service.running import Service

_LOG = logging.getLogger(__name__)
_SAFE = ("GET", "HEAD", "OPTIONS")
_ASKING = (
    "/check", "/check/file", "/compare", "/compare/report", "/segment", "/fingerprint", "/evidence/verify"
)  # fmt: skip
"""How the routes end that are sent texts, and change nothing."""
_EVIDENCE = ("evidence", "/ledger", "/jobs/{id}/result")
_ARTICLES = {
    ("POST", "/v1/libraries/{library}/check"): "checked",
    ("POST", "/v1/libraries/{library}/documents"): "added",
}
"""What is done with one article at these routes."""
_EXPIRED = "expired key"
_EXPIRED_SECONDS = 60.0
"""After which the use of an expired key is in the audit log again; a program may go on trying every second."""
_FREE = ("/healthz", "/readyz", "/metrics", "/static/")


class Accounts:
    """Writes down what was asked and how it ended; of a change before its caller learns that it was made."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._expired: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and write it down."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        service: Service = scope["app"].state.service
        begun, status = perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if _is_audited(scope, status):
                    await run_in_threadpool(_audit, service, scope, status)
                elif self._is_expiry_news(scope):
                    await run_in_threadpool(_audit_expired, service, scope, status)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            _write(service, scope, status, perf_counter() - begun)

    def _is_expiry_news(self, scope: Scope) -> bool:
        """Whether an expired key was used that was not used in the last minute."""
        key, at = scope.get("state", {}).get("expired_key"), monotonic()
        if key is None or at - self._expired.get(key, float("-inf")) < _EXPIRED_SECONDS:
            return False
        self._expired[key] = at
        return True


def route_of(scope: Scope) -> str:
    """Return the template of the address that was asked for; empty where there is none."""
    template = getattr(scope.get("route"), "path_format", "")
    is_nested = scope["path"].startswith("/v1/") and not template.startswith("/v1/")
    return f"/v1{template}" if template and is_nested else template


def _is_audited(scope: Scope, status: int) -> bool:
    """Whether something was changed, or evidence read, by somebody who is known, or who has just signed in."""
    route = route_of(scope)
    if not route or (_caller(scope) is None and route != "/sign-in") or status in (304, 429):
        return False
    if scope["method"] in _SAFE:
        return any(part in route for part in _EVIDENCE)
    return not route.endswith(_ASKING)


def _audit(service: Service, scope: Scope, status: int) -> None:
    state, caller = scope["state"], _caller(scope)
    named = {name: value for name, value in scope.get("path_params", {}).items() if name != "library"}
    subject = state.get("subject") or " ".join(map(str, named.values()))
    what = f"{scope['method']} {route_of(scope)}"
    try:
        service.state.audit.note(
            caller.who if caller else "", _address(scope), what, _library(scope), subject, status, state["number"]
        )
    except WhorlError as error:
        _LOG.error("request %s is not in the audit log: %s", state["number"], error.message)


def _audit_expired(service: Service, scope: Scope, status: int) -> None:
    """Write down that somebody used an expired key; it was refused before its route was known."""
    state, what = scope["state"], f"{scope['method']} {scope['path']}"
    try:
        service.state.audit.note(
            state["expired_key"], _address(scope), what, "", _EXPIRED, status, state.get("number", "")
        )
    except WhorlError as error:
        _LOG.error("request %s is not in the audit log: %s", state.get("number", ""), error.message)


def _write(service: Service, scope: Scope, status: int, seconds: float) -> None:
    """Write the line of a request, and count it; one that broke off has the status 0."""
    route, caller = route_of(scope), _caller(scope)
    service.metrics.requests.labels(scope["method"] if route else "", route, status).inc()
    service.metrics.seconds.labels(scope["method"] if route else "", route).observe(seconds)
    what = _ARTICLES.get((scope["method"], route))
    if what is not None and 200 <= status < 300:
        service.metrics.articles.labels(_library(scope), what).inc()
    if not scope["path"].startswith(_FREE):
        told = {
            "request": scope.get("state", {}).get("number", ""),
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "caller": caller.who if caller else "",
            "address": _address(scope),
            "library": _library(scope),
        }
        REQUESTS.info("request", extra=told)


def _caller(scope: Scope) -> Any:
    return scope.get("state", {}).get("caller")


def _library(scope: Scope) -> str:
    return str(scope.get("path_params", {}).get("library", ""))


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else ""


__all__ = ["Accounts", "route_of"]
