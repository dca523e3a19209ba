"""Worker process: read requests from standard input, and answer on standard output."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from whorl._internal.lean_imports import hide_pandas
from whorl._internal.page_tracking import pages_tracked
from whorl.corpus.contract import Columns, Source
from whorl.corpus.sandbox.budget import BUDGETS, kind_of
from whorl.corpus.sandbox.channel import RequestReceiver
from whorl.corpus.sandbox.confinement import confine
from whorl.corpus.sandbox.frames import WRITTEN, kept_rows, marked_rows, pack, read_options, read_source, send
from whorl.errors import InputError, UsageError

_LIBRARIES = {
    "html": ("pyarrow", "lxml.html", "trafilatura.core", "htmldate.core"),
    "docx": ("pyarrow", "xml.etree.ElementTree"),
    "odt": ("pyarrow", "xml.etree.ElementTree"),
    "rtf": ("pyarrow",),
    "epub": ("pyarrow", "xml.etree.ElementTree", "lxml.html"),
    "mhtml": ("pyarrow", "email", "lxml.html", "trafilatura.core", "htmldate.core"),
    "markdown": ("pyarrow", "markdown_it", "mdit_py_plugins.footnote"),
    "latex": ("pyarrow",),
    "pdf": ("pyarrow", "pypdfium2"),
    "picture": ("pyarrow",),
    "ocr": (
        *("pyarrow", "lxml.html", "trafilatura.core", "htmldate.core", "pypdfium2", "xml.etree.ElementTree"),
        *("PIL.Image", "cv2", "onnxruntime", "rapidocr"),
    ),
    "xlsx": ("pyarrow", "openpyxl"),
    "links": ("pyarrow", "lxml.html"),
}
_LOADED: set[str] = set()
"""Kinds of files whose libraries are loaded."""

_WITHOUT_FILES: dict[str, int] = {}
"""Memory of this process before the first file of each kind."""

_MOST_COLUMNS = 1000
"""Maximum number of other columns of a row in a file from another user."""
_MOST_ROWS = 10_000
"""Maximum number of rows, and of bad rows, of such a file; the rest is not read. Users look at a tenth at most."""
_CPU_SECONDS, _CPU_TIMES = 60, 10
"""CPU time limit: a base, and a factor of the time limit of a file. Ends a process that has lost its parent."""


def _opened_statm() -> int | None:
    """Open the file with the size of this process, if the system has it.

    It stays open: the kernel forgets its permission to open files below /proc when it frees its cache of names.
    """
    try:
        return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


_STATM = _opened_statm()
_LONGEST_STATM = 200


class _EnoughError(Exception):
    """The row limit has been reached."""


class _UnableError(Exception):
    """The environment prevents this process from working."""


class _RejectSender:
    """Sends rejects to the parent process, in place of the run's rejects."""

    def __init__(self, answers: IO[bytes], *, keeps: bool, max_rows: int | None) -> None:
        self._answers = answers
        self._keeps = keeps
        self._remaining = max_rows

    def add(
        self, source: Source, *, row: int | None, line: int | str | None, reason: str, data: bytes | Iterable[bytes]
    ) -> None:
        del source
        self._count()
        send(self._answers, {"is": "reject", "row": row, "line": line, "reason": reason})
        for piece in [data] if isinstance(data, bytes) else data:
            send(self._answers, {"is": "piece"}, piece)
        send(self._answers, {"is": "rejected"})

    def note(self, source: Source, *, row: int, line: int | str | None, reason: str, size: int) -> None:
        del source
        self._count()
        send(self._answers, {"is": "note", "row": row, "line": line, "reason": reason, "size": size})

    def _count(self) -> None:
        if self._remaining is not None:
            self._remaining -= 1
            if self._remaining < 0:
                raise _EnoughError

    def keep_rows(self, source: Source, rows: Any, write: Any, options: Any) -> None:
        del source, write, options  # another process, which may write, does this for the run
        if self._keeps:
            send(self._answers, {"is": "aside", **marked_rows(rows)})


def main() -> None:
    """Answer requests until the input ends. The argument is the writable folder, if any."""
    hide_pandas()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    questions = RequestReceiver()
    answers = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(silence, stream)
    os.close(silence)
    send(answers, {"is": "ready", "holds": confine(folder)})
    while _answer_next(questions, answers, folder):
        pass


def _answer_next(questions: RequestReceiver, answers: IO[bytes], folder: Path | None) -> bool:
    with questions.question() as question:
        if question is not None:
            _answer(question, answers, folder)
        return question is not None


def _answer(question: dict[str, Any], answers: IO[bytes], folder: Path | None) -> None:
    try:
        source = read_source(question["source"])
        _bound(source, question, answers)
        if "keep" in question:
            _write(question, source, answers, folder or Path())
        else:
            _read(question, source, answers)
        end: dict[str, Any] = {"is": "end"}
    except _UnableError as error:
        end = {"is": "unable", "why": str(error)}
    except (InputError, UsageError) as error:
        usage = isinstance(error, UsageError)
        end = {"is": "refused", "usage": usage, "message": error.message, "hint": error.hint}
    except MemoryError:
        end = {"is": "memory"}
    except Exception as error:  # any error in a parser: the next file is read
        is_starved = isinstance(error, ImportError | OSError)
        end = {"is": "failed", "why": f"{type(error).__name__}: {error}"[:200], "starved": is_starved}
    send(answers, end)


def _read(question: dict[str, Any], source: Source, answers: IO[bytes]) -> None:
    from whorl.corpus.reader import module_of

    module: Any = import_module(question["module"]) if question["module"] else module_of(source)
    options = read_options(question["options"])
    columns = Columns(**question["columns"] | {"text": tuple(question["columns"]["text"])})
    most_columns, most_rows = (_MOST_COLUMNS, _MOST_ROWS) if source.untrusted else (None, None)
    rejects: Any = _RejectSender(answers, keeps=question["keeps"], max_rows=most_rows)
    rows = 0

    def report(label: str, done: int, total: int) -> None:
        del label
        send(answers, {"is": "page", "done": done, "total": total})
        _allow_time(source, "ocr")

    with suppress(_EnoughError), pages_tracked(report):
        for batch in module.read(source, columns, rejects, options):
            send(answers, *pack(batch, most_columns=most_columns))
            rows += len(batch)
            if most_rows is not None and rows >= most_rows:
                return


def _write(question: dict[str, Any], source: Source, answers: IO[bytes], folder: Path) -> None:
    from whorl.corpus.reader import module_of

    options = read_options(question["options"])
    rows = module_of(source).write(source, folder / WRITTEN, kept_rows(question), options)
    send(answers, {"is": "written", "rows": rows})


def _bound(source: Source, question: dict[str, Any], answers: IO[bytes]) -> None:
    """Limit the growth of this process to the budget of the file, beyond its libraries, if the system supports it.

    Raises:
        _UnableError: a library cannot be loaded within the limits of the environment.
    """
    kind = kind_of(source.format, ocr=question["options"]["ocr"])
    try:
        import resource
    except ImportError:
        _load(kind, answers, is_limited=False)
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    _load(kind, answers, is_limited=hard != resource.RLIM_INFINITY)
    _allow_time(source, kind)
    if _STATM is None:
        return
    now = int(os.pread(_STATM, _LONGEST_STATM, 0).split()[0]) * resource.getpagesize()
    limit = _WITHOUT_FILES.setdefault(kind, now) + BUDGETS[kind].memory(source.size)
    is_limited = hard != resource.RLIM_INFINITY and hard < limit
    if is_limited:
        send(answers, {"is": "limited"})
    resource.setrlimit(resource.RLIMIT_AS, (hard if is_limited else limit, hard))


def _allow_time(source: Source, kind: str) -> None:
    """Limit the processor time of this process from now on, if the system supports it."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime + _CPU_SECONDS + _CPU_TIMES * BUDGETS[kind].time(source.size)
    _, most_seconds = resource.getrlimit(resource.RLIMIT_CPU)
    if most_seconds == resource.RLIM_INFINITY or seconds < most_seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), most_seconds))


def _load(kind: str, answers: IO[bytes], *, is_limited: bool) -> None:
    """Load the libraries of a kind of files and report that; a missing one is reported when a file is read.

    Where the address space is limited, an import of an installed library fails because its code cannot be mapped.
    """
    if kind in _LOADED:
        return
    for library in _LIBRARIES.get(kind, ("pyarrow",)):
        try:
            import_module(library)
        except (ImportError, OSError, MemoryError) as error:
            is_missing = isinstance(error, ImportError) and not is_limited
            if not is_missing and find_spec(library.partition(".")[0]) is not None:
                raise _UnableError(f"{library}: {type(error).__name__}: {error}"[:200]) from error
    _LOADED.add(kind)
    gc.freeze()  # libraries are never garbage: scanning them took an eighth of the time
    send(answers, {"is": "loaded"})


if __name__ == "__main__":
    main()
