"""Endpoints to list and describe libraries."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.library import Library
from whorl.service.api.examples import example_response
from whorl.service.http.access import Reads, library_for, overseer, service_of
from whorl.service.http.bodies import Bounded
from whorl.service.settings import is_library_name
from whorl.tasks.library import maintenance as tasks

router = APIRouter(tags=["libraries"], route_class=Bounded)

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


_MAX_NAME = 100


class NewLibrary(BaseModel):
    """A library to create."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"recipe": "news"}]})

    recipe: str = Field("", description="A preset or method; default: the preset library.", max_length=100)
    zone: str = Field("", description="Zone of publication times that have none, such as Asia/Shanghai.", max_length=64)


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


TenantName = Annotated[str, Path(description="Name of the library.", examples=["desk-2"])]


@router.put(
    "/libraries/{library}",
    dependencies=[Depends(overseer)],
    responses={201: {"description": "The library was created."}, **example_response(_EXAMPLE)},
)
def create_library(library: TenantName, body: NewLibrary, request: Request) -> JSONResponse:
    """Create a library for a tenant. It exists in all processes at once.

    An existing library with the same recipe and zone is returned. `POST /v1/keys` makes keys for it. The service needs
    a place for tenants (`--tenants`).
    """
    if not is_library_name(library) or len(library) > _MAX_NAME:
        raise UsageError(
            say("{name!r} is not a valid library name", name=library),
            hint=say("use up to {most} letters, digits, and signs such as - and _", most=_MAX_NAME),
        )
    if body.recipe.endswith(".toml"):
        raise UsageError(say("expected the name of a preset or method, got a file"), hint=say("see `whorl methods`"))
    created, is_new = service_of(request).shelf.create(library, body.recipe, body.zone)
    return JSONResponse(tasks.stats(created).to_dict(), 201 if is_new else 200)


@router.delete("/libraries/{library}", status_code=204, dependencies=[Depends(overseer)])
def delete_library(library: TenantName, request: Request) -> None:
    """Delete a library of a tenant with all articles, and revoke the keys that are valid for it only.

    It cannot be undone, and the name cannot be used again. A job `export` or `backup` saves the articles beforehand.
    """
    service_of(request).shelf.delete(library)
