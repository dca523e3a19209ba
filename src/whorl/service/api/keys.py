"""Who may do what, and who did what: keys of programs, users, and the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from whorl.errors import UsageError
from whorl.language import say
from whorl.service.access import overseer, service_of
from whorl.service.bodies import Bounded
from whorl.service.paging import MOST, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.running import Service
from whorl.service.state.audit import Entry
from whorl.service.state.keys import Key
from whorl.service.state.users import Role, User

router = APIRouter(tags=["keys"], route_class=Bounded)
Of = Annotated[Service, Depends(service_of)]


Overseen = [Depends(overseer)]


class NewKey(BaseModel):
    """A key that is to be made."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "desk", "scopes": ["read"], "libraries": ["newsroom"]}]},
    )

    name: str = Field(description="What it is for.", max_length=200)
    scopes: list[str] = Field(description="What it may do: some of read, review, write and admin.")
    libraries: list[str] = Field(default_factory=list, description="For which libraries; all, unless given.")
    expires_at: AwareDatetime | None = Field(
        None, description="From when on it is not valid; never, unless given.", examples=["2030-12-31T00:00:00Z"]
    )


class MadeKey(BaseModel):
    """A key that was made, with its secret, which nobody is shown again."""

    secret: str
    key: Key


class NewUser(BaseModel):
    """Somebody who is to sign in, or whose password, role and libraries are to be others."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "mei", "password": "a long password", "role": "reviewer"}]},
    )

    name: str = Field(description="Of the user.")
    password: str = Field(description="Ten characters or more.")
    role: Role = Field("reader", description="What they may do.")
    libraries: list[str] = Field(default_factory=list, description="For which libraries; all, unless given.")


@router.get("/keys", dependencies=Overseen)
def list_keys(service: Of) -> Page[Key]:
    """All keys, the newest first, also those that are no longer valid. Secrets are not kept."""
    return Page(items=service.state.keys.all(), next=None)


@router.post("/keys", status_code=201, dependencies=Overseen)
def make_key(asked: NewKey, request: Request, service: Of) -> MadeKey:
    """Make a key. Its secret is in this answer alone."""
    _demand_served(service, asked.libraries)
    secret, key = service.state.keys.make(asked.name, asked.scopes, asked.libraries, expires_at=asked.expires_at)
    request.state.subject = str(key.number)
    return MadeKey(secret=secret, key=key)


@router.delete("/keys/{number}", dependencies=Overseen)
def revoke_key(number: Annotated[int, Path(description="Of the key.")], service: Of) -> Key:
    """End a key at once."""
    return service.state.keys.revoke(number)


@router.get("/users", dependencies=Overseen)
def list_users(service: Of) -> Page[User]:
    """All users by name."""
    return Page(items=service.state.users.all(), next=None)


@router.post("/users", status_code=201, dependencies=Overseen)
def make_user(asked: NewUser, request: Request, service: Of) -> User:
    """Add a user, or change one, who is then signed out everywhere."""
    request.state.subject = asked.name
    _demand_served(service, asked.libraries)
    return service.state.users.make(asked.name, asked.password, asked.role, asked.libraries, way_back=True)


@router.delete("/users/{name}", status_code=204, dependencies=Overseen)
def remove_user(name: Annotated[str, Path(description="Of the user.")], service: Of) -> None:
    """Take a user away, who is signed out everywhere."""
    service.state.users.remove(name, way_back=True)


@router.get("/audit", dependencies=Overseen)
def list_audit(
    service: Of,
    library: Annotated[str | None, Query(description="Only what was done in it.")] = None,
    who: Annotated[str | None, Query(description="Only what they did.", examples=["key 1 desk"])] = None,
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Page[Entry]:
    """Who changed something or took evidence, the newest first: when, from where, and how it ended."""
    found = service.state.audit.list(library=library, who=who, before=position_of(cursor, int), most=limit + 1)
    items = found[:limit]
    return Page(items=items, next=cursor_of(items[-1].number if len(found) > limit else None))


def _demand_served(service: Service, libraries: list[str]) -> None:
    """Refuse names of libraries that there are not: a key for a misspelt one would open nothing.

    Raises:
        UsageError: there is none of such a name.
    """
    for name in libraries:
        if name not in service.shelf:
            raise UsageError(
                say("there is no library {name!r}", name=name), cure=say("see which there are: GET /v1/libraries")
            )


__all__ = ["router"]
