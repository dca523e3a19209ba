"""Timeline of a cluster: publication and first sighting of each article, one row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from whorl._internal.frozen import frozen

WIDTH = 980
"""Width of the drawing, in its own units."""

_AXIS_START, _AXIS_END = 300.0, 962.0
_TOP, _ROW = 34.0, 26.0
_MOST_TICKS = 6
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_STEPS = (
    *(count * _MINUTE for count in (1, 5, 15, 30)),
    *(count * _HOUR for count in (1, 3, 6, 12)),
    *(count * _DAY for count in (1, 2, 7, 14, 30, 60, 120, 365, 730, 1826, 3652, 18262, 36525, 365250)),
)
_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)


class Moment(NamedTuple):
    """The dates of one article.

    Attributes:
        number: number on the page, from 1.
        label: title or id.
        published_at: stated publication time; None if unknown.
        first_seen_at: time of the first sighting.
        is_original: True for the probable original.
        stated: the publication time as it is shown, with its precision; empty to show ``published_at``.
    """

    number: int
    label: str
    published_at: datetime | None
    first_seen_at: datetime
    is_original: bool
    stated: str = ""


class TimelineRow(NamedTuple):
    """An article in the drawing.

    Attributes:
        moment: dates of the article.
        y: vertical position of the row.
        published: horizontal position of the publication; None if unknown.
        first_seen: horizontal position of the first sighting.
    """

    moment: Moment
    y: float
    published: float | None
    first_seen: float


class Tick(NamedTuple):
    """A labeled point of the time axis.

    Attributes:
        x: horizontal position.
        label: the time, in UTC.
    """

    x: float
    label: str


@frozen
class Timeline:
    """Articles along a time axis.

    Attributes:
        width: width of the drawing.
        height: height of the drawing.
        axis_start: start of the time axis.
        axis_end: end of the time axis.
        rows: one row for each article.
        ticks: labeled points of the axis.
        unshown: number of articles omitted for lack of room.
    """

    width: int
    height: float
    axis_start: float
    axis_end: float
    rows: tuple[TimelineRow, ...]
    ticks: tuple[Tick, ...]
    unshown: int

    @classmethod
    def of(cls, moments: Sequence[Moment], limit: int) -> Self:
        """Lay out at least one article, in the order of ``moments``, at most ``limit``."""
        utc_moments = [_in_utc(moment) for moment in moments[:limit]]
        times = [at for moment in utc_moments for at in (moment.published_at, moment.first_seen_at) if at is not None]
        first, last = min(times), max(times)
        if last - first < _MINUTE:
            last = first + _MINUTE
        span = last - first

        def x(at: datetime) -> float:
            return round(_AXIS_START + (_AXIS_END - _AXIS_START) * ((at - first) / span), 1)

        rows = tuple(
            TimelineRow(
                moment,
                _TOP + _ROW * place,
                None if moment.published_at is None else x(moment.published_at),
                x(moment.first_seen_at),
            )
            for place, moment in enumerate(utc_moments)
        )
        ticks = tuple(Tick(x(at), label) for at, label in _ticks(first, last))
        height = _TOP + _ROW * len(rows)
        return cls(WIDTH, height, _AXIS_START, _AXIS_END, rows, ticks, len(moments) - len(utc_moments))


def _in_utc(moment: Moment) -> Moment:
    published = None if moment.published_at is None else _utc(moment.published_at)
    return moment._replace(published_at=published, first_seen_at=_utc(moment.first_seen_at))


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def _ticks(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    step = next((candidate for candidate in _STEPS if (last - first) / candidate <= _MOST_TICKS), _STEPS[-1])
    form = "%Y-%m-%d" if step >= _DAY else "%m-%d %H:%M"
    whole = -((_EPOCH - first) // step)
    at = _EPOCH + whole * step
    while at <= last:
        if at >= first:
            yield at, at.strftime(form)
        if datetime.max.replace(tzinfo=UTC) - at < step:
            return
        at += step


__all__ = ["WIDTH", "Moment", "Tick", "Timeline", "TimelineRow"]
