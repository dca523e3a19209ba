"""Reprint statistics by site, author or day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import MappingProxyType

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.stores import Reader
from whorl.types.comparison import Plain
from whorl.types.library import microseconds

KINDS = ("site", "author", "day", "month", "year")
_LENGTHS = {"day": len("2026-03-05"), "month": len("2026-03"), "year": len("2026")}
"""Length of the name of each period at the beginning of a day in ISO 8601."""
_NOBODY = frozenset[str]()
_EVER, _NEVER = -(2**63), 2**63 - 1


@frozen
class ReprintStats(Plain):
    """How often a site, an author or a day copies others, and is copied by them.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     paper = library.add({"id": "a", "text": text, "url": "https://paper.example/1"})
    ...     copy = library.add({"id": "b", "text": text, "url": "https://copies.example/1"})
    ...     [(one.name, one.exact, one.copied, one.copying) for one in library.reprinting("site")]
    [('copies.example', 1, 0, 1), ('paper.example', 0, 1, 0)]

    Attributes:
        name: domain of the site, or its longest parent domain that is a known site, or the publisher of articles
            without an address; the author; or the day in UTC of the first sighting. Empty if unknown.
        articles: number of articles, including copies.
        exact: number of articles with the text of an earlier article.
        near: number of articles in the cluster of an earlier article, with another text.
        copied: number of articles of others that copy the first article of a cluster, published here; 0 for days.
        copying: number of articles here that copy the first article of a cluster, published by others; 0 for days.
        syndicated: number of articles here that an author of this site also published on another site that is known as
            theirs; they are not copying. Only for sites.

    An article of the collection "protected" or "own" is the first of its cluster and never a copy.
    """

    name: str
    articles: int
    exact: int
    near: int
    copied: int
    copying: int
    syndicated: int = 0


@dataclass(slots=True)
class _Counts:
    """Mutable counters of ``ReprintStats``."""

    articles: int = 0
    exact: int = 0
    near: int = 0
    copied: int = 0
    copying: int = 0
    syndicated: int = 0


def reprinting(
    reader: Reader,
    by: str,
    since: datetime | None,
    until: datetime | None,
    owners: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> list[ReprintStats]:
    """Count articles and copies by name, the most articles first.

    Args:
        reader: snapshot of the library.
        by: "site", "author" or "day".
        since: first sighting at or after this time.
        until: first sighting before this time.
        owners: authors that own whole sites, by domain.

    Raises:
        NotFoundError: ``by`` is unknown.
    """
    if by not in KINDS:
        raise NotFoundError(
            say("unknown grouping {by!r:.60}", by=by),
            hint=say("choose one of: {known}", known=", ".join(KINDS)),
        )
    span = (_EVER if since is None else microseconds(since), _NEVER if until is None else microseconds(until))
    called, kind = _naming(reader, by)

    def owned(site: str) -> frozenset[str]:
        return _NOBODY.union(*(owners.get(domain, _NOBODY) for domain in domains_above(site)))

    counts = defaultdict[str, _Counts](_Counts)
    for name, count in reader.names(kind, *span).items():
        counts[called(name)].articles += count
    for copies in reader.copies(kind, *span):
        copying, first = called(copies.name), called(copies.of)
        counts[copying].exact += copies.exact
        counts[copying].near += copies.near
        if copying != first and by == "site" and not owned(copying).isdisjoint(owned(first)):
            counts[copying].syndicated += copies.exact + copies.near
        elif copying != first and by not in _LENGTHS:
            counts[copying].copying += copies.exact + copies.near
            counts[first].copied += copies.exact + copies.near
    rows = [
        ReprintStats(
            *(name, counted.articles, counted.exact, counted.near),
            *(counted.copied, counted.copying, counted.syndicated),
        )
        for name, counted in counts.items()
    ]
    return sorted(rows, key=lambda counted: (-counted.articles, counted.name))


def _naming(reader: Reader, by: str) -> tuple[Callable[[str], str], str]:
    """Return a function from a name in the store to that of a row, and the kind of names in the store."""
    length = _LENGTHS.get(by)
    if length is not None:
        return lambda day: day[:length], "day"
    return (_sites(reader) if by == "site" else str), by


def _sites(reader: Reader) -> Callable[[str], str]:
    """Return a function from an authority or publisher to the name of its site."""
    domains = {site.domain for site in reader.all_sites()}

    @cache
    def called(name: str) -> str:
        if not name.startswith("//"):
            return name
        domain = domain_of(name.removeprefix("//"))
        return next((parent for parent in domains_above(domain) if parent in domains), domain)

    return called


__all__ = ["KINDS", "ReprintStats", "reprinting"]
