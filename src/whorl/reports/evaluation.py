"""The page of an evaluation: every method with its intervals, kinds, lengths, thresholds and distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whorl.reports.charts import Plot
from whorl.reports.evaluation_tables import merit, within
from whorl.reports.html import environment

COLOURS = 6
"""How many lines a chart can tell apart."""

_LAST_DISTANCE = 32


@dataclass(frozen=True, slots=True)
class Line:
    """A named series of points.

    Attributes:
        name: of the series.
        points: its values, in order.
        colour: the number of its colour, below ``COLOURS``.
        dashed: whether it is of strangers rather than of copies.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    colour: int
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over one pair of axes.

    Attributes:
        name: of the chart, and of its file.
        title: what it shows, in Chinese and English.
        x_label: what the horizontal axis counts, in both.
        y_label: what the vertical one counts.
        plot: where values lie.
        lines: what is drawn.
    """

    name: str
    title: tuple[str, str]
    x_label: tuple[str, str]
    y_label: tuple[str, str]
    plot: Plot
    lines: tuple[Line, ...]


def charts(found: Mapping[str, Any]) -> Iterator[Chart]:
    """Yield the charts of an evaluation: recall and precision by threshold and by distance, and the distances of codes.

    Args:
        found: what ``whorl.evaluation.evaluate.evaluate`` returned.
    """
    for parameter, last in (("threshold", 1.0), ("distance", 11.0)):
        swept = [method for method in ranked(found) if method["sweep"] and parameter in method["sweep"][0]]
        if swept:
            yield from _swept(parameter, last, swept[:COLOURS])
    for band in dict.fromkeys(own["band"] for own in found["distances"]):
        yield _of_band(band, [own for own in found["distances"] if own["band"] == band])


def _swept(parameter: str, last: float, methods: Sequence[Mapping[str, Any]]) -> Iterator[Chart]:
    chinese = {"threshold": "阈值", "distance": "距离"}[parameter]
    for figure, name in (("recall", "召回"), ("precision", "精确")):
        lines = [
            Line(method["name"], tuple((point[parameter], point[figure]["value"]) for point in method["sweep"]), number)
            for number, method in enumerate(methods)
            if all(point[figure] is not None and point[figure]["value"] is not None for point in method["sweep"])
        ]
        if lines:
            title = (f"{name}随{chinese}的变化", f"{figure.capitalize()} by {parameter}")
            labels = (chinese, parameter), (name, figure)
            yield Chart(f"{figure}-by-{parameter}", title, *labels, _plot(last), tuple(lines))


def _of_band(band: str, histograms: Sequence[Mapping[str, Any]]) -> Chart:
    """Within which distance which share of copies lies, and of strangers."""
    lines = [
        Line(f"{own['features']}, {who}", _cumulative(own[who]), number, who == "strangers")
        for number, own in enumerate(histograms)
        for who in ("copies", "strangers")
    ]
    title = (f"SimHash 距离，{band} 字", f"SimHash distances, {band} characters")
    labels = ("距离", "distance"), ("不超过该距离的比例", "share within it")
    return Chart(f"distances-{band.rstrip('-')}", title, *labels, _plot(_LAST_DISTANCE), tuple(lines))


def _cumulative(histogram: Sequence[int]) -> tuple[tuple[float, float], ...]:
    return tuple((distance, within(histogram, distance)) for distance in range(_LAST_DISTANCE + 1))


def _plot(last: float) -> Plot:
    return Plot(left=58, top=40, width=400, height=230, x_first=0, x_last=last, y_last=1)


def ranked(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the methods, the best first."""
    return sorted(found["methods"], key=merit, reverse=True)


def render_evaluation(found: Mapping[str, Any]) -> str:
    """Render one self-contained HTML page about an evaluation.

    Args:
        found: what ``whorl.evaluation.evaluate.evaluate`` returned.

    Returns:
        HTML that asks for nothing from outside and runs no script; its size grows with methods × kinds.
    """
    methods = ranked(found)
    names = {
        part: list(dict.fromkeys(name for method in methods for name in method[part])) for part in ("kinds", "bands")
    }
    page = environment().get_template("evaluation.html.j2")
    return page.render(found=found, methods=methods, names=names, charts=list(charts(found)))


__all__ = ["COLOURS", "Chart", "Line", "charts", "ranked", "render_evaluation"]
