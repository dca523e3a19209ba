"""Endpoints for API keys, users and the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.service.http.access import overseer, service_of
from whorl.service.http.bodies import Bounded
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page, cursor_of, position_of
from whorl.service.running import Service
from whorl.service.state.audit import AuditEntry
from whorl.service.state.keys import Key
from whorl.service.state.users import Role, User

router = APIRouter(tags=["keys"], route_class=Bounded)
Of = Annotated[Service, Depends(service_of)]


Overseen = [Depends(overseer)]


class NewKey(BaseModel):
    """A key to create."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "desk", "scopes": ["read"], "libraries": ["newsroom"]}]},
    )

    name: str = Field(description="Purpose of the key.", max_length=200)
    scopes: list[str] = Field(description="Scopes of the key: some of read, review, write, metrics and admin.")
    libraries: list[str] = Field(default_factory=list, description="Libraries the key is valid for; default: all.")
    expires_at: AwareDatetime | None = Field(
        None, description="Time of expiry; default: never.", examples=["2030-12-31T00:00:00Z"]
    )


class MadeKey(BaseModel):
    """A new key with its secret, which is shown only once."""

    secret: str
    key: Key


class NewUser(BaseModel):
    """A user to create, or to change by password, role and libraries."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "mei", "password": "a long password", "role": "reviewer"}]},
    )

    name: str = Field(description="Name of the user.")
    password: str = Field(description="At least ten characters.")
    role: Role = Field("reader", description="Role of the user.")
    libraries: list[str] = Field(default_factory=list, description="Libraries the user may access; default: all.")


@router.get("/keys", dependencies=Overseen)
def list_keys(service: Of) -> Page[Key]:
    """List all keys, the newest first, including expired and revoked ones. Secrets are not stored."""
    return Page(items=service.state.keys.all(), next=None)


@router.post("/keys", status_code=201, dependencies=Overseen)
def make_key(body: NewKey, request: Request, service: Of) -> MadeKey:
    """Create a key. Its secret is only in this response."""
    _demand_served(service, body.libraries)
    secret, key = service.state.keys.make(body.name, body.scopes, body.libraries, expires_at=body.expires_at)
    request.state.subject = str(key.number)
    return MadeKey(secret=secret, key=key)


@router.delete("/keys/{number}", dependencies=Overseen)
def revoke_key(number: Annotated[int, Path(description="Number of the key.")], service: Of) -> Key:
    """Revoke a key immediately."""
    return service.state.keys.revoke(number)


@router.get("/users", dependencies=Overseen)
def list_users(service: Of) -> Page[User]:
    """List all users by name."""
    return Page(items=service.state.users.all(), next=None)


@router.post("/users", status_code=201, dependencies=Overseen)
def make_user(body: NewUser, request: Request, service: Of) -> User:
    """Add or change a user. A changed user is signed out of all sessions."""
    request.state.subject = body.name
    _demand_served(service, body.libraries)
    return service.state.users.make(body.name, body.password, body.role, body.libraries, way_back=True)


@router.delete("/users/{name}", status_code=204, dependencies=Overseen)
def remove_user(name: Annotated[str, Path(description="Name of the user.")], service: Of) -> None:
    """Remove a user and end all their sessions."""
    service.state.users.remove(name, way_back=True)


@router.get("/audit", dependencies=Overseen)
def list_audit(
    service: Of,
    library: Annotated[str | None, Query(description="Only actions in this library.")] = None,
    who: Annotated[str | None, Query(description="Only actions of this caller.", examples=["key 1 desk"])] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[AuditEntry]:
    """List changes and evidence downloads, the newest first: caller, time, address and result."""
    entries = service.state.audit.list(library=library, who=who, before=position_of(cursor, int), limit=limit + 1)
    items = entries[:limit]
    return Page(items=items, next=cursor_of(items[-1].number if len(entries) > limit else None))


def _demand_served(service: Service, libraries: list[str]) -> None:
    """Check that libraries exist: a key for a misspelt name would grant access to nothing.

    Raises:
        UsageError: a library does not exist.
    """
    for name in libraries:
        if name not in service.shelf:
            raise UsageError(
                say("library {name!r} not found", name=name), hint=say("list the libraries: GET /v1/libraries")
            )


__all__ = ["router"]
