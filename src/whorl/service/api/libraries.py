"""Endpoints to list and describe libraries."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from whorl.library import Library
from whorl.service.api.examples import example_response
from whorl.service.http.access import Reads, library_for, service_of
from whorl.tasks.library import maintenance as tasks

router = APIRouter(tags=["libraries"])

_EXAMPLE = {
    "recipe": "winnowing/5c1e0b7c2f4d",
    "documents": 91,
    "contents": 88,
    "pairs": 40,
    "sightings": 3,
    "notices": 0,
    "clusters": 62,
    "bytes": 1_048_576,
    "index": {"documents": 88, "segments": 1, "bytes": 65_536},
}


class LibraryList(BaseModel):
    """Names of the libraries that the caller may see."""

    libraries: list[str]


@router.get("/libraries", responses=example_response({"libraries": ["newsroom"]}))
def list_libraries(request: Request, caller: Reads) -> LibraryList:
    """List the libraries that the caller may see."""
    return LibraryList(libraries=[name for name in service_of(request).shelf if caller.sees(name)])


@router.get("/libraries/{library}", responses=example_response(_EXAMPLE))
def describe_library(library: Annotated[Library, Depends(library_for("read"))]) -> dict[str, Any]:
    """Describe a library: its recipe, record counts, and size in bytes."""
    return tasks.stats(library).to_dict()
