"""Web console: server-rendered pages that work without scripts. One module per group of pages."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from whorl.service.console import (
    account,
    casework,
    checking,
    clusters,
    cohorts,
    copies,
    dashboard,
    documents,
    home,
    lab,
    pages,
    receivers,
    reviewing,
    settings,
    signing_in,
    static,
    watched_sites,
    watching,
)
from whorl.service.http.problems import Problem

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
    watched_sites,
    copies,
    casework,
    cohorts,
    lab,
    settings,
    receivers,
    account,
)
for part in _PARTS:
    router.include_router(part.router)


def show_problem(request: Request, problem: Problem) -> Response:
    """Return a problem as problem details for programs and as a page for people."""
    if not pages.is_page(request):
        return problem.answer()
    if problem.code == "unknown-caller":
        return RedirectResponse(signing_in.address_for(request), 303)
    return pages.problem_page(request, problem)


__all__ = ["router", "show_problem"]
