from typing import Any

import pytest

from whorl.reports.drawing.charts import Plot, RecallCurve, Similarity


def test_plot_keeps_values_inside() -> None:
    plot = Plot(left_edge=10, top=0, width=100, height=50, x_first=0, x_last=1, y_last=10)
    assert (plot.x(0), plot.x(1), plot.x(7)) == (10, 110, 110)
    assert (plot.y(0), plot.y(10), plot.y(99)) == (50, 0, 0)


@pytest.mark.parametrize("last", [1, 4, 7, 130, 99_999, 12_345_678])
def test_axis_has_a_few_round_ticks(last: float) -> None:
    ticks = Plot(left_edge=0, top=0, width=1, height=1, x_first=0, x_last=1, y_last=last).y_ticks()
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 6
    assert ticks[-1] <= last


def test_recall_curve_needs_a_curve(run: dict[str, Any]) -> None:
    assert RecallCurve.of({}) is None
    curve = RecallCurve.of(run)
    assert curve is not None
    assert curve.removable.startswith(f"{curve.plot.x(0.8)},{curve.plot.y(0)}")


def test_thresholds_count_above_and_estimate_below() -> None:
    removed, near_misses = [0] * 101, [0] * 101
    removed[80], removed[95], removed[100], near_misses[72] = 3, 4, 5, 6
    similarity = Similarity.of(
        {"recipe": {"threshold": 0.8}, "similarity": {"removed": removed, "near_misses": near_misses}}
    )
    assert similarity is not None
    choices = {choice.threshold: (choice.removals, choice.exact) for choice in similarity.choices()}
    assert choices[1.0] == (5, True)
    assert choices[0.95] == (9, True)
    assert choices[0.85] == (9, True)
    assert choices[0.8] == (12, True)
    assert choices[0.75] == (12, False)
    assert choices[0.7] == (18, False)
    assert [choice.threshold for choice in similarity.choices() if choice.chosen] == [0.8]


def test_threshold_between_two_hundredths_keeps_its_own_bin() -> None:
    removed, near_misses = [0] * 101, [0] * 101
    removed[72], removed[73], near_misses[72] = 2, 1, 9
    similarity = Similarity.of(
        {"recipe": {"threshold": 0.725}, "similarity": {"removed": removed, "near_misses": near_misses}}
    )
    assert similarity is not None
    assert similarity.removals_at(0.725) == 3
    assert similarity.removals_at(0.73) == 1
    assert similarity.removals_at(0.7) == 12


def test_one_giant_bar_does_not_flatten_the_others(run: dict[str, Any]) -> None:
    similarity = Similarity.of(run)
    assert similarity is not None
    others = max(bar.removed + bar.near_misses for bar in similarity.bars() if bar.similarity < 1)
    assert similarity.histogram().y_last == 1.25 * others


@pytest.mark.parametrize("index", [0, 1, 50, 99, 100])
@pytest.mark.parametrize("threshold", [None, 0.0, 0.03, 0.8, 1.0])
def test_any_single_pair_can_be_drawn(index: int, threshold: float | None) -> None:
    removed = [int(position == index) for position in range(101)]
    similarity = Similarity.of({"recipe": {"threshold": threshold}, "similarity": {"removed": removed}})
    assert similarity is not None
    assert similarity.histogram().x_first <= index / 100
    assert similarity.removals()[2]
    assert similarity.choices() or threshold is None
