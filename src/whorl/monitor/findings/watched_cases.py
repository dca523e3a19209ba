"""Findings of a watch as the cases of a library show them, where the crawl state is on another machine or was lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC
from typing import TYPE_CHECKING

from whorl.monitor.findings.figures import ArticleFigures, DayFigures, SiteFigures, Tally
from whorl.monitor.findings.records import Finding, Recheck
from whorl.types.cases import Case

if TYPE_CHECKING:
    from whorl.library import Library

VERDICTS = ("copy", "reprint", "undetermined")


def findings_of_cases(library: Library) -> Iterator[tuple[int, Finding]]:
    """Yield the finding of each case with its number, the oldest first, except for rejected ones."""
    for case in library.cases:
        if case.verdict in VERDICTS:
            yield case.number, finding_of(case)


def finding_of(case: Case) -> Finding:
    """Return the finding that a case follows up. Its run is unknown, and its similarity is given as the share."""
    return Finding(
        document=case.document,
        article=case.article,
        url=case.url,
        site=case.site,
        kind=case.relation,
        verdict=case.verdict,
        share=case.share,
        similarity=case.share,
        length=case.length,
        fetched_at=case.since,
        found_at=case.opened_at or case.since,
        run=0,
        gone_at=case.removed_at,
    )


def checks_of_cases(library: Library, url: str) -> list[Recheck]:
    """Return the requests for a page with a case, the oldest first."""
    cases = library.cases.at(url)
    events = library.cases.events(cases[0].number) if cases else []
    return [
        Recheck(url, event.at, event.data["status"], event.data["outcome"])
        for event in events
        if event.kind == "fetched"
    ]


def figures_of_cases(
    library: Library, limit: int
) -> tuple[Tally, tuple[SiteFigures, ...], tuple[ArticleFigures, ...], tuple[DayFigures, ...]]:
    """Return the number of findings in all, by site, by article and by day, up to a limit for each."""
    findings = [finding for _, finding in findings_of_cases(library)]
    by_site = _counts(findings, lambda finding: finding.site)
    by_article = _counts(findings, lambda finding: finding.article)
    by_day = _counts(findings, lambda finding: finding.found_at.astimezone(UTC).date().isoformat())
    articles = sorted(by_article, key=lambda id: (-sum(by_article[id].values()), id))[:limit]
    return (
        Tally.of(findings),
        tuple(SiteFigures(site, 0, 0, 0, {}, _tally(by_site[site])) for site in sorted(by_site))[:limit],
        tuple(ArticleFigures(id, _title(library, id), _tally(by_article[id])) for id in articles),
        tuple(DayFigures(day, _tally(by_day[day])) for day in sorted(by_day, reverse=True)[:limit]),
    )


def _counts(findings: list[Finding], name: Callable[[Finding], str]) -> dict[str, Counter[str]]:
    counts = defaultdict[str, Counter[str]](Counter)
    for finding in findings:
        counts[name(finding)]["gone" if finding.gone_at else finding.verdict] += 1
    return counts


def _tally(counts: Counter[str]) -> Tally:
    return Tally(counts["copy"], counts["reprint"], counts["undetermined"], counts["gone"])


def _title(library: Library, id: str) -> str:
    article = library.get(id)
    return (article and article.title) or id


__all__ = ["checks_of_cases", "figures_of_cases", "finding_of", "findings_of_cases"]
