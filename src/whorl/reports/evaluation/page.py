"""HTML page of an evaluation: all methods with intervals, kinds, lengths, thresholds and distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whorl._internal.frozen import frozen
from whorl.i18n import Message, say
from whorl.reports.drawing.charts import Plot
from whorl.reports.evaluation.tables import merit, within
from whorl.reports.html import clip, render

COLOURS = 6
"""Number of distinguishable line colors of a chart."""

_LAST_DISTANCE = 32
_MIN_COPIES = 10
"""Fewest pairs of copies in a band of lengths whose distances are drawn."""


@frozen
class Line:
    """A named series of points.

    Attributes:
        name: label of the series.
        points: values, in order.
        colour: color number, below ``COLOURS``.
        dashed: True for unrelated texts, False for copies.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    colour: int
    dashed: bool = False


@frozen
class Chart:
    """Lines over one pair of axes.

    Attributes:
        name: name of the chart and of its file.
        title: title.
        x_label: label of the horizontal axis.
        y_label: label of the vertical axis.
        plot: mapping from values to coordinates.
        lines: lines to draw.
    """

    name: str
    title: Message
    x_label: Message
    y_label: Message
    plot: Plot
    lines: tuple[Line, ...]


def charts(evaluation: Mapping[str, Any]) -> Iterator[Chart]:
    """Yield the charts of an evaluation: recall and precision by threshold and by distance, and the distances of codes.

    Distances are drawn for bands of lengths with at least ten pairs of copies.

    Args:
        evaluation: result of ``whorl.evaluation.evaluate.evaluate``.
    """
    for parameter, last in (("threshold", 1.0), ("distance", 11.0)):
        swept = [method for method in ranked(evaluation) if method["sweep"] and parameter in method["sweep"][0]]
        if swept:
            yield from _swept(parameter, last, swept[:COLOURS])
    for band in dict.fromkeys(histogram["band"] for histogram in evaluation["distances"]):
        histograms = [histogram for histogram in evaluation["distances"] if histogram["band"] == band]
        if sum(histograms[0]["copies"]) >= _MIN_COPIES:
            yield _of_band(band, histograms)


_SWEPT = {
    ("recall", "threshold"): say("Recall by threshold"),
    ("precision", "threshold"): say("Precision by threshold"),
    ("recall", "distance"): say("Recall by distance"),
    ("precision", "distance"): say("Precision by distance"),
}
_LABELS = {
    "threshold": say("threshold"),
    "distance": say("distance"),
    "recall": say("recall"),
    "precision": say("precision"),
}
_WHO = {"copies": say("copies"), "strangers": say("strangers")}


def _swept(parameter: str, last: float, methods: Sequence[Mapping[str, Any]]) -> Iterator[Chart]:
    for figure in ("recall", "precision"):
        lines = [
            Line(
                clip(method["name"], 80),
                tuple((point[parameter], point[figure]["value"]) for point in method["sweep"]),
                number,
            )
            for number, method in enumerate(methods)
            if all(point[figure] is not None and point[figure]["value"] is not None for point in method["sweep"])
        ]
        if lines:
            labels = _SWEPT[figure, parameter], _LABELS[parameter], _LABELS[figure]
            yield Chart(f"{figure}-by-{parameter}", *labels, _plot(last), tuple(lines))


def _of_band(band: str, histograms: Sequence[Mapping[str, Any]]) -> Chart:
    """Return the chart of the cumulative distances of copies and of unrelated texts."""
    lines = [
        Line(
            say("{features}, {who}", features=histogram["features"], who=name),
            _cumulative(histogram[who]),
            number,
            who == "strangers",
        )
        for number, histogram in enumerate(histograms)
        for who, name in _WHO.items()
    ]
    title = say("SimHash distances, {band} characters, {count:,} pairs", band=band, count=sum(histograms[0]["copies"]))
    labels = say("distance"), say("share within the distance")
    return Chart(f"distances-{band.rstrip('-')}", title, *labels, _plot(_LAST_DISTANCE), tuple(lines))


def _cumulative(histogram: Sequence[int]) -> tuple[tuple[float, float], ...]:
    return tuple((distance, within(histogram, distance)) for distance in range(_LAST_DISTANCE + 1))


def _plot(last: float) -> Plot:
    return Plot(left_edge=58, top=40, width=400, height=230, x_first=0, x_last=last, y_last=1)


def ranked(evaluation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the methods sorted by merit, the best first."""
    return sorted(evaluation["methods"], key=merit, reverse=True)


def render_evaluation(evaluation: Mapping[str, Any]) -> str:
    """Render an evaluation as one self-contained HTML page.

    Args:
        evaluation: result of ``whorl.evaluation.evaluate.evaluate``.

    Returns:
        HTML that loads no external resource and runs no script; its size grows with methods × kinds.
    """
    methods = ranked(evaluation)
    names = {
        part: list(dict.fromkeys(name for method in methods for name in method[part])) for part in ("kinds", "bands")
    }
    return render(
        "evaluation.html.j2",
        command="whorl eval",
        version=evaluation["whorl"],
        found=evaluation,
        methods=methods,
        names=names,
        charts=list(charts(evaluation)),
    )


__all__ = ["COLOURS", "Chart", "Line", "charts", "ranked", "render_evaluation"]
