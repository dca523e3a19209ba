"""Check page: check a text or a file against a library, with sources and passages.

The text stays in the form of the page and is sent with each request. Unpublished text is thus never stored by the
service and never part of an address, a log or the browser history.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.util import find_spec
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from whorl.errors import InputError, UsageError
from whorl.language import say
from whorl.library import Library
from whorl.library.model import Document
from whorl.reports.comparison_page import LEAST
from whorl.reports.naming import title_of
from whorl.reports.wording import ROLES
from whorl.service.access import LibraryName, Reads, library_for, service_of
from whorl.service.console.comparing import shown
from whorl.service.console.pages import page, path
from whorl.service.fair_queue import WorkKind
from whorl.service.uploads import folder_of, kept_while_read
from whorl.tasks.checking import LEFT_OUT, CheckedText, check_text
from whorl.tasks.handed_in import HandedIn, read_handed_in, shown_name
from whorl.tasks.packs import json_bytes

router = APIRouter()
FILES = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}
"""Export formats of a check and their media types."""
MOST_ARTICLES = 100
"""Maximum number of articles of a file that are checked."""
_NEEDS = {"pdf": "weasyprint", "xlsx": "openpyxl"}
_FIELDS = ("id", "title", "url", "source", "author", "published_at", "collection")
_LONGEST = 4 * 2**20
_MOST_FIELDS = 200
_MOST_DIGITS = 5
_DIGEST = 16
_CARRIED = 200_000
"""Code points of text that are embedded in the list of a file."""
_PRINTED = 60_000
"""Maximum length of a text in code points that is printed with its passages."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Submitted form of the check page.

    Attributes:
        text: text to check.
        name: name of the file with the text; empty for pasted text.
        upload: uploaded file. It takes precedence over the text.
        exclude: excluded parts, some of `LEFT_OUT`.
        least: minimum length of a passage in characters.
        among: collection to search; empty for all.
        authorised: ids of articles whose reprint is agreed.
        without: ids of excluded articles.
        fields: metadata of the article to add, some of `_FIELDS`.
        format: export format.
    """

    text: str = ""
    name: str = ""
    upload: UploadFile | None = None
    exclude: tuple[str, ...] = ()
    least: int = 0
    among: str = ""
    authorised: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    format: str = ""

    @property
    def known(self) -> dict[str, str]:
        """Metadata of the article."""
        return dict(self.fields)

    @property
    def given(self) -> dict[str, str]:
        """The article to add. Without an id, its id is derived from the text."""
        digest = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        return {"id": f"text:{digest}"} | self.known | {"text": self.text}

    def demand_text(self) -> None:
        """Raise InputError if there is no text."""
        if not self.text.strip():
            raise InputError(say("there is no text"), cure=say("paste a text, or choose a file"))

    def of(self, article: Document) -> Asked:
        """Return the same request for an article of a file."""
        told = {name: getattr(article, name) for name in ("title", "url", "source", "author", "collection")}
        told["published_at"] = article.published_at.isoformat() if article.published_at else ""
        fields = tuple((name, value) for name, value in told.items() if value)
        return replace(self, text=_sendable(article.text), upload=None, fields=fields)


async def asked_of(request: Request) -> AsyncIterator[Asked]:
    """Parse the form. An uploaded file stays open until the response is complete."""
    async with AsyncExitStack() as open_form:
        reading = request.form(max_files=1, max_fields=_MOST_FIELDS, max_part_size=_LONGEST)
        try:
            form = await open_form.enter_async_context(reading)
        except HTTPException as error:
            if error.status_code != HTTPStatus.BAD_REQUEST:
                raise
            raise InputError(
                say("the pasted text is too long, or the form is malformed"), cure=say("upload it as a file")
            ) from error
        given = form.get("file")
        upload = given if isinstance(given, UploadFile) and given.filename else None
        yield Asked(
            text=_one(form, "text").replace("\r\n", "\n"),
            name=shown_name(upload.filename) if upload else _one(form, "name"),
            upload=upload,
            exclude=tuple(one for one in _several(form, "exclude") if one in LEFT_OUT),
            least=_number(_one(form, "least")),
            among=_one(form, "among"),
            authorised=_several(form, "authorised"),
            without=_several(form, "without"),
            fields=tuple((name, value) for name in _FIELDS if (value := _one(form, name).strip())),
            format=_one(form, "format"),
        )


def _one(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _several(form: FormData, name: str) -> tuple[str, ...]:
    return tuple(value for value in form.getlist(name) if isinstance(value, str))


def _number(given: str) -> int:
    if given and not (given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS):
        raise UsageError(
            say("expected a whole number for {name}, got {value!r:.20}", name="least", value=given),
            cure=say("enter a whole number"),
        )
    return int(given or 0)


Held = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("write"))]
Given = Annotated[Asked, Depends(asked_of)]


@router.get("/libraries/{library}/check")
def ask(request: Request, library: LibraryName, held: Held) -> Response:
    """Show the empty form."""
    return _page(request, library, held, Asked())


@router.get("/libraries/{library}/check/{answer}")
def ask_again(library: LibraryName, _: Reads) -> Response:
    """Redirect to the empty form: results are only reachable by submitting it."""
    return RedirectResponse(path(library, "check"), 303)


@router.post("/libraries/{library}/check")
async def answer(request: Request, library: LibraryName, held: Held, asked: Given) -> Response:
    """Check the text, or each article of a file."""

    def answered() -> Response:
        try:
            if asked.upload is None:
                return _page(request, library, held, asked, _checked(held, asked))
            with kept_while_read(asked.upload, folder_of(service_of(request))) as file:
                read = read_handed_in(held, file, asked.name, most=MOST_ARTICLES)
            if len(read.articles) > 1:
                return _several_page(request, library, held, asked, read)
            only = asked.of(_only(read))
            return _page(request, library, held, only, _checked(held, only))
        except (InputError, UsageError) as error:
            return _page(request, library, held, asked, wrong=error)

    kind: WorkKind = "texts" if asked.upload is None else "files"
    return await service_of(request).slow.run(request, kind, answered)


@router.post("/libraries/{library}/check/export")
async def export(request: Request, held: Held, asked: Given) -> Response:
    """Export the result as a file."""
    if asked.format not in FILES:
        raise UsageError(
            say("unknown format {name!r:.20}", name=asked.format),
            cure=say("use one of: {known}", known=", ".join(FILES)),
        )
    content = await service_of(request).slow.run(request, "reports", lambda: _content(held, asked))
    place = {"Content-Disposition": f'attachment; filename="check.{asked.format}"'}
    return Response(content, media_type=FILES[asked.format], headers=place)


@router.post("/libraries/{library}/check/add")
def add(request: Request, library: LibraryName, held: Changed, asked: Given) -> Response:
    """Add the text to the library as a new article. Existing articles are never replaced."""
    try:
        asked.demand_text()
        held.add_if(asked.given, _demand_absent)
    except (InputError, UsageError) as error:
        return _page(request, library, held, asked, _checked(held, asked) if asked.text.strip() else None, wrong=error)
    return RedirectResponse(path(library, "documents", asked.given["id"]), 303)


def _demand_absent(kept: Document | None) -> None:
    if kept is not None:
        raise UsageError(say("article {id!r:.60} already exists", id=kept.id), cure=say("choose another id"))


def _only(read: HandedIn) -> Document:
    """Return the only article of a file."""
    if not read.articles:
        reason = read.rejected[0].reason if read.rejected else say("the file contains no text")
        cure = say("choose another file, or paste the text")
        raise InputError(say("{name}: {reason}", name=read.name, reason=reason), cure=cure)
    return read.articles[0]


def _checked(held: Library, asked: Asked) -> CheckedText:
    asked.demand_text()
    return check_text(
        held,
        asked.text,
        name=asked.name,
        at=asked.known.get("published_at") if held.rules.span else None,
        among=asked.among or None,
        exclude=asked.exclude,
        least=asked.least,
        authorised=asked.authorised,
        without=asked.without,
    )


def _content(held: Library, asked: Asked) -> bytes:
    """Export a check in the requested format."""
    checked = _checked(held, asked)
    if asked.format == "json":
        return json_bytes(checked.to_dict())
    how: dict[str, Any] = {}
    if asked.format in ("html", "pdf"):
        is_short = asked.format == "pdf" and len(asked.text) > _PRINTED
        how = {"title": asked.known.get("title", ""), "author": asked.known.get("author", ""), "short": is_short}
    content = checked.compared.content(f".{asked.format}", **how)
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content


def _page(
    request: Request,
    library: str,
    held: Library,
    asked: Asked,
    checked: CheckedText | None = None,
    *,
    wrong: InputError | UsageError | None = None,
) -> Response:
    return page(
        request,
        "check.html.j2",
        tab="check",
        library=library,
        status=422 if wrong else 200,
        asked=asked,
        called=title_of(asked.text, asked.name),
        checked=checked,
        collections=[name for name in held.collections() if name],
        documents=len(held),
        formats=_formats(),
        keeps_texts=held.rules.texts,
        leasts=LEAST,
        path=path,
        roles=ROLES,
        shown=shown(checked.compared) if checked else {},
        wrong=wrong,
    )


def _several_page(request: Request, library: str, held: Library, asked: Asked, read: HandedIn) -> Response:
    """Show the results of all articles of a file. Texts are embedded up to a limit, for a detailed check of each."""
    rows, room = [], _CARRIED
    for article in read.articles:
        room -= len(article.text)
        report = held.check(article.text, among=asked.among or None)
        rows.append((article, report, asked.of(article) if room >= 0 else None))
    return page(request, "check_several.html.j2", tab="check", library=library, path=path, read=read, rows=rows)


def _sendable(text: str) -> str:
    """Replace unpaired surrogates, which a page cannot encode."""
    return text.encode("utf-8", "replace").decode()


@cache
def _formats() -> tuple[str, ...]:
    """Return the export formats that the installed extras support."""
    return tuple(name for name in FILES if name not in _NEEDS or find_spec(_NEEDS[name]))
