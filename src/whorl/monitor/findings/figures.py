"""Findings of a watch, summarized by site, protected article and day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.monitor.findings.reasons import VERDICTS, WHY
from whorl.monitor.findings.records import Finding, Recheck
from whorl.monitor.frontier import Frontier
from whorl.release import __version__
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

_LIMIT = 500
"""Maximum number of findings, and of articles, in the report of a run."""


@frozen
class Tally(Plain):
    """Number of pages with text of protected articles.

    >>> from whorl.results import Tally
    >>> Tally(copies=2, gone=1).copies
    2

    Attributes:
        copies: copies.
        reprints: permitted reprints.
        undetermined: pages without sufficient evidence that they copied.
        gone: pages that no longer exist or no longer have the text.
        syndicated: posts by the author of the article, at known sites or accounts.
    """

    copies: int = 0
    reprints: int = 0
    undetermined: int = 0
    gone: int = 0
    syndicated: int = 0

    @classmethod
    def of(cls, found: Iterable[Finding]) -> Tally:
        """Count findings."""
        return cls.counted(Counter("gone" if item.gone_at else item.verdict for item in found))

    @classmethod
    def counted(cls, counts: Mapping[str, int]) -> Tally:
        """Return the counts by verdict, or "gone"."""
        return cls(*(counts.get(name, 0) for name in ("copy", "reprint", "undetermined", "gone", "syndication")))


@frozen
class SiteFigures(Plain):
    """A watched site in a run.

    >>> from whorl.results import SiteFigures, Tally
    >>> SiteFigures("转载站", pages=5, articles=3, lists=1, missed={"robots": 1}, found=Tally()).articles
    3

    Attributes:
        site: name of the site.
        pages: pages with a response in this run.
        articles: of these, articles that were stored or are unchanged.
        lists: lists, feeds and sitemaps that were read.
        missed: number of missing pages by reason.
        found: findings on the site so far.
    """

    site: str
    pages: int
    articles: int
    lists: int
    missed: Mapping[str, int]
    found: Tally


@frozen
class ArticleFigures(Plain):
    """A protected article.

    >>> from whorl.results import ArticleFigures, Tally
    >>> ArticleFigures("a1", "冰厂", Tally(copies=2)).to_dict()["found"]["copies"]
    2

    Attributes:
        article: id of the article.
        title: title of the article.
        found: findings of the article.
    """

    article: str
    title: str
    found: Tally


@frozen
class DayFigures(Plain):
    """Findings of a day in UTC.

    >>> from whorl.results import DayFigures, Tally
    >>> DayFigures("2026-03-05", Tally(copies=2)).day
    '2026-03-05'

    Attributes:
        day: the day as ISO 8601.
        found: findings of the day.
    """

    day: str
    found: Tally


@frozen
class WatchRun(Plain):
    """Result of a watch run, with all findings so far.

    Attributes:
        number: number of the run.
        begun_at: start of the run in UTC; for a resumed run, its first start.
        ended_at: end of the run.
        new: findings of this run, the largest share first.
        gone: findings that were gone in this run.
        sites: figures by site.
        articles: figures by article, the most copied first.
        days: figures by day, the latest first.
        found: all findings so far.
        checks: rechecks of pages with findings, the oldest first.
        queued: pages left for the next run because a site reached its limit.
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
        """Number of pages with a response in this run."""
        return sum(site.pages for site in self.sites)

    def report(self) -> str:
        """Render the run as a self-contained HTML page.

        Returns:
            HTML without external resources or scripts, whatever the titles of pages contain. It shows at most 500
            findings and articles, and the number of the others.
        """
        from whorl.reports.html import render

        return render(
            "watch.html.j2",
            command="whorl watch",
            version=__version__,
            at=f"{self.ended_at:%Y-%m-%d %H:%M} UTC",
            run=self,
            new=self.new[:_LIMIT],
            articles=self.articles[:_LIMIT],
            titles={article.article: article.title for article in self.articles},
            gone=self.gone[:_LIMIT],
            most=_LIMIT,
            why=WHY,
            verdicts=VERDICTS,
        )


def figures(frontier: Frontier, library: Library, run: int) -> WatchRun:
    """Summarize the findings of a watch at the end of a run."""
    results = tuple(frontier.findings())
    begun, ended = frontier.times(run)
    return WatchRun(
        number=run,
        begun_at=begun,
        ended_at=ended,
        new=tuple(sorted((finding for finding in results if finding.run == run), key=lambda finding: -finding.share)),
        gone=tuple(finding for finding in results if finding.gone_at is not None and finding.gone_at >= begun),
        sites=tuple(site_figures(frontier.counts(run), _by(results, lambda finding: finding.site))),
        articles=tuple(_articles(library, results)),
        days=tuple(DayFigures(*value) for value in sorted(_by(results, _day).items(), reverse=True)),
        found=results,
        checks=tuple(frontier.checks()),
        queued=frontier.queued(),
    )


def _by(findings: Iterable[Finding], name: Callable[[Finding], str]) -> dict[str, Tally]:
    """Count findings by a name."""
    of_each: dict[str, list[Finding]] = {}
    for finding in findings:
        of_each.setdefault(name(finding), []).append(finding)
    return {key: Tally.of(some) for key, some in of_each.items()}


def _day(finding: Finding) -> str:
    return finding.found_at.date().isoformat()


def site_figures(
    counts: Mapping[tuple[str, str, str, str], int], tallies: Mapping[str, Tally]
) -> Iterable[SiteFigures]:
    """Yield the figures of sites, sorted by name.

    Args:
        counts: number of requested pages by site, kind, state and reason of failure.
        tallies: findings so far by site.
    """
    for site in sorted({name for name, _, _, _ in counts} | tallies.keys()):
        site_counts = {key[1:]: count for key, count in counts.items() if key[0] == site}
        missed: Counter[str] = Counter()
        for (_, state, why), count in site_counts.items():
            if why and state != "done":
                missed[why] += count
        yield SiteFigures(
            site=site,
            pages=sum(site_counts.values()),
            articles=sum(
                n for (kind, state, why), n in site_counts.items() if (kind, state, why) == ("page", "done", "")
            ),
            lists=sum(n for (kind, state, _), n in site_counts.items() if kind != "page" and state == "done"),
            missed=dict(missed),
            found=tallies.get(site, Tally()),
        )


def _articles(library: Library, findings: tuple[Finding, ...]) -> Iterable[ArticleFigures]:
    of_each: dict[str, list[Finding]] = {}
    for finding in findings:
        of_each.setdefault(finding.article, []).append(finding)
    for id_, article_findings in sorted(of_each.items(), key=lambda item: (-len(item[1]), item[0])):
        article = library.get(id_)
        yield ArticleFigures(id_, (article and article.title) or id_, Tally.of(article_findings))


__all__ = ["ArticleFigures", "DayFigures", "SiteFigures", "Tally", "WatchRun", "figures", "site_figures"]
