"""A line chart as SVG, without a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 90, 40, 50
_COLOURS = ("#1f5fa8", "#b3541e", "#3b7a57")


@dataclass(frozen=True, slots=True)
class Series:
    """A named line: one value for each position on the horizontal axis."""

    name: str
    values: Sequence[float]


def line_chart(
    title: str, x_label: str, positions: Sequence[float], series: Sequence[Series], *, is_logarithmic: bool = True
) -> str:
    """Draw lines over a horizontal axis that is logarithmic or linear, and a linear vertical one that begins at 0."""
    places = _places([log10(position) for position in positions] if is_logarithmic else positions)
    top = _round_up(max((value for line in series for value in line.values), default=1.0))
    style = 'font-family="sans-serif" font-size="12" fill="#444"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {style}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{title}</text>',
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">{x_label}</text>',
        *_grid(positions, places, top),
        *(part for line, colour in zip(series, _COLOURS, strict=False) for part in _line(places, line, top, colour)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(positions: Sequence[float], places: Sequence[float], top: float) -> list[str]:
    right = _WIDTH - _RIGHT
    parts = []
    for step in range(5):
        value = top * step / 4
        y = _y(value, top)
        parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{value:g}</text>')
    for position, x in zip(positions, places, strict=True):
        parts.append(f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{position:,}</text>')
    return parts


def _line(places: Sequence[float], line: Series, top: float, colour: str) -> list[str]:
    points = [(x, _y(value, top)) for x, value in zip(places, line.values, strict=True)]
    path = " ".join(f"{x},{y}" for x, y in points)
    last_x, last_y = points[-1]
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points),
        f'<text x="{last_x + 10}" y="{last_y + 4}" fill="{colour}">{line.name}</text>',
    ]


def _places(positions: Sequence[float]) -> list[float]:
    first, span = positions[0], positions[-1] - positions[0]
    shares = [(position - first) / span if span else 0.5 for position in positions]
    return [round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1) for share in shares]


def _y(value: float, top: float) -> float:
    return round(_HEIGHT - _BOTTOM - value / top * (_HEIGHT - _TOP - _BOTTOM), 1)


def _round_up(value: float) -> float:
    power = 10 ** int(log10(value)) if value >= 1 else 0.1
    return next(power * factor for factor in (1, 2, 4, 6, 8, 10, 100) if power * factor >= value)
