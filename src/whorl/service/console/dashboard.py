"""Dashboard page: article and copy counts, main sources, open reviews and jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from math import ceil
from typing import Annotated, Literal, get_args

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from whorl._internal.frozen import frozen
from whorl.library import Library
from whorl.reports.drawing.charts import Plot
from whorl.service.console.pages import page, path
from whorl.service.http.access import Reads, library_for, service_of
from whorl.service.latency import latencies
from whorl.service.recent import RECENT
from whorl.tasks.library import maintenance as tasks
from whorl.tasks.library.statistics import By, ReprintStats, Statistics, statistics
from whorl.tasks.review.run import ReviewQueue, review_queue

router = APIRouter()
Opened = Annotated[Library, Depends(library_for("read"))]
Days = Literal["7", "30", "90"]

TOP = 8
_LABELS = 8


@frozen
class DayBar:
    """A day in the chart.

    Attributes:
        day: the day, in UTC.
        originals: number of articles that are not copies.
        near: number of near-duplicates.
        exact: number of exact duplicates.
        x: left edge of the bar.
        is_named: True if the axis has a label for the day.
    """

    day: date
    originals: int
    near: int
    exact: int
    x: float
    is_named: bool

    @property
    def articles(self) -> int:
        """Total number of articles."""
        return self.originals + self.near + self.exact


@frozen
class DailyChart:
    """Chart of articles per day, with the share of copies.

    Attributes:
        plot: coordinates of the chart.
        bars: one bar per day, including empty days.
        width: width of a bar.
    """

    plot: Plot
    bars: tuple[DayBar, ...]
    width: float

    @classmethod
    def of(cls, rows: Sequence[ReprintStats], first: date, last: date) -> DailyChart:
        """Build the chart of an interval of days."""
        counted = {row.name: row for row in rows}
        days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
        largest = max((row.articles for row in rows), default=0)
        plot = Plot(left_edge=46, top=16, width=924, height=220, x_first=0, x_last=len(days), y_last=max(largest, 4))
        step = ceil(len(days) / _LABELS)
        bars = tuple(
            _bar(day, counted.get(day.isoformat()), plot.x(number), (len(days) - 1 - number) % step == 0)
            for number, day in enumerate(days)
        )
        return cls(plot, bars, plot.x(1) - plot.left_edge)


@frozen
class Overview:
    """Data of the dashboard.

    Attributes:
        days: articles by day.
        sites: articles by site.
        authors: articles by author.
        queue: matches waiting for review.
        stats: size of the library.
    """

    days: Statistics
    sites: Statistics
    authors: Statistics
    queue: ReviewQueue
    stats: tasks.Stats


@router.get("/libraries/{library}")
def enter(library: str, opened: Opened) -> Response:  # noqa: ARG001 - the dependency checks access
    """Redirect to the dashboard of a library."""
    return RedirectResponse(path(library, "dashboard"), 303)


@router.get("/libraries/{library}/dashboard")
def show_dashboard(request: Request, library: str, opened: Opened, caller: Reads, days: Days = "30") -> Response:
    """Show recent articles, copies, main sources and open work."""
    last = datetime.now(UTC).date()
    first = last - timedelta(days=int(days) - 1)
    overview = RECENT.get(opened, ("overview", days, last), lambda: _overview(opened, first))
    service = service_of(request)
    jobs = service.jobs
    return page(
        request,
        "dashboard.html.j2",
        tab="dashboard",
        library=library,
        days=days,
        choices=get_args(Days),
        told=overview,
        chart=DailyChart.of(overview.days.rows, first, last),
        running=jobs.list(library=library, state="running"),
        queued=jobs.list(library=library, state="queued"),
        may_write=caller.may("write"),
        latencies=latencies(service.metrics, TOP),
    )


def _overview(library: Library, first: date) -> Overview:
    since = datetime(first.year, first.month, first.day, tzinfo=UTC)

    def counted(by: By, top: int | None) -> Statistics:
        return statistics(library, by=by, since=since, top=top)

    return Overview(
        days=counted("day", None),
        sites=counted("site", TOP),
        authors=counted("author", TOP),
        queue=review_queue(library, top=1),
        stats=tasks.stats(library),
    )


def _bar(day: date, counted: ReprintStats | None, x: float, is_named: bool) -> DayBar:
    if counted is None:
        return DayBar(day, 0, 0, 0, x, is_named)
    return DayBar(day, counted.articles - counted.exact - counted.near, counted.near, counted.exact, x, is_named)


__all__ = ["router"]
