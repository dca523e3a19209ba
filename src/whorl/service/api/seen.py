"""Endpoint for crawlers that look up pages before they fetch them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl._internal.frozen import frozen
from whorl.library import Library
from whorl.service.api.examples import COPY, LATER, example_response
from whorl.service.http.access import library_for
from whorl.service.http.bodies import Bounded
from whorl.service.http.responses import reply
from whorl.types.comparison import Plain
from whorl.types.pages import SeenPage

router = APIRouter(tags=["documents"], route_class=Bounded)
_MAX_PAGES = 1000
_QUESTION: dict[str, Any] = {"url": COPY, "page_digest": "ab" * 32}


class PageQuestion(BaseModel):
    """A page that a crawler may fetch or has fetched: its address, a digest of its content, or both."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_QUESTION]})

    url: str | None = Field(None, description="The address.", min_length=1, max_length=10_000)
    page_digest: str | None = Field(None, description="SHA-256 of the body as received, in hexadecimal.")
    text_digest: str | None = Field(
        None, description="Digest of the normalized text, as `POST /v1/fingerprint` computes it, in hexadecimal."
    )


class PageQuestions(BaseModel):
    """Pages to look up."""

    model_config = ConfigDict(extra="forbid")

    pages: list[PageQuestion] = Field(description="The pages.", min_length=1, max_length=_MAX_PAGES)


@frozen
class SeenPages(Plain):
    """The result for each page, in the order of the request."""

    pages: tuple[SeenPage, ...]


_EXAMPLE = SeenPage(COPY, True, True, LATER, 200, '"7"', "", COPY, ())


@router.post("/libraries/{library}/seen", response_model=SeenPages, responses=example_response(SeenPages((_EXAMPLE,))))
def look_up_pages(library: Annotated[Library, Depends(library_for("read"))], body: PageQuestions) -> Response:
    """Look up pages before fetching them: whether an address or a content is known, when it was last seen, unchanged.

    An address is known if a page of it is stored, or if it is the id of an article. The library is not changed.
    """
    questions = [question.model_dump(exclude_none=True) for question in body.pages]
    return reply(SeenPages(tuple(library.pages.seen_each(questions))))
