"""Rendering of console pages in the language of the user and in the style of the reports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader

from whorl.errors import ResourceError
from whorl.i18n import Language, Message, say
from whorl.reports import html
from whorl.service.http.access import service_of
from whorl.service.http.callers import Caller, UnknownCallerError, caller_of
from whorl.service.http.problems import TITLES, Problem
from whorl.types.times import readers_zone

_REPORTS = ("page.css", "passages.css", "charts.css", "tables.css", "watch.css")
"""Style sheets shared with the reports, in cascade order."""


class Tab(NamedTuple):
    """A section of the pages of a library.

    Attributes:
        name: last part of its address.
        label: label.
        scope: scope required to see it.
    """

    name: str
    label: Message
    scope: str = "read"


TABS = (
    Tab("dashboard", say("Dashboard")),
    Tab("check", say("Check")),
    Tab("documents", say("Library")),
    Tab("clusters", say("Clusters")),
    Tab("review", say("Review")),
    Tab("watch", say("Watch")),
    Tab("cases", say("Cases")),
    Tab("cohorts", say("Cohorts")),
    Tab("lab", say("Lab")),
)


@cache
def environment() -> Environment:
    """Return the template environment of the console, which includes the report templates."""
    console = html.environment().overlay(
        loader=ChoiceLoader([PackageLoader("whorl.service.console"), PackageLoader("whorl.reports")])
    )
    console.globals = {**console.globals, "static": static_address, "query": query}
    return console


def page(
    request: Request, template: str, *, tab: str = "", library: str = "", status: int = 200, **values: Any
) -> Response:
    """Render a page.

    Args:
        request: the request.
        template: name of a template that extends ``console.html.j2``.
        tab: section of the page, the name of a `Tab` or "settings".
        library: name of the library on the page; empty for none.
        status: HTTP status.
        values: template variables.
    """
    service = service_of(request)
    caller = visitor(request)
    frame = {
        "caller": caller,
        "here": request.url.path,
        "languages": _switches(request),
        "libraries": [name for name in service.shelf if caller is not None and caller.sees(name)],
        "library": library,
        "tab": tab,
        "zone": readers_zone(),
        "tabs": [tab_item for tab_item in TABS if caller is not None and caller.may(tab_item.scope)],
    }
    with html.in_one_language():
        return HTMLResponse(environment().get_template(template).render({**frame, **values}), status)


def problem_page(request: Request, problem: Problem) -> Response:
    """Render an error page with a hint."""
    status, title = TITLES[problem.code]
    answer = page(
        request, "problem.html.j2", status=problem.status or status, title=title, detail=problem.detail,
        hint=problem.hint, errors=problem.more.get("errors", ()),
    )  # fmt: skip
    answer.headers.update(problem.headers)
    return answer


def is_page(request: Request) -> bool:
    """Return True if a browser requests a page."""
    return not request.url.path.startswith("/v1/") and "text/html" in request.headers.get("accept", "")


def visitor(request: Request) -> Caller | None:
    """Return the caller of a request; None for anonymous or invalid callers, or if the state cannot be read."""
    try:
        return caller_of(request)
    except (UnknownCallerError, ResourceError):
        return None


def query(request_query: Mapping[str, Any], **changed: Any) -> str:
    """Return a query string including ``?`` with some parameters changed; None removes a parameter."""
    merged = {name: value for name, value in {**request_query, **changed}.items() if value not in (None, "")}
    return f"?{urlencode(merged, doseq=True)}" if merged else ""


def path(library: str, *parts: object) -> str:
    """Return the address of a page of a library."""
    return "/".join(["/libraries", *(quote(str(part), safe="") for part in (library, *parts))])


def _switches(request: Request) -> list[tuple[Language, str, str]]:
    """Return the languages, each with its name and the address that selects it."""
    back = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    names: tuple[tuple[Language, str], ...] = (("zh", "中文"), ("en", "English"))
    return [(item, name, f"/language/{item}?{urlencode({'next': back})}") for item, name in names]


@cache
def static_files() -> dict[str, tuple[str, bytes]]:
    """Return cacheable files by versioned name: media type and content. The name contains a hash of the content."""
    folder = files("whorl.service.console") / "static"
    reports = files("whorl.reports") / "templates"
    style = "\n".join((reports / name).read_text("utf-8") for name in _REPORTS)
    style += (folder / "console.css").read_text("utf-8")
    contents = {"console.css": ("text/css", style.encode())}
    for file in folder.iterdir():
        if file.name.endswith(".js"):
            contents[file.name] = ("text/javascript", file.read_bytes())
    return {_versioned(name, content): (media, content) for name, (media, content) in contents.items()}


def static_address(name: str) -> str:
    """Return the versioned address of a static file."""
    stem, _, ending = name.rpartition(".")
    return next(
        f"/static/{static_file}"
        for static_file in static_files()
        if static_file.startswith(f"{stem}-") and static_file.endswith(f".{ending}")
    )


def _versioned(name: str, content: bytes) -> str:
    stem, _, ending = name.rpartition(".")
    return f"{stem}-{sha256(content).hexdigest()[:12]}.{ending}"


__all__ = [
    "TABS",
    "environment",
    "is_page",
    "page",
    "path",
    "problem_page",
    "query",
    "static_files",
    "visitor",
]
