"""Check: a text or a file, held against a library, with its sources and passages.

The text stays in the form of the page and is sent again whenever something is asked of it: what an editor has not yet
published is neither kept by the service nor part of an address, and so in no log and no history.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import PureWindowsPath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile

from whorl.errors import InputError, UsageError
from whorl.language import say
from whorl.library import Library
from whorl.library.model import Document
from whorl.reports.comparison_page import LEAST
from whorl.reports.naming import title_of
from whorl.reports.wording import ROLES
from whorl.service.access import LibraryName, Writes, library_for
from whorl.service.console.comparing import shown
from whorl.service.console.pages import page, path
from whorl.service.console.uploading import Uploaded, articles_of
from whorl.tasks.checking import LEFT_OUT, CheckedText, check_text
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
_LONGEST = 4 * 2**20
_FIELDS = ("id", "title", "url", "source", "author", "published_at", "collection")
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
        content: of a file that was chosen, which goes before the text.
        exclude: what is left out, of `LEFT_OUT`.
        least: characters that a passage must have.
        among: the collection that is searched; empty for all.
        authorised: the ids of articles whose reprint is agreed.
        without: the ids of articles that are left out.
        fields: of the article that it is to become, some of `_FIELDS`.
        format: as what it is to be saved.
    """

    text: str = ""
    name: str = ""
    content: bytes = b""
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


async def asked_of(request: Request) -> Asked:
    """Read the form."""
    async with request.form(max_files=1, max_fields=200, max_part_size=_LONGEST) as form:
        upload = form.get("file")
        content, name = b"", _one(form, "name")
        if isinstance(upload, UploadFile) and upload.filename:
            content, name = await upload.read(), PureWindowsPath(upload.filename).name
        least = _one(form, "least") or "0"
        if not (least.isascii() and least.isdigit() and len(least) < 6):
            raise UsageError(say("{name} is {value!r:.20}", name="least", value=least), cure=say("give a whole number"))
        return Asked(
            text=_one(form, "text").replace("\r\n", "\n"),
            name=name,
            content=content,
            exclude=tuple(one for one in _several(form, "exclude") if one in LEFT_OUT),
            least=int(least),
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


Held = Annotated[Library, Depends(library_for("read"))]
Given = Annotated[Asked, Depends(asked_of)]


@router.get("/libraries/{library}/check")
def ask(request: Request, library: LibraryName, held: Held) -> Response:
    """Where a text is pasted or a file chosen."""
    return _page(request, library, held, Asked())


@router.get("/libraries/{library}/check/{answer}")
def ask_again(library: LibraryName) -> Response:
    """Begin anew where only a form leads."""
    return RedirectResponse(path(library, "check"), 303)


@router.post("/libraries/{library}/check")
def answer(request: Request, library: LibraryName, held: Held, asked: Given) -> Response:
    """What a text has from the library; of a file with many articles, what each has."""
    try:
        uploaded = _uploaded(asked) if asked.content or asked.name and not asked.text else None
        if uploaded is not None and len(uploaded.articles) > 1:
            return _several_page(request, library, held, asked, uploaded)
        if uploaded is not None:
            asked = _of(asked, uploaded.articles[0])
        if not asked.text.strip():
            raise InputError(say("there is no text"), cure=say("paste one, or choose a file"))
        return _page(request, library, held, asked, _checked(held, asked))
    except (InputError, UsageError) as error:
        return _page(request, library, held, replace(asked, content=b""), wrong=error)


@router.post("/libraries/{library}/check/export")
def export(library: LibraryName, held: Held, asked: Given) -> Response:
    """The result as a file."""
    if asked.format not in FILES:
        raise UsageError(
            say("{name!r:.20} is no format", name=asked.format),
            cure=say("name one of: {known}", known=", ".join(FILES)),
        )
    checked = _checked(held, asked)
    content = (
        json_bytes(checked.to_dict())
        if asked.format == "json"
        else checked.compared.content(f".{asked.format}", **_how(asked))
    )
    disposition = f"attachment; filename=\"check.{asked.format}\"; filename*=UTF-8''{quote(library)}.{asked.format}"
    return Response(content, media_type=FILES[asked.format], headers={"Content-Disposition": disposition})


@router.post("/libraries/{library}/check/add")
def add(request: Request, library: LibraryName, held: Held, caller: Writes, asked: Given) -> Response:
    """Keep the text as an article of the library; never in the place of another."""
    digest = sha256(asked.text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    given = {"id": f"text:{digest}"} | asked.known | {"text": asked.text}
    try:
        if not asked.text.strip():
            raise InputError(say("there is no text"), cure=say("paste one, or choose a file"))
        if given["id"] in held:
            raise UsageError(
                say("there is an article {id!r:.60} already", id=given["id"]), cure=say("give it another id")
            )
        held.add(given)
    except (InputError, UsageError) as error:
        checked = _checked(held, asked) if asked.text.strip() else None
        return _page(request, library, held, asked, checked, wrong=error)
    return RedirectResponse(path(library, "documents", given["id"]), 303)


def _uploaded(asked: Asked) -> Uploaded:
    uploaded = articles_of(asked.name, asked.content)
    if not uploaded.articles:
        reason = uploaded.rejected[0].reason if uploaded.rejected else say("there is no text in it")
        raise InputError(
            say("{name}: {reason}", name=asked.name[:80], reason=reason), cure=say("choose another file, or paste the text")
        )
    return uploaded


def _of(asked: Asked, article: Document) -> Asked:
    """What is asked of an article of a file."""
    when = article.published_at
    told = {name: getattr(article, name) for name in ("title", "url", "source", "author", "collection")}
    told["published_at"] = when.isoformat() if when else ""
    return replace(
        asked, text=article.text, content=b"", fields=tuple((name, value) for name, value in told.items() if value)
    )


def _checked(held: Library, asked: Asked) -> CheckedText:
    return check_text(
        held,
        asked.text,
        name=asked.name,
        at=asked.known.get("published_at") if held.rules.window else None,
        among=asked.among or None,
        exclude=asked.exclude,
        least=asked.least,
        authorised=asked.authorised,
        without=asked.without,
    )


def _how(asked: Asked) -> dict[str, Any]:
    """How a report is made."""
    if asked.format not in ("html", "pdf"):
        return {}
    return {
        "title": asked.known.get("title", ""),
        "author": asked.known.get("author", ""),
        "short": asked.format == "pdf" and len(asked.text) > _PRINTED,
    }


def _page(
    request: Request,
    library: str,
    held: Library,
    asked: Asked,
    checked: CheckedText | None = None,
    *,
    wrong: InputError | UsageError | None = None,
) -> Response:
    found = {} if checked is None else {"found": checked, "shown": shown(checked.compared)}
    return page(
        request,
        "check.html.j2",
        tab="check",
        library=library,
        status=422 if wrong else 200,
        asked=replace(asked, text=_sendable(asked.text)),
        called=title_of(asked.text, asked.name),
        checked=checked,
        collections=[name for name in held.collections() if name],
        documents=len(held),
        formats=_formats(),
        keeps_texts=held.rules.texts,
        leasts=LEAST,
        path=path,
        roles=ROLES,
        wrong=wrong,
        **found,
    )


def _several_page(request: Request, library: str, held: Library, asked: Asked, uploaded: Uploaded) -> Response:
    """What each article of a file has; the texts of as many as fit into a page go with it, for a closer look."""
    rows, room = [], _CARRIED
    for article in uploaded.articles:
        room -= len(article.text)
        report = held.check(article.text, among=asked.among or None)
        of_it = _of(asked, article)
        rows.append((article, report, replace(of_it, text=_sendable(article.text)) if room >= 0 else None))
    return page(
        request, "check_several.html.j2", tab="check", library=library, name=asked.name, path=path, rows=rows,
        uploaded=uploaded,
    )  # fmt: skip


def _sendable(text: str) -> str:
    """A text as a page can have it: halves of characters are replaced."""
    return text.encode("utf-8", "replace").decode()


@cache
def _formats() -> tuple[str, ...]:
    """As what a check can be saved with what is installed."""
    lacking = {
        name for name, package in (("pdf", "weasyprint"), ("xlsx", "openpyxl")) if find_spec(package) is None
    }
    return tuple(name for name in FILES if name not in lacking)
