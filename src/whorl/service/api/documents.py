"""Endpoints to add, change, remove and list articles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import IO, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.convertors import Convertor, register_url_convertor

from whorl.errors import NotFoundError
from whorl.i18n import say, translated
from whorl.library import Library
from whorl.service.api.examples import AT, COPY, PAIR, REPORT, example_response, page
from whorl.service.api.times import WrittenTime
from whorl.service.http.access import LibraryName, Writes, library_for, may, service_of
from whorl.service.http.idempotency import Repeatable
from whorl.service.http.paging import (
    DEFAULT_LIMIT,
    Conditions,
    Cursor,
    Limit,
    Page,
    conditions,
    cursor_of,
    etag_of,
    position_of,
)
from whorl.service.http.responses import json_of, reply
from whorl.service.http.uploads import folder_of, spooled
from whorl.tasks.library.lines import add_lines
from whorl.types.library import AddedLine, Document, DocumentEntry, Report

router = APIRouter(tags=["documents"], route_class=Repeatable)

_to_write = library_for("write")
_LINES = "application/x-ndjson"
_CHUNK_BYTES = 32 * 2**10
_LONGEST_LOCATION = 8 * 2**10
"""Maximum length of a Location header. Clients refuse headers of more than some tens of kilobytes."""
_EXAMPLE: dict[str, Any] = {
    "id": "https://harbour.example/2026/ice",
    "text": "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。",
    "title": "冰厂添了机器",
    "source": "渔港日报",
    "published_at": "2026-07-01T08:00:00+08:00",
}
_ENTRY = DocumentEntry(COPY, "渔港添了两台制冰机", COPY, None, "王小渡", None, AT, "watched", 29, 1, 17)
_ADDED = {**example_response(replace(REPORT, state="revised")), 201: {"description": "It is new.", "model": Report}}
_ANSWERED = (
    '{"line":1,"state":"new","id":"a","revision":1,"cluster_id":7,"matches":2,"copies":1,"problem":"","hint":""}\n'
)

Reading = Annotated[Library, Depends(library_for("read"))]
Writing = Annotated[Library, Depends(library_for("write"))]
Expected = Annotated[Conditions, Depends(conditions)]


def library_name(library: LibraryName) -> str:
    """Return the library name from the path."""
    return library


Named = Annotated[str, Depends(library_name)]
_LONGEST_FIELD = 2000
"""Code points of a title, an address or a name: each is in the answers about all articles that match it."""
DocumentId = Annotated[
    str, Path(description="Id, percent-encoded as a part of the path; slashes may stay.", examples=["nr-042"])
]


class _AnyText(Convertor[str]):
    """The rest of a path, including line breaks, at which the built-in convertor stops."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("text", _AnyText())


class _AnsweredLines(StreamingResponse):
    media_type = _LINES


class DocumentFields(BaseModel):
    """Text and metadata of an article."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{name: value for name, value in _EXAMPLE.items() if name != "id"}]},
    )

    text: str = Field(description="The text.")
    title: str | None = Field(
        None, description="The title. It has no influence on matching.", max_length=_LONGEST_FIELD
    )
    url: str | None = Field(None, description="Address where it was seen.", max_length=_LONGEST_FIELD)
    source: str | None = Field(None, description="Publisher.", max_length=_LONGEST_FIELD)
    author: str | None = Field(None, description="Author.", max_length=_LONGEST_FIELD)
    published_at: WrittenTime | None = Field(
        None,
        description="Stated time of publication, as precise as it is known, such as 2026-07-01, 2026-07-01T08:00+08:00 "
        "or seconds since 1970. Without a zone it is in that of its site or library.",
    )
    published_precision: str | None = Field(
        None, description="How precise it is: year, month, day, hour, minute or second; default: as written."
    )
    published_zone: str | None = Field(
        None, description="Its zone, such as Asia/Shanghai or +08:00; unknown for none; default: as written."
    )
    published_original: str | None = Field(None, description="How the source wrote it; default: as in published_at.")
    first_seen_at: datetime | None = Field(None, description="When it was first seen; default: now.")
    metadata: dict[str, Any] = Field({}, description="Further metadata.")
    links: list[str] = Field([], description="Links in the article.")
    collection: str | None = Field(None, description="Collection, such as protected; default: unchanged.")

    def document(self, id_: str) -> dict[str, Any]:
        """Return the fields as a library document."""
        return {**{name: getattr(self, name) for name in DocumentFields.model_fields}, "id": id_}


class NewDocument(DocumentFields):
    """An article with its id."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_EXAMPLE]})

    id: str = Field(description="Id of the article: any text, such as its address.", min_length=1)


@router.get("/libraries/{library}/documents", responses=page(_ENTRY, more="MTAw"))
def list_documents(
    library: Reading,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
    collection: Annotated[str | None, Query(description="Only articles of this collection.")] = None,
    source: Annotated[str | None, Query(description="Only articles of this publisher.")] = None,
    author: Annotated[str | None, Query(description="Only articles by this author.")] = None,
    since: Annotated[datetime | None, Query(description="Only articles first seen at or after this time.")] = None,
    q: Annotated[str | None, Query(description="Only articles with this text in their titles.")] = None,
    newest: Annotated[bool, Query(description="Newest first.")] = False,
) -> Page[DocumentEntry]:
    """List articles in insertion order, without their texts.

    With selective filters, a page may have fewer items than the limit, or none: continue until `next` is null.
    """
    documents = library.documents(
        among=collection or None,
        source=source or None,
        author=author or None,
        since=since,
        title=q or None,
        after=position_of(cursor, int),
        limit=limit,
        newest=newest,
    )
    return Page(items=list(documents.items), next=cursor_of(documents.mark))


@router.post(
    "/libraries/{library}/documents",
    response_model=Report,
    responses=_ADDED,
)
def add_document(body: NewDocument, request: Request, library: LibraryName) -> Response:
    """Add an article and return its matches, their passages, and its cluster.

    The article is on disk before the response is sent. The same text under an existing id is "known", another text is
    "revised"; omitted fields keep their values.
    """
    kept_in = _to_write(request, library)  # a dependency would occupy another thread
    return _kept(kept_in.add(body.document(body.id)), library)


@router.post(
    "/libraries/{library}/documents/bulk",
    response_class=_AnsweredLines,
    responses={200: {"description": "One line per article.", "content": {_LINES: {"example": _ANSWERED}}}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "One JSON object per line with the fields of an article; unknown fields become metadata.",
            "content": {_LINES: {"schema": {"type": "string"}, "example": f"{json.dumps(_EXAMPLE)}\n"}},
        }
    },
)
async def add_documents(request: Request, library: Writing, name: Named, caller: Writes) -> StreamingResponse:
    """Add one article per line. The response has a line for each, in the same order, once it is on disk.

    A line has the state ("new", "known", "revised"), the cluster, the number of articles that share text ("matches"),
    and how many of these are copies in its cluster ("copies"). An invalid line is "refused" with a reason and does not
    affect other lines. Only administrators may add lines of an export whose `history` has decisions, attestations or
    cases. The whole body is received before the first article is added: an aborted upload adds nothing.
    """
    service = service_of(request)
    lines = await spooled(request.stream(), folder_of(service))
    added = service.metrics.articles.labels(name, "added")
    return _AnsweredLines(_answered(library, lines, added.inc, statements=caller.may("admin")))


@router.get(
    "/libraries/{library}/documents/{id:text}", response_model=Document, responses=example_response(PAIR.document)
)
def get_document(
    id: DocumentId,
    library: Reading,
    expected: Expected,
    revision: Annotated[
        int | None, Query(ge=1, description="Number of the revision, from 1; default: the latest.")
    ] = None,
) -> Response:
    """Return an article with its current text or that of an earlier revision."""
    document = library.get(id, revision=revision)
    if document is None:
        raise NotFoundError(say("article {id!r:.200} not found", id=id), hint=say("list the articles: GET …/documents"))
    tag = _tag(document)
    if expected.has(tag):
        return Response(status_code=304, headers={"ETag": tag})
    expected.demand(tag)
    return reply(document, ETag=tag)


@router.put(
    "/libraries/{library}/documents/{id:text}",
    response_model=Report,
    responses=_ADDED,
)
def put_document(
    id: DocumentId,
    body: DocumentFields,
    library: Writing,
    expected: Expected,
    name: Named,
) -> Response:
    """Add or replace the article with this id. A changed text becomes a new revision; the old one is kept.

    With `If-Match`, only if the article is unchanged since it was read. With `If-None-Match: *`, only if it does not
    exist. The check and the write are atomic.
    """
    return _kept(library.add_if(body.document(id), _demanding(expected)), name)


@router.delete("/libraries/{library}/documents/{id:text}", status_code=204)
def delete_document(
    id: DocumentId,
    request: Request,
    library: Writing,
    caller: Writes,
    expected: Expected,
    force: Annotated[
        bool, Query(description="Remove evidence of open cases, too; the cases record the removal.")
    ] = False,
) -> None:
    """Remove an article, with `If-Match` only if it is unchanged. Clusters that only it connected are split.

    The copies and protected articles of open cases are evidence, and are removed only with `force`, which needs the
    scope `review`.
    """
    if force:
        may("review")(request)
    if not library.remove_if(id, _demanding(expected), force=force, by=caller.signature):
        raise NotFoundError(say("article {id!r:.200} not found", id=id), hint=say("list the articles: GET …/documents"))


def _tag(document: Document) -> str:
    return etag_of(document.revision, json_of(document).decode("utf-8"))


def _demanding(expected: Conditions) -> Callable[[Document | None], None]:
    return lambda kept: expected.demand(None if kept is None else _tag(kept))


def _kept(report: Report, library: str) -> Response:
    place = f"/v1/libraries/{quote(library, safe='')}/documents/{quote(report.id or '', safe='')}"
    headers = {"Location": place} if len(place) <= _LONGEST_LOCATION else {}
    return reply(report, 201 if report.state == "new" else 200, **headers)


def _answered(library: Library, lines: IO[bytes], count: Callable[[], None], *, statements: bool) -> Iterator[bytes]:
    """Yield response lines in chunks, and count the stored articles."""
    with lines:
        waiting = bytearray()
        for answer in add_lines(library, lines, statements=statements):
            if not answer.problem:
                count()
            waiting += json_of(_translated(answer)) + b"\n"
            if len(waiting) >= _CHUNK_BYTES:
                yield bytes(waiting)
                waiting.clear()
        yield bytes(waiting)


def _translated(answer: AddedLine) -> AddedLine:
    if not answer.problem:
        return answer
    return replace(answer, problem=str(translated(answer.problem)), hint=str(translated(answer.hint)))


__all__ = ["router"]
