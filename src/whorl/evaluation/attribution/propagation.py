"""Simulation of articles spreading over invented sites, with the true origin of every cluster.

Sites have kinds, habits and update cycles. An article is published, copied along chains, reposted by its author, or
mixed with another article; a crawler sees it late. Information that a crawler could not have is dropped, and a few
sites lie. Equal seeds give equal clusters on every machine. The habits are assumptions, not measurements; see `habits`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count as count_forever
from itertools import islice
from random import Random

from whorl._internal.frozen import frozen
from whorl.attribution.member_facts import Relation, Witness, plain
from whorl.attribution.statements import statements
from whorl.evaluation.attribution.claims import DateRecord, claim, dating_of, first_sighting, record_of
from whorl.evaluation.attribution.habits import HABITS, NAMES, Dating, Habits
from whorl.types.times import PublicationTime

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_SITES = 60
_OF_A_WORLD = 200
_MOST_PAGES = 2_500
_MAX_COPIES = 9


@frozen
class Simulated:
    """A cluster with its ground truth.

    Attributes:
        members: the members as a crawler knows them.
        relations: relations of their texts.
        originals: ids of the originals among the members: one, several in a cluster with a mixed article, or none.
        syndicated: ids of copies that the author of an original posted.
        mixed: ids of mixed articles.
    """

    members: tuple[Witness, ...]
    relations: tuple[Relation, ...]
    originals: frozenset[str]
    syndicated: frozenset[str]
    mixed: frozenset[str] = frozenset()


@frozen
class _Site:
    kind: str
    domain: str
    name: str
    trust: float | None
    since: datetime | None
    cycle: timedelta
    told_cycle: timedelta | None
    told_name: str
    dating: Dating
    record: DateRecord


@dataclass(slots=True)
class _Page:
    """An article on a site, with facts of the simulation that a crawler does not know."""

    id: str
    site: _Site
    url: str
    at: datetime
    author: str
    strand: int
    parent: _Page | None = None
    by_author: bool = False
    kept: float = 1.0
    original_share: float = 0.0
    added: int = 0
    tricks: int = 0
    misprints: int = 0
    frame: list[str] = field(default_factory=list)
    dateline: str = ""
    title: str = ""
    claimed: PublicationTime | None = None
    canonical: str = ""
    links: list[str] = field(default_factory=list)
    mark: bool = False
    shown_author: str = ""
    mixed: tuple[float, ...] = ()

    @property
    def root(self) -> _Page:
        page = self
        while page.parent is not None:
            page = page.parent
        return page


def simulate(count: int, seed: int, habits: Habits = HABITS) -> list[Simulated]:
    """Simulate clusters. Linear in their number.

    Args:
        count: number of clusters.
        seed: random seed.
        habits: behavior of sites.
    """
    rng = Random(f"propagation {seed}")
    worlds = (_World(rng, habits, number * _MOST_PAGES) for number in count_forever())
    clusters = (world.cluster() for world in worlds for _ in range(_OF_A_WORLD))
    return list(islice((cluster for cluster in clusters if len(cluster.members) > 1), count))


class _World:
    """The simulated sites and the events on them."""

    def __init__(self, rng: Random, habits: Habits, articles: int) -> None:
        self._rng, self._habits = rng, habits
        self._sites = [self._site(number) for number in range(_SITES)]
        self._articles = articles

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability

    def _site(self, number: int) -> _Site:
        rng = self._rng
        kind = rng.choices(
            list(self._habits.kinds), [kind_habits.share for kind_habits in self._habits.kinds.values()]
        )[0]
        habit = self._habits.kinds[kind]
        name = NAMES[number % len(NAMES)] + habit.suffix + ("" if number < len(NAMES) else str(number // len(NAMES)))
        cycle = rng.uniform(*habit.cycle_hours) * _HOUR
        told_cycle = cycle if self._chance(self._habits.cycle_is_known) else None
        is_known = self._chance(self._habits.site_is_known)
        dating = dating_of(self._habits, kind, rng)
        return _Site(
            kind,
            f"site{number}.example",
            name,
            min(1.0, max(0.0, rng.gauss(habit.trust, 0.12))) if is_known else None,
            _BEGIN - rng.uniform(*habit.age_years) * 365 * _DAY if is_known else None,
            cycle,
            told_cycle,
            name if self._chance(self._habits.name_is_known) else "",
            dating,
            record_of(dating, cycle, told_cycle, _BEGIN, self._habits, rng),
        )

    def _choose(self, weights: Mapping[str, float], but: set[str]) -> _Site:
        sites = [site for site in self._sites if site.domain not in but]
        return self._rng.choices(sites, [weights.get(site.kind, 0.0) + 1e-9 for site in sites])[0]

    def cluster(self) -> Simulated:
        """Simulate one article, or two with a mixture of both, with all copies that the crawler found."""
        pages = list(self._spread(0))
        mixture: list[_Page] = []
        if self._chance(self._habits.mixed):
            others = list(self._spread(1))[:3]
            mixture = [self._mixture(pages[0], others[0])]
            pages += others
        pages += mixture
        crawled = [page for page in pages if page.parent or page in mixture or not self._chance(self._habits.unseen)]
        self._rng.shuffle(crawled)
        witnesses = tuple(self._witness(page) for page in crawled)
        if self._chance(self._habits.archived):
            witnesses = tuple(replace(item, first_seen_at=None, sightings=(), snapshots=()) for item in witnesses)
        pairs = ((item, other) for place, item in enumerate(crawled) for other in crawled[:place])
        relations = tuple(self._relation(item, other) for item, other in pairs if _is_related(item, other))
        originals = frozenset(page.id for page in crawled if page.parent is None and page not in mixture)
        syndicated = frozenset(page.id for page in crawled if page.by_author)
        return Simulated(witnesses, relations, originals, syndicated, frozenset(page.id for page in mixture))

    def _page(self, site: _Site, at: datetime, author: str, strand: int) -> _Page:
        self._articles += 1
        number = self._articles
        return _Page(f"d{number}", site, f"https://{site.domain}/a/{number}.html", at, author, strand)

    def _spread(self, strand: int) -> Iterator[_Page]:
        """Yield the original, the reposts of its author, and copies along chains."""
        rng, habits = self._rng, self._habits
        site = self._choose(habits.homes, set())
        at = _BEGIN + rng.uniform(0, 300) * _DAY
        first = self._page(site, at.replace(second=0, microsecond=0), rng.choice(NAMES) + rng.choice(NAMES)[:1], strand)
        first.title = f"题{first.id}"
        self._publish(first)
        pages = [first]
        yield first
        if site.kind == "platform" and self._chance(habits.author_posts_elsewhere):
            for _ in range(rng.randint(1, 3)):
                page = self._repost(first, {published.site.domain for published in pages})
                pages.append(page)
                yield page
        copies = 1 if len(pages) == 1 else 0
        while copies + len(pages) < _MAX_COPIES and self._chance(habits.one_more):
            copies += 1
        for _ in range(copies):
            page = self._copy(pages, {published.site.domain for published in pages})
            pages.append(page)
            yield page

    def _publish(self, page: _Page) -> None:
        """Set the visible metadata of the page of an original."""
        habit = self._habits.kinds[page.site.kind]
        page.shown_author = page.author if self._chance(habit.shows_author) else ""
        page.mark = self._chance(habit.marks_own)
        page.claimed = claim(page.at, page.site.dating.originals, None, self._rng)
        page.added = self._rng.randint(20, 120) if self._chance(0.1) else 0
        page.misprints = self._rng.randint(1, 3) if self._chance(self._habits.has_misprints) else 0
        if self._chance(habit.dateline):
            page.dateline = f"{page.site.name}{page.at.month}月{page.at.day}日电"
        if self._chance(habit.names_itself):
            page.frame.append(f"来源：{page.site.name}")

    def _repost(self, first: _Page, domains: set[str]) -> _Page:
        rng, habits = self._rng, self._habits
        site = self._choose({"platform": 1.0, "portal": 0.1}, domains)
        page = self._page(site, first.at + rng.expovariate(1 / habits.repost_hours) * _HOUR, first.author, first.strand)
        page.parent, page.by_author, page.title, page.misprints = first, True, first.title, first.misprints
        page.shown_author = first.author if self._chance(habits.author_is_same) else ""
        page.mark = self._chance(habits.author_marks)
        page.claimed = claim(page.at, site.dating.originals, first.claimed, rng)
        if self._chance(habits.author_names_first):
            page.frame.append(f"本文首发于{first.site.name}")
        if self._chance(0.05):
            page.links.append(first.url)
        page.added = rng.randint(20, 120) if self._chance(0.25) else 0
        return page

    def _copy(self, pages: Sequence[_Page], domains: set[str]) -> _Page:
        rng, habits = self._rng, self._habits
        parent = pages[0] if self._chance(habits.from_original) else rng.choice(pages)
        site = self._choose(habits.copiers, domains)
        habit = habits.kinds[site.kind]
        delay = min(rng.lognormvariate(habits.delay_log_hours, habits.delay_spread), 24 * 60) * _HOUR
        page = self._page(site, parent.at + delay, parent.author, parent.strand)
        page.parent, page.title, page.dateline = parent, parent.title, parent.dateline
        if page.dateline and not self._chance(habits.keeps_dateline):
            page.dateline = ""
        is_named = self._say_source(page, parent)
        page.claimed = claim(page.at, site.dating.copied, parent.claimed, rng)
        kept = self._chance(habit.keeps_author * (1.0 if is_named else habits.keeps_author_unnamed))
        page.shown_author = parent.shown_author if kept else rng.choice(NAMES) if self._chance(0.2) else ""
        page.mark = self._chance(habit.marks_copies)
        page.canonical = parent.url if self._chance(habits.canonical * habit.honesty) else ""
        page.links += [parent.url] if self._chance(habits.links * habit.honesty) else []
        page.links += [rng.choice(pages).url] if self._chance(0.01) else []
        self._edit(page, parent)
        return page

    def _say_source(self, page: _Page, parent: _Page) -> bool:
        """Set the source line of a copy: the direct source, the original, no source, or a false one."""
        rng, habit = self._rng, self._habits.kinds[page.site.kind]
        inherited = [line for line in parent.frame if line.startswith("来源")]
        if self._chance(habit.honesty * self._habits.names_source):
            named = parent.root if self._chance(self._habits.names_root) else parent
            label = rng.choice(("来源：", "转载自：", "本文转自", "来源:", "文章来源："))
            address = f"（{named.url}）" if self._chance(0.1) else ""
            page.frame.append(f"{label}{named.site.name}{address}")
        elif inherited and self._chance(self._habits.keeps_line):
            page.frame += inherited
        elif self._chance(self._habits.lies):
            liar = page.site if self._chance(0.6) else rng.choice(self._sites)
            page.frame.append(f"来源：{liar.name}")
        is_named = bool(page.frame)
        if self._chance(habit.changes_title):
            page.title = f"新{page.title}"
            if self._chance(0.2 * habit.honesty):
                page.frame.append(f"原标题：{parent.title}")
        return is_named

    def _edit(self, page: _Page, parent: _Page) -> None:
        rng, habit = self._rng, self._habits.kinds[page.site.kind]
        page.kept = parent.kept * (rng.uniform(0.3, 0.9) if self._chance(self._habits.excerpt) else 1.0)
        page.original_share = rng.uniform(0.05, 0.3) if self._chance(0.08) else 0.0
        page.original_share = rng.uniform(0.3, 0.9) if self._chance(self._habits.embeds) else page.original_share
        page.added = rng.randint(30, 300) if self._chance(habit.adds_boilerplate) else 0
        page.tricks = rng.randint(2, 30) if self._chance(habit.tricks) else parent.tricks
        page.misprints = 0 if self._chance(self._habits.repairs) else parent.misprints
        page.misprints += rng.randint(1, 2) if self._chance(self._habits.misprints) else 0

    def _mixture(self, first: _Page, second: _Page) -> _Page:
        rng = self._rng
        site = self._choose(self._habits.copiers, {first.site.domain, second.site.domain})
        at = max(first.at, second.at) + rng.lognormvariate(3, 1) * _HOUR
        page = self._page(site, at, "", -1)
        share = rng.uniform(0.25, 0.7)
        page.mixed, page.title = (share, 0.95 - share), f"题{page.id}"
        page.claimed = claim(at, site.dating.copied, None, rng)
        if self._chance(0.3):
            page.frame.append(f"来源：{rng.choice((first, second)).site.name}")
        return page

    def _witness(self, page: _Page) -> Witness:
        rng, habits, site = self._rng, self._habits, page.site
        sighted_at = first_sighting(page.at, site.cycle, habits, rng)
        snapshots: tuple[datetime, ...] = ()
        if self._chance(habits.has_snapshot):
            kept = page.at + rng.uniform(0, 1) * site.cycle
            snapshots = (kept if self._chance(0.7) else kept + rng.uniform(20, 200) * _DAY,)
        lost = replace(
            Witness(page.id, page.url, site.told_name),
            title=page.title,
            author=page.shown_author,
            length=int(1000 * page.kept / (1 - page.original_share)) + page.added + rng.randint(0, 5),
            published_at=None if self._chance(habits.loses_field) else page.claimed,
            first_seen_at=sighted_at,
            sightings=tuple((page.url, sighted_at + step * site.cycle) for step in range(1, rng.randint(1, 4))),
            snapshots=snapshots,
            canonical=page.canonical or (page.url if self._chance(0.3) else ""),
            links=tuple(link for link in page.links if not self._chance(habits.loses_link)),
            statements=() if self._chance(habits.loses_field) else statements(_text(page)),
        )
        of_site = replace(lost, trust=site.trust, since=site.since, update_cycle=site.told_cycle)
        checked, false = site.record
        accounts = frozenset({plain(page.author)}) if self._is_known(page) else frozenset[str]()
        return replace(of_site, is_original=page.mark, dates_checked=checked, dates_false=false, accounts=accounts)

    def _is_known(self, page: _Page) -> bool:
        """Return whether the account that an author posts with is known; no other draw depends on this one."""
        is_posted_by_author = page.by_author or (page.parent is None and page.site.kind == "platform")
        return is_posted_by_author and Random(f"account {page.id}").random() < self._habits.account_is_known

    def _relation(self, first: _Page, second: _Page) -> Relation:
        rng = self._rng
        noise = (rng.uniform(0.97, 1.0), rng.uniform(0.97, 1.0))
        a_in_b, b_in_a = (share * part for share, part in zip(_share(first, second), noise, strict=True))
        added = (first.added, second.added)
        return Relation(
            *(first.id, second.id, a_in_b, b_in_a, *added),
            *(max(0, first.tricks - second.tricks), max(0, second.tricks - first.tricks)),
            *(max(0, second.misprints - first.misprints), max(0, first.misprints - second.misprints)),
        )


def _is_related(first: _Page, second: _Page) -> bool:
    return bool(first.mixed or second.mixed) or first.strand == second.strand


def _share(first: _Page, second: _Page) -> tuple[float, float]:
    """Return the share of each of two related pages that the other contains."""
    if first.mixed or second.mixed:
        mixture, part = (first, second) if first.mixed else (second, first)
        share = mixture.mixed[part.strand] * part.kept if not part.mixed else 1.0
        both = (share, min(1.0, share * (1 - part.original_share) / 0.95 + 0.2))
        return both if first.mixed else both[::-1]
    of_one = (1 - first.original_share) * min(1.0, second.kept / first.kept if second.kept < first.kept else 1.0)
    of_other = (1 - second.original_share) * min(1.0, first.kept / second.kept if first.kept < second.kept else 1.0)
    return of_one, of_other


def _text(page: _Page) -> str:
    return "\n".join([f"{page.dateline} 正文。" if page.dateline else "正文。", *page.frame])


__all__ = ["Simulated", "simulate"]
