"""Cluster pages: members by time, copying relations, and the probable original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from unicodedata import east_asian_width

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, model_validator

from whorl.language import say
from whorl.library import Library
from whorl.library.model import Document, Traced
from whorl.matching.attribute import Attributed, Attribution
from whorl.reports.html import clip
from whorl.reports.timelines import Moment, Timeline
from whorl.reports.trees import Borrowing, Tree
from whorl.reports.wording import ROLES
from whorl.service.access import LibraryName, library_for, service_of
from whorl.service.console.pages import page, path, query
from whorl.tasks.attribution import Trace, trace
from whorl.tasks.clusters import Order, Taking, list_clusters, site_of, takings
from whorl.tasks.evidence import pack_evidence
from whorl.tasks.hot import hot

router = APIRouter()

_LISTED = 30
_JUDGED = 300
"""Maximum size of a cluster that is attributed by default, which takes about a second."""
_ROWS, _NODES, _MEMBERS = 40, 60, 100
_WIDEST = 32
_CANDIDATES, _REASONS = 4, 8
_HOT, _TITLES = 20, 3
_SPANS = {"1d": say("of the last day"), "7d": say("of the last week"), "30d": say("of the last 30 days")}
_ORDERS: dict[Order, str] = {"largest": say("the largest first"), "newest": say("the newest first")}

Read = Annotated[Library, Depends(library_for("read"))]
Packs = Annotated[Library, Depends(library_for("review"))]


class Asked(BaseModel):
    """Filter of the cluster list.

    Attributes:
        at_least: minimum number of documents.
        since: count only documents first seen on this day or later, in UTC; None for all.
        site: only clusters with a document of this host or source.
        order: sort order.
        after: size and number of the last cluster of the previous page, as "SIZE-NUMBER".
    """

    at_least: Annotated[int, Query(ge=2, le=10**9)] = 2
    since: date | None = None
    site: Annotated[str, Query(max_length=200)] = ""
    order: Order = "largest"
    after: Annotated[str, Query(pattern=r"^\d{1,9}-\d{1,18}$")] = ""

    @model_validator(mode="before")
    @classmethod
    def without_empty(cls, given: dict[str, str]) -> dict[str, str]:
        """Drop empty form fields."""
        return {name: value for name, value in given.items() if value != ""}


@dataclass(frozen=True, slots=True)
class Member:
    """An article on the page of its cluster.

    Attributes:
        number: number in the charts, from 1 in the order of time.
        document: the document without its text.
        title: its title, or its id.
        label: the title, shortened for the charts.
        site: site of the article.
        judged: estimated role; None if the cluster was not attributed.
        taken: probable sources of its text, each with the number of the source.
    """

    number: int
    document: Document
    title: str
    label: str
    site: str
    judged: Attributed | None
    taken: tuple[tuple[int, Taking], ...]


@router.get("/libraries/{library}/clusters")
def show_clusters(request: Request, library: LibraryName, opened: Read, asked: Annotated[Asked, Query()]) -> Response:
    """List clusters by size or age."""
    since = None if asked.since is None else datetime(asked.since.year, asked.since.month, asked.since.day, tzinfo=UTC)
    after = tuple(map(int, asked.after.split("-"))) if asked.after else None
    found = list_clusters(
        opened, at_least=asked.at_least, since=since, site=asked.site, order=asked.order,
        after=(after[0], after[1]) if after else None, top=_LISTED,
    )  # fmt: skip
    given = asked.model_dump(exclude_defaults=True, exclude={"after"})
    return page(
        request,
        "clusters.html.j2",
        tab="clusters",
        library=library,
        found=found,
        asked=asked,
        is_asked=bool(given.keys() - {"order"}),
        orders=_ORDERS,
        most=max((one.size for one in found.clusters), default=1),
        is_empty=not len(opened),
        address=path(library, "clusters"),
        adding=path(library, "documents"),
        further=query(given, after="-".join(map(str, found.after))) if found.after else "",
    )


@router.get("/libraries/{library}/clusters/hot")
def show_hot(request: Request, library: LibraryName, opened: Read, since: str = "") -> Response:
    """List the most reprinted articles of all time or of a recent period."""
    found = hot(opened, top=_HOT, since=since or None)
    return page(
        request,
        "hot_clusters.html.j2",
        tab="clusters",
        library=library,
        found=found,
        since=since,
        spans=_SPANS,
        titles=_TITLES,
        address=path(library, "clusters"),
    )


@router.get("/libraries/{library}/clusters/{number}")
async def show_cluster(
    request: Request,
    library: LibraryName,
    opened: Read,
    number: int,
    judge: bool = False,
    start: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Show a cluster: its articles by time, copying relations, and the probable original."""

    def shown() -> Response:
        cluster = opened.cluster(number)
        if cluster.id != number:
            return RedirectResponse(path(library, "clusters", cluster.id), 303)
        is_judged = judge or cluster.size <= _JUDGED
        found = trace(opened, number) if is_judged else None
        traced = found.documents if found else tuple(opened.trace(number))
        members = _members(traced, found)
        originals = set(found.attribution.originals) if found else set()
        return page(
            request,
            "cluster.html.j2",
            tab="clusters",
            library=library,
            cluster=cluster,
            attribution=found.attribution if found else None,
            candidates=_candidates(members, found.attribution) if found else (),
            members=members[start : start + _MEMBERS],
            known={one.document.id: one for one in members},
            sites=len({one.site for one in members if one.site}),
            most_reasons=_REASONS,
            start=start,
            step=_MEMBERS,
            roles=ROLES,
            timeline=Timeline.of([_moment(one, originals) for one in members], _ROWS),
            tree=_tree(members),
            address=path(library, "clusters", number),
            document=lambda id: path(library, "documents", id),
            pair=lambda id, other: path(library, "pair") + query({"id": id, "other": other}),
            heaviest=_heaviest(found.attribution) if found else 1.0,
        )

    return await (service_of(request).slow.run(request, "traces", shown) if judge else run_sync(shown))


@router.post("/libraries/{library}/clusters/{number}/evidence")
async def pack(
    request: Request,
    opened: Packs,
    number: int,
    id: Annotated[str, Form(max_length=4096)],
    other: Annotated[str, Form(max_length=4096)],
) -> Response:
    """Download the evidence pack of a match. The ledger of the library records it."""
    request.state.subject = f"{id} {other}"

    def packed() -> bytes:
        with TemporaryDirectory() as folder:
            made = Path(folder) / "evidence.zip"
            pack_evidence(opened, id, other, made)
            return made.read_bytes()

    content = await service_of(request).slow.run(request, "reports", packed)
    headers = {"Content-Disposition": f'attachment; filename="evidence-{number}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


def _members(traced: Sequence[Traced], found: Trace | None) -> list[Member]:
    numbers = {one.document.id: number for number, one in enumerate(traced, start=1)}
    judged = {one.id: one for one in found.attribution.members} if found else {}
    taken: dict[str, list[tuple[int, Taking]]] = {}
    for one in takings(found) if found else _ties(traced):
        taken.setdefault(one.id, []).append((numbers[one.origin], one))
    return [
        Member(
            numbers[one.document.id],
            one.document,
            one.document.title or one.document.id,
            _label(one.document.title or one.document.id),
            site_of(one.document),
            judged.get(one.document.id),
            tuple(taken.get(one.document.id, ())),
        )
        for one in traced
    ]


def _label(title: str) -> str:
    """Shorten a title to the width of the charts; wide characters count twice."""
    shown = clip(title, _WIDEST)
    widths = accumulate(2 if east_asian_width(character) in "WF" else 1 for character in shown)
    fits = sum(width <= _WIDEST for width in widths)
    return shown if fits == len(shown) else f"{shown[: fits - 1]}…"


def _ties(traced: Sequence[Traced]) -> list[Taking]:
    """Return the match of each member to an earlier one, for clusters without attribution."""
    return [Taking(one.document.id, one.match.id, one.match.this_in_other) for one in traced if one.match]


def _candidates(members: Sequence[Member], attribution: Attribution) -> list[Member]:
    """Return the probable originals, or the undetermined members, the most probable first."""
    known = {one.document.id: one for one in members}
    chosen = [one.id for one in attribution.members if one.id in attribution.originals]
    chosen = chosen or [one.id for one in attribution.members if one.role == "undetermined"]
    return [known[id] for id in chosen[:_CANDIDATES]]


def _heaviest(attribution: Attribution) -> float:
    weights = [abs(reason.weight) for one in attribution.members for reason in one.reasons]
    return max([1.0, *weights, *(abs(one.weight) for one in attribution.reasons)])


def _moment(one: Member, originals: set[str]) -> Moment:
    document = one.document
    seen = document.first_seen_at or datetime.now(UTC)
    return Moment(one.number, one.label, document.published_at, seen, document.id in originals)


def _tree(members: Sequence[Member]) -> Tree:
    borrowings = [Borrowing(taken.id, taken.origin, taken.share) for one in members for _, taken in one.taken]
    return Tree.of([one.document.id for one in members], borrowings, _NODES)


__all__ = ["router"]
