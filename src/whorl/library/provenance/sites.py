"""Registry of sites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from whorl._internal.frozen import frozen
from whorl.i18n import say
from whorl.library.core import Core
from whorl.library.ingest.user_data import FieldReader, several
from whorl.library.provenance.dating import SiteDates, datings
from whorl.library.provenance.hosts import demand_domain, domain_of, domains_above
from whorl.library.provenance.precedence import PrecedenceCache
from whorl.library.provenance.visits import Visits
from whorl.library.rules import span
from whorl.stores import monitoring_records
from whorl.types.comparison import Plain, plain
from whorl.types.library import microseconds, moment
from whorl.types.times import demand_zone

_LONGEST_CYCLE = timedelta(days=3653)


@frozen
class Site(Plain):
    """A site.

    >>> import whorl
    >>> from whorl.results import Site
    >>> with whorl.open("newsroom") as library:
    ...     kept = library.sites.put([Site("example.org", "Example", trust=0.8)])
    ...     library.sites.of("https://news.example.org/a").name
    'Example'

    Attributes:
        domain: its domain, which covers all subdomains without an entry; for an address, its domain is used.
        name: display name.
        trust: how reliable its dates and bylines are, in [0, 1]; None if unknown.
        since: when it was launched; None if unknown.
        update_cycle: the time between its updates, in a mapping also a number of seconds or a text such as "6h"; None
            if unknown.
        authorised: whether it may reprint everything.
        zone: zone of the times that it states without one: a name such as "Asia/Shanghai" or an offset such as
            "+08:00"; empty for the default zone of the library. It applies to articles that are added later.
    """

    domain: str
    name: str = ""
    trust: float | None = None
    since: datetime | None = None
    update_cycle: timedelta | None = None
    authorised: bool = False
    zone: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON, the update cycle in seconds."""
        cycle = self.update_cycle
        return plain(self) | {"update_cycle": None if cycle is None else cycle.total_seconds()}


class Sites:
    """The sites of a library, in the order of their domains.

    >>> import whorl
    >>> with whorl.open("watched") as library:
    ...     count = library.sites.put([{"domain": "paper.example", "name": "日报", "trust": 0.9}])
    ...     library.sites.of("https://www.paper.example/1").name
    '日报'

    Args:
        core: the library.
        on_change: called with the domains whose rights to reprint may have changed.
    """

    def __init__(self, core: Core, on_change: Callable[[Iterable[str]], None] = lambda _: None) -> None:
        self._core = core
        self._on_change = on_change
        self._precedences, self._visits = PrecedenceCache(core), Visits(core)

    def __iter__(self) -> Iterator[Site]:
        with self._core.store.reading() as reader:
            for kept in reader.all_sites():
                yield _site_from(kept)

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["sites"]

    def of(self, address: str) -> Site | None:
        """Return the site of an address or a domain, by the longest known parent domain, or None."""
        return self.of_each([address])[address]

    def of_each(self, addresses: Iterable[str]) -> dict[str, Site | None]:
        """Return what ``of`` returns for each of several addresses, with the round trips of a single call."""
        domains_of = {address: domains_above(domain_of(address)) for address in addresses}
        with self._core.store.reading() as reader:
            kept = reader.sites({domain for domains in domains_of.values() for domain in domains})
        return {
            address: next((_site_from(kept[domain]) for domain in domains if domain in kept), None)
            for address, domains in domains_of.items()
        }

    def datings(self, addresses: Iterable[str], without: Iterable[str] = ()) -> dict[str, SiteDates]:
        """Return the date reliability of the sites of addresses, measured on their articles.

        Args:
            addresses: addresses of articles; sites without other articles are omitted.
            without: ids of articles to exclude, such as those being judged.

        Cost: reads up to four thousand articles, sampled evenly over larger libraries.
        """
        return datings(self._core, self._cycles(), addresses, without)

    def precedences(
        self, addresses: Iterable[tuple[str, str]], without: Iterable[str] = ()
    ) -> dict[tuple[str, str], tuple[int, int]]:
        """Return, for pairs of addresses, how many texts of both sites the first and the second site had first.

        What was observed decides, or else the claimed dates; a text for which neither decides does not count.

        Args:
            addresses: pairs of addresses of articles.
            without: ids of articles whose clusters do not count, such as the one that is judged.

        Cost: after a change of the library, reads up to 20,000 pairs of articles with the same text.
        """
        return self._precedences.of(addresses, self._cycles(), without)

    def _cycles(self) -> dict[str, timedelta | None]:
        """Return the update cycles of all known sites, as entered or else as learned from visits."""
        learned = self._visits.cycles()
        return learned | {site.domain: site.update_cycle or learned.get(site.domain) for site in self}

    def put(self, sites: Iterable[Site | Mapping[str, Any]]) -> int:
        """Store sites, or mappings of their fields, replacing those of the same domains; return how many.

        Raises:
            InputError: one is invalid; then none is stored.
        """
        rows = {row.domain: row for row in map(_site_row, several(sites))}
        with self._core.turn, self._core.store.writing() as writer:
            before = writer.sites(rows)
            writer.put_sites(list(rows.values()))
        self._on_change(
            [
                domain
                for domain, row in rows.items()
                if row.authorised != (domain in before and before[domain].authorised)
            ]
        )
        return len(rows)

    def remove(self, domains: Iterable[str]) -> int:
        """Remove the sites of domains; return how many existed."""
        requested = {demand_domain(domain) for domain in several(domains)}
        with self._core.turn, self._core.store.writing() as writer:
            kept = writer.sites(requested)
            writer.remove_sites(list(kept))
        self._on_change([site.domain for site in kept.values() if site.authorised])
        return len(kept)


def _site_row(value: Any) -> monitoring_records.SiteRecord:
    fields = FieldReader(Site, value)
    since = fields.time("since")
    return monitoring_records.SiteRecord(
        demand_domain(fields.get("domain")),
        fields.text("name"),
        fields.share("trust"),
        None if since is None else microseconds(since),
        _cycle(fields),
        fields.whether("authorised"),
        demand_zone(zone) if (zone := fields.text("zone")) else "",
    )


def _site_from(kept: monitoring_records.SiteRecord) -> Site:
    cycle = None if kept.update_cycle is None else timedelta(microseconds=kept.update_cycle)
    since = None if kept.since is None else moment(kept.since)
    return Site(kept.domain, kept.name, kept.trust, since, cycle, kept.authorised, kept.zone or "")


def _cycle(fields: FieldReader) -> int | None:
    """Return an update cycle in microseconds."""
    value = fields.get("update_cycle")
    if isinstance(value, str):
        value = timedelta(microseconds=span(value))
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _LONGEST_CYCLE.total_seconds():
        value = timedelta(seconds=value)
    if value is None:
        return None
    if not isinstance(value, timedelta) or not timedelta(0) < value <= _LONGEST_CYCLE:
        raise fields.unfit("update_cycle", hint=say("use a timedelta, seconds, or text such as 6h, up to ten years"))
    return value // timedelta(microseconds=1)


__all__ = ["Site", "Sites"]
