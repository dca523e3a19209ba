"""Log of a command in plain English: files read and rows skipped, one event per line.

It is for operators and programs, and is not translated. ``--log`` appends it to a file, ``--verbose`` shows it on
stderr, which otherwise shows only translated warnings. The log never contains the text of an article.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from whorl._internal.visible_text import visible
from whorl.cli.ui.options import RUNNING
from whorl.cli.ui.progress import STDERR
from whorl.errors import UsageError
from whorl.i18n import say, spoken, translated
from whorl.release import __version__

Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        rich_help_panel=RUNNING,
        help="Show the log on stderr: files read and rows skipped, with reasons.",
    ),
]
Log = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=RUNNING, help="Append the log to a file."),
]

_WHORL = logging.getLogger("whorl")
_LOGGER = logging.getLogger("whorl.cli")


class _Lines(logging.Formatter):
    """Formats ``2026-11-22T19:45:01.123Z INFO corpus: a.jsonl:12: ...``, always on one line."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name of the standard library
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        message = visible(record.message).replace("\n", " ")
        return f"{at} {record.levelname} {record.name.removeprefix('whorl.')}: {message}"


class _Warnings(logging.Formatter):
    """Formats warnings for people who did not request the log."""

    def __init__(self) -> None:
        super().__init__()
        self._language = spoken()

    def format(self, record: logging.LogRecord) -> str:
        warning = record.getMessage() if record.args else record.msg
        return visible(translated(say("warning: {warning}", warning=warning), self._language))


class _OnStderr(logging.Handler):
    """Writes lines to stderr without breaking the progress display."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != _LOGGER.name:  # the end of a command is printed there anyway
            STDERR.line(self.format(record))


def logged(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options ``--verbose`` and ``--log`` to a command."""
    original = signature(command, eval_str=True)

    @wraps(command)
    def run(*args: Any, verbose: bool = False, log: Path | None = None, **kwargs: Any) -> None:
        with _logging(command.__name__, verbose=verbose, log=log):
            command(*args, **kwargs)

    further = [
        Parameter("verbose", Parameter.KEYWORD_ONLY, default=False, annotation=Verbose),
        Parameter("log", Parameter.KEYWORD_ONLY, default=None, annotation=Log),
    ]
    run.__signature__ = original.replace(parameters=[*original.parameters.values(), *further])  # type: ignore[attr-defined]
    return run


@contextmanager
def _logging(name: str, *, verbose: bool, log: Path | None) -> Iterator[None]:
    """Send log records within the block to the requested targets.

    Raises:
        UsageError: the log would be written to standard output.
        OSError: the file is not writable.
    """
    if log == Path("-"):
        raise UsageError(
            say("standard output contains the result, so it cannot be the log"),
            hint=say("choose a file, or show the log with --verbose"),
        )
    with ExitStack() as stack:
        handler = _OnStderr(logging.INFO if verbose else logging.WARNING)
        handler.setFormatter(_Lines() if verbose else _Warnings())
        stack.enter_context(_handled(handler))
        if log is not None:
            file = logging.FileHandler(log, encoding="utf-8", errors="backslashreplace")
            file.setFormatter(_Lines())
            stack.callback(file.close)
            stack.enter_context(_handled(file))
        before = _WHORL.level
        stack.callback(_WHORL.setLevel, before)
        _WHORL.setLevel(logging.INFO if verbose or log else logging.WARNING)
        stack.enter_context(_run_logged(name))
        yield


@contextmanager
def _handled(handler: logging.Handler) -> Iterator[None]:
    _WHORL.addHandler(handler)
    try:
        yield
    finally:
        _WHORL.removeHandler(handler)


@contextmanager
def _run_logged(name: str) -> Iterator[None]:
    """Log the start and the end of a command."""
    begun = monotonic()
    _LOGGER.info("whorl %s: %s begins", __version__, name)
    how = "stopped"
    try:
        yield
        how = "done"
    except typer.Exit as ended:
        how = f"exit code {ended.exit_code}"
        raise
    except Exception as error:
        how = f"failed, {type(error).__name__}: {getattr(error, 'message', error)}"
        raise
    finally:
        _LOGGER.info("%s: %s after %.1f s", name, how, monotonic() - begun)


__all__ = ["logged"]
