"""Which libraries there are, and what each holds."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from whorl.library import Library
from whorl.service.access import Reads, library_for, service_of
from whorl.tasks import library as tasks

router = APIRouter(tags=["libraries"])


class LibraryList(BaseModel):
    """The libraries that the caller may see, by name."""

    libraries: list[str]


@router.get("/libraries")
def list_libraries(request: Request, caller: Reads) -> LibraryList:
    """Which libraries the caller may see."""
    return LibraryList(libraries=[name for name in service_of(request).shelf if caller.sees(name)])


@router.get("/libraries/{library}")
def describe_library(library: Annotated[Library, Depends(library_for("read"))]) -> dict[str, Any]:
    """What a library holds: its recipe, how much of each kind, and its bytes."""
    return tasks.stats(library).to_dict()
