"""Check page: check a text or a file against a library, with sources and passages.

The text stays in the form of the page and is sent with each request. Unpublished text is thus never stored by the
service and never part of an address, a log or the browser history.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.util import find_spec
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library import Library
from whorl.reports.comparison.page import MIN_LENGTHS
from whorl.reports.comparison.wording import ROLES
from whorl.reports.naming import title_of
from whorl.service.console.comparing import template_values
from whorl.service.console.pages import page, path
from whorl.service.http.access import LibraryName, Reads, library_for, model_for, service_of
from whorl.service.http.fair_queue import WorkKind
from whorl.service.http.uploads import folder_of, kept_while_read
from whorl.tasks.compare.check import LEFT_OUT, CheckedText, check_text
from whorl.tasks.compare.submissions import HandedIn, read_handed_in, shown_name
from whorl.tasks.evidence.archives import json_bytes
from whorl.text import fold
from whorl.types.library import Document

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


@frozen
class CheckForm:
    """Submitted form of the check page.

    Attributes:
        text: text to check.
        name: name of the file with the text; empty for pasted text.
        upload: uploaded file. It takes precedence over the text.
        exclude: excluded parts, some of `LEFT_OUT`.
        min_length: minimum length of a passage in characters.
        collection: collection to search; empty for all.
        authorised: ids of articles whose reprint is agreed.
        without: ids of excluded articles.
        fields: metadata of the article to add, some of `_FIELDS`.
        format: export format.
        meaning: whether to compare by meaning as well.
    """

    text: str = ""
    name: str = ""
    upload: UploadFile | None = None
    exclude: tuple[str, ...] = ()
    min_length: int = 0
    collection: str = ""
    authorised: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    format: str = ""
    meaning: bool = False

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of the article."""
        return dict(self.fields)

    @property
    def document(self) -> dict[str, str]:
        """The article to add. Without an id, its id is derived from the text."""
        digest = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
        return {"id": f"text:{digest}"} | self.metadata | {"text": self.text}

    def demand_text(self) -> None:
        """Raise InputError if there is no text."""
        if not fold(self.text):
            raise InputError(say("there is no text"), hint=say("paste a text, or choose a file"))

    def of(self, article: Document) -> CheckForm:
        """Return the same request for an article of a file."""
        metadata = {name: getattr(article, name) for name in ("title", "url", "source", "author", "collection")}
        metadata["published_at"] = article.published_at.isoformat() if article.published_at else ""
        fields = tuple((name, value) for name, value in metadata.items() if value)
        return replace(self, text=_sendable(article.text), upload=None, fields=fields)


async def asked_of(request: Request) -> AsyncIterator[CheckForm]:
    """Parse the form. An uploaded file stays open until the response is complete."""
    async with AsyncExitStack() as open_form:
        reading = request.form(max_files=1, max_fields=_MOST_FIELDS, max_part_size=_LONGEST)
        try:
            form = await open_form.enter_async_context(reading)
        except HTTPException as error:
            if error.status_code != HTTPStatus.BAD_REQUEST:
                raise
            raise InputError(
                say("the pasted text is too long, or the form is malformed"), hint=say("upload it as a file")
            ) from error
        file = form.get("file")
        upload = file if isinstance(file, UploadFile) and file.filename else None
        yield CheckForm(
            text=_text_field(form, "text").replace("\r\n", "\n"),
            name=shown_name(upload.filename) if upload else _text_field(form, "name"),
            upload=upload,
            exclude=tuple(item for item in _several(form, "exclude") if item in LEFT_OUT),
            min_length=_number(_text_field(form, "least")),
            collection=_text_field(form, "among"),
            authorised=_several(form, "authorised"),
            without=_several(form, "without"),
            fields=tuple((name, value) for name in _FIELDS if (value := _text_field(form, name).strip())),
            format=_text_field(form, "format"),
            meaning="meaning" in form,
        )


def _text_field(form: FormData, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _several(form: FormData, name: str) -> tuple[str, ...]:
    return tuple(value for value in form.getlist(name) if isinstance(value, str))


def _number(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise UsageError(
            say("expected a whole number for {name}, got {value!r:.20}", name="least", value=text),
            hint=say("enter a whole number"),
        )
    return int(text or 0)


ReadLibrary = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("write"))]
SubmittedForm = Annotated[CheckForm, Depends(asked_of)]


@router.get("/libraries/{library}/check")
def ask(request: Request, library: LibraryName, opened: ReadLibrary) -> Response:
    """Show the empty form."""
    return _page(request, library, opened, CheckForm())


@router.get("/libraries/{library}/check/{answer}")
def ask_again(library: LibraryName, _: Reads) -> Response:
    """Redirect to the empty form: results are only reachable by submitting it."""
    return RedirectResponse(path(library, "check"), 303)


@router.post("/libraries/{library}/check")
async def answer(request: Request, library: LibraryName, opened: ReadLibrary, form: SubmittedForm) -> Response:
    """Check the text, or each article of a file."""
    model = model_for(request, requested=form.meaning)

    def answered() -> Response:
        try:
            if form.upload is None:
                return _page(request, library, opened, form, _checked(opened, form, model))
            with kept_while_read(form.upload, folder_of(service_of(request))) as file:
                read = read_handed_in(opened, file, form.name, limit=MOST_ARTICLES)
            if len(read.articles) > 1:
                return _several_page(request, library, opened, form, read)
            only = form.of(_only(read))
            return _page(request, library, opened, only, _checked(opened, only, model))
        except (InputError, UsageError) as error:
            return _page(request, library, opened, form, wrong=error)

    kind: WorkKind = "meanings" if model else "texts" if form.upload is None else "files"
    return await service_of(request).slow.run(request, kind, answered)


@router.post("/libraries/{library}/check/export")
async def export(request: Request, opened: ReadLibrary, form: SubmittedForm) -> Response:
    """Export the result as a file."""
    if form.format not in FILES:
        raise UsageError(
            say("unknown format {name!r:.20}", name=form.format),
            hint=say("use one of: {known}", known=", ".join(FILES)),
        )
    model = model_for(request, requested=form.meaning)
    kind: WorkKind = "meanings" if model else "reports"
    content = await service_of(request).slow.run(request, kind, lambda: _content(opened, form, model))
    place = {"Content-Disposition": f'attachment; filename="check.{form.format}"'}
    return Response(content, media_type=FILES[form.format], headers=place)


@router.post("/libraries/{library}/check/add")
def add(request: Request, library: LibraryName, opened: Changed, form: SubmittedForm) -> Response:
    """Add the text to the library as a new article. Existing articles are never replaced."""
    try:
        form.demand_text()
        opened.add_if(form.document, _demand_absent)
    except (InputError, UsageError) as error:
        return _page(request, library, opened, form, _checked(opened, form) if form.text.strip() else None, wrong=error)
    return RedirectResponse(path(library, "documents", form.document["id"]), 303)


def _demand_absent(kept: Document | None) -> None:
    if kept is not None:
        raise UsageError(say("article {id!r:.60} already exists", id=kept.id), hint=say("choose another id"))


def _only(read: HandedIn) -> Document:
    """Return the only article of a file."""
    if not read.articles:
        reason = read.rejected[0].reason if read.rejected else say("the file contains no text")
        hint = say("choose another file, or paste the text")
        raise InputError(say("{name}: {reason}", name=read.name, reason=reason), hint=hint)
    return read.articles[0]


def _checked(opened: Library, form: CheckForm, model: bool | str = False) -> CheckedText:
    form.demand_text()
    return check_text(
        opened,
        form.text,
        name=form.name,
        at=form.metadata.get("published_at") if opened.rules.span else None,
        collection=form.collection or None,
        exclude=form.exclude,
        least=form.min_length,
        authorised=form.authorised,
        without=form.without,
        meaning=model,
    )


def _content(opened: Library, form: CheckForm, model: bool | str) -> bytes:
    """Export a check in the requested format."""
    checked = _checked(opened, form, model)
    if form.format == "json":
        return json_bytes(checked.to_dict())
    how: dict[str, Any] = {}
    if form.format in ("html", "pdf"):
        is_short = form.format == "pdf" and len(form.text) > _PRINTED
        how = {"title": form.metadata.get("title", ""), "author": form.metadata.get("author", ""), "short": is_short}
    content = checked.compared.content(f".{form.format}", **how)
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content


def _page(
    request: Request,
    library: str,
    opened: Library,
    form: CheckForm,
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
        asked=form,
        can_compare_meaning=bool(service_of(request).settings.meaning) and opened.recipe.by_content,
        called=title_of(form.text, form.name),
        checked=checked,
        collections=[name for name in opened.collections() if name],
        documents=len(opened),
        formats=_formats(),
        keeps_texts=opened.rules.texts,
        leasts=MIN_LENGTHS,
        path=path,
        roles=ROLES,
        shown=template_values(checked.compared) if checked else {},
        wrong=wrong,
    )


def _several_page(request: Request, library: str, opened: Library, form: CheckForm, read: HandedIn) -> Response:
    """Show the results of all articles of a file. Texts are embedded up to a limit, for a detailed check of each."""
    rows, room = [], _CARRIED
    for article in read.articles:
        room -= len(article.text)
        report = opened.check(article.text, collection=form.collection or None)
        rows.append((article, report, form.of(article) if room >= 0 else None))
    return page(request, "check_several.html.j2", tab="check", library=library, path=path, read=read, rows=rows)


def _sendable(text: str) -> str:
    """Replace unpaired surrogates, which a page cannot encode."""
    return text.encode("utf-8", "replace").decode()


@cache
def _formats() -> tuple[str, ...]:
    """Return the export formats that the installed extras support."""
    return tuple(name for name in FILES if name not in _NEEDS or find_spec(_NEEDS[name]))
