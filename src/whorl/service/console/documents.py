"""Article pages: searchable list, single article, and side-by-side comparison."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from whorl.errors import InputError, NotFoundError, UsageError
from whorl.i18n import say
from whorl.library import Library
from whorl.reports.comparison.passages import Piece, clipped
from whorl.reports.comparison.wording import REVIEWS, directed
from whorl.service.console.comparing import template_values
from whorl.service.console.pages import page, path
from whorl.service.http.access import LibraryName, library_for
from whorl.tasks.compare.run import compare_documents
from whorl.types.library import Document, DocumentPage

router = APIRouter()
ReadLibrary = Annotated[Library, Depends(library_for("read"))]
Changed = Annotated[Library, Depends(library_for("write"))]
NOTHING = DocumentPage((), None)
_PAGE_SIZE = 50
_VISIBLE_LENGTH = 20_000
_REVISIONS = 20
_SIGHTINGS = 100


@router.get("/libraries/{library}/documents")
def find(
    request: Request,
    library: LibraryName,
    opened: ReadLibrary,
    title: str = "",
    source: str = "",
    author: str = "",
    collection: str = "",
    since: str = "",
    after: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """List the newest articles or those that match the filters."""
    typed = {"title": title, "source": source, "author": author, "collection": collection, "since": since}
    filters = {name: value.strip() or None for name, value in typed.items()}
    wrong, result = None, NOTHING
    try:
        result = opened.documents(
            title=filters["title"],
            source=filters["source"],
            author=filters["author"],
            among=filters["collection"],
            since=filters["since"],
            after=after,
            limit=_PAGE_SIZE,
            newest=True,
        )
    except (InputError, UsageError) as error:
        wrong = error
    return page(
        request,
        "documents.html.j2",
        tab="documents",
        library=library,
        status=422 if wrong else 200,
        after=after,
        asked=typed,
        collections=_collections(opened),
        documents=len(opened),
        found=result,
        named=opened.get(title.strip()) if title.strip() and after is None else None,
        path=path,
        wrong=wrong,
    )


@router.get("/libraries/{library}/documents/{id:path}")
def show(
    request: Request,
    library: LibraryName,
    opened: ReadLibrary,
    id: str,
    revision: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """Show an article with its cluster, matches and sightings."""
    document = opened.get(id, revision=revision)
    if document is None:
        raise _absent(id)
    report = opened.report(id)
    sightings = opened.sightings(id)
    last = report.revision
    return page(
        request,
        "document.html.j2",
        tab="documents",
        library=library,
        collections=_collections(opened),
        document=document,
        kind=directed,
        metadata=_metadata(document),
        path=path,
        report=report,
        revision=revision,
        states=REVIEWS,
        revisions=range(max(1, last - _REVISIONS + 1), last + 1),
        sightings=sightings[:_SIGHTINGS],
        size=opened.cluster(report.cluster_id).size if report.cluster_id is not None else 1,
        text=list(clipped([Piece(document.text)], _VISIBLE_LENGTH)),
        unsighted=max(0, len(sightings) - _SIGHTINGS),
    )


@router.get("/libraries/{library}/pair")
def pair(request: Request, library: LibraryName, opened: ReadLibrary, id: str, other: str) -> Response:
    """Compare two articles side by side."""
    compared = compare_documents(opened, id, other)
    copy, original = opened.get(id), opened.get(other)
    return page(
        request, "pair.html.j2", tab="documents", library=library, copy=copy, original=original, path=path,
        compared=compared, shown=template_values(compared),
    )  # fmt: skip


@router.post("/libraries/{library}/collect")
def collect(
    library: LibraryName,
    opened: Changed,
    id: Annotated[str, Form()],
    collection: Annotated[str, Form()] = "",
) -> Response:
    """Move an article into a collection, or remove it from its collection."""
    if not opened.collect([id], collection.strip()):
        raise _absent(id)
    return RedirectResponse(path(library, "documents", id), 303)


@router.post("/libraries/{library}/remove")
def remove(library: LibraryName, opened: Changed, id: Annotated[str, Form()]) -> Response:
    """Remove an article."""
    if not opened.remove(id):
        raise _absent(id)
    return RedirectResponse(path(library, "documents"), 303)


def _collections(opened: Library) -> list[str]:
    return [name for name in opened.collections() if name]


def _metadata(document: Document) -> list[tuple[str, str]]:
    """Return the metadata of an article; values other than strings as JSON."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in document.metadata.items()
    ]


def _absent(id: str) -> NotFoundError:
    return NotFoundError(say("article {id!r:.60} not found", id=id), hint=say("search the list of articles"))
