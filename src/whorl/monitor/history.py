"""What a watch remembers, for whoever looks on: also while it goes on, and without changing anything."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError, UsageError
from whorl.language import say
from whorl.model import Plain
from whorl.monitor.figures import SiteFigures, Tally, site_figures
from whorl.monitor.frontier import FILE, FINDING, Finding, Recheck, finding_of
from whorl.stores.sqlite.failures import failures
from whorl.tasks.arguments import Place, lent

if TYPE_CHECKING:
    from whorl.library import Library

VERDICTS = ("copy", "leave", "undetermined", "gone")
"""What becomes of a page that has text of a protected article."""

_RUNS = 20
_STATE = "iif(gone_at IS NULL, verdict, 'gone')"


@dataclass(frozen=True, slots=True)
class PastRun(Plain):
    """A run of a watch.

    Attributes:
        number: of the run.
        begun_at: when it began, in UTC.
        ended_at: when it ended; None for one that goes on, or was interrupted.
        pages: that were asked for last in it.
        found: how many pages with text of protected articles it found first.
    """

    number: int
    begun_at: datetime
    ended_at: datetime | None
    pages: int
    found: int


@dataclass(frozen=True, slots=True)
class WatchHistory(Plain):
    """What a watch remembers.

    Attributes:
        runs: the last twenty, the latest first.
        sites: each with its pages in the last run, and what it has of protected articles up to now.
        found: all that was found, counted.
        chosen: how many findings were asked for.
        findings: some of them, the latest first.
        queued: pages that are still to be fetched.
    """

    runs: tuple[PastRun, ...]
    sites: tuple[SiteFigures, ...]
    found: Tally
    chosen: int
    findings: tuple[Finding, ...]
    queued: int


@dataclass(frozen=True, slots=True)
class PageHistory(Plain):
    """What became of a page that has, or had, text of protected articles.

    Attributes:
        url: of the page.
        findings: what it has, or had, the most copied first.
        checks: the looks at it, the oldest first.
    """

    url: str
    findings: tuple[Finding, ...]
    checks: tuple[Recheck, ...]


def watch_history(
    library: Library | Place,
    *,
    verdict: str = "",
    site: str = "",
    article: str = "",
    containing: str = "",
    top: int = 100,
    skip: int = 0,
    state: Place | None = None,
) -> WatchHistory | None:
    """Return what a watch remembers; None where nothing was watched.

    Args:
        library: its address, or an open library.
        verdict: only findings of this one: "copy", "leave", "undetermined" or "gone"; empty for all.
        site: only those of this site.
        article: only those of this protected article, by its id.
        containing: only those whose address has this in it.
        top: how many findings.
        skip: how many before them.
        state: the folder where it is remembered what was fetched; None is that of the library.

    Raises:
        UsageError: there is no such verdict.
        InputError: what is remembered is damaged.

    Cost: linear in what was found, some microseconds each.
    """
    if verdict and verdict not in VERDICTS:
        raise UsageError(
            say("there is no verdict {verdict!r:.60}", verdict=verdict),
            cure=say("choose one of: {known}", known=", ".join(VERDICTS)),
        )
    wanted = {f"{_STATE} = ?": verdict, "site = ?": site, "article = ?": article, "instr(url, ?)": containing}
    chosen = {condition: value for condition, value in wanted.items() if value}
    where = f"WHERE {' AND '.join(chosen)}" if chosen else ""
    with _remembered(library, state) as memory:
        if memory is None:
            return None
        rows = memory.execute(
            f"SELECT {FINDING} FROM found {where} ORDER BY found_at DESC, document, article LIMIT ? OFFSET ?",
            (*chosen.values(), top, skip),
        )
        runs = tuple(_runs(memory))
        return WatchHistory(
            runs=runs,
            sites=tuple(_sites(memory, runs[0].number if runs else 0)),
            found=_tallies(memory, "''").get("", Tally()),
            chosen=_count(memory, f"found {where}", *chosen.values()),
            findings=tuple(map(finding_of, rows)),
            queued=_count(memory, "pages WHERE state = 'queued'"),
        )


def page_history(library: Library | Place, url: str, *, state: Place | None = None) -> PageHistory:
    """Return what became of a page that has, or had, text of protected articles.

    Args:
        library: its address, or an open library.
        url: of the page.
        state: as of ``watch_history``.

    Raises:
        NotFoundError: no such text was found there.
        InputError: what is remembered is damaged.
    """
    with _remembered(library, state) as memory:
        findings = tuple(
            map(finding_of, memory.execute(f"SELECT {FINDING} FROM found WHERE url = ? ORDER BY share DESC", (url,)))
            if memory
            else ()
        )
        if memory is None or not findings:
            raise NotFoundError(say("nothing was found at {url:.200}", url=url), cure=say("see what was found"))
        checks = memory.execute("SELECT url, at, status, outcome FROM checks WHERE url = ? ORDER BY at", (url,))
        return PageHistory(
            url,
            findings,
            tuple(Recheck(own, datetime.fromisoformat(at), status, outcome) for own, at, status, outcome in checks),
        )


@contextmanager
def _remembered(library: Library | Place, state: Place | None) -> Iterator[sqlite3.Connection | None]:
    """What is remembered at one moment; None for nothing."""
    with lent(library) as opened:
        folder = opened.folder if state is None else Path(state)
    path = None if folder is None else folder / FILE
    if path is None or not path.exists():
        yield None
        return
    with failures(path), closing(sqlite3.connect(path, isolation_level=None)) as memory:
        memory.execute("PRAGMA query_only = ON")
        memory.execute("BEGIN")
        yield memory if memory.execute("PRAGMA user_version").fetchone()[0] else None


def _count(memory: sqlite3.Connection, table: str, *values: Any) -> int:
    return int(memory.execute(f"SELECT count(*) FROM {table}", values).fetchone()[0])


def _runs(memory: sqlite3.Connection) -> Iterator[PastRun]:
    pages = dict(memory.execute("SELECT run, count(*) FROM pages GROUP BY run"))
    found = dict(memory.execute("SELECT run, count(*) FROM found GROUP BY run"))
    for number, begun, ended in memory.execute("SELECT * FROM runs ORDER BY number DESC LIMIT ?", (_RUNS,)):
        over = None if ended is None else datetime.fromisoformat(ended)
        yield PastRun(number, datetime.fromisoformat(begun), over, pages.get(number, 0), found.get(number, 0))


def _sites(memory: sqlite3.Connection, run: int) -> Iterator[SiteFigures]:
    counts = memory.execute(
        "SELECT site, kind, state, coalesce(why, ''), count(*) FROM pages WHERE run = ? GROUP BY 1, 2, 3, 4", (run,)
    )
    own = {(site, kind, state, why): count for site, kind, state, why, count in counts}
    yield from site_figures(own, _tallies(memory, "site"))


def _tallies(memory: sqlite3.Connection, by: str) -> dict[str, Tally]:
    """What was found, counted by a column."""
    names = {"copy": "copies", "leave": "reprints", "undetermined": "undetermined", "gone": "gone"}
    counts: dict[str, dict[str, int]] = {}
    for own, verdict, count in memory.execute(f"SELECT {by}, {_STATE}, count(*) FROM found GROUP BY 1, 2"):
        counts.setdefault(own, {})[names[verdict]] = count
    return {own: Tally(**of_each) for own, of_each in counts.items()}


__all__ = ["VERDICTS", "PageHistory", "PastRun", "WatchHistory", "page_history", "watch_history"]
