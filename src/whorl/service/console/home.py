"""Start page, and selection of language and time zone."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from whorl.service.console.pages import page, path
from whorl.service.console.signing_in import own_address
from whorl.service.http.access import Reads, service_of
from whorl.service.http.middleware import LANGUAGE_COOKIE, ZONE_COOKIE
from whorl.types.times import demand_zone

router = APIRouter()
_YEAR = 365 * 24 * 3600


@router.get("/")
def home(request: Request, caller: Reads) -> Response:
    """List the libraries; a single library is opened directly."""
    libraries = [name for name in service_of(request).shelf if caller.sees(name)]
    if len(libraries) == 1:
        return RedirectResponse(path(libraries[0], "dashboard"), 303)
    return page(request, "home.html.j2")


@router.get("/language/{language}")
def choose_language(language: Literal["en", "zh"], next: str = "/") -> Response:
    """Set the language of the console."""
    answer = RedirectResponse(own_address(next), 303)
    answer.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR, samesite="lax")
    return answer


@router.get("/zone")
def choose_zone(zone: str = "", next: str = "/") -> Response:
    """Set the time zone of the console; an empty one is that of the service."""
    name = demand_zone(zone) if zone.strip() else ""
    answer = RedirectResponse(own_address(next), 303)
    if name:
        answer.set_cookie(ZONE_COOKIE, name, max_age=_YEAR, samesite="lax")
    else:
        answer.delete_cookie(ZONE_COOKIE, samesite="lax")
    return answer
