"""What a watch has found, for whoever looks on: while it runs, and between its runs."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError
from whorl.indexes.columns import demand_positive
from whorl.language import say
from whorl.model import Plain
from whorl.monitor.figures import ArticleFigures, DayFigures, SiteFigures, Tally, site_figures
from whorl.monitor.frontier import FILE
from whorl.monitor.records import Finding, Recheck
from whorl.stores.sqlite.failures import failures
from whorl.tasks.arguments import Place, lent

if TYPE_CHECKING:
    from whorl.library import Library

VERDICTS = ("copy", "leave", "undetermined")
_FINDING = ", ".join(field.name for field in fields(Finding))
_TIMES = ("fetched_at", "found_at", "gone_at")
_PATIENCE = 5.0
_STATE = "iif(gone_at IS NULL, verdict, 'gone')"


@dataclass(frozen=True, slots=True)
class RunTimes(Plain):
    """When a run of a watch was.

    Attributes:
        number: of the run.
        begun_at: when it began.
        ended_at: when it ended; None for one that goes on, or was interrupted.
    """

    number: int
    begun_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class WatchLog(Plain):
    """What a watch has found up to now.

    Attributes:
        runs: the latest first.
        found: how many pages have text of protected articles.
        sites: the sites of the latest run, and those where something was found, by name.
        articles: those with the most findings first.
        days: the latest first, in UTC.
        queued: pages that are still to be fetched.
    """

    runs: tuple[RunTimes, ...]
    found: Tally
    sites: tuple[SiteFigures, ...]
    articles: tuple[ArticleFigures, ...]
    days: tuple[DayFigures, ...]
    queued: int


@dataclass(frozen=True, slots=True)
class LatestFindings(Plain):
    """What was found last, of what was asked for.

    Attributes:
        count: how many findings were asked for.
        findings: some of them, the latest first.
    """

    count: int
    findings: tuple[Finding, ...]


def watch_log(library: Library | Place, *, most: int = 100) -> WatchLog:
    """Return what the watch of a library has found up to now, also while it runs.

    Args:
        library: its address, or an open library.
        most: how many runs, sites, articles and days.

    Raises:
        InputError: the memory of the watch is damaged.

    Cost: a pass over all that was found, which is counted where it lies.
    """
    demand_positive("most", most)
    with lent(library) as opened, _looking(opened) as database:
        runs = database.execute("SELECT number, begun_at, ended_at FROM runs ORDER BY number DESC LIMIT ?", (most,))
        told = tuple(RunTimes(number, datetime.fromisoformat(begun), _time(ended)) for number, begun, ended in runs)
        by_site, by_article, by_day = (
            _tallies(database, name) for name in ("site", "article", "substr(found_at, 1, 10)")
        )
        articles = sorted(by_article.items(), key=lambda one: (-sum(one[1].values()), one[0]))[:most]
        return WatchLog(
            runs=told,
            found=_tally(sum(by_day.values(), Counter())),
            sites=tuple(_sites(database, told[0].number if told else 0, by_site))[:most],
            articles=tuple(ArticleFigures(id, _title(opened, id), _tally(counts)) for id, counts in articles),
            days=tuple(DayFigures(day, _tally(by_day[day])) for day in sorted(by_day, reverse=True)[:most]),
            queued=database.execute("SELECT count(*) FROM pages WHERE state = 'queued'").fetchone()[0],
        )


def findings(
    library: Library | Place,
    *,
    site: str | None = None,
    article: str | None = None,
    verdict: str | None = None,
    run: int | None = None,
    gone: bool | None = None,
    after: int = 0,
    most: int = 100,
) -> list[tuple[int, Finding]]:
    """Return pages that have text of protected articles, in the order of finding, each with its place in it.

    Args:
        library: its address, or an open library.
        site: only on this site.
        article: only with text of this article.
        verdict: only "copy", "leave" or "undetermined".
        run: only those that this run found.
        gone: only those that are gone, or only those that are not; None for both.
        after: only those behind this place.
        most: how many.

    Raises:
        NotFoundError: there is no such verdict.
        InputError: the memory of the watch is damaged.
    """
    demand_positive("most", most)
    _demand_verdict(verdict, VERDICTS)
    asked = {"site = ?": site, "article = ?": article, "verdict = ?": verdict, "run = ?": run}
    asked |= {"(gone_at IS NOT NULL) = ?": gone, "rowid > ?": after}
    told = {condition: value for condition, value in asked.items() if value is not None}
    statement = f"SELECT rowid, {_FINDING} FROM found WHERE {' AND '.join(told)} ORDER BY rowid LIMIT ?"
    with lent(library) as opened, _looking(opened) as database:
        return [(place, _finding(row)) for place, *row in database.execute(statement, (*told.values(), most))]


def latest_findings(
    library: Library | Place,
    *,
    site: str | None = None,
    article: str | None = None,
    verdict: str | None = None,
    url: str | None = None,
    containing: str | None = None,
    skip: int = 0,
    most: int = 100,
) -> LatestFindings:
    """Return pages that have text of protected articles, as people look at them: the latest first, and how many.

    Args:
        library: its address, or an open library.
        site: only on this site.
        article: only with text of this article.
        verdict: only "copy", "leave" or "undetermined" of those that are not gone; or "gone".
        url: only at this address.
        containing: only at addresses that have this in them.
        skip: how many to leave out before the first.
        most: how many.

    Raises:
        NotFoundError: there is no such verdict.
        InputError: the memory of the watch is damaged.

    Cost: a pass over all that was found, which is counted where it lies.
    """
    demand_positive("most", most)
    _demand_verdict(verdict, (*VERDICTS, "gone"))
    asked = {"site = ?": site, "article = ?": article, f"{_STATE} = ?": verdict, "url = ?": url}
    asked |= {"instr(url, ?)": containing}
    told = {condition: value for condition, value in asked.items() if value is not None}
    chosen = f"FROM found WHERE {' AND '.join(['true', *told])}"
    with lent(library) as opened, _looking(opened) as database:
        (count,) = database.execute(f"SELECT count(*) {chosen}", tuple(told.values())).fetchone()
        rows = database.execute(
            f"SELECT {_FINDING} {chosen} ORDER BY rowid DESC LIMIT ? OFFSET ?", (*told.values(), most, skip)
        )
        return LatestFindings(count, tuple(_finding(list(row)) for row in rows))


def rechecks(library: Library | Place, url: str, *, most: int = 1000) -> tuple[Recheck, ...]:
    """Return the latest looks at a page that had text of protected articles, the oldest first.

    Raises:
        InputError: the memory of the watch is damaged.
    """
    demand_positive("most", most)
    statement = "SELECT url, at, status, outcome FROM checks WHERE url = ? ORDER BY at DESC LIMIT ?"
    with lent(library) as opened, _looking(opened) as database:
        rows = database.execute(statement, (url, most)).fetchall()
    return tuple(Recheck(url, datetime.fromisoformat(at), *rest) for url, at, *rest in reversed(rows))


def _demand_verdict(verdict: str | None, known: tuple[str, ...]) -> None:
    if verdict not in (None, *known):
        raise NotFoundError(
            say("there is no verdict {verdict!r:.60}", verdict=verdict),
            cure=say("choose one of: {known}", known=", ".join(known)),
        )


@contextmanager
def _looking(library: Library) -> Iterator[sqlite3.Connection]:
    """The memory of the watch of a library at one moment, which is not changed.

    Raises:
        NotFoundError: it was never watched for.
        InputError: it is damaged.
    """
    path = None if library.folder is None else library.folder / FILE
    if path is None or not path.is_file():
        raise NotFoundError(say("nothing was watched for this library"), cure=say("watch sites: `whorl watch`"))
    with failures(path), closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)) as database:
        database.execute("PRAGMA query_only = ON")
        database.execute("BEGIN")
        yield database


def _tallies(database: sqlite3.Connection, name: str) -> dict[str, Counter[str]]:
    """How many findings of each verdict there are, or are gone, by the name that an expression gives them."""
    found = defaultdict[str, Counter[str]](Counter)
    statement = f"SELECT {name}, {_STATE}, count(*) FROM found GROUP BY 1, 2"
    for own, verdict, count in database.execute(statement):
        found[own][verdict] = count
    return found


def _tally(counts: Mapping[str, int]) -> Tally:
    return Tally(*(counts.get(kind, 0) for kind in (*VERDICTS, "gone")))


def _sites(database: sqlite3.Connection, run: int, found: Mapping[str, Counter[str]]) -> Iterable[SiteFigures]:
    statement = "SELECT site, kind, state, coalesce(why, ''), count(*) FROM pages WHERE run = ? GROUP BY 1, 2, 3, 4"
    counts = {(site, kind, state, why): count for site, kind, state, why, count in database.execute(statement, (run,))}
    return site_figures(counts, {site: _tally(own) for site, own in found.items()})


def _title(library: Library, id: str) -> str:
    article = library.get(id)
    return (article and article.title) or id


def _finding(row: list[Any]) -> Finding:
    told = dict(zip((field.name for field in fields(Finding)), row, strict=True))
    return Finding(**told | {name: _time(told[name]) for name in _TIMES})


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


__all__ = [
    "VERDICTS",
    "LatestFindings",
    "RunTimes",
    "WatchLog",
    "findings",
    "latest_findings",
    "rechecks",
    "watch_log",
]
