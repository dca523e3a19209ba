"""Cluster pages: members by time, copying relations, and the probable original."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, model_validator

from whorl._internal.cells import cells
from whorl._internal.frozen import frozen
from whorl.i18n import say
from whorl.library import Library
from whorl.reports.comparison.wording import ROLES
from whorl.reports.drawing.timelines import Moment, Timeline
from whorl.reports.drawing.trees import Borrowing, Tree
from whorl.reports.html import clip
from whorl.service.console.pages import page, path, query
from whorl.service.http.access import LibraryName, Reviews, library_for, service_of
from whorl.tasks.dedup.hot import hot
from whorl.tasks.evidence.pack import pack_evidence
from whorl.tasks.library.attribution import trace
from whorl.tasks.review.clusters import Order, Taking, list_clusters, site_of, takings
from whorl.types.attribution import Attributed, Attribution, Trace
from whorl.types.library import Document, TraceStep

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


class ClusterFilter(BaseModel):
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
    def without_empty(cls, fields: dict[str, str]) -> dict[str, str]:
        """Drop empty form fields."""
        return {name: value for name, value in fields.items() if value != ""}


@frozen
class ClusterMember:
    """An article on the page of its cluster.

    Attributes:
        number: number in the charts, from 1 in the order of time.
        document: the document without its text.
        title: its title, or its id.
        label: the title, shortened for the charts.
        site: site of the article.
        judged: estimated role; None if the cluster was not attributed.
        sources: probable sources of its text, each with the number of the source.
    """

    number: int
    document: Document
    title: str
    label: str
    site: str
    judged: Attributed | None
    sources: tuple[tuple[int, Taking], ...]


@router.get("/libraries/{library}/clusters")
def show_clusters(
    request: Request, library: LibraryName, opened: Read, filters: Annotated[ClusterFilter, Query()]
) -> Response:
    """List clusters by size or age."""
    since = (
        None
        if filters.since is None
        else datetime(filters.since.year, filters.since.month, filters.since.day, tzinfo=UTC)
    )
    after = tuple(map(int, filters.after.split("-"))) if filters.after else None
    clusters = list_clusters(
        opened, at_least=filters.at_least, since=since, site=filters.site, order=filters.order,
        after=(after[0], after[1]) if after else None, top=_LISTED,
    )  # fmt: skip
    parameters = filters.model_dump(exclude_defaults=True, exclude={"after"})
    return page(
        request,
        "clusters.html.j2",
        tab="clusters",
        library=library,
        found=clusters,
        asked=filters,
        is_asked=bool(parameters.keys() - {"order"}),
        orders=_ORDERS,
        most=max((cluster.size for cluster in clusters.clusters), default=1),
        is_empty=not len(opened),
        address=path(library, "clusters"),
        adding=path(library, "documents"),
        further=query(parameters, after="-".join(map(str, clusters.after))) if clusters.after else "",
    )


@router.get("/libraries/{library}/clusters/hot")
def show_hot(request: Request, library: LibraryName, opened: Read, since: str = "") -> Response:
    """List the most reprinted articles of all time or of a recent period."""
    result = hot(opened, top=_HOT, since=since or None)
    return page(
        request,
        "hot_clusters.html.j2",
        tab="clusters",
        library=library,
        found=result,
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

    def render() -> Response:
        cluster = opened.cluster(number)
        if cluster.id != number:
            return RedirectResponse(path(library, "clusters", cluster.id), 303)
        is_judged = judge or cluster.size <= _JUDGED
        traced_cluster = trace(opened, number) if is_judged else None
        traced = traced_cluster.documents if traced_cluster else tuple(opened.trace(number))
        members = _members(traced, traced_cluster)
        originals = set(traced_cluster.attribution.originals) if traced_cluster else set()
        return page(
            request,
            "cluster.html.j2",
            tab="clusters",
            library=library,
            cluster=cluster,
            attribution=traced_cluster.attribution if traced_cluster else None,
            candidates=_candidates(members, traced_cluster.attribution) if traced_cluster else (),
            members=members[start : start + _MEMBERS],
            known={member.document.id: member for member in members},
            sites=len({member.site for member in members if member.site}),
            most_reasons=_REASONS,
            start=start,
            step=_MEMBERS,
            roles=ROLES,
            timeline=Timeline.of([_moment(member, originals) for member in members], _ROWS),
            tree=_tree(members),
            address=path(library, "clusters", number),
            document=lambda id: path(library, "documents", id),
            pair=lambda id, other: path(library, "pair") + query({"id": id, "other": other}),
            heaviest=_heaviest(traced_cluster.attribution) if traced_cluster else 1.0,
        )

    return await (service_of(request).slow.run(request, "traces", render) if judge else run_sync(render))


@router.post("/libraries/{library}/clusters/{number}/evidence")
async def pack(
    request: Request,
    opened: Packs,
    caller: Reviews,
    number: int,
    id: Annotated[str, Form(max_length=4096)],
    other: Annotated[str, Form(max_length=4096)],
) -> Response:
    """Download the evidence pack of a match. The ledger of the library records it."""
    request.state.subject = f"{id} {other}"

    def packed() -> bytes:
        with TemporaryDirectory() as folder:
            archive = Path(folder) / "evidence.zip"
            pack_evidence(opened, id, other, archive, operator=caller.signature)
            return archive.read_bytes()

    content = await service_of(request).slow.run(request, "reports", packed)
    headers = {"Content-Disposition": f'attachment; filename="evidence-{number}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


def _members(traced: Sequence[TraceStep], traced_cluster: Trace | None) -> list[ClusterMember]:
    numbers = {member.document.id: number for number, member in enumerate(traced, start=1)}
    judged = {member.id: member for member in traced_cluster.attribution.members} if traced_cluster else {}
    sources: dict[str, list[tuple[int, Taking]]] = {}
    for member in takings(traced_cluster) if traced_cluster else ():
        sources.setdefault(member.id, []).append((numbers[member.origin], member))
    return [
        ClusterMember(
            numbers[member.document.id],
            member.document,
            member.document.title or member.document.id,
            _label(member.document.title or member.document.id),
            site_of(member.document),
            judged.get(member.document.id),
            tuple(sources.get(member.document.id, ())),
        )
        for member in traced
    ]


def _label(title: str) -> str:
    """Shorten a title to the width of the charts; wide characters count twice."""
    clipped = clip(title, _WIDEST)
    widths = accumulate(map(cells, clipped))
    fits = sum(width <= _WIDEST for width in widths)
    return clipped if fits == len(clipped) else f"{clipped[: fits - 1]}…"


def _candidates(members: Sequence[ClusterMember], attribution: Attribution) -> list[ClusterMember]:
    """Return the probable originals, or the undetermined members, the most probable first."""
    members_by_id = {member.document.id: member for member in members}
    chosen = [member.id for member in attribution.members if member.id in attribution.originals]
    chosen = chosen or [member.id for member in attribution.members if member.role == "undetermined"]
    return [members_by_id[id] for id in chosen[:_CANDIDATES]]


def _heaviest(attribution: Attribution) -> float:
    weights = [abs(reason.weight) for item in attribution.members for reason in item.reasons]
    return max([1.0, *weights, *(abs(item.weight) for item in attribution.reasons)])


def _moment(member: ClusterMember, originals: set[str]) -> Moment:
    document = member.document
    first_seen = document.first_seen_at or datetime.now(UTC)
    stated = document.publication.format() if document.publication else ""
    is_original = document.id in originals
    return Moment(member.number, member.label, document.published_at, first_seen, is_original, stated)


def _tree(members: Sequence[ClusterMember]) -> Tree:
    borrowings = [
        Borrowing(source.id, source.origin, source.share) for member in members for _, source in member.sources
    ]
    return Tree.of([member.document.id for member in members], borrowings, _NODES)


__all__ = ["router"]
