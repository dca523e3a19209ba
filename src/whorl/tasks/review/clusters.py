"""List the clusters of a library, and estimate who copied from whom within a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

from whorl._internal.frozen import frozen
from whorl.attribution.member_facts import host_of
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.tasks.library.arguments import Place, demand_from, lent
from whorl.text.structure import beginning
from whorl.types.comparison import Plain
from whorl.types.library import ClusterSize, Document

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.types.attribution import Trace

Order = Literal["largest", "newest"]
ORDERS: tuple[Order, ...] = get_args(Order)

_MEMBERS_READ = 1000
"""Maximum number of documents of a cluster read for a list."""
_BLOCK, _MOST_LOOKED_AT = 50, 2000
_SITES = 3


@frozen
class ClusterSummary(Plain):
    """A cluster as shown in a list.

    Attributes:
        cluster: cluster number.
        size: number of its documents that satisfy the filter.
        title: title of its oldest document, or the beginning of that text.
        sites: the sites with most of its documents, at most three.
        further: number of further sites.
        first_at: publication time of the earliest document, or the time it was first seen if unknown.
        last_at: time when the last document was first seen.
    """

    cluster: int
    size: int
    title: str
    sites: tuple[str, ...]
    further: int
    first_at: datetime
    last_at: datetime


@frozen
class ClusterList(Plain):
    """Clusters of a library.

    >>> import whorl
    >>> from whorl.tasks.review.clusters import list_clusters
    >>> added = whorl.library.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> found = list_clusters("newsroom", top=2)
    >>> [one.size for one in found.clusters], found.after
    ([5, 4], (4, 14))

    Attributes:
        clusters: in the requested order.
        total: total number, for any site.
        after: size and number to continue the list after; None at the end.
    """

    clusters: tuple[ClusterSummary, ...]
    total: int
    after: tuple[int, int] | None


def list_clusters(
    library: Library | Place,
    *,
    at_least: int = 2,
    since: datetime | str | None = None,
    site: str = "",
    order: Order = "largest",
    after: tuple[int, int] | None = None,
    top: int = 50,
) -> ClusterList:
    """Return the clusters of a library with titles, sites and dates.

    Args:
        library: its address, or an open library.
        at_least: minimum number of documents of a cluster.
        since: count only documents first seen at or after this time.
        site: only clusters with a document on this host or of this source; empty for all.
        order: "largest" first, or "newest": those that began last.
        after: where to continue, from `ClusterList.after`.
        top: maximum number of clusters.

    Raises:
        UsageError: the order is unknown, or a number is below 1.

    Cost: a pass over all documents, and some microseconds per listed member; for a site up to two thousand
    clusters are searched, and `after` is where to continue even if none matched.
    """
    if order not in ORDERS:
        raise UsageError(say("unknown order {order!r:.60}", order=order), hint=say("use largest or newest"))
    demand_from("top", top, 1)
    with lent(library) as opened:
        sizes = opened.clusters(at_least=at_least, since=since)
        sizes.sort(key=lambda cluster: _rank(cluster.size, cluster.id, order))
        begin = None if after is None else _rank(*after, order)
        rest = [cluster for cluster in sizes if begin is None or _rank(cluster.size, cluster.id, order) > begin]
        looked_at = rest[: _MOST_LOOKED_AT if site else top]
        chosen = list(islice(_of_site(opened, looked_at, site.strip().casefold()), top))
        last = chosen[-1][0] if len(chosen) == top else looked_at[-1] if looked_at else None
        is_end = last is None or last is rest[-1]
        summaries = tuple(_summary(opened, size, members) for size, members in chosen)
    return ClusterList(summaries, len(sizes), None if is_end or last is None else (last.size, last.id))


def _rank(size: int, number: int, order: Order) -> tuple[int, int]:
    return (-size, number) if order == "largest" else (-number, 0)


def _of_site(library: Library, sizes: list[ClusterSize], site: str) -> Iterator[tuple[ClusterSize, list[Document]]]:
    """Yield the clusters with a document of a site, each with its documents."""
    for start in range(0, len(sizes), _BLOCK):
        block = sizes[start : start + _BLOCK]
        for size, members in zip(
            block, library.members((cluster.id for cluster in block), limit=_MEMBERS_READ), strict=True
        ):
            if members and (not site or any(_is_of(member, site) for member in members)):
                yield size, members


def _is_of(document: Document, site: str) -> bool:
    host = host_of(document.url or "")
    return host == site or host.endswith(f".{site}") or (document.source or "").casefold() == site


def site_of(document: Document) -> str:
    """Return the display name of a document's site: its source, or else its host; empty if both are unknown.

    >>> import whorl
    >>> from whorl.tasks.review.clusters import site_of
    >>> site_of(whorl.Document("a", "今天天气很好。", url="https://www.paper.example/1"))
    'paper.example'
    """
    return document.source or host_of(document.url or "")


def _summary(library: Library, size: ClusterSize, members: list[Document]) -> ClusterSummary:
    oldest = members[0]
    whole = None if oldest.title else library.get(oldest.id)
    sites = Counter(filter(None, map(site_of, members)))
    first_seen = [member.first_seen_at for member in members if member.first_seen_at]
    return ClusterSummary(
        cluster=size.id,
        size=size.size,
        title=oldest.title or (beginning(whole.text) if whole else ""),
        sites=tuple(name for name, _ in sites.most_common(_SITES)),
        further=max(0, len(sites) - _SITES),
        first_at=min(member.published_at or member.first_seen_at or first_seen[0] for member in members),
        last_at=max(first_seen),
    )


@frozen
class Taking(Plain):
    """The probable source of a member of a cluster.

    Attributes:
        id: the member.
        origin: its probable source.
        share: share of the member's text found in the source, in [0, 1].
    """

    id: str
    origin: str
    share: float


def takings(trace: Trace) -> tuple[Taking, ...]:
    """Return who probably copied from whom: a composite article from several articles, an original from none.

    The source of an article is the articles that it is composed of, or else the most similar earlier one; for an
    article dated before the probable original, it is the original. There are no cycles. An undetermined article, and
    any article of a cluster whose original is undetermined, has no source here.

    >>> import whorl
    >>> from whorl.tasks.review.clusters import takings
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。" * 3
    >>> days = ("2026-01-02", "2026-01-01")
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": day, "text": text, "published_at": day} for day in days)
    ...     [(taking.id, taking.origin) for taking in takings(whorl.library.trace(library, reports[0].cluster_id))]
    [('2026-01-02', '2026-01-01')]
    """
    listed: list[Taking] = []
    if not trace.attribution.originals:
        return ()
    origins = {member.id: member.origins for member in trace.attribution.members}
    undetermined = {member.id for member in trace.attribution.members if member.role == "undetermined"}
    roots = {origin.id for member_origins in origins.values() for origin in member_origins} | set(
        trace.attribution.originals
    )
    for step in trace.documents:
        id = step.document.id
        sources = origins[id]
        if id in roots or id in undetermined:
            continue
        if len(sources) > 1 or (sources and step.match is None):
            listed += [Taking(id, origin.id, origin.share) for origin in sources]
        elif step.match is not None:
            listed.append(Taking(id, step.match.id, step.match.this_in_other))
    return tuple(listed)


__all__ = ["ORDERS", "ClusterList", "ClusterSummary", "Order", "Taking", "list_clusters", "site_of", "takings"]
