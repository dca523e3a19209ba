"""Sign-in and sign-out. The session secret is in a cookie that is inaccessible to scripts and other sites."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from whorl.i18n import say
from whorl.service.console.pages import page, visitor
from whorl.service.http.access import service_of
from whorl.service.http.callers import COOKIE, HOST_COOKIE, is_secure, session_cookie
from whorl.service.state.users import SESSION
from whorl.service.throttling import network_of

router = APIRouter()


@router.get("/sign-in")
def ask(request: Request, next: str = "/") -> Response:
    """Show the sign-in form."""
    if visitor(request) is not None:
        return RedirectResponse(own_address(next), 303)
    return page(request, "sign_in.html.j2", next=own_address(next), wrong="")


@router.post("/sign-in")
async def sign_in(
    request: Request,
    name: Annotated[str, Form()],
    password: Annotated[str, Form()],
    code: Annotated[str, Form(max_length=200)] = "",
    next: Annotated[str, Form()] = "/",
) -> Response:
    """Start a session. Its secret is always new, regardless of the cookies of the request."""
    service = service_of(request)
    request.state.subject = name
    network = network_of(request.client and request.client.host)
    address = request.client.host if request.client is not None else ""
    agent = request.headers.get("user-agent", "")
    begun = await service.slow.run(
        request,
        "passwords",
        lambda: service.state.users.sign_in(name, password, network, code=code, address=address, agent=agent),
    )
    if begun is None:
        wrong = say("Wrong name, password or code.")
        return page(request, "sign_in.html.j2", status=401, next=own_address(next), wrong=wrong)
    secret, _ = begun
    answer = RedirectResponse(own_address(next), 303)
    answer.set_cookie(
        session_cookie(request), secret, max_age=int(SESSION.total_seconds()), httponly=True, samesite="strict",
        secure=is_secure(request),
    )  # fmt: skip
    return answer


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """End the session."""
    if cookie := request.cookies.get(session_cookie(request)):
        service_of(request).state.users.sign_out(cookie)
    answer = RedirectResponse("/sign-in", 303)
    for name in (COOKIE, HOST_COOKIE):
        answer.delete_cookie(name, secure=name == HOST_COOKIE, httponly=True, samesite="strict")
    return answer


def address_for(request: Request) -> str:
    """Return the address of the sign-in form that returns to the page of a request."""
    back = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    return f"/sign-in?{urlencode({'next': back if request.method == 'GET' else '/'})}"


def own_address(address: str) -> str:
    """Return a local address unchanged, and the start page for any other address."""
    parts = urlsplit(address.replace("\\", "/"))
    is_own = address.startswith("/") and not address.startswith("//") and not parts.netloc and address.isprintable()
    return address if is_own and "\\" not in address else "/"


__all__ = ["address_for", "own_address", "router"]
