"""Known facts about cluster members, and resolution of addresses and names to members."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl.attribution.statements import Statement
from whorl.types.comparison import Plain
from whorl.types.times import PublicationTime

PROTECTED = ("protected", "own")
"""Collections registered by the owner of a library: their articles are originals."""


@frozen
class Witness:
    """Known facts about one member. Unknown fields are empty and have no effect. Times without a zone are UTC.

    >>> from whorl.attribution.member_facts import Witness
    >>> Witness("a", url="https://news.qinglan.example/1").domain
    'news.qinglan.example'

    Attributes:
        id: id of the document.
        url: address of the first sighting.
        publisher: name of its site; several names are separated by "|".
        title: title.
        author: author as the page or the caller names it; a copier can name anybody.
        accounts: normalized names of the authors that are known to own its site or account.
        length: length of the text in code points.
        published_at: claimed publication time; a datetime is a time to the second.
        first_seen_at: time of the first sighting.
        sightings: later sightings.
        snapshots: times of snapshots of the page, such as those of a search engine.
        canonical: canonical or syndicated address of the page.
        links: outgoing links.
        statements: statements of the text about its source.
        is_original: True if the page is marked as original (原创).
        collection: its collection; "own" and "protected" are registered by the owner of a library.
        attestations: kind and time of attestations entered by hand, such as "server-log"; times as in ``published_at``.
        trust: trust in its site, in [0, 1].
        since: date since which its site exists.
        update_cycle: interval between visits to its site, or between updates.
        authorised: True if it has permission to reprint.
        visited_since: date of the first visit to its site; articles found then may be of any age.
        dates_checked: number of other articles of its site whose claimed time could be checked against a sighting.
        dates_false: number of these with an impossible time, or a time that visits to the site contradict.
    """

    id: str
    url: str = ""
    publisher: str = ""
    title: str = ""
    author: str = ""
    accounts: frozenset[str] = frozenset()
    length: int = 0
    published_at: PublicationTime | datetime | None = None
    first_seen_at: datetime | None = None
    sightings: tuple[tuple[str, datetime], ...] = ()
    snapshots: tuple[datetime, ...] = ()
    canonical: str = ""
    links: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    is_original: bool = False
    collection: str = ""
    attestations: tuple[tuple[str, PublicationTime | datetime], ...] = ()
    trust: float | None = None
    since: datetime | None = None
    update_cycle: timedelta | None = None
    authorised: bool = False
    visited_since: datetime | None = None
    dates_checked: int = 0
    dates_false: int = 0

    @property
    def domain(self) -> str:
        """The host of its address; empty without an address."""
        return host_of(self.url)


@frozen
class Relation(Plain):
    """Common text of two members, and text that only one of them has.

    Attributes:
        a: id of the first member.
        b: id of the second member.
        a_in_b: share of the text of a that b contains, in [0, 1].
        b_in_a: share of the text of b that a contains.
        a_added: code points of boilerplate only in a: the frame of a site, notices, advertisements.
        b_added: code points of boilerplate only in b.
        a_tricks: number of disguises in a: invisible, look-alike or sound-alike characters.
        b_tricks: number of disguises in b.
        a_repairs: number of errors of b that a has right.
        b_repairs: number of errors of a that b has right.
        a_first: number of other texts that the sites of both have, and that of a had first.
        b_first: number of other texts that the sites of both have, and that of b had first.
    """

    a: str
    b: str
    a_in_b: float
    b_in_a: float
    a_added: int = 0
    b_added: int = 0
    a_tricks: int = 0
    b_tricks: int = 0
    a_repairs: int = 0
    b_repairs: int = 0
    a_first: int = 0
    b_first: int = 0

    def seen_from(self, id: str) -> Relation:
        """Return the relation with the member of this id as a."""
        if id == self.a:
            return self
        return Relation(
            *(self.b, self.a, self.b_in_a, self.a_in_b, self.b_added, self.a_added),
            *(self.b_tricks, self.a_tricks, self.b_repairs, self.a_repairs, self.b_first, self.a_first),
        )


def silent(member: Witness) -> Witness:
    """Return a member without its claims: what it says of itself, of its time, and of others."""
    return replace(
        member,
        title="",
        author="",
        published_at=None,
        canonical="",
        links=(),
        statements=(),
        is_original=False,
    )


_PLAIN = re.compile(r"[\W_]+")
_SUFFIX = re.compile(
    r"(?:新[闻聞])?(?:客[户戶]端|(?:微信)?公[众眾][号號]|官方[网網]站|官[网網]|[网網]站|app|\.com|\.cn|\.net|\.org)+$"
)
_SHORTEST_PART = 3


class Directory:
    """Index of the addresses and names of members, which are identified by their positions."""

    def __init__(self, members: Sequence[Witness]) -> None:
        self._pages: dict[str, list[int]] = {}
        self._hosts: dict[str, list[int]] = {}
        self._names: dict[str, list[int]] = {}
        self._called: dict[str, list[int]] = {}
        self._within: dict[str, list[int]] = {}
        for place, member in enumerate(members):
            urls = {member.url, *(url for url, _ in member.sightings)} - {""}
            _note(self._pages, {page_of(url) for url in urls}, place)
            _note(self._hosts, {host_of(url) for url in urls}, place)
            _note(self._names, {plain(name) for name in (*member.publisher.split("|"), member.author)}, place)

    def at(self, url: str) -> list[int]:
        """Return the members at the page of an address."""
        return self._pages.get(page_of(url), [])

    def on(self, url: str) -> list[int]:
        """Return the members on the site of an address."""
        host = host_of(url)
        if host not in self._within:
            within = {place for name, places in self._hosts.items() if is_within(host, name) for place in places}
            self._within[host] = sorted(within)
        return self._within[host]

    def called(self, name: str) -> list[int]:
        """Return the members with a name of site, author, account or domain."""
        if name not in self._called:
            self._called[name] = self._sought(name)
        return self._called[name]

    def _sought(self, name: str) -> list[int]:
        sought = plain(name)
        if exact := self._names.get(sought):
            return exact
        if re.fullmatch(r"[\w.-]+\.[a-z]{2,}", name.strip().lower()):
            return self.on(f"https://{name.strip().lower()}")
        names = [candidate for candidate in self._names if candidate and _begins(candidate, sought)]
        return sorted({place for candidate in names for place in self._names[candidate]})

    def meant(self, url: str, name: str) -> list[int]:
        """Return the members at an address, or else on its site, or else with a name."""
        return (url and (self.at(url) or self.on(url))) or (name and self.called(name)) or []


def _note(index: dict[str, list[int]], keys: set[str], place: int) -> None:
    for key in keys - {""}:
        index.setdefault(key, []).append(place)


def _begins(first: str, second: str) -> bool:
    """Return True if one name is a prefix of the other and long enough to identify it."""
    short, long = sorted((first, second), key=len)
    return len(short) >= _SHORTEST_PART and long.startswith(short)


def is_within(host: str, domain: str) -> bool:
    """Return True if two hosts are equal, or one is a subdomain of the other."""
    return (
        bool(host) and bool(domain) and (host == domain or host.endswith(f".{domain}") or domain.endswith(f".{host}"))
    )


def plain(name: str) -> str:
    """Normalize a name: remove case, spaces, punctuation and words for the type of site."""
    return _PLAIN.sub("", _SUFFIX.sub("", name.strip().casefold()))


def host_of(url: str) -> str:
    """Return the host of an address without common server prefixes, or an empty string."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""
    return re.sub(r"^(?:www|m|wap|3g|mobile)\.", "", host.lower())


def page_of(url: str) -> str:
    """Normalize an address for comparison: without scheme, fragment and trailing slash."""
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
    except ValueError:
        return ""
    return f"{host_of(url)}{parts.path.rstrip('/')}{f'?{parts.query}' if parts.query else ''}"


__all__ = ["PROTECTED", "Directory", "Relation", "Witness", "host_of", "is_within", "page_of", "plain", "silent"]
