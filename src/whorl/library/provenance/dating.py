"""Reliability of the dates of sites, measured on the articles of the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from whorl._internal.frozen import frozen
from whorl.attribution.intervals import is_backdated, is_first_visit, is_impossible
from whorl.attribution.member_facts import Witness
from whorl.library.core import Core
from whorl.library.ingest.documents import publication_in
from whorl.library.provenance.hosts import site_of as site_at
from whorl.stores.records import Entry
from whorl.types.library import moment

_SAMPLE_SIZE = 4_000


@frozen
class SiteDates:
    """Reliability of the dates of a site, measured on its articles.

    >>> from whorl.results import SiteDates
    >>> from datetime import datetime
    >>> SiteDates(checked=40, false=2, visited_since=datetime(2026, 1, 1)).false
    2

    Attributes:
        checked: number of articles whose claimed time can be compared with their first sighting.
        false: number of these whose claimed time is impossible, or contradicted by visits to the site.
        visited_since: first sighting of any of its articles.
    """

    checked: int
    false: int
    visited_since: datetime


def datings(
    core: Core, cycles: Mapping[str, timedelta | None], addresses: Iterable[str], without: Iterable[str]
) -> dict[str, SiteDates]:
    """Return the date reliability of the sites of addresses, measured on other articles; sites without any are omitted.

    Args:
        core: the library.
        cycles: domains of known sites with their update cycles; any other site is identified by its host.
        addresses: addresses of articles.
        without: ids of articles to exclude, such as those being judged.

    Cost: reads up to four thousand articles, sampled evenly over larger libraries.
    """
    site_of = {address: site_at(address, cycles) for address in addresses}
    excluded, sites = set(without), set(site_of.values()) - {""}
    of_sites: dict[str, list[Entry]] = {}
    for entry in _sample(core):
        site = site_at(entry.url or "", cycles)
        if site in sites and entry.id not in excluded:
            of_sites.setdefault(site, []).append(entry)
    dates = {site: _dating(entries, cycles.get(site)) for site, entries in of_sites.items()}
    return {address: dates[site] for address, site in site_of.items() if site in dates}


def _sample(core: Core) -> Iterator[Entry]:
    with core.store.reading() as reader:
        numbers = reader.ordered("added")
        step = -(-len(numbers) // _SAMPLE_SIZE) or 1
        yield from reader.numbered(numbers[::step]).values()


def _dating(entries: Iterable[Entry], cycle: timedelta | None) -> SiteDates:
    times = [(moment(entry.first_seen_at), publication_in(entry)) for entry in entries]
    since = min(at for at, _ in times)
    checked = false = 0
    for at, published in times:
        if published is not None:
            claim = Witness("", published_at=published, first_seen_at=at, update_cycle=cycle, visited_since=since)
            is_false = is_impossible(claim) or is_backdated(claim)
            false += is_false
            checked += is_false or not is_first_visit(claim)
    return SiteDates(checked, false, since)


__all__ = ["SiteDates", "datings"]
