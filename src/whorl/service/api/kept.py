"""Endpoints for sites, reprint permissions, accounts of authors, attestations and collections."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from whorl.i18n import say
from whorl.library import Library
from whorl.library.provenance.accounts import Account
from whorl.library.provenance.attestations import Attestation
from whorl.library.reviews.permissions import Permission
from whorl.service.api.examples import COPY, ORIGINAL, example_response, page
from whorl.service.api.pages import counted_page
from whorl.service.api.times import WrittenTime
from whorl.service.http.access import ForbiddenError, Writes, library_for
from whorl.service.http.idempotency import Repeatable
from whorl.service.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from whorl.tasks.library.maintenance import Removed
from whorl.tasks.library.monitoring import Imported

router = APIRouter(tags=["sites and rights"], route_class=Repeatable)
Reading = Annotated[Library, Depends(library_for("read"))]
Writing = Annotated[Library, Depends(library_for("write"))]
_MOST_AT_ONCE = 10_000

_SITE: dict[str, Any] = {
    "domain": "copies.example",
    "name": "Copies",
    "trust": 0.2,
    "update_cycle": 21600.0,
    "authorised": False,
}
_PERMISSION: dict[str, Any] = {
    "domain": "partner.example",
    "path": "/news",
    "until": "2027-01-01T00:00:00Z",
    "note": "contract 12",
}
_ACCOUNT: dict[str, Any] = {"author": "王小渡", "domain": "columns.example", "path": "/u/wang"}
_ATTESTATION: dict[str, Any] = {
    "document": ORIGINAL,
    "kind": "server-log",
    "at": "2026-03-05T08:00:00+08:00",
    "note": "access.log",
    "by": "mei",
}


class SiteInput(BaseModel):
    """A site and its properties."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_SITE]})

    domain: str = Field(description="Domain, including subdomains without an entry, or an address on it.")
    name: str = Field("", description="Display name.")
    trust: float | None = Field(None, description="Trust in its dates and bylines, from 0 to 1.")
    since: datetime | None = Field(None, description="When the site was launched.")
    update_cycle: float | str | None = Field(None, description="Update interval in seconds, or a text such as 6h.")
    authorised: bool = Field(False, description="True if it may reprint everything.")
    zone: str = Field(
        "",
        description="Zone of times that it states without one, such as Asia/Shanghai; default: of the library.",
    )


class PermissionInput(BaseModel):
    """A reprint permission."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_PERMISSION]})

    domain: str = Field(description="Domain of the site, including subdomains, or an address on it.")
    path: str = Field("", description="Path prefix of the permitted pages; empty for all.")
    author: str = Field("", description="Author on the site; empty for all.")
    since: datetime | None = Field(None, description="Start of the permission; null for always.")
    until: datetime | None = Field(None, description="End of the permission; null for never.")
    note: str = Field("", description="Basis of the permission, such as a contract.")


class AccountInput(BaseModel):
    """A site or an account that is known to belong to an author."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_ACCOUNT]})

    author: str = Field(description="Author, as the registered articles name them.")
    domain: str = Field(description="Domain of the site, including subdomains, or an address on it.")
    path: str = Field("", description="Path prefix of the author's pages; empty for the whole site.")
    name: str = Field("", description="Account as the platform states it on its pages; empty for any.")
    note: str = Field("", description="How it is known, such as a contract.")


class AttestationInput(BaseModel):
    """Evidence, entered by hand, that an article existed at a time."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_ATTESTATION]})

    document: str = Field(description="Id of the article.")
    kind: str = Field(description="Kind of evidence, such as server-log, print or contract.")
    at: WrittenTime = Field(
        description="Time at which the article existed, as precise as it is known; a day means the end of that day."
    )
    note: str = Field("", description="Description and location of the evidence.")
    by: str = Field("", description="Person who attests; default: the caller. Only administrators may name others.")
    at_precision: str | None = Field(None, description="How precise the time is; default: as written.")
    at_zone: str | None = Field(None, description="Zone of the time; default: as written, else that of the library.")
    at_original: str | None = Field(None, description="How the evidence states the time; default: as in at.")


class Ids(BaseModel):
    """Ids of articles."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ids": [ORIGINAL]}]})

    ids: list[str] = Field(description="Ids of articles.", max_length=_MOST_AT_ONCE)


class Collected(BaseModel):
    """Number of affected articles."""

    documents: int


Sites = Annotated[list[SiteInput], Body(max_length=_MOST_AT_ONCE)]
PermissionInputs = Annotated[list[PermissionInput], Body(max_length=_MOST_AT_ONCE)]
Accounts = Annotated[list[AccountInput], Body(max_length=_MOST_AT_ONCE)]
AttestationInputs = Annotated[list[AttestationInput], Body(max_length=_MOST_AT_ONCE)]


@router.get("/libraries/{library}/sites", responses=page({**_SITE, "since": None, "authorised": False}))
def list_sites(library: Reading, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Page[SiteInput]:
    """List sites, sorted by domain."""
    sites = counted_page(library.sites, cursor, limit)
    return Page(items=[SiteInput(**site.to_dict()) for site in sites.items], next=sites.next)


@router.put("/libraries/{library}/sites", responses=example_response(Imported(1)))
def put_sites(library: Writing, sites: Sites) -> Imported:
    """Add or replace sites by domain. Nothing is stored if one is invalid."""
    return Imported(library.sites.put(map(_fields, sites)))


@router.delete("/libraries/{library}/sites", responses=example_response(Removed(1)))
def remove_sites(
    library: Writing,
    domain: Annotated[list[str], Query(description="Domains; may be repeated.", examples=[["copies.example"]])],
) -> Removed:
    """Remove the sites of the domains."""
    return Removed(library.sites.remove(domain))


@router.get("/libraries/{library}/permissions", responses=page(Permission(**_PERMISSION)))
def list_permissions(library: Reading, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Page[Permission]:
    """List reprint permissions, sorted by domain, path, author and start."""
    return counted_page(library.permissions, cursor, limit)


@router.put("/libraries/{library}/permissions", responses=example_response(Imported(1)))
def put_permissions(library: Writing, permissions: PermissionInputs) -> Imported:
    """Add reprint permissions; one that differs only in end and note is replaced. All or none are stored."""
    return Imported(library.permissions.put(map(_fields, permissions)))


@router.delete("/libraries/{library}/permissions", responses=example_response(Removed(1)))
def remove_permission(
    library: Writing,
    domain: Annotated[str, Query(description="Domain of the permission.", examples=["partner.example"])],
    path: Annotated[str, Query(description="Path of the permission.", examples=["/news"])] = "",
    author: Annotated[str, Query(description="Author of the permission.")] = "",
    since: Annotated[datetime | None, Query(description="Start of the permission; omit for always.")] = None,
) -> Removed:
    """Revoke a reprint permission."""
    permission = {"domain": domain, "path": path, "author": author, "since": since}
    return Removed(library.permissions.remove([permission]))


@router.get("/libraries/{library}/accounts", responses=page(Account(**_ACCOUNT, by="mei")))
def list_accounts(library: Reading, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Page[Account]:
    """List the sites and accounts of authors, sorted by domain, path, name and author."""
    return counted_page(library.accounts, cursor, limit)


@router.put("/libraries/{library}/accounts", responses=example_response(Imported(1)))
def put_accounts(library: Writing, accounts: Accounts, caller: Writes) -> Imported:
    """Add sites and accounts of authors; pages there are posts of the author. All or none are stored."""
    return Imported(library.accounts.put({**_fields(account), "by": caller.signature} for account in accounts))


@router.delete("/libraries/{library}/accounts", responses=example_response(Removed(1)))
def remove_account(
    library: Writing,
    author: Annotated[str, Query(description="Author.", examples=["王小渡"])],
    domain: Annotated[str, Query(description="Domain of the account.", examples=["columns.example"])],
    path: Annotated[str, Query(description="Path of the account.", examples=["/u/wang"])] = "",
    name: Annotated[str, Query(description="Name of the account.")] = "",
) -> Removed:
    """Remove a site or an account of an author."""
    return Removed(library.accounts.remove([{"author": author, "domain": domain, "path": path, "name": name}]))


@router.get("/libraries/{library}/attestations", responses=page(Attestation(**_ATTESTATION)))
def list_attestations(
    library: Reading,
    of: Annotated[str | None, Query(description="Only attestations of this article.", examples=[ORIGINAL])] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Attestation]:
    """List attestations, sorted by article and time."""
    return counted_page(library.attestations if of is None else library.attestations.of(of), cursor, limit)


@router.put("/libraries/{library}/attestations", responses=example_response(Imported(1)))
def put_attestations(library: Writing, attestations: AttestationInputs, caller: Writes) -> Imported:
    """Add attestations. Existing ones are unchanged, and none is ever removed. Nothing is stored if one is invalid.

    Only administrators may name an author other than the caller.
    """
    others = next(
        (attestation.by for attestation in attestations if attestation.by not in ("", caller.signature)), None
    )
    if others is not None and not caller.may("admin"):
        raise ForbiddenError(
            say(
                "the author of an attestation must be the caller {caller}, got {other!r:.90}",
                other=others,
                caller=caller.who,
            ),
            hint=say("omit `by`, or ask an administrator"),
        )
    return Imported(
        library.attestations.put(
            {**_fields(attestation), "by": attestation.by or caller.signature} for attestation in attestations
        )
    )


@router.get("/libraries/{library}/collections", responses=example_response({"protected": 20, "watched": 71}))
def list_collections(library: Reading) -> dict[str, int]:
    """Count the articles of each collection."""
    return library.collections()


@router.post("/libraries/{library}/collections/{name}", responses=example_response({"documents": 1}))
def collect_articles(
    library: Writing,
    name: Annotated[str, Path(description="Name of the collection.", examples=["protected"])],
    articles: Ids,
) -> Collected:
    """Move articles into a collection. Unknown ids are ignored."""
    return Collected(documents=library.collect(articles.ids, name))


@router.delete("/libraries/{library}/collections", responses=example_response({"documents": 1}))
def uncollect_articles(
    library: Writing,
    id: Annotated[list[str], Query(description="Ids of articles; may be repeated.", examples=[[COPY]])],
) -> Collected:
    """Remove articles from their collections. They stay in the library."""
    return Collected(documents=library.collect(id, ""))


def _fields(model: BaseModel) -> dict[str, Any]:
    return model.model_dump()
