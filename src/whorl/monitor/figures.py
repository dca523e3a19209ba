"""What a watch has found: by site, by protected article, by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from whorl.model import Plain
from whorl.monitor.frontier import Frontier
from whorl.monitor.records import Finding, Recheck

if TYPE_CHECKING:
    from whorl.library import Library


@dataclass(frozen=True, slots=True)
class Tally(Plain):
    """How many pages have text of protected articles.

    >>> from whorl.results import Tally
    >>> Tally(copies=2, gone=1).copies
    2

    Attributes:
        copies: copies.
        reprints: reprints with leave.
        undetermined: pages of which nothing says whether they copied, or whether they were first.
        gone: of all these, how many are no longer there, or have no such text any more.
    """

    copies: int = 0
    reprints: int = 0
    undetermined: int = 0
    gone: int = 0

    @classmethod
    def of(cls, found: Iterable[Finding]) -> Tally:
        """Count what was found."""
        counts = Counter("gone" if one.gone_at else one.verdict for one in found)
        return cls(counts["copy"], counts["leave"], counts["undetermined"], counts["gone"])


@dataclass(frozen=True, slots=True)
class SiteFigures(Plain):
    """A watched site in a run.

    >>> from whorl.results import SiteFigures, Tally
    >>> SiteFigures("转载站", pages=5, articles=3, lists=1, missed={"robots": 1}, found=Tally()).articles
    3

    Attributes:
        site: its name.
        pages: of which an answer came in this run.
        articles: of these, pages that were kept, or are as they were.
        lists: lists, feeds and sitemaps that were read.
        missed: why pages did not come, with how many.
        found: what it has of protected articles, up to now.
    """

    site: str
    pages: int
    articles: int
    lists: int
    missed: Mapping[str, int]
    found: Tally


@dataclass(frozen=True, slots=True)
class ArticleFigures(Plain):
    """A protected article.

    >>> from whorl.results import ArticleFigures, Tally
    >>> ArticleFigures("a1", "冰厂", Tally(copies=2)).to_dict()["found"]["copies"]
    2

    Attributes:
        article: its id.
        title: its title.
        found: which pages have text of it.
    """

    article: str
    title: str
    found: Tally


@dataclass(frozen=True, slots=True)
class DayFigures(Plain):
    """What was found on a day, in UTC.

    >>> from whorl.results import DayFigures, Tally
    >>> DayFigures("2026-03-05", Tally(copies=2)).day
    '2026-03-05'
    """

    day: str
    found: Tally


@dataclass(frozen=True, slots=True)
class WatchRun(Plain):
    """What a run of a watch found, and what was found up to now.

    Attributes:
        number: of the run.
        begun_at: when it began, in UTC; one that was interrupted, when it first did.
        ended_at: when it ended.
        new: what it found, the most copied first.
        gone: what it found to be gone.
        sites: by site.
        articles: by article, that with the most copies first.
        days: by day, the latest first.
        found: all that was found up to now.
        checks: the looks at pages that had text of articles, the oldest first.
        queued: pages that are still to be fetched, since a site has had its pages for this run.
    """

    number: int
    begun_at: datetime
    ended_at: datetime
    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    sites: tuple[SiteFigures, ...]
    articles: tuple[ArticleFigures, ...]
    days: tuple[DayFigures, ...]
    found: tuple[Finding, ...]
    checks: tuple[Recheck, ...]
    queued: int

    @property
    def pages(self) -> int:
        """How many pages came in this run."""
        return sum(site.pages for site in self.sites)

    def report(self) -> str:
        """Return the run as one self-contained HTML page."""
        from whorl.monitor.report import render_watch

        return render_watch(self)


def figures(frontier: Frontier, library: Library, run: int) -> WatchRun:
    """Count what a watch has found up to the end of a run."""
    found = tuple(frontier.found())
    begun, ended = frontier.times(run)
    return WatchRun(
        number=run,
        begun_at=begun,
        ended_at=ended,
        new=tuple(sorted((one for one in found if one.run == run), key=lambda one: -one.share)),
        gone=tuple(one for one in found if one.gone_at is not None and one.gone_at >= begun),
        sites=tuple(site_figures(frontier.counts(run), _by(found, lambda one: one.site))),
        articles=tuple(_articles(library, found)),
        days=tuple(DayFigures(*own) for own in sorted(_by(found, _day).items(), reverse=True)),
        found=found,
        checks=tuple(frontier.checks()),
        queued=frontier.queued(),
    )


def _by(found: Iterable[Finding], name: Callable[[Finding], str]) -> dict[str, Tally]:
    """What was found, counted by a name."""
    of_each: dict[str, list[Finding]] = {}
    for one in found:
        of_each.setdefault(name(one), []).append(one)
    return {own: Tally.of(some) for own, some in of_each.items()}


def _day(found: Finding) -> str:
    return found.found_at.date().isoformat()


def site_figures(counts: Mapping[tuple[str, str, str, str], int], found: Mapping[str, Tally]) -> Iterable[SiteFigures]:
    """Yield the figures of sites by name.

    Args:
        counts: how many pages a run asked for, by site, kind, state, and why they did not come.
        found: what was found up to now, by site.
    """
    for site in sorted({name for name, _, _, _ in counts} | found.keys()):
        own = {key[1:]: count for key, count in counts.items() if key[0] == site}
        missed: Counter[str] = Counter()
        for (_, state, why), count in own.items():
            if why and state != "done":
                missed[why] += count
        yield SiteFigures(
            site=site,
            pages=sum(own.values()),
            articles=sum(n for (kind, state, why), n in own.items() if (kind, state, why) == ("page", "done", "")),
            lists=sum(n for (kind, state, _), n in own.items() if kind != "page" and state == "done"),
            missed=dict(missed),
            found=found.get(site, Tally()),
        )


def _articles(library: Library, found: tuple[Finding, ...]) -> Iterable[ArticleFigures]:
    of_each: dict[str, list[Finding]] = {}
    for one in found:
        of_each.setdefault(one.article, []).append(one)
    for id_, own in sorted(of_each.items(), key=lambda item: (-len(item[1]), item[0])):
        article = library.get(id_)
        yield ArticleFigures(id_, (article and article.title) or id_, Tally.of(own))


__all__ = ["ArticleFigures", "DayFigures", "SiteFigures", "Tally", "WatchRun", "figures", "site_figures"]
