"""Endpoint that groups articles into stories."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.service.api.documents import NewDocument
from whorl.service.api.examples import COPY, ORIGINAL, example_response
from whorl.service.http.access import library_for, service_of
from whorl.service.http.bodies import Bounded
from whorl.service.http.responses import reply
from whorl.types.stories import AgencyCredit, Stories, Story

router = APIRouter(tags=["clusters"], route_class=Bounded)
_MAX_ARTICLES = 1000
_FEED = "feed/7"
_CREDIT = AgencyCredit("新华社", ORIGINAL, {ORIGINAL: 1.0, COPY: 1.0, _FEED: 0.93})


class StoriesRequest(BaseModel):
    """Articles to group, such as the hits of a search or the items of a feed."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"articles": [ORIGINAL, COPY, {"id": _FEED, "text": "渔港的冰厂今年夏天添了两台新机器……阅读全文"}]}
            ]
        },
    )

    articles: list[str | NewDocument] = Field(
        description="Ids of stored articles, or articles, which need not be stored.",
        min_length=1,
        max_length=_MAX_ARTICLES,
    )


@router.post(
    "/libraries/{library}/stories",
    response_model=Stories,
    responses=example_response(Stories((Story(ORIGINAL, 17, (COPY, _FEED), _CREDIT),), ())),
)
async def group_into_stories(
    request: Request, library: Annotated[Library, Depends(library_for("read"))], body: StoriesRequest
) -> Response:
    """Group articles into stories, each with its best article first: the complete, clean and longest one.

    Articles that are not stored are placed in the clusters that they would join; the library is not changed.
    Boilerplate of the library counts neither as length nor as the end of an article. Each story has the news agency
    that one of its articles or of its cluster names, and how much of each article is in that one.
    """
    articles = [item if isinstance(item, str) else item.document(item.id) for item in body.articles]
    return await service_of(request).slow.run(request, "texts", lambda: reply(library.stories(articles)))
