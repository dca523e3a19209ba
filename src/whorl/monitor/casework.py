"""Cases of a watch: every check of a page with copies is recorded in the library before the page is done.

The cases in the library, not the crawl state, decide whether a copy is new, changed or returned. So a killed run, a
lost crawl state or another machine neither repeats an alert nor loses one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from whorl.library.permission import permission_of
from whorl.matching.compare import COPIES
from whorl.monitor.findings.records import Finding
from whorl.monitor.frontier import Frontier
from whorl.types.cases import Case, CopyDetails, PageCheck

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.monitor.alerting import Alerting
    from whorl.monitor.settings.sites import WatchedSite

_AT_ONCE = 1000
_BY_TEXT = ("copy", "undetermined", "reprint")
"""Verdicts that depend on text, permission and decision; others are verdicts of the text alone."""


@dataclass
class Casework:
    """Records checks of pages in the cases of a library and in the crawl state.

    Attributes:
        library: the library.
        frontier: crawl state.
        run: number of the run.
        on_finding: called with each new finding after it is recorded.
        alerting: sends alerts; None without alerts.
    """

    library: Library
    frontier: Frontier
    run: int
    on_finding: Callable[[Finding], None]
    alerting: Alerting | None = None

    def queue_cases(self, sites: Sequence[WatchedSite]) -> None:
        """Queue the pages of open cases that the crawl state does not know, such as after it was lost."""
        now = datetime.now(UTC)
        mark = None
        while True:
            cases = self.library.cases.page(after=mark, limit=_AT_ONCE)
            for case in cases.items:
                site = next((item for item in sites if item.scope.has(case.url)), None)
                if site is not None:
                    self.frontier.put(site.name, "page", site.depth, [case.url], now)
            if (mark := cases.mark) is None:
                return

    def unchanged(self, url: str, at: datetime, status: int, outcome: str, why: str = "") -> None:
        """Record a check whose response has no new text.

        Args:
            url: address of the page.
            at: time of the request.
            status: HTTP status; 0 without a response.
            outcome: "there", "changed", "gone" or "unknown".
            why: reason of a failure, or "moved".
        """
        cases = self.library.cases.observe(PageCheck(url, at, status, outcome, why))
        if not cases and outcome == "there" and self.frontier.articles(url):
            cases = self._open_earlier(url, at, status)
        present = [case.article for case in cases if case.removed_at is None]
        still = present if cases else self.frontier.articles(url)
        if outcome == "there":
            self.frontier.returned(url, present, self.run, at)
        self.frontier.check(url, self.run, at, status, outcome, still if outcome == "there" else ())
        self._alert(cases)

    def _open_earlier(self, url: str, at: datetime, status: int) -> list[Case]:
        """Open cases for earlier findings that have none, such as those of an older version."""
        copies = tuple(self._copy(finding) for finding in self.frontier.findings_at(url))
        return self.library.cases.observe(PageCheck(url, at, status, "there", "", copies)) if copies else []

    def judged(self, url: str, at: datetime, status: int, findings: Sequence[Finding]) -> None:
        """Record a check whose response was stored and judged, with its findings."""
        address = findings[0].url if findings else url
        outcome = "there" if findings else "changed"
        copies = tuple(self._copy(finding) for finding in findings)
        snapshot = self._snapshot(url, at)
        cases = self.library.cases.observe(PageCheck(address, at, status, outcome, "", copies, snapshot))
        for finding in self.frontier.find(findings):
            self.on_finding(finding)
        articles = [finding.article for finding in findings]
        self.frontier.check(url, self.run, at, status or 200, outcome, articles)
        self._alert(cases)

    def compared(self, finding: Finding) -> None:
        """Record a finding on a page that was stored before its article was added to the library."""
        check = PageCheck(finding.url, finding.found_at, 0, "there", "", (self._copy(finding),), is_request=False)
        cases = self.library.cases.observe(check)
        for new in self.frontier.find([finding]):
            self.on_finding(new)
        self._alert([case for case in cases if case.article == finding.article])

    def _alert(self, cases: Sequence[Case]) -> None:
        if self.alerting is not None:
            for case in cases:
                self.alerting.tell_case(case)

    def _copy(self, finding: Finding) -> CopyDetails:
        page = self.library.get(finding.document)
        case = next((item for item in self.library.cases.at(finding.url) if item.article == finding.article), None)
        since = finding.fetched_at if case is None or case.removed_at is not None else case.since
        permission = "none" if page is None else permission_of(self.library, page, finding.url, since)
        decision = self.library.reviews.now(finding.document, finding.article).state
        return CopyDetails(
            finding.document,
            finding.article,
            finding.site,
            1 if page is None else page.revision or 1,
            finding.kind,
            self._judged(finding, permission, decision),
            permission,
            decision,
            finding.share,
            finding.length,
            self._snapshot(finding.url),
        )

    def _judged(self, finding: Finding, permission: str, decision: str) -> str:
        """Return the verdict of the text alone, which a permission or a decision may have replaced in the finding."""
        if finding.verdict not in _BY_TEXT or (permission, decision) == ("none", "pending"):
            return finding.verdict
        if finding.verdict == "copy" and decision == "pending":
            return "copy"
        is_copy = finding.kind in COPIES and finding.share >= self.library.rules.similarity
        return "copy" if is_copy else "undetermined"

    def _snapshot(self, url: str, at: datetime | None = None) -> int | None:
        """Return the number of the latest snapshot of a page, or None; with a time, only a snapshot of that time."""
        kept = self.library.pages.find(url)
        page = None if kept is None else kept.last
        return None if page is None or at not in (None, page.fetched_at) else page.number


__all__ = ["Casework"]
