"""What is known of sites, leaves, proofs and collections."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from whorl.language import say
from whorl.library import Library
from whorl.library.leaves import Permission
from whorl.library.proofs import Attestation
from whorl.service.access import ForbiddenError, Writes, library_for
from whorl.service.api.examples import COPY, ORIGINAL, page, shown
from whorl.service.api.pages import counted_page
from whorl.service.paging import MOST, Cursor, Limit, Page
from whorl.service.repeating import Repeatable
from whorl.tasks.library import Removed
from whorl.tasks.monitoring import Imported

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
_LEAVE: dict[str, Any] = {
    "domain": "partner.example",
    "path": "/news",
    "until": "2027-01-01T00:00:00Z",
    "note": "contract 12",
}
_PROOF: dict[str, Any] = {
    "document": ORIGINAL,
    "kind": "server-log",
    "at": "2026-03-05T08:00:00+08:00",
    "note": "access.log",
    "by": "mei",
}


class SiteTold(BaseModel):
    """What is known of a site."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_SITE]})

    domain: str = Field(description="Of it and of all its parts that are not told of themselves; or an address on it.")
    name: str = Field("", description="What people call it.")
    trust: float | None = Field(None, description="How far its dates and bylines are believed, from 0 to 1.")
    since: datetime | None = Field(None, description="When it began.")
    update_cycle: float | str | None = Field(None, description="Seconds between its updates, or a text such as 6h.")
    authorised: bool = Field(False, description="Whether it may reprint whatever it likes.")


class LeaveTold(BaseModel):
    """Who may reprint."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_LEAVE]})

    domain: str = Field(description="Of the site and of its parts; or an address on it.")
    path: str = Field("", description="Of the pages that may: this one and those below it; empty for all.")
    author: str = Field("", description="Who publishes there; empty for everybody.")
    since: datetime | None = Field(None, description="From when; null for always.")
    until: datetime | None = Field(None, description="When it ends; null for never.")
    note: str = Field("", description="On what it rests, such as a contract.")


class ProofTold(BaseModel):
    """What somebody knows about when an article was there."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_PROOF]})

    document: str = Field(description="The id of the article.")
    kind: str = Field(description="Of proof, such as server-log, print or contract.")
    at: datetime = Field(description="The time that it proves: by then the article was there.")
    note: str = Field("", description="What it is, and where it lies.")
    by: str = Field("", description="Who says so: the caller; administrators may name somebody else.")


class Ids(BaseModel):
    """Some articles."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ids": [ORIGINAL]}]})

    ids: list[str] = Field(description="Their ids.", max_length=_MOST_AT_ONCE)


class Collected(BaseModel):
    """How many of some articles there are."""

    documents: int


Sites = Annotated[list[SiteTold], Body(max_length=_MOST_AT_ONCE)]
Leaves = Annotated[list[LeaveTold], Body(max_length=_MOST_AT_ONCE)]
Proofs = Annotated[list[ProofTold], Body(max_length=_MOST_AT_ONCE)]


@router.get("/libraries/{library}/sites", responses=page({**_SITE, "since": None, "authorised": False}))
def list_sites(library: Reading, cursor: Cursor = None, limit: Limit = MOST) -> Page[SiteTold]:
    """What is known of sites, in the order of their domains."""
    told = counted_page(library.sites, cursor, limit)
    return Page(items=[SiteTold(**site.to_dict()) for site in told.items], next=told.next)


@router.put("/libraries/{library}/sites", responses=shown(Imported(1)))
def put_sites(library: Writing, sites: Sites) -> Imported:
    """Keep what is known of sites, in the place of what was known of the same domains; none where one is wrong."""
    return Imported(library.sites.put(map(_fields, sites)))


@router.delete("/libraries/{library}/sites", responses=shown(Removed(1)))
def remove_sites(
    library: Writing,
    domain: Annotated[list[str], Query(description="Domains; may be repeated.", examples=[["copies.example"]])],
) -> Removed:
    """Forget what is known of the sites of domains."""
    return Removed(library.sites.remove(domain))


@router.get("/libraries/{library}/leaves", responses=page(Permission(**_LEAVE)))
def list_leaves(library: Reading, cursor: Cursor = None, limit: Limit = MOST) -> Page[Permission]:
    """Who may reprint, in the order of domain, path, author and beginning."""
    return counted_page(library.leaves, cursor, limit)


@router.put("/libraries/{library}/leaves", responses=shown(Imported(1)))
def put_leaves(library: Writing, leaves: Leaves) -> Imported:
    """Keep who may reprint, in the place of leaves that differ in end and note alone; none where one is wrong."""
    return Imported(library.leaves.put(map(_fields, leaves)))


@router.delete("/libraries/{library}/leaves", responses=shown(Removed(1)))
def remove_leave(
    library: Writing,
    domain: Annotated[str, Query(description="Of the leave.", examples=["partner.example"])],
    path: Annotated[str, Query(description="Of the leave.", examples=["/news"])] = "",
    author: Annotated[str, Query(description="Of the leave.")] = "",
    since: Annotated[datetime | None, Query(description="From when the leave is; none for always.")] = None,
) -> Removed:
    """Take a leave back, whatever its end and note."""
    given = {"domain": domain, "path": path, "author": author, "since": since}
    return Removed(library.leaves.remove([given]))


@router.get("/libraries/{library}/proofs", responses=page(Attestation(**_PROOF)))
def list_proofs(
    library: Reading,
    of: Annotated[str | None, Query(description="Only those of this article.", examples=[ORIGINAL])] = None,
    cursor: Cursor = None,
    limit: Limit = MOST,
) -> Page[Attestation]:
    """What somebody knows about when articles were there, in the order of articles and of time."""
    return counted_page(library.proofs if of is None else library.proofs.of(of), cursor, limit)


@router.put("/libraries/{library}/proofs", responses=shown(Imported(1)))
def put_proofs(library: Writing, proofs: Proofs, caller: Writes) -> Imported:
    """Keep proofs, none where one is wrong; one that is known stays as it is, and none is ever taken out.

    Only administrators may name an author other than the caller.
    """
    others = next((proof.by for proof in proofs if proof.by not in ("", caller.signature)), None)
    if others is not None and not caller.may("admin"):
        raise ForbiddenError(
            say("the author of a proof is {other!r:.90}, and it comes from {caller}", other=others, caller=caller.who),
            cure=say("leave `by` out, or ask an administrator"),
        )
    return Imported(library.proofs.put({**_fields(proof), "by": proof.by or caller.signature} for proof in proofs))


@router.get("/libraries/{library}/collections", responses=shown({"protected": 20, "watched": 71}))
def list_collections(library: Reading) -> dict[str, int]:
    """How many articles each collection has."""
    return library.collections()


@router.post("/libraries/{library}/collections/{name}", responses=shown({"documents": 1}))
def collect_articles(
    library: Writing,
    name: Annotated[str, Path(description="The name of the collection.", examples=["protected"])],
    articles: Ids,
) -> Collected:
    """Put articles into a collection, out of the one that they are in; those that are not there change nothing."""
    return Collected(documents=library.collect(articles.ids, name))


@router.delete("/libraries/{library}/collections", responses=shown({"documents": 1}))
def uncollect_articles(
    library: Writing,
    id: Annotated[list[str], Query(description="Ids of articles; may be repeated.", examples=[[COPY]])],
) -> Collected:
    """Take articles out of whatever collection they are in; they stay in the library."""
    return Collected(documents=library.collect(id, ""))


def _fields(told: BaseModel) -> dict[str, Any]:
    return told.model_dump()
