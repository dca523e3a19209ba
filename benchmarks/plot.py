"""Line charts as SVG, without a library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

_WIDTH, _HEIGHT = 680, 320
_MARGIN_LEFT, _MARGIN_RIGHT, _MARGIN_TOP, _MARGIN_BOTTOM = 60, 130, 40, 50
_LINE = 14
_COLOURS = ("#1f5fa8", "#b3541e", "#3b7a57", "#8a3d7d", "#a38a00", "#5a5a5a", "#c2255c", "#0b7285")


@dataclass(frozen=True, slots=True)
class Series:
    """Named line: one value for each of the first positions on the horizontal axis, or for all."""

    name: str
    values: Sequence[float]


class _Axis(NamedTuple):
    """Linear or logarithmic scale of an axis."""

    low: float
    high: float
    is_logarithmic: bool

    def share(self, value: float) -> float:
        low, high, value = map(log10, (self.low, self.high, value)) if self.is_logarithmic else (*self[:2], value)
        return (value - low) / (high - low) if high > low else 0.5

    def ticks(self) -> list[float]:
        if self.is_logarithmic:
            return [10.0**power for power in range(round(log10(self.low)), round(log10(self.high)) + 1)]
        return [self.low + (self.high - self.low) * step / 4 for step in range(5)]


def line_chart(
    title: str,
    x_label: str,
    positions: Sequence[float],
    series: Sequence[Series],
    *,
    is_logarithmic: bool = True,
    is_logarithmic_up: bool = False,
) -> str:
    """Draw lines over a horizontal axis that is logarithmic or linear.

    The vertical axis begins at 0, or at a power of ten if it is logarithmic.
    """
    middle = (_MARGIN_LEFT + _WIDTH - _MARGIN_RIGHT) / 2
    across = _Axis(positions[0], positions[-1], is_logarithmic)
    places = [
        round(_MARGIN_LEFT + across.share(position) * (_WIDTH - _MARGIN_LEFT - _MARGIN_RIGHT), 1)
        for position in positions
    ]
    up = _upright([value for line in series for value in line.values], is_logarithmic=is_logarithmic_up)
    style = 'font-family="sans-serif" font-size="12" fill="#444"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {style}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_MARGIN_LEFT}" y="22" font-size="14">{title}</text>',
        f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">{x_label}</text>',
        *_grid(positions, places, up),
        *(_line(places, line, up, colour) for line, colour in zip(series, _COLOURS, strict=False)),
        *_labels(series, up),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _upright(values: Sequence[float], *, is_logarithmic: bool) -> _Axis:
    if not is_logarithmic:
        return _Axis(0, _round_up(max(values, default=1.0)), is_logarithmic)
    return _Axis(10 ** floor(log10(min(values))), 10 ** ceil(log10(max(values))), is_logarithmic)


def _grid(positions: Sequence[float], places: Sequence[float], up: _Axis) -> list[str]:
    right = _WIDTH - _MARGIN_RIGHT
    parts = []
    for value in up.ticks():
        y = _y(value, up)
        parts.append(f'<line x1="{_MARGIN_LEFT}" x2="{right}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{_MARGIN_LEFT - 8}" y="{y + 4}" text-anchor="end">{value:g}</text>')
    for position, x in zip(positions, places, strict=True):
        parts.append(f'<text x="{x}" y="{_HEIGHT - _MARGIN_BOTTOM + 18}" text-anchor="middle">{position:,}</text>')
    return parts


def _line(places: Sequence[float], line: Series, up: _Axis, colour: str) -> str:
    points = [(x, _y(value, up)) for x, value in zip(places, line.values, strict=False)]
    path = " ".join(f"{x},{y}" for x, y in points)
    circles = (f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points)
    return "\n".join([f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *circles])


def _labels(series: Sequence[Series], up: _Axis) -> Iterable[str]:
    """Place the labels of the lines next to the chart, ordered by the ends of the lines, without overlaps."""
    lowest = _HEIGHT - _MARGIN_BOTTOM + _LINE - _LINE * len(series)
    ends = sorted((_y(line.values[-1], up), line.name, colour) for line, colour in zip(series, _COLOURS, strict=False))
    free = 0.0
    for place, (y, name, colour) in enumerate(ends):
        free = max(free, min(y, lowest + _LINE * place))
        yield f'<text x="{_WIDTH - _MARGIN_RIGHT + 12}" y="{free + 4}" fill="{colour}">{name}</text>'
        free += _LINE


def _y(value: float, up: _Axis) -> float:
    return round(_HEIGHT - _MARGIN_BOTTOM - up.share(value) * (_HEIGHT - _MARGIN_TOP - _MARGIN_BOTTOM), 1)


def _round_up(value: float) -> float:
    power = 10 ** int(log10(value)) if value >= 1 else 0.1
    return next(power * factor for factor in (1, 2, 4, 6, 8, 10, 100) if power * factor >= value)
