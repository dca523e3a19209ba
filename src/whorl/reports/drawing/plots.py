"""Export of the charts of an evaluation as PNG. Needs the extra ``plots``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.release import missing_package
from whorl.reports.evaluation.page import Chart, charts

_COLOURS = ("#2c6e75", "#a8321f", "#d9822b", "#7a6aa8", "#5f8f3e", "#8d8880")
_MARK, _MARK_BYTES = "whorl eval", 4096
_DOTS_PER_INCH = 160


def write_plots(evaluation: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write every chart into a folder, creating it if needed, and return the files.

    Args:
        evaluation: result of ``whorl.evaluation.evaluate.evaluate``.
        folder: output folder; existing charts of the same name are replaced.

    Raises:
        UsageError: matplotlib is not installed, or a file with the name of a chart is not such a chart.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_package(say("plots need matplotlib"), "plots") from None
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for chart in charts(evaluation):
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        _draw(chart, figure.subplots())
        files.append(folder / f"{chart.name}.png")
        _demand_own(files[-1])
        figure.savefig(files[-1], dpi=_DOTS_PER_INCH, metadata={"Software": _MARK})
    return files


def _demand_own(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb") as file:
        begins = file.read(_MARK_BYTES)
    if _MARK.encode() not in begins:
        raise UsageError(
            say("{path} already exists and is not a chart made by whorl", path=path), hint=say("choose another folder")
        )


def _draw(chart: Chart, axes: Any) -> None:
    for line in chart.lines:
        x, y = zip(*line.points, strict=True)
        style = ":" if line.dashed else "-"
        label = str(line.name).replace("$", r"\$")
        axes.plot(x, y, style, color=_COLOURS[line.colour % len(_COLOURS)], label=label)
    axes.set(title=str(chart.title), xlabel=str(chart.x_label), ylabel=str(chart.y_label))
    axes.set(xlim=(chart.plot.x_first, chart.plot.x_last), ylim=(0, 1.02))
    axes.grid(color="#e2ded5")
    axes.legend(fontsize="small", frameon=False)


__all__ = ["write_plots"]
