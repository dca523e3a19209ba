"""Geometry of the charts of a report, in the units of the page; the templates draw them.

`Plot` maps values to the coordinates of one SVG. `RecallCurve` is the probability that two articles are compared.
`Similarity` holds the compared pairs and predicts how many articles another threshold would remove.
"""

from collections.abc import Iterable, Mapping
from math import ceil, floor, log10
from typing import Any, NamedTuple, Self

from whorl.reports.figures import part

_BINS = 101
_BELOW = 30
"""How far below the threshold of the run others are listed, in hundredths: removals further down say nothing."""
_BREAK_ABOVE = 3
_LONG_RANGE = 2


class Plot(NamedTuple):
    """A rectangle of an SVG and the range of values that fills it; `y` starts at 0."""

    left_edge: float
    top: float
    width: float
    height: float
    x_first: float
    x_last: float
    y_last: float

    @property
    def right(self) -> float:
        """The abscissa of the right edge."""
        return self.left_edge + self.width

    @property
    def bottom(self) -> float:
        """The ordinate of 0."""
        return self.top + self.height

    def x(self, value: float) -> float:
        """Return the abscissa of a value, clamped to the plot."""
        inside = min(max(value, self.x_first), self.x_last)
        return round(self.left_edge + self.width * (inside - self.x_first) / (self.x_last - self.x_first), 2)

    def y(self, value: float) -> float:
        """Return the ordinate of a value, clamped to the plot."""
        return round(self.bottom - self.height * min(max(value, 0), self.y_last) / self.y_last, 2)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        """Return the `points` attribute of a polyline."""
        return " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)

    def x_ticks(self) -> list[float]:
        """Return tick values: tenths, twentieths for a short range, or round numbers for a long one."""
        if self.x_last - self.x_first > _LONG_RANGE:
            round_step = _round_step((self.x_last - self.x_first) / 8)
            return [round_step * index for index in range(int(self.x_last / round_step + 1e-9) + 1)]
        step = 10 if self.x_last - self.x_first > 0.4 else 5
        hundredths = range(step * ceil(100 * self.x_first / step - 1e-9), floor(100 * self.x_last + 1e-9) + 1, step)
        return [value / 100 for value in hundredths]

    def y_ticks(self) -> list[float]:
        """Return three to six round tick values, starting at 0."""
        step = _round_step(self.y_last / 5)
        return [step * index for index in range(int(self.y_last / step + 1e-9) + 1)]


def _round_step(rough: float) -> float:
    power = pow(10.0, floor(log10(rough)))
    return next(factor * power for factor in (1, 2, 5, 10) if rough <= factor * power * 1.0001)


class RecallCurve(NamedTuple):
    """The probability that a pair is compared, by its similarity; `recall` is its value at the threshold."""

    plot: Plot
    points: tuple[tuple[float, float], ...]
    threshold: float | None
    recall: float | None

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> Self | None:
        """Read the curve of the run; return None if it has none."""
        points = tuple((float(s), float(p)) for s, p in run.get("s_curve") or ())
        if len(points) < 2:
            return None
        plot = Plot(left_edge=46, top=40, width=410, height=230, x_first=0, x_last=1, y_last=1)
        return cls(plot, points, threshold_of(run), run.get("recall_at_threshold"))

    @property
    def line(self) -> str:
        """The curve, as the points of a polyline."""
        return self.plot.line(self.points)

    @property
    def removable(self) -> str:
        """The area under the curve above the threshold, as the points of a polygon."""
        if self.threshold is None:
            return ""
        above = [(s, p) for s, p in self.points if s > self.threshold]
        start = (self.threshold, self.recall if self.recall is not None else above[0][1] if above else 1.0)
        return self.plot.line([(self.threshold, 0), start, *above, (self.points[-1][0], 0)])


class Bar(NamedTuple):
    """The removed articles and near misses within one hundredth of similarity."""

    similarity: float
    removed: int
    near_misses: int


class Choice(NamedTuple):
    """The number of removals at a threshold; `exact` is False for an estimate."""

    threshold: float
    removals: int
    exact: bool
    chosen: bool


class Similarity(NamedTuple):
    """Pairs in bins of 0.01 similarity: `removed` reached the run's threshold, `near_misses` did not."""

    removed: tuple[int, ...]
    near_misses: tuple[int, ...]
    threshold: float | None

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> Self | None:
        """Read the similarities of the run; return None if no pair was recorded."""
        section = part(run, "similarity")
        removed, near_misses = _bins(section.get("removed")), _bins(section.get("near_misses"))
        return cls(removed, near_misses, deciding_threshold(run)) if any(removed) or any(near_misses) else None

    @property
    def lowest(self) -> float:
        """The left end of the charts: a round similarity below the first pair and the threshold."""
        first = next(index for index in range(_BINS) if self.removed[index] or self.near_misses[index])
        limit = 100 if self.threshold is None else floor(100 * self.threshold + 1e-9)
        return min(first, limit - 5, 90) // 10 * 10 / 100 if min(first, limit - 5) > 0 else 0.0

    def bars(self) -> list[Bar]:
        """Return the bins that contain a pair."""
        pairs = enumerate(zip(self.removed, self.near_misses, strict=True))
        return [Bar(index / 100, removed, near) for index, (removed, near) in pairs if removed or near]

    def histogram(self) -> Plot:
        """Return the plot of the bars; a single dominant bar is cut off, so that the others stay legible."""
        *others, highest = sorted(bar.removed + bar.near_misses for bar in self.bars())
        second = others[-1] if others else highest
        top = 1.25 * second if highest > _BREAK_ABOVE * second else highest
        return Plot(left_edge=58, top=40, width=912, height=210, x_first=self.lowest, x_last=1.01, y_last=max(top, 4))

    def removals_at(self, threshold: float) -> int:
        """Return the removals at a threshold: counted from the run's threshold up, estimated below it."""
        index = ceil(100 * threshold - 1e-9)
        if self.threshold is not None and threshold > self.threshold:
            return sum(self.removed[index:])
        further = 0 if threshold == self.threshold else sum(self.near_misses[index:])
        return sum(self.removed) + further

    def choices(self) -> list[Choice]:
        """Return thresholds in steps of 0.05 from 0.3 below the run's, including it, with the removals at each."""
        if self.threshold is None:
            return []
        first = round(100 * self.lowest) if any(self.near_misses) else ceil(100 * self.threshold / 5 - 1e-9) * 5
        first = max(first, ceil(100 * self.threshold / 5 - 1e-9) * 5 - _BELOW, 5)
        grid = {hundredths / 100 for hundredths in range(first, _BINS, 5)} | {self.threshold}
        return [self._choice(threshold) for threshold in sorted(grid)]

    def removals(self) -> tuple[Plot, str, str]:
        """Return the plot of removals by threshold with its estimated and its counted line."""
        run = self.threshold or 0.0
        steps = [index / 100 for index in range(round(100 * self.lowest), _BINS)]
        counted = [(run, self.removals_at(run))] + [(step, self.removals_at(step)) for step in steps if step > run]
        estimated = [(step, self.removals_at(step)) for step in steps if step < run] + counted[:1]
        highest = max(count for _, count in estimated + counted)
        plot = Plot(
            left_edge=58, top=22, width=400, height=250, x_first=self.lowest, x_last=1, y_last=max(1.08 * highest, 4)
        )
        return plot, plot.line(estimated) if any(self.near_misses) else "", plot.line(counted)

    def _choice(self, threshold: float) -> Choice:
        exact = self.threshold is not None and threshold >= self.threshold
        return Choice(threshold, self.removals_at(threshold), exact, threshold == self.threshold)


def threshold_of(run: Mapping[str, Any]) -> float | None:
    """Return the threshold of the run's recipe, or None."""
    threshold = part(run, "recipe").get("threshold")
    return None if threshold is None else float(threshold)


def deciding_threshold(run: Mapping[str, Any]) -> float | None:
    """Return the threshold that decides: that of the verification, or the lowest over all fields."""
    recipe = part(run, "recipe")
    judged = list(part(recipe, "fields").values()) or [recipe]
    thresholds = [part(judgement, "verify").get("threshold", judgement.get("threshold")) for judgement in judged]
    return min((float(threshold) for threshold in thresholds if threshold is not None), default=None)


def _bins(counts: Iterable[int] | None) -> tuple[int, ...]:
    bins = [int(count) for count in counts or ()][:_BINS]
    return (*bins, *[0] * (_BINS - len(bins)))
