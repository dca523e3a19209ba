"""What a scenario consists of: protected articles, pages of sites, and what the owner of the articles does and when."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from tests.scenarios.clock import noon
from tests.scenarios.texts import Texts
from tests.scenarios.web import Page, Version, Web

AUTHOR = "王小渡"
CHINA = timedelta(hours=8)


class Place(NamedTuple):
    """A site: a folder of a host, which it shares with other sites.

    Attributes:
        host: its host.
        path: its folder.
        zone: zone of the times that its pages state without one.
    """

    host: str
    path: str
    zone: str = "Asia/Shanghai"


@dataclass(frozen=True)
class Protected:
    """A protected article.

    Attributes:
        id: its id.
        text: its text.
        published_at: when it was published, as it is stated.
        bounds: beginning and end of that time.
        day: day on which it is added to the library; -1 is before the first run.
        attested_at: time of an attestation, or None.
    """

    id: str
    text: str
    published_at: str
    bounds: tuple[datetime, datetime]
    day: int = -1
    attested_at: datetime | None = None

    def row(self) -> dict[str, Any]:
        """Return the document to add."""
        fields = {"title": f"标题{self.id}", "author": AUTHOR, "published_at": self.published_at}
        return {"id": self.id, "text": self.text, "collection": "protected", **fields}


@dataclass(frozen=True)
class Grant:
    """A permission.

    Attributes:
        host: its host.
        path: beginning of the permitted paths; empty for all.
        author: author of the permitted pages; empty for all.
        until: day at whose beginning it ends; None for unlimited.
        day: day on which it is entered.
        withdrawn: day on which it is removed; None for never.
    """

    host: str
    path: str = ""
    author: str = ""
    until: int | None = None
    day: int = -1
    withdrawn: int | None = None

    def row(self) -> dict[str, Any]:
        """Return the permission to enter."""
        until = None if self.until is None else (noon(self.until) - timedelta(hours=12)).isoformat()
        return {"domain": self.host, "path": self.path, "author": self.author, "until": until}


@dataclass(frozen=True)
class Handling:
    """What a person does about a copy.

    Attributes:
        day: day of the action, before the run.
        kind: "decision", "notice" or "closed".
        state: state of a decision.
    """

    day: int
    kind: str
    state: str = ""


@dataclass(frozen=True)
class Claim:
    """What a page claims.

    Attributes:
        bounds: beginning and end of the stated time of publication.
        author: stated author.
    """

    bounds: tuple[datetime, datetime]
    author: str = ""


@dataclass
class Scenario:
    """A scenario.

    Attributes:
        days: number of days.
        places: the sites.
        web: pages of the sites.
        articles: protected articles.
        grants: permissions.
        accounts: hosts and paths of the author.
        handling: what people do about the copy of an article at a page, by host, path and article.
        claims: claims of pages, by host and path.
        parts: paths of the second pages of articles, by host and path of the first.
        innocent: pages that copy nothing, by host and path.
        kinds: kind of each page, by host and path.
    """

    days: int
    places: list[Place]
    rng: random.Random
    texts: Texts
    web: Web = field(default_factory=Web)
    articles: list[Protected] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    accounts: list[tuple[str, str]] = field(default_factory=list)
    handling: dict[tuple[str, str, str], list[Handling]] = field(default_factory=dict)
    claims: dict[tuple[str, str], Claim] = field(default_factory=dict)
    parts: dict[tuple[str, str], str] = field(default_factory=dict)
    innocent: set[tuple[str, str]] = field(default_factory=set)
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def hosts(self) -> list[str]:
        """The hosts of the sites."""
        return sorted({site.host for site in self.places})

    def protect(
        self, text: str = "", *, at: datetime | None = None, day: int = -1, attested_at: datetime | None = None
    ) -> Protected:
        """Add a protected article; it was published at a minute in Beijing, or on a day before the first run."""
        at = at or noon(0) - timedelta(days=self.rng.randint(3, 20), minutes=self.rng.randrange(1440))
        bounds = (at, at + timedelta(seconds=1))
        id_ = f"article-{len(self.articles)}"
        article = Protected(id_, text or self.texts.article(), written(at), bounds, day, attested_at)
        self.articles.append(article)
        return article

    def publish(
        self,
        site: Place,
        kind: str,
        versions: dict[int, Version],
        *,
        claim: Claim | None = None,
        stated: str = "",
        path: str = "",
        is_linked: bool = True,
    ) -> Page:
        """Add a page to a site; unless it claims another time, it states the hour before its first run."""
        start = min(versions)
        at = noon(start) - timedelta(hours=1)
        claim = claim or Claim((at, at + timedelta(seconds=1)))
        stated = stated or written(claim.bounds[0])
        author = f'<meta name="author" content="{claim.author}">' if claim.author else ""
        host, path = site.host, path or f"{site.path}/{kind}/{len(self.web.pages)}.html"
        dated = {
            day: replace(item, head=f"{_date(item.stated or stated)}{author}{item.head}", stated="")
            for day, item in versions.items()
        }
        validator = self.rng.choice(("etag", "etag", "modified", "none"))
        page = Page(host, path, f"新闻{len(self.web.pages)}", dated, validator, is_linked)
        self.web.pages[host, path] = page
        self.claims[host, path] = claim
        self.kinds[host, path] = kind
        return page

    def handle(self, page: Page, article: Protected, *handling: Handling) -> None:
        """Let a person act about the copy of an article at a page."""
        self.handling[page.host, page.path, article.id] = list(handling)

    def settings(self) -> dict[str, Any]:
        """Return the settings of the watch."""
        sites = [
            {
                "name": f"site {site.path}",
                "start": [self.web.at(site.host, f"{site.path}/")],
                "include": [f"{site.host}{site.path}/*"],
                "zone": site.zone,
            }
            for site in self.places
        ]
        return {"rate": 1000, "depth": 1, "seconds": 20, "revisit": "60h", "allow_private": True, "site": sites}

    def actions(self, day: int) -> dict[str, Any]:
        """Return what the owner does before the run of a day, as data."""
        decided = [
            (self.web.at(host, path), article, item.kind, item.state)
            for (host, path, article), items in self.handling.items()
            for item in items
            if item.day == day
        ]
        return {
            "articles": [article.row() for article in self.articles if article.day == day],
            "attestations": [
                (article.id, article.attested_at.isoformat())
                for article in self.articles
                if article.day == day and article.attested_at is not None
            ],
            "permissions": [grant.row() for grant in self.grants if grant.day == day],
            "withdrawn": [grant.row() for grant in self.grants if grant.withdrawn == day],
            "accounts": [(AUTHOR, host, path) for host, path in self.accounts] if day < 0 else [],
            "handling": decided,
        }


def written(at: datetime) -> str:
    """Return a time as Chinese sites state it."""
    return (at + CHINA).replace(tzinfo=None).isoformat() + "+08:00"


def _date(stated: str) -> str:
    return f'<meta property="article:published_time" content="{stated}">'


def utc(*parts: int) -> datetime:
    """Return a time in UTC."""
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


__all__ = ["AUTHOR", "CHINA", "Claim", "Grant", "Handling", "Place", "Protected", "Scenario", "utc", "written"]
