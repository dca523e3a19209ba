"""Read access to the findings of a watch, during and between runs."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.monitor.findings.figures import ArticleFigures, DayFigures, SiteFigures, Tally, site_figures
from whorl.monitor.findings.records import Finding, Recheck
from whorl.monitor.findings.watched_cases import checks_of_cases, figures_of_cases, findings_of_cases
from whorl.monitor.state import has_state, is_watched_elsewhere, looking
from whorl.tasks.library.arguments import Place, lent
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

VERDICTS = ("copy", "reprint", "syndication", "undetermined")
_FINDING = ", ".join(field.name for field in fields(Finding))
_TIMES = ("fetched_at", "found_at", "gone_at")
_STATE = "iif(gone_at IS NULL, verdict, 'gone')"


@frozen
class RunTimes(Plain):
    """Times of a watch run.

    Attributes:
        number: number of the run.
        begun_at: start of the run.
        ended_at: end of the run; None if it is running or was interrupted.
    """

    number: int
    begun_at: datetime
    ended_at: datetime | None


@frozen
class WatchLog(Plain):
    """Summary of the findings of a watch.

    Attributes:
        runs: runs, the latest first.
        found: total number of findings.
        sites: sites of the latest run and sites with findings, by name.
        articles: articles by number of findings, the most first.
        days: days in UTC, the latest first.
        queued: number of queued pages.
    """

    runs: tuple[RunTimes, ...]
    found: Tally
    sites: tuple[SiteFigures, ...]
    articles: tuple[ArticleFigures, ...]
    days: tuple[DayFigures, ...]
    queued: int


@frozen
class LatestFindings(Plain):
    """A page of findings, the latest first.

    Attributes:
        count: total number of matching findings.
        findings: findings of the page.
    """

    count: int
    findings: tuple[Finding, ...]


def watch_log(library: Library | Place, *, limit: int = 100) -> WatchLog:
    """Summarize the watch of a library, also while it runs.

    Args:
        library: open library, or its address.
        limit: maximum number of runs, sites, articles and days.

    Raises:
        InputError: the crawl state is damaged.

    Cost: a pass over all findings in the database.
    """
    demand_positive("limit", limit)
    with lent(library) as opened:
        if is_watched_elsewhere(opened):
            return WatchLog((), *figures_of_cases(opened, limit), queued=0)
    with lent(library) as opened, looking(opened) as database:
        runs = database.execute("SELECT number, begun_at, ended_at FROM runs ORDER BY number DESC LIMIT ?", (limit,))
        times = tuple(RunTimes(number, datetime.fromisoformat(begun), _time(ended)) for number, begun, ended in runs)
        by_site, by_article, by_day = (
            _tallies(database, name) for name in ("site", "article", "substr(found_at, 1, 10)")
        )
        articles = sorted(by_article.items(), key=lambda item: (-sum(item[1].values()), item[0]))[:limit]
        return WatchLog(
            runs=times,
            found=_tally(sum(by_day.values(), Counter())),
            sites=tuple(_sites(database, times[0].number if times else 0, by_site))[:limit],
            articles=tuple(ArticleFigures(id, _title(opened, id), _tally(counts)) for id, counts in articles),
            days=tuple(DayFigures(day, _tally(by_day[day])) for day in sorted(by_day, reverse=True)[:limit]),
            queued=database.execute("SELECT count(*) FROM pages WHERE state = 'queued'").fetchone()[0],
        )


def findings(
    library: Library | Place,
    *,
    site: str | None = None,
    article: str | None = None,
    verdict: str | None = None,
    run: int | None = None,
    is_gone: bool | None = None,
    after: int = 0,
    limit: int = 100,
) -> list[tuple[int, Finding]]:
    """Return findings in order of discovery, each with its position.

    Args:
        library: open library, or its address.
        site: only findings on this site.
        article: only findings with text of this article.
        verdict: only findings with the verdict "copy", "reprint", "syndication" or "undetermined".
        run: only findings of this run.
        is_gone: True for pages that are gone, False for the others; None for both.
        after: only findings after this position.
        limit: maximum number of findings.

    Raises:
        NotFoundError: the verdict is unknown.
        InputError: the crawl state is damaged.
    """
    demand_positive("limit", limit)
    _demand_verdict(verdict, VERDICTS)
    filters = {"site = ?": site, "article = ?": article, "verdict = ?": verdict, "run = ?": run}
    filters |= {"(gone_at IS NOT NULL) = ?": is_gone, "rowid > ?": after}
    with lent(library) as opened:
        if is_watched_elsewhere(opened):
            chosen = _selected(opened, site, article, verdict, run)
            gone_too = (item for item in chosen if is_gone in (None, item[1].gone_at is not None))
            return list(islice((item for item in gone_too if item[0] > after), limit))
    conditions = {condition: value for condition, value in filters.items() if value is not None}
    statement = f"SELECT rowid, {_FINDING} FROM found WHERE {' AND '.join(conditions)} ORDER BY rowid LIMIT ?"
    with lent(library) as opened, looking(opened) as database:
        return [(place, _finding(row)) for place, *row in database.execute(statement, (*conditions.values(), limit))]


def every_finding(library: Library) -> tuple[Finding, ...]:
    """Return all findings of a watch, in order of discovery; empty without a crawl state on this machine.

    Raises:
        InputError: the crawl state is damaged.
    """
    if not has_state(library):
        return ()
    with looking(library) as database:
        rows = database.execute(f"SELECT {_FINDING} FROM found ORDER BY rowid")
        return tuple(_finding(list(row)) for row in rows)


def latest_findings(
    library: Library | Place,
    *,
    site: str | None = None,
    article: str | None = None,
    verdict: str | None = None,
    url: str | None = None,
    containing: str | None = None,
    skip: int = 0,
    limit: int = 100,
) -> LatestFindings:
    """Return findings for display: the latest first, with the total number.

    Args:
        library: open library, or its address.
        site: only findings on this site.
        article: only findings with text of this article.
        verdict: "copy", "reprint", "syndication" or "undetermined" for current findings; "gone" for pages that are
            gone.
        url: only findings at this address.
        containing: only findings whose address contains this text.
        skip: number of findings to skip.
        limit: maximum number of findings.

    Raises:
        NotFoundError: the verdict is unknown.
        InputError: the crawl state is damaged.

    Cost: a pass over all findings in the database.
    """
    demand_positive("limit", limit)
    _demand_verdict(verdict, (*VERDICTS, "gone"))
    filters = {"site = ?": site, "article = ?": article, f"{_STATE} = ?": verdict, "url = ?": url}
    filters |= {"instr(url, ?)": containing}
    with lent(library) as opened:
        if is_watched_elsewhere(opened):
            texts = {"url": url, "containing": containing}
            matching = [item for _, item in _selected(opened, site, article, None) if _shows(item, verdict, **texts)]
            return LatestFindings(len(matching), tuple(matching[::-1][skip : skip + limit]))
    conditions = {condition: value for condition, value in filters.items() if value is not None}
    chosen = f"FROM found WHERE {' AND '.join(['true', *conditions])}"
    with lent(library) as opened, looking(opened) as database:
        (count,) = database.execute(f"SELECT count(*) {chosen}", tuple(conditions.values())).fetchone()
        rows = database.execute(
            f"SELECT {_FINDING} {chosen} ORDER BY rowid DESC LIMIT ? OFFSET ?", (*conditions.values(), limit, skip)
        )
        return LatestFindings(count, tuple(_finding(list(row)) for row in rows))


def rechecks(library: Library | Place, url: str, *, limit: int = 1000) -> tuple[Recheck, ...]:
    """Return the latest rechecks of a page with findings, the oldest first.

    Raises:
        InputError: the crawl state is damaged.
    """
    demand_positive("limit", limit)
    with lent(library) as opened:
        if is_watched_elsewhere(opened):
            return tuple(checks_of_cases(opened, url)[-limit:])
    statement = "SELECT url, at, status, outcome FROM checks WHERE url = ? ORDER BY at DESC LIMIT ?"
    with lent(library) as opened, looking(opened) as database:
        rows = database.execute(statement, (url, limit)).fetchall()
    return tuple(Recheck(url, datetime.fromisoformat(at), *rest) for url, at, *rest in reversed(rows))


def _selected(
    library: Library, site: str | None, article: str | None, verdict: str | None, run: int | None = None
) -> Iterator[tuple[int, Finding]]:
    """Yield the findings of cases that match, the oldest first; the runs of cases are unknown."""
    for number, item in findings_of_cases(library) if run is None else ():
        if site in (None, item.site) and article in (None, item.article) and verdict in (None, item.verdict):
            yield number, item


def _shows(item: Finding, verdict: str | None, *, url: str | None, containing: str | None) -> bool:
    state = "gone" if item.gone_at else item.verdict
    return verdict in (None, state) and url in (None, item.url) and (containing or "") in item.url


def _demand_verdict(verdict: str | None, verdicts: tuple[str, ...]) -> None:
    if verdict not in (None, *verdicts):
        raise NotFoundError(
            say("unknown verdict {verdict!r:.60}", verdict=verdict),
            hint=say("choose one of: {known}", known=", ".join(verdicts)),
        )


def _tallies(database: sqlite3.Connection, name: str) -> dict[str, Counter[str]]:
    """Count findings by verdict, including "gone", grouped by an SQL expression."""
    tallies = defaultdict[str, Counter[str]](Counter)
    statement = f"SELECT {name}, {_STATE}, count(*) FROM found GROUP BY 1, 2"
    for key, verdict, count in database.execute(statement):
        tallies[key][verdict] = count
    return tallies


def _tally(counts: Mapping[str, int]) -> Tally:
    return Tally.counted(counts)


def _sites(database: sqlite3.Connection, run: int, results: Mapping[str, Counter[str]]) -> Iterable[SiteFigures]:
    statement = "SELECT site, kind, state, coalesce(why, ''), count(*) FROM pages WHERE run = ? GROUP BY 1, 2, 3, 4"
    counts = {(site, kind, state, why): count for site, kind, state, why, count in database.execute(statement, (run,))}
    return site_figures(counts, {site: _tally(value) for site, value in results.items()})


def _title(library: Library, id: str) -> str:
    article = library.get(id)
    return (article and article.title) or id


def _finding(row: list[Any]) -> Finding:
    data = dict(zip((field.name for field in fields(Finding)), row, strict=True))
    return Finding(**data | {name: _time(data[name]) for name in _TIMES})


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


__all__ = [
    "VERDICTS",
    "LatestFindings",
    "RunTimes",
    "WatchLog",
    "every_finding",
    "findings",
    "latest_findings",
    "rechecks",
    "watch_log",
]
