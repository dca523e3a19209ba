"""Error handling: a message with a hint on stderr, an exit code, and no traceback for a user's mistake."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection
from functools import wraps
from typing import ParamSpec

import typer

from whorl._internal.patterns import lazy_pattern
from whorl.errors import InputError, ResourceError, WhorlError, is_error
from whorl.i18n import say, translated

INTERRUPTED = 130
BROKEN_PIPE = 141
DEFECT = 70

_CONTINUE = say("run the same command again to resume")
_PERMISSIONS = say("check the permissions of the file and its folder")
_INPUT_ERRNOS = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}
_REASONS = {
    errno.ENOENT: say("No such file or directory"),
    errno.ENOTDIR: say("Not a directory"),
    errno.EISDIR: say("Is a directory"),
    errno.ENAMETOOLONG: say("File name too long"),
    errno.ENOSPC: say("No space left on device"),
    errno.EDQUOT: say("Disk quota exceeded"),
    errno.EFBIG: say("File too large"),
    errno.EACCES: say("Permission denied"),
    errno.EPERM: say("Operation not permitted"),
    errno.EROFS: say("Read-only file system"),
    errno.EMFILE: say("Too many open files"),
    errno.EIO: say("Input/output error"),
}
_HINTS = {
    errno.ENOSPC: say("free some disk space and {then}", then=_CONTINUE),
    errno.EDQUOT: say("free some of your disk quota and {then}", then=_CONTINUE),
    errno.EFBIG: say("raise the limit on the size of files (ulimit -f) and {then}", then=_CONTINUE),
    errno.EACCES: _PERMISSIONS,
    errno.EPERM: _PERMISSIONS,
    errno.EROFS: say("choose an output folder that can be written to"),
    errno.EMFILE: say("raise the limit on open files (ulimit -n) and {then}", then=_CONTINUE),
    errno.EIO: say("check the disk"),
}

_ARGUMENT = lazy_pattern("`([a-z_]+)(?:=([^`]*))?`")

Arguments = ParamSpec("Arguments")


def guarded(command: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Return ``command`` so that any failure ends the program with a message and the right exit code."""

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort):
            raise
        except BaseException as failure:
            if not isinstance(failure, KeyboardInterrupt) and not is_error(failure):
                raise
            raise typer.Exit(report_failure(failure, kwargs.keys())) from failure

    return run


def demand_standard_output() -> None:
    """Exit before any work is done if standard output is closed.

    Raises:
        SystemExit: standard output is closed.
    """
    if sys.stdout is None:
        closed = ResourceError(say("standard output is closed"), hint=say("do not close it, or add > /dev/null"))
        print_error(closed)
        raise SystemExit(closed.exit_code)


def user_error(failure: BaseException) -> WhorlError | None:
    """Return the error to show for ``failure``; None if it is a defect of whorl."""
    if isinstance(failure, WhorlError):
        return failure
    if isinstance(failure, MemoryError):
        hint = say("close other programs or use fewer --workers, and {then}", then=_CONTINUE)
        return ResourceError(say("out of memory"), hint=hint)
    if not isinstance(failure, OSError):
        return None
    message: str = _REASONS.get(failure.errno or 0, failure.strerror or str(failure))
    if isinstance(failure.filename, str | bytes | os.PathLike):
        message = say("{reason}: {path}", reason=message, path=os.fsdecode(failure.filename))
    if failure.errno is None or failure.errno in _INPUT_ERRNOS:
        return InputError(message, hint=say("check that the file exists and has the right type"))
    return ResourceError(message, hint=_HINTS.get(failure.errno, _CONTINUE))


def print_error(error: WhorlError, options: Collection[str] = ()) -> None:
    """Print an error with its hint on stderr, naming arguments as options if the command has them."""
    from whorl._internal.visible_text import visible

    typer.secho(translated(say("error: ")), fg=typer.colors.RED, bold=True, nl=False, err=True)
    typer.echo(visible(with_options(str(error), options)), err=True)


def report_failure(failure: BaseException, options: Collection[str] = ()) -> int:
    """Report ``failure`` on stderr and return the exit code; ``options`` are the options of the command."""
    _abandon_unwritten_output()
    if isinstance(failure, BrokenPipeError):
        return BROKEN_PIPE
    if isinstance(failure, KeyboardInterrupt):
        typer.echo(translated(say("\nstopped: {then}", then=_CONTINUE)), err=True)
        return INTERRUPTED
    error = user_error(failure)
    if error is None:
        traceback.print_exception(failure)
        defect = say("This is a bug in whorl: please report it with the lines above.")
        typer.echo(translated(defect), err=True)
        return DEFECT
    print_error(error, options)
    return error.exit_code


def with_options(message: str, options: Collection[str]) -> str:
    """Return a message with arguments written as options: `text=body` becomes --text body."""

    def option(match: re.Match[str]) -> str:
        name, value = match.groups()
        if name not in options:
            return match[0]
        return " ".join([f"--{name.replace('_', '-')}", *([value] if value else [])])

    return _ARGUMENT.sub(option, message)


def _abandon_unwritten_output() -> None:
    """Flush buffered output, or drop it if the reader is gone or the disk is full.

    Otherwise the interpreter would retry during shutdown and print an error of its own.
    """
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


__all__ = [
    "BROKEN_PIPE",
    "DEFECT",
    "INTERRUPTED",
    "demand_standard_output",
    "guarded",
    "print_error",
    "report_failure",
    "user_error",
    "with_options",
]
