"""What is known of the members of a cluster before anybody judges them; and whom an address or a name means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from whorl.matching.statements import Statement
from whorl.model import Plain

PROTECTED = ("protected", "own")
"""The collections of what the owner of a library registered: their articles are originals."""


@dataclass(frozen=True, slots=True)
class Witness:
    """What is known of one member. What is unknown is empty, and does no harm. Times without a zone are UTC.

    >>> from whorl.matching.witness import Witness
    >>> Witness("a", url="https://news.qinglan.example/1").domain
    'news.qinglan.example'

    Attributes:
        id: of the document.
        url: where it was seen.
        publisher: what its site is called; several names with "|" between them.
        title: its title.
        author: who wrote it, or the account that posted it, by the page's own account.
        length: code points of its text.
        published_at: when it claims that it was published.
        first_seen_at: when it was first seen.
        sightings: where and when it was seen since.
        snapshots: when its page was kept by somebody, such as a search engine.
        canonical: the address that its page calls the canonical or syndicated one.
        links: the links out of it.
        statements: what its text says of where it comes from.
        is_original: whether its page carries a mark that it is original (原创).
        collection: that it is in; "own" and "protected" are what the owner of a library registered.
        proofs: kind and time of proofs that were entered by hand, such as "server-log".
        trust: how far its site is trusted, in [0, 1].
        since: since when its site exists.
        update_cycle: how often its site is visited, or changes.
        authorised: whether it was given leave to reprint.
        visited_since: since when its site is visited. What was there at the first visit may be of any time before.
        dates_checked: of how many other articles of its site the claimed time can be held against the first sighting.
        dates_false: how many of these claimed what cannot be, or what visits to the site do not bear out.
    """

    id: str
    url: str = ""
    publisher: str = ""
    title: str = ""
    author: str = ""
    length: int = 0
    published_at: datetime | None = None
    first_seen_at: datetime | None = None
    sightings: tuple[tuple[str, datetime], ...] = ()
    snapshots: tuple[datetime, ...] = ()
    canonical: str = ""
    links: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    is_original: bool = False
    collection: str = ""
    proofs: tuple[tuple[str, datetime], ...] = ()
    trust: float | None = None
    since: datetime | None = None
    update_cycle: timedelta | None = None
    authorised: bool = False
    visited_since: datetime | None = None
    dates_checked: int = 0
    dates_false: int = 0

    @property
    def domain(self) -> str:
        """The host of its address; empty where it has none."""
        return host_of(self.url)


@dataclass(frozen=True, slots=True)
class Relation(Plain):
    """What two members have in common, and what only one of them has.

    Attributes:
        a: the id of one.
        b: the id of the other.
        a_in_b: the share of the text of a that b has, in [0, 1].
        b_in_a: the share of the text of b that a has.
        a_added: code points of boilerplate that only a has: the frame of a site, notices, advertisements.
        b_added: the same of b.
        a_tricks: places in a where something hides that it is a copy: invisible, look-alike, sound-alike characters.
        b_tricks: the same of b.
        a_repairs: places where a is right and b has an error.
        b_repairs: the same of b.
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

    def seen_from(self, id: str) -> Relation:
        """Return it with the member of that id as a."""
        if id == self.a:
            return self
        return Relation(
            *(self.b, self.a, self.b_in_a, self.a_in_b, self.b_added, self.a_added),
            *(self.b_tricks, self.a_tricks, self.b_repairs, self.a_repairs),
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
    """Whom addresses and names mean among the members of a cluster, each given by its place."""

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
        """Return the members that an address means: those of that page."""
        return self._pages.get(page_of(url), [])

    def on(self, url: str) -> list[int]:
        """Return the members of the site that an address belongs to."""
        host = host_of(url)
        if host not in self._within:
            within = {place for own, places in self._hosts.items() if _is_within(host, own) for place in places}
            self._within[host] = sorted(within)
        return self._within[host]

    def called(self, name: str) -> list[int]:
        """Return the members that a name means: by site, author, account or domain."""
        if name not in self._called:
            self._called[name] = self._sought(name)
        return self._called[name]

    def _sought(self, name: str) -> list[int]:
        sought = plain(name)
        if exact := self._names.get(sought):
            return exact
        if re.fullmatch(r"[\w.-]+\.[a-z]{2,}", name.strip().lower()):
            return self.on(f"https://{name.strip().lower()}")
        found = [own for own in self._names if own and _begins(own, sought)]
        return sorted({place for own in found for place in self._names[own]})

    def meant(self, url: str, name: str) -> list[int]:
        """Return the members that an address means, or else its site, or else a name."""
        return (url and (self.at(url) or self.on(url))) or (name and self.called(name)) or []


def _note(index: dict[str, list[int]], keys: set[str], place: int) -> None:
    for key in keys - {""}:
        index.setdefault(key, []).append(place)


def _begins(one: str, other: str) -> bool:
    """Whether one name begins with the other, and that is long enough to be a name."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_PART and long.startswith(short)


def _is_within(host: str, own: str) -> bool:
    return bool(host) and bool(own) and (host == own or host.endswith(f".{own}") or own.endswith(f".{host}"))


def plain(name: str) -> str:
    """Return a name without case, spaces, marks and words for what kind of site it is."""
    return _PLAIN.sub("", _SUFFIX.sub("", name.strip().casefold()))


def host_of(url: str) -> str:
    """Return the host of an address, without the names that servers of one site have; empty where it has none."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""
    return re.sub(r"^(?:www|m|wap|3g|mobile)\.", "", host.lower())


def page_of(url: str) -> str:
    """Return an address as two writings of it are compared: without scheme, fragment and last slash."""
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
    except ValueError:
        return ""
    return f"{host_of(url)}{parts.path.rstrip('/')}{f'?{parts.query}' if parts.query else ''}"


__all__ = ["PROTECTED", "Directory", "Relation", "Witness", "host_of", "page_of", "plain", "silent"]
