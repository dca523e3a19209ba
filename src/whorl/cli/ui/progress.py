"""Progress on stderr: bars on a terminal (`bars`), one line per stage in a log, nothing with --quiet."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from whorl._internal.page_tracking import pages_tracked
from whorl._internal.visible_text import visible
from whorl.cli.ui.stages import measured, title
from whorl.i18n import say, say_many, translated
from whorl.reports.figures import duration
from whorl.tasks import Silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whorl.cli.ui.bars import ProgressBars
    from whorl.tasks import Progress


def show_progress(*, quiet: bool) -> AbstractContextManager[Progress]:
    """Return the progress display for stderr, as a context manager."""
    if quiet:
        return nullcontext(Silent())
    if sys.stderr.isatty():
        from rich.console import Console

        from whorl.cli.ui.bars import ProgressBars

        return _with_pages(ProgressBars(Console(stderr=True)))
    return _with_pages(ProgressLines())


@contextmanager
def _with_pages(display: ProgressBars | ProgressLines) -> Iterator[Progress]:
    """Show recognized pages next to the stages."""
    with display, pages_tracked(display.page):
        yield display


class _Stderr:
    """Standard error, which tracks whether a line is incomplete."""

    _is_begun = False

    def begin(self, text: str) -> None:
        """Write the beginning of a line."""
        self._write(text)
        self._is_begun = True

    def end(self, text: str = "") -> None:
        """Write the end of a line; does nothing if there is neither an incomplete line nor text."""
        if text or self._is_begun:
            self._write(f"{text}\n")
        self._is_begun = False

    def line(self, text: str) -> None:
        """Write a complete line, after finishing an incomplete one."""
        self.end()
        self.end(text)

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


STDERR = _Stderr()
"""Shared by progress and log, so that they do not write into each other's lines."""


class ProgressLines:
    """Progress as one line per stage, for logs: started with the stage, completed with its result."""

    def __init__(self) -> None:
        self._unit: str | None = None
        self._done = 0
        self._began = 0.0
        self._pages_began = monotonic()

    def stage(self, name: str, total: int | None, unit: str) -> None:  # noqa: ARG002
        """End the line of the previous stage and begin a new one."""
        self._finish()
        STDERR.begin(f"{title(name)} … ")
        self._unit, self._done, self._began = unit, 0, monotonic()

    def advance(self, amount: int) -> None:
        """Count the work."""
        self._done += amount

    def page(self, label: str, done: int, total: int) -> None:
        """Print the pages of a file once all are recognized."""
        if done == total:
            rate = (monotonic() - self._pages_began) / total
            recognized = say_many(
                "{path}: {count:,} page recognized, {rate:.1f} s a page",
                "{path}: {count:,} pages recognized, {rate:.1f} s a page",
                total,
                path=label,
                rate=rate,
            )
            STDERR.line(visible(translated(recognized)))
            self._pages_began = monotonic()

    def note(self, message: str) -> None:
        """Print the message on a line of its own."""
        STDERR.line(visible(translated(say("note: {message}", message=message))))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            self._finish()
        STDERR.end()

    def _finish(self) -> None:
        if self._unit is not None:
            seconds = monotonic() - self._began
            work, took = measured(self._done, self._unit, seconds), duration(seconds)
            summary = say("{work} in {time}", work=work, time=took) if work else took
            STDERR.end(str(translated(summary)))
            self._unit = None


__all__ = ["STDERR", "ProgressLines", "show_progress"]
