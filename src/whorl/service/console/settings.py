"""Settings pages: users, keys and service settings; permissions, boilerplate and alerts of each library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from whorl.errors import UsageError, WhorlError
from whorl.i18n import say
from whorl.library import Library
from whorl.library.reviews.permissions import Permission
from whorl.monitor.alerts.sending import Outcome
from whorl.monitor.alerts.settings import FILE as ALERTS
from whorl.monitor.alerts.settings import AlertSettings
from whorl.monitor.alerts.stored import alerts_for, has_alerts_file
from whorl.release import __version__
from whorl.service.console.pages import page, visitor
from whorl.service.http.access import library_for, overseer, service_of
from whorl.service.http.problems import TITLES, code_of
from whorl.service.state.keys import SCOPES, expiry_of
from whorl.service.state.secrets import LEAST_PASSWORD
from whorl.service.state.users import ROLES

router = APIRouter()
Administered = Annotated[Library, Depends(library_for("admin"))]
Text = Annotated[str, Form()]
Several = Annotated[list[str], Form(default_factory=list)]

_MOST_NOTICES = 200
_MOST_ENTRIES = 20

ROLE_NAMES = {
    "reader": say("reader: view and check"),
    "reviewer": say("reviewer: also decide about matches"),
    "editor": say("editor: also add, change and remove articles"),
    "admin": say("administrator: also manage the service"),
}
"""Label of each role."""

SCOPE_NAMES = {
    "read": say("read: view and check"),
    "review": say("review: decide about matches"),
    "write": say("write: add, change and remove articles"),
    "metrics": say("metrics: read the metrics"),
    "admin": say("admin: manage the service"),
}
"""Label of each scope."""


EXPIRIES = {
    "30d": say("30 days"),
    "90d": say("90 days"),
    "365d": say("a year"),
    "": say("no expiry"),
}
"""Lifetimes of keys, in the format of `expiry_of`."""


@router.get("/settings", dependencies=[Depends(overseer)])
def show_settings(request: Request) -> Response:
    """Show users, keys and service settings."""
    return _settings(request)


@router.post("/settings/users", dependencies=[Depends(overseer)])
def add_user(request: Request, name: Text, password: Text, libraries: Several, role: Text = "reader") -> Response:
    """Add a user with a password."""
    request.state.subject = name
    users = service_of(request).state.users
    try:
        _demand_known(request, libraries)
        if any(user.name == name for user in users.all()):
            raise UsageError(
                say("user {name!r:.90} already exists", name=name),
                hint=say("change the existing user, or choose another name"),
            )
        users.make(name, password, role, libraries, way_back=True)
    except WhorlError as error:
        return _settings(request, error, typed={"name": name, "role": role, "libraries": libraries})
    return RedirectResponse("/settings#people", 303)


@router.post("/settings/users/change", dependencies=[Depends(overseer)])
def change_user(request: Request, name: Text, role: Text, libraries: Several, password: Text = "") -> Response:
    """Change role and libraries of a user. A new password signs them out everywhere."""
    request.state.subject = name
    users = service_of(request).state.users
    try:
        _demand_known(request, libraries)
        users.change(name, role, libraries, password=password, way_back=True)
    except WhorlError as error:
        return _settings(request, error)
    return RedirectResponse("/settings#people", 303)


@router.post("/settings/users/remove", dependencies=[Depends(overseer)])
def remove_user(request: Request, name: Text) -> Response:
    """Remove a user and end their sessions."""
    request.state.subject = name
    try:
        service_of(request).state.users.remove(name, way_back=True)
    except WhorlError as error:
        return _settings(request, error)
    return RedirectResponse("/settings#people", 303)


@router.post("/settings/keys", dependencies=[Depends(overseer)])
def add_key(request: Request, name: Text, scopes: Several, libraries: Several, expires: Text = "") -> Response:
    """Create a key. Its secret is only in this response."""
    state = service_of(request).state
    try:
        _demand_known(request, libraries)
        if not _administrators(request):
            raise UsageError(
                say("there is no administrator: once a key exists, everybody must sign in"),
                hint=say("add an administrator first"),
            )
        secret, key = state.keys.make(name, scopes, libraries, expires_at=expiry_of(expires))
        request.state.subject = str(key.number)
    except WhorlError as error:
        return _settings(request, error)
    return _settings(request, secret=secret)


@router.post("/settings/keys/revoke", dependencies=[Depends(overseer)])
def revoke_key(request: Request, number: Annotated[int, Form(ge=1, lt=2**63)]) -> Response:
    """Revoke a key immediately."""
    request.state.subject = str(number)
    try:
        service_of(request).state.keys.revoke(number)
    except WhorlError as error:
        return _settings(request, error)
    return RedirectResponse("/settings#keys", 303)


@router.get("/settings/libraries/{library}")
def showlibrary_settings_page(request: Request, library: str, opened: Administered) -> Response:
    """Show permissions, boilerplate and alert receivers of a library."""
    return library_settings_page(request, library, opened)


@router.post("/settings/libraries/{library}/permissions")
def add_permission(
    request: Request,
    library: str,
    opened: Administered,
    domain: Text,
    path: Text = "",
    author: Text = "",
    since: Text = "",
    until: Text = "",
    note: Text = "",
) -> Response:
    """Add a permission, or change the one with the same domain, path, author and start."""
    request.state.subject = domain
    permission = {"domain": domain, "path": path, "author": author, "since": since, "until": until, "note": note}
    try:
        opened.permissions.put([permission | {"since": since or None, "until": until or None}])
    except WhorlError as error:
        return library_settings_page(request, library, opened, error, permission)
    return RedirectResponse(f"{request.url.path}".removesuffix("/permissions") + "#permissions", 303)


@router.post("/settings/libraries/{library}/permissions/remove")
def remove_permission(
    request: Request, library: str, opened: Administered, domain: Text, path: Text = "", author: Text = "",
    since: Text = "",
) -> Response:  # fmt: skip
    """Revoke a permission."""
    request.state.subject = domain
    try:
        opened.permissions.remove([{"domain": domain, "path": path, "author": author, "since": since or None}])
    except WhorlError as error:
        return library_settings_page(request, library, opened, error)
    return RedirectResponse(request.url.path.removesuffix("/permissions/remove") + "#permissions", 303)


def _settings(
    request: Request, error: WhorlError | None = None, *, secret: str = "", typed: dict[str, Any] | None = None
) -> Response:
    service = service_of(request)
    return page(
        request,
        "settings.html.j2",
        tab="settings",
        status=_status(error),
        error=error,
        secret=secret,
        typed=typed or {},
        users=service.state.users.all(),
        keys=service.state.keys.all(),
        is_open=service.state.is_open_to_all,
        least_password=LEAST_PASSWORD,
        roles={role: ROLE_NAMES[role] for role in ROLES},
        expiries=EXPIRIES,
        scopes={scope: SCOPE_NAMES[scope] for scope in SCOPES},
        audit=service.state.audit.list(limit=_MOST_ENTRIES),
        settings=service.settings,
        version=__version__,
    )


def library_settings_page(
    request: Request,
    library: str,
    opened: Library,
    error: WhorlError | None = None,
    typed: dict[str, str] | None = None,
    *,
    tested: tuple[str, Outcome] | None = None,
) -> Response:
    """Render the settings of a library; ``tested`` is a receiver with the result of a test message."""
    caller = visitor(request)
    notices = opened.notices()
    receivers, unread = _receivers(opened)
    return page(
        request,
        "library_settings.html.j2",
        tab="settings",
        library=library,
        status=_status(error),
        error=error,
        typed=typed or dict.fromkeys(Permission.__dataclass_fields__, ""),
        permissions=list(opened.permissions),
        notices=notices[:_MOST_NOTICES],
        unlisted=max(0, len(notices) - _MOST_NOTICES),
        receivers=receivers,
        unread=unread,
        alerts=ALERTS,
        has_file=has_alerts_file(opened),
        stored_channels=opened.alert_settings.read().get("channels", {}),
        may_add_receivers=caller is not None and not caller.libraries,
        tested=tested,
    )


def _receivers(library: Library) -> tuple[AlertSettings | None, WhorlError | None]:
    """Return the alert receivers, None if there are none, and the error if the settings are unreadable."""
    try:
        return alerts_for(library), None
    except WhorlError as error:
        return None, error


def _status(error: WhorlError | None) -> int:
    return 200 if error is None else TITLES[code_of(error)][0]


def _demand_known(request: Request, libraries: Iterable[str]) -> None:
    for name in libraries:
        if name not in service_of(request).shelf:
            raise UsageError(
                say("library {name!r:.90} not found", name=name), hint=say("choose one of the served libraries")
            )


def _administrators(request: Request) -> set[str]:
    """Return the names of administrators of all libraries."""
    return {user.name for user in service_of(request).state.users.all() if user.role == "admin" and not user.libraries}


__all__ = ["library_settings_page", "router"]
