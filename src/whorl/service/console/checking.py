"""Check: a text or a file, held against a library, with its sources and passages.

The text stays in the form of the page and is sent again whenever something is asked of it: what an editor has not yet
published is neither kept by the service nor part of an address, and so in no log and no history.
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
from whorl.reports.comparison_page import MIN_LENGTHS
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
"""As what a check can be saved, with the media type of each."""
MOST_ARTICLES = 100
"""Of a file so many articles are looked at."""
_NEEDS = {"pdf": "weasyprint", "xlsx": "openpyxl"}
_FIELDS = ("id", "title", "url", "source", "author", "published_at", "collection")
_LONGEST = 4 * 2**20
_MOST_FIELDS = 200
_MOST_DIGITS = 5
_DIGEST = 16
_CARRIED = 200_000
"""Code points of texts that go with the list of a file."""
_PRINTED = 60_000
"""Up to how many code points a text is printed with its passages."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form of the page says.

    Attributes:
        text: what is checked.
        name: of the file that it is from; empty for none.
        upload: a file that was chosen, which goes before the text.
        exclude: what is left out, of `LEFT_OUT`.
        least: characters that a passage must have.
        among: the collection that is searched; empty for all.
        authorised: the ids of articles whose reprint is agreed.
        without: the ids of articles that are left out.
        fields: of the article that it is to become: `_FIELDS`.
        format: as what it is to be saved.
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
        """What is told of the article."""
        return dict(self.fields)

    @property
    def given(self) -> dict[str, str]:
        """The article that it is to become; one without an id is called by its text."""
        digest = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        return {"id": f"text:{digest}"} | self.known | {"text": self.text}

    def demand_text(self) -> None:
        """Refuse to go on without a text."""
        if not self.text.strip():
            raise InputError(say("there is no text"), cure=say("paste one, or choose a file"))

    def of(self, article: Document) -> Asked:
        """The same, asked of an article of a file."""
        told = {name: getattr(article, name) for name in ("title", "url", "source", "author", "collection")}
        told["published_at"] = article.published_at.isoformat() if article.published_at else ""
        fields = tuple((name, value) for name, value in told.items() if value)
        return replace(self, text=_sendable(article.text), upload=None, fields=fields)


async def asked_of(request: Request) -> AsyncIterator[Asked]:
    """Read the form; a file that came with it is there until the answer is made."""
    async with AsyncExitStack() as open_form:
        reading = request.form(max_files=1, max_fields=_MOST_FIELDS, max_part_size=_LONGEST)
        try:
            form = await open_form.enter_async_context(reading)
        except HTTPException as error:
            if error.status_code != HTTPStatus.BAD_REQUEST:
                raise
            raise InputError(
                say("the text is too long to be pasted, or the form is damaged"), cure=say("choose it as a file")
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
        raise UsageError(say("{name} is {value!r:.20}", name="least", value=given), cure=say("give a whole number"))
    return int(given or 0)


Held = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("write"))]
Given = Annotated[Asked, Depends(asked_of)]


@router.get("/libraries/{library}/check")
def ask(request: Request, library: LibraryName, held: Held) -> Response:
    """Where a text is pasted or a file chosen."""
    return _page(request, library, held, Asked())


@router.get("/libraries/{library}/check/{answer}")
def ask_again(library: LibraryName, _: Reads) -> Response:
    """Begin anew where only a form leads."""
    return RedirectResponse(path(library, "check"), 303)


@router.post("/libraries/{library}/check")
async def answer(request: Request, library: LibraryName, held: Held, asked: Given) -> Response:
    """What a text has from the library; of a file with many articles, what each has."""

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
    """The result as a file."""
    if asked.format not in FILES:
        raise UsageError(
            say("{name!r:.20} is no format", name=asked.format),
            cure=say("name one of: {known}", known=", ".join(FILES)),
        )
    content = await service_of(request).slow.run(request, "reports", lambda: _content(held, asked))
    place = {"Content-Disposition": f'attachment; filename="check.{asked.format}"'}
    return Response(content, media_type=FILES[asked.format], headers=place)


@router.post("/libraries/{library}/check/add")
def add(request: Request, library: LibraryName, held: Changed, asked: Given) -> Response:
    """Keep the text as an article of the library; never in the place of another."""
    try:
        asked.demand_text()
        held.add_if(asked.given, _demand_absent)
    except (InputError, UsageError) as error:
        return _page(request, library, held, asked, _checked(held, asked) if asked.text.strip() else None, wrong=error)
    return RedirectResponse(path(library, "documents", asked.given["id"]), 303)


def _demand_absent(kept: Document | None) -> None:
    if kept is not None:
        raise UsageError(say("there is an article {id!r:.60} already", id=kept.id), cure=say("give it another id"))


def _only(read: HandedIn) -> Document:
    """The only article of a file."""
    if not read.articles:
        reason = read.rejected[0].reason if read.rejected else say("there is no text in it")
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
    """A check as a file."""
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
        leasts=MIN_LENGTHS,
        path=path,
        roles=ROLES,
        shown=shown(checked.compared) if checked else {},
        wrong=wrong,
    )


def _several_page(request: Request, library: str, held: Library, asked: Asked, read: HandedIn) -> Response:
    """What each article of a file has; the texts of as many as fit into a page go with it, for a closer look."""
    rows, room = [], _CARRIED
    for article in read.articles:
        room -= len(article.text)
        report = held.check(article.text, among=asked.among or None)
        rows.append((article, report, asked.of(article) if room >= 0 else None))
    return page(request, "check_several.html.j2", tab="check", library=library, path=path, read=read, rows=rows)


def _sendable(text: str) -> str:
    """A text as a page can have it: halves of characters are replaced."""
    return text.encode("utf-8", "replace").decode()


@cache
def _formats() -> tuple[str, ...]:
    """As what a check can be saved with what is installed."""
    return tuple(name for name in FILES if name not in _NEEDS or find_spec(_NEEDS[name]))
