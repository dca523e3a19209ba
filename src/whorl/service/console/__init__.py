"""The console: pages for people, made by the server, readable without scripts. One file a group of pages."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from whorl.service.console import (
    account,
    checking,
    clusters,
    dashboard,
    documents,
    home,
    lab,
    pages,
    reviewing,
    settings,
    signing_in,
    static,
    watching,
)
from whorl.service.problems import Problem

router = APIRouter()
_PARTS = (
    home,
    signing_in,
    static,
    dashboard,
    checking,
    documents,
    clusters,
    reviewing,
    watching,
    lab,
    settings,
    account,
)
for part in _PARTS:
    router.include_router(part.router)


def show_problem(request: Request, problem: Problem) -> Response:
    """Show a problem as whoever asked reads it: programs as problem details, people as a page that says what to do."""
    if not pages.is_page(request):
        return problem.answer()
    if problem.code == "unknown-caller":
        return RedirectResponse(signing_in.address_for(request), 303)
    return pages.problem_page(request, problem)


__all__ = ["router", "show_problem"]
