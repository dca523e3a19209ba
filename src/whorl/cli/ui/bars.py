"""Progress bars for a terminal, one per stage. Separate from the log lines, which need no library."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from whorl._internal.visible_text import visible
from whorl.cli.ui.stages import measured, title
from whorl.i18n import spoken, translated

if TYPE_CHECKING:
    from rich.progress import Task


class Amount(ProgressColumn):
    """Column with amount, total and rate. A background thread draws it and does not inherit the language."""

    def __init__(self) -> None:
        self._language = spoken()
        super().__init__()

    def render(self, task: Task) -> Text:
        unit: str = task.fields["unit"]
        return Text(measured(int(task.completed), unit, task.elapsed or 0.0, self._language), style="progress.download")


class ProgressBars:
    """Progress bars, one per stage, with amount, rate and remaining time."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            Amount(),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=console,
        )
        self._stage: TaskID | None = None
        self._pages: TaskID | None = None
        self._pages_total = 0

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """Finish the bar of the previous stage and start a new one."""
        self._finish()
        self._stage = self._bars.add_task(title(name), total=total, unit=unit)

    def advance(self, amount: int) -> None:
        """Move the bar."""
        if self._stage is not None:
            self._bars.advance(self._stage, amount)

    def page(self, label: str, done: int, total: int) -> None:  # noqa: ARG002
        """Move the bar of recognized pages, which counts the pages of all files."""
        self._pages_total += total if done == 1 else 0
        if self._pages is None:
            self._pages = self._bars.add_task(title("recognize"), total=self._pages_total, unit="pages")
        self._bars.update(self._pages, total=self._pages_total, advance=1)

    def note(self, message: str) -> None:
        """Print the message above the bars."""
        self._console.print(Text(visible(translated(message))))

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            self._finish()
        self._bars.stop()

    def _finish(self) -> None:
        if self._stage is not None:
            done = next(task.completed for task in self._bars.tasks if task.id == self._stage)
            self._bars.update(self._stage, total=done)
            self._bars.stop_task(self._stage)


__all__ = ["ProgressBars"]
