"""Account page of the signed-in user: password, sessions and second factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from whorl.errors import UsageError, WhorlError
from whorl.i18n import Message, say
from whorl.service.console.pages import page
from whorl.service.http.access import ForbiddenError, Reads, service_of
from whorl.service.http.callers import Caller, session_cookie
from whorl.service.http.problems import TITLES, code_of
from whorl.service.state.second_factor import address_of
from whorl.service.state.secrets import LEAST_PASSWORD
from whorl.service.throttling import network_of

router = APIRouter()
Text = Annotated[str, Form(max_length=2000)]
_PLACE = "/account"


def signed_in(request: Request, caller: Reads) -> Caller:
    """Return the user of a session.

    Raises:
        ForbiddenError: the caller is not a user; keys have no password.
    """
    if caller.kind != "user":
        raise ForbiddenError(say("only users have an account"), hint=say("sign in with a name and a password"))
    request.state.subject = caller.name
    return caller


User = Annotated[Caller, Depends(signed_in)]


@router.get(_PLACE)
def show_account(request: Request, user: User, changed: bool = False) -> Response:
    """Show the password form and the sessions of a user."""
    return _account(
        request, user, done=say("The password was changed. All other sessions have ended.") if changed else None
    )


@router.post(f"{_PLACE}/password")
def change_password(request: Request, user: User, old: Text, new: Text, again: Text) -> Response:
    """Change the password of a user, and end their other sessions."""
    try:
        if new != again:
            raise UsageError(say("the new passwords do not match"), hint=say("enter the new password again"))
        is_changed = service_of(request).state.users.change_password(
            user.name, old, new, network_of(request.client and request.client.host), session=_secret(request)
        )
        if not is_changed:
            raise UsageError(say("the old password is wrong"), hint=say("enter the password that you signed in with"))
    except WhorlError as error:
        return _account(request, user, error)
    return RedirectResponse(f"{_PLACE}?changed=true", 303)


@router.post(f"{_PLACE}/sessions/end")
def end_session(request: Request, user: User, id: Text) -> Response:
    """End a session of a user."""
    service_of(request).state.users.end_session(user.name, id)
    return RedirectResponse(f"{_PLACE}#sessions", 303)


@router.post(f"{_PLACE}/second-factor/begin")
def begin_second_factor(request: Request, user: User) -> Response:
    """Show a new secret for the authenticator app of a user."""
    try:
        service_of(request).state.second_factors.begin(user.name)
    except WhorlError as error:
        return _account(request, user, error)
    return _account(request, user, is_pending=True)


@router.post(f"{_PLACE}/second-factor/confirm")
def confirm_second_factor(request: Request, user: User, password: Text, code: Text) -> Response:
    """Enable the second factor of a user and show the recovery codes, which are not stored in plain text."""
    try:
        _demand_password(request, user, password)
        codes = service_of(request).state.second_factors.confirm(user.name, code)
        if codes is None:
            raise UsageError(say("the code is wrong"), hint=say("enter the code that the app shows now"))
    except WhorlError as error:
        return _account(request, user, error, is_pending=True)
    return _account(request, user, recovery_codes=codes)


@router.post(f"{_PLACE}/second-factor/end")
def end_second_factor(request: Request, user: User, password: Text) -> Response:
    """Disable the second factor of a user."""
    try:
        _demand_password(request, user, password)
    except WhorlError as error:
        return _account(request, user, error)
    service_of(request).state.second_factors.end(user.name)
    return RedirectResponse(f"{_PLACE}#second-factor", 303)


def _demand_password(request: Request, user: Caller, password: str) -> None:
    """Require the password again, so that an open browser is not enough to change the account.

    Raises:
        UsageError: the password is wrong, or there were too many failed attempts.
    """
    network = network_of(request.client and request.client.host)
    if not service_of(request).state.users.is_password(user.name, password, network):
        raise UsageError(say("the password is wrong"), hint=say("enter the password that you signed in with"))


def _account(
    request: Request,
    user: Caller,
    error: WhorlError | None = None,
    *,
    done: Message | None = None,
    is_pending: bool = False,
    recovery_codes: Sequence[str] = (),
) -> Response:
    factors = service_of(request).state.second_factors
    pending = factors.pending(user.name) if is_pending else None
    return page(
        request,
        "account.html.j2",
        tab="account",
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        done=done,
        least_password=LEAST_PASSWORD,
        factor=factors.get(user.name),
        pending=pending,
        pending_address=pending and address_of(pending, user.name),
        recovery_codes=recovery_codes,
        sessions=service_of(request).state.users.sessions(user.name, _secret(request)),
    )


def _secret(request: Request) -> str:
    """Return the secret of the current session."""
    return request.cookies.get(session_cookie(request), "")


__all__ = ["router"]
