"""Processes that begin with the libraries of whorl imported, which takes most of the time of a short command.

They are forked from a process of their own, which has imported other people's libraries and nothing of whorl, so that
each command starts with a fresh whorl, environment and working folder.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerContext
from pathlib import Path

IMPORTED = (
    "jinja2",
    "numpy",
    "pyarrow.compute",
    "pyarrow.parquet",
    "rich.console",
    "rich.table",
    "typer",
)
"""The modules that a command finds imported."""


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    streams: tuple[Path, Path, Path],
    folder: Path | None = None,
) -> int:
    """Run the command line in a prepared process, and return its exit code.

    Args:
        arguments: arguments after the program name.
        environment: the variables of the process.
        streams: files for standard input, output and errors.
        folder: its working folder; None for that of this process.
    """
    place = str(Path.cwd() if folder is None else folder)
    process = _context().Process(target=_run, args=(list(arguments), dict(environment), place, streams))
    process.start()
    process.join()
    code = process.exitcode
    process.close()
    assert code is not None
    return code


def can_run() -> bool:
    """Return True if this system can fork processes."""
    return "forkserver" in multiprocessing.get_all_start_methods()


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *IMPORTED])
    return context


def _run(arguments: list[str], environment: dict[str, str], folder: str, streams: tuple[Path, Path, Path]) -> None:
    """Become the command: take its streams, environment, folder and arguments, and end as it ends."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for descriptor, path in enumerate(streams):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT if descriptor else os.O_RDONLY, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    for name, descriptor in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        setattr(sys, name, open(descriptor, "r" if descriptor == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    sys.argv = ["whorl", *arguments]
    try:
        from whorl.cli import run

        run()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()


__all__ = ["can_run", "run"]
