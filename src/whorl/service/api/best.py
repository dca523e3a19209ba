"""Endpoint that chooses the best article of each story."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from whorl.library import Library
from whorl.service.api.examples import COPY, ORIGINAL, example_response
from whorl.service.http.access import library_for
from whorl.service.http.bodies import Bounded
from whorl.service.http.responses import reply
from whorl.types.stories import Stories, Story

router = APIRouter(tags=["clusters"], route_class=Bounded)
_MAX_IDS = 1000


class Candidates(BaseModel):
    """Articles to choose from, such as the hits of a search."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ids": [ORIGINAL, COPY]}]})

    ids: list[str] = Field(description="Ids of the articles.", min_length=1, max_length=_MAX_IDS)


@router.post(
    "/libraries/{library}/best",
    response_model=Stories,
    responses=example_response(Stories((Story(ORIGINAL, 17, (COPY,)),), ())),
)
def choose_best(library: Annotated[Library, Depends(library_for("read"))], body: Candidates) -> Response:
    """Choose one article per story among some articles: the complete, clean and longest one of each cluster.

    Boilerplate of the library counts neither as length nor as the end of an article. Each story has the news agency
    that an article of its cluster names, and how much of each article is in that one. The library is not changed.
    """
    return reply(library.best(body.ids))
