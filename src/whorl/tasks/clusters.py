"""The clusters of a library in a list that people look through, and who in one has probably taken it from whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

from whorl.errors import UsageError
from whorl.language import say
from whorl.library.model import ClusterSize, Document
from whorl.matching.witness import host_of
from whorl.model import Plain
from whorl.tasks.arguments import Place, demand_from, lent
from whorl.text.structure import beginning

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks.attribution import Trace

Order = Literal["largest", "newest"]
ORDERS: tuple[Order, ...] = get_args(Order)

_KNOWN = 1000
"""How many documents of a cluster are looked at for a list."""
_BLOCK, _MOST_LOOKED_AT = 50, 2000
_SITES = 3


@dataclass(frozen=True, slots=True)
class ClusterSummary(Plain):
    """A cluster as it stands in a list.

    Attributes:
        cluster: its number.
        size: how many documents, of those asked for.
        title: of its oldest document, or the beginning of that text.
        sites: where most of its documents stand, at most three.
        further: how many more sites there are.
        first_at: when the earliest was published, or first seen where it does not say.
        last_at: when the last one was first seen.
    """

    cluster: int
    size: int
    title: str
    sites: tuple[str, ...]
    further: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class ClusterList(Plain):
    """Clusters of a library.

    >>> import whorl
    >>> from whorl.tasks.clusters import list_clusters
    >>> added = whorl.add_files("newsroom", "examples/newsroom/articles.jsonl")
    >>> found = list_clusters("newsroom", top=2)
    >>> [one.size for one in found.clusters], found.after
    ([5, 4], (4, 14))

    Attributes:
        clusters: in the order asked for.
        total: how many there are, of any site.
        after: size and number after which the list goes on; None where it is at its end.
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
    """Return clusters with what people know them by.

    Args:
        library: its address, or an open library.
        at_least: documents that a cluster has.
        since: count only documents that were first seen at or after this time.
        site: only clusters with a document on this host, or of a source of this name; empty for all.
        order: "largest" first, or "newest": those that began last.
        after: where to go on, as `ClusterList.after` told it.
        top: how many.

    Raises:
        UsageError: there is no such order, or a number is below 1.

    Cost: a pass over all documents, and some microseconds a member of what is listed; of a site up to two thousand
    clusters are looked at, and `after` tells where to go on, even if none was found.
    """
    if order not in ORDERS:
        raise UsageError(say("there is no order {order!r:.60}", order=order), cure=say("give largest or newest"))
    demand_from("top", top, 1)
    with lent(library) as opened:
        sizes = opened.clusters(at_least=at_least, since=since)
        sizes.sort(key=lambda one: _rank(one.size, one.id, order))
        begin = None if after is None else _rank(*after, order)
        rest = [one for one in sizes if begin is None or _rank(one.size, one.id, order) > begin]
        looked_at = rest[: _MOST_LOOKED_AT if site else top]
        chosen = list(islice(_of_site(opened, looked_at, site.strip().casefold()), top))
        last = chosen[-1][0] if len(chosen) == top else looked_at[-1] if looked_at else None
        is_end = last is None or last is rest[-1]
        summaries = tuple(_summary(opened, size, members) for size, members in chosen)
    return ClusterList(summaries, len(sizes), None if is_end or last is None else (last.size, last.id))


def _rank(size: int, number: int, order: Order) -> tuple[int, int]:
    return (-size, number) if order == "largest" else (-number, 0)


def _of_site(library: Library, sizes: list[ClusterSize], site: str) -> Iterator[tuple[ClusterSize, list[Document]]]:
    """The clusters that have a document of a site, each with its documents."""
    for start in range(0, len(sizes), _BLOCK):
        block = sizes[start : start + _BLOCK]
        for size, members in zip(block, library.members((one.id for one in block), most=_KNOWN), strict=True):
            if members and (not site or any(_is_of(one, site) for one in members)):
                yield size, members


def _is_of(document: Document, site: str) -> bool:
    host = host_of(document.url or "")
    return host == site or host.endswith(f".{site}") or (document.source or "").casefold() == site


def site_of(document: Document) -> str:
    """Return how people call the place of a document: its source, or else its host; empty where neither is known.

    >>> import whorl
    >>> from whorl.tasks.clusters import site_of
    >>> site_of(whorl.Document("a", "今天天气很好。", url="https://www.paper.example/1"))
    'paper.example'
    """
    return document.source or host_of(document.url or "")


def _summary(library: Library, size: ClusterSize, members: list[Document]) -> ClusterSummary:
    oldest = members[0]
    whole = None if oldest.title else library.get(oldest.id)
    sites = Counter(filter(None, map(site_of, members)))
    seen = [one.first_seen_at for one in members if one.first_seen_at]
    return ClusterSummary(
        cluster=size.id,
        size=size.size,
        title=oldest.title or (beginning(whole.text) if whole else ""),
        sites=tuple(name for name, _ in sites.most_common(_SITES)),
        further=max(0, len(sites) - _SITES),
        first_at=min(one.published_at or one.first_seen_at or seen[0] for one in members),
        last_at=max(seen),
    )


@dataclass(frozen=True, slots=True)
class Taking(Plain):
    """From whom a member of a cluster probably has text.

    Attributes:
        id: the member.
        origin: the other one.
        share: of the text of the member that the other has, in [0, 1].
    """

    id: str
    origin: str
    share: float


def takings(trace: Trace) -> tuple[Taking, ...]:
    """Return who has probably taken text from whom: of a mixed article from several, of an original from none.

    An article has its text from those that it is a mixture of, or else from the earlier one that is most like it; one
    that is earlier than the probable original, as far as dates tell, from that. Nobody takes in a circle.

    >>> import whorl
    >>> from whorl.tasks.clusters import takings
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。" * 3
    >>> days = ("2026-01-02", "2026-01-01")
    >>> with whorl.open("newsroom") as library:
    ...     reports = library.add({"id": day, "text": text, "published_at": day} for day in days)
    ...     [(one.id, one.origin) for one in takings(whorl.trace(library, reports[0].cluster_id))]
    [('2026-01-02', '2026-01-01')]
    """
    found: list[Taking] = []
    origins = {one.id: one.origins for one in trace.attribution.members}
    roots = {one.id for own in origins.values() for one in own} | set(trace.attribution.originals)
    for one in trace.documents:
        id = one.document.id
        own = origins[id]
        if id in roots:
            continue
        if len(own) > 1 or (own and one.match is None):
            found += [Taking(id, origin.id, origin.share) for origin in own]
        elif one.match is not None:
            found.append(Taking(id, one.match.id, one.match.this_in_other))
    return tuple(found)


__all__ = ["ORDERS", "ClusterList", "ClusterSummary", "Order", "Taking", "list_clusters", "site_of", "takings"]
