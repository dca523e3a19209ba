"""The expected cases of a scenario: slow, and independent of the product.

A page has as much of an article as there are code points in common runs of eight. What follows from that is simulated
day by day from the rules in the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from tests.scenarios.clock import noon
from tests.scenarios.planting import pages_of
from tests.scenarios.scenario import AUTHOR, Grant, Handling, Protected, Scenario
from tests.scenarios.web import FORBIDDEN, Version

from whorl.text import fold
from whorl.text.pinyin import pinyin_fold

_RUN = 8
_COPY, _LITTLE = 0.6, 0.45
_NO_FINDING_SHARE, _NO_FINDING_LENGTH = 0.08, 60
"""A page with less of an article than both is no finding."""
_REVISIT_DAYS = 3
_MISSING_STATUSES = (404, 410, 451)
_SYLLABLES: dict[str, int] = {}


@dataclass
class Expected:
    """The expected case of an article at a page.

    Attributes:
        host: host of the page.
        path: path of the page.
        article: id of the article.
        is_doubtful: whether the page has so little of the article that no case is expected, but an undetermined one
            is no mistake.
        events: day and kind of each event, without those of alerts.
        alerts: number of events with an alert.
    """

    host: str
    path: str
    article: str
    is_doubtful: bool = False
    events: list[tuple[int, str]] = field(default_factory=list)
    alerts: int = 0
    judged: str = "copy"
    since: int = 0
    permission: str = "none"
    decision: str = "pending"
    is_noticed: bool = False
    is_closed: bool = False
    removed_by: str = ""
    length: int = 0

    @property
    def verdict(self) -> str:
        if self.decision == "rejected":
            return "rejected"
        if self.decision == "authorised" or self.permission == "given":
            return "reprint"
        if self.decision == "confirmed":
            return "copy"
        return "undetermined" if (self.judged, self.permission) == ("copy", "claimed") else self.judged

    @property
    def state(self) -> str:
        if self.is_closed:
            return "closed"
        if self.verdict == "rejected":
            return "rejected"
        if self.removed_by:
            return "removed"
        if self.verdict not in ("copy", "undetermined"):
            return "permitted"
        if self.is_noticed:
            return "noticed"
        return "open" if self.verdict == "copy" else "undetermined"


def expected_cases(scenario: Scenario, doubted: Mapping[tuple[str, str], int] | None = None) -> list[Expected]:
    """Return the expected cases, and the doubtful ones.

    Args:
        scenario: the scenario.
        doubted: days on which a doubtful case was found, by host and path of its page: from then on it is requested
            each day.
    """
    doubted = doubted or {}
    texts = {article.id: _plain(article.text) for article in scenario.articles}
    places: dict[str, set[str]] = {}
    for id_, text in texts.items():
        for run in _runs(text):
            places.setdefault(run, set()).add(id_)
    cases = []
    for host, path in pages_of(scenario):
        lengths = {
            version: _lengths(_plain(_text(scenario, host, path, version)), texts, places)
            for version in scenario.web.pages[host, path].versions.values()
        }
        copied = list[tuple[Protected, dict[Version, int]]]()
        for article in scenario.articles:
            have = {version: common.get(article.id, 0) for version, common in lengths.items()}
            longest = max(have.values())
            share = longest / len(texts[article.id])
            if share >= _COPY:
                limit = _COPY * len(texts[article.id])
                copies = {version: length if length >= limit else 0 for version, length in have.items()}
                copied.append((article, copies))
            elif share >= _NO_FINDING_SHARE or longest >= _NO_FINDING_LENGTH:
                assert share < _LITTLE, (scenario.kinds[host, path], path, article.id, share)
                cases.append(Expected(host, path, article.id, is_doubtful=True))
        days = (_History(scenario, host, path, *item).case().events[0][0] for item in copied)
        first = min(days, default=0)
        first = min(first, doubted.get((host, path), first))
        cases += [_History(scenario, host, path, *item, daily_from=first).case() for item in copied]
    return cases


def _text(scenario: Scenario, host: str, path: str, version: Version) -> str:
    second = scenario.parts.get((host, path))
    rest = "" if second is None else next(iter(scenario.web.pages[host, second].versions.values())).text
    return version.text + rest if version.status == 200 or version.status == FORBIDDEN else ""


def _plain(text: str) -> str:
    """Return the letters of a text, one character for each syllable, so that homophones are equal."""
    return "".join(_sign(pinyin_fold(sign)) for sign in fold(text) if sign.isalnum())


def _sign(syllable: str) -> str:
    return chr(0xF0000 + _SYLLABLES.setdefault(syllable, len(_SYLLABLES)))


def _runs(text: str) -> set[str]:
    return {text[place : place + _RUN] for place in range(len(text) - _RUN + 1)}


def _lengths(page: str, texts: dict[str, str], places: dict[str, set[str]]) -> dict[str, int]:
    """Return how many characters of each article are in common runs with a page."""
    runs = _runs(page)
    articles = {id_ for run in runs for id_ in places.get(run, ())}
    return {id_: _covered(texts[id_], runs) for id_ in articles}


def _covered(text: str, runs: set[str]) -> int:
    covered = [False] * len(text)
    for place in range(len(text) - _RUN + 1):
        if text[place : place + _RUN] in runs:
            covered[place : place + _RUN] = [True] * _RUN
    return sum(covered)


class _History:
    """The days of an article at a page.

    Args:
        scenario: the scenario.
        host: host of the page.
        path: path of the page.
        article: the article.
        copies: characters of the article in each version that is a copy; 0 in others.
        daily_from: day after which the page is requested each day, because it has a copy of any article.
    """

    def __init__(
        self,
        scenario: Scenario,
        host: str,
        path: str,
        article: Protected,
        copies: dict[Version, int],
        daily_from: int | None = None,
    ) -> None:
        self._scenario, self._page = scenario, scenario.web.pages[host, path]
        self._article, self._copies = article, copies
        self._daily_from = scenario.days if daily_from is None else daily_from
        self._case: Expected | None = None
        self._fetched = -_REVISIT_DAYS
        self._stored: Version | None = None

    def case(self) -> Expected:
        for day in range(self._scenario.days):
            if self._case is not None:
                self._handle(self._case, day)
            version = self._page.on(day)
            if version is not None:
                self._run(day, version)
            if self._case is not None:
                self._alert(self._case, day)
        assert self._case is not None, (self._page.host, self._page.path)
        return self._case

    def _run(self, day: int, version: Version) -> None:
        """The page is requested if it is new, due, or has a copy."""
        stored = self._stored
        if self._case is None and stored is not None and self._copies[stored] and day == self._article.day:
            self._find(day, stored)
        if self._case is None and day - self._fetched < _REVISIT_DAYS and day <= self._daily_from:
            return
        is_new = self._fetched < 0
        self._fetched = day
        if version.status == 200:
            self._stored = version
        if self._case is None:
            if version.status == 200 and self._copies[version] and day >= self._article.day:
                self._find(day, version)
                self._event(day, "fetched")
        elif self._case.decision != "rejected":
            self._event(day, "fetched")
            self._check(self._case, day, version)
        assert not is_new or version.status == 200

    def _check(self, case: Expected, day: int, version: Version) -> None:
        if version.status == 200 and self._copies[version]:
            if case.removed_by:
                case.removed_by, case.is_noticed, case.is_closed, case.since = "", False, False, day
                case.permission = self._permission(day)
                self._event(day, "returned")
            elif self._copies[version] != case.length:
                self._event(day, "changed")
            case.length = self._copies[version]
        elif version.status in (200, 301, 302, *_MISSING_STATUSES):
            reason = "gone" if version.status in _MISSING_STATUSES else "moved" if version.to else "changed"
            if not case.removed_by:
                self._event(day, "removed")
            if not case.removed_by or reason == "changed":
                case.removed_by = reason

    def _find(self, day: int, version: Version) -> None:
        page = self._page
        self._case = case = Expected(page.host, page.path, self._article.id)
        case.since, case.length = self._first_day(day), self._copies[version]
        case.permission, case.judged = self._permission(day), self._judged(day)
        self._event(day, "found")

    def _first_day(self, day: int) -> int:
        """Return since when the page has had its text: an article may be added later."""
        return min(day, self._page.since(day) if self._article.day == day else day)

    def _judged(self, day: int) -> str:
        page = self._page
        if any(host == page.host and page.path.startswith(path) for host, path in self._scenario.accounts):
            return "syndication"
        return "undetermined" if self._claims_to_be_earlier(day) else "copy"

    def _claims_to_be_earlier(self, day: int) -> bool:
        begin, end = self._scenario.claims[self._page.host, self._page.path].bounds
        article = self._article
        if end > article.bounds[0]:
            return False
        visits = [noon(visit) for visit in range(day) if noon(visit) >= begin + timedelta(days=1)]
        if begin >= noon(0) and len(visits) >= 2:
            return False
        return article.attested_at is None or end <= article.attested_at

    def _permission(self, day: int) -> str:
        assert self._case is not None
        grants = [grant for grant in self._scenario.grants if self._covers(grant)]
        grants = [grant for grant in grants if grant.day <= day and (grant.withdrawn is None or day < grant.withdrawn)]
        if any(not grant.author and _is_before(self._case.since, grant.until) for grant in grants):
            return "given"
        claim = self._scenario.claims[self._page.host, self._page.path]
        times = (noon(self._case.since), claim.bounds[0])
        for grant in grants:
            end = None if grant.until is None else noon(grant.until) - timedelta(hours=12)
            if grant.author in ("", claim.author) and any(end is None or time < end for time in times):
                return "claimed"
        return "none"

    def _covers(self, grant: Grant) -> bool:
        path = self._page.path
        return grant.host == self._page.host and (path == grant.path or path.startswith(grant.path.rstrip("/") + "/"))

    def _handle(self, case: Expected, day: int) -> None:
        """Apply what the owner does before the run."""
        before = case.verdict
        if (
            any(day in (grant.day, grant.withdrawn) for grant in self._scenario.grants)
            and self._permission(day) != case.permission
        ):
            case.permission = self._permission(day)
            self._event(day, "permission")
        for item in self._actions(day):
            self._event(day, item.kind)
            if item.kind == "decision":
                case.decision = item.state
            elif item.kind == "notice":
                case.is_noticed = True
            else:
                case.is_closed = True
        case.alerts += case.verdict == "copy" != before

    def _actions(self, day: int) -> list[Handling]:
        key = (self._page.host, self._page.path, self._article.id)
        return [item for item in self._scenario.handling.get(key, ()) if item.day == day]

    def _event(self, day: int, kind: str) -> None:
        assert self._case is not None
        self._case.events.append((day, kind))

    def _alert(self, case: Expected, day: int) -> None:
        """An event of the day that is about the copy alerts, unless the copy is permitted."""
        kinds = [kind for on, kind in case.events if on == day and kind in ("found", "changed", "returned")]
        case.alerts += len(kinds) if case.verdict in ("copy", "undetermined") else 0


def _is_before(day: int, end: int | None) -> bool:
    return end is None or day < end


__all__ = ["AUTHOR", "Expected", "expected_cases"]
