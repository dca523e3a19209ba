"""The process that parses: reads what to do on its standard input and answers on its standard output."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from whorl.corpus.contract import Columns, Source
from whorl.corpus.isolated.budget import BUDGETS
from whorl.corpus.isolated.frames import kept_rows, pack, read_options, read_source, receive, send
from whorl.corpus.rejected import place_of
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
    "xlsx": ("pyarrow", "openpyxl"),
}
_LOADED: set[str] = set()
"""The formats whose libraries this process has."""

_WITHOUT_FILES: dict[str, int] = {}
"""The size of this process before it read the first file of a format."""


class _Told:
    """In the place of the rejects of the run: tells them to it."""

    def __init__(self, answers: IO[bytes], folder: str | None) -> None:
        self._answers = answers
        self._folder = None if folder is None else Path(folder)

    def add(
        self, source: Source, *, row: int | None, line: int | str | None, reason: str, data: bytes | Iterable[bytes]
    ) -> None:
        del source
        send(self._answers, {"is": "reject", "row": row, "line": line, "reason": reason})
        for piece in [data] if isinstance(data, bytes) else data:
            send(self._answers, {"is": "piece"}, piece)
        send(self._answers, {"is": "rejected"})

    def note(self, source: Source, *, row: int, line: int | str | None, reason: str, size: int) -> None:
        del source
        send(self._answers, {"is": "note", "row": row, "line": line, "reason": reason, "size": size})

    def path_of(self, source: Source) -> Path | None:
        return None if self._folder is None else place_of(source, self._folder)


def main() -> None:
    """Answer until there is nothing more to read."""
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(silence, stream)
    while (question := receive(questions)) is not None:
        _answer(question[0], answers)


def _answer(question: dict[str, Any], answers: IO[bytes]) -> None:
    try:
        source = read_source(question["source"])
        _bound(source)
        (_write if "keep" in question else _read)(question, source, answers)
        end: dict[str, Any] = {"is": "end"}
    except (InputError, UsageError) as error:
        usage = isinstance(error, UsageError)
        end = {"is": "refused", "usage": usage, "message": error.message, "cure": error.cure}
    except MemoryError:
        end = {"is": "memory"}
    except Exception as error:  # whatever a file makes a parser fail at, the next file is read
        end = {"is": "failed", "why": f"{type(error).__name__}: {error}"[:200]}
    send(answers, end)


def _read(question: dict[str, Any], source: Source, answers: IO[bytes]) -> None:
    from whorl.corpus.reading import module_of

    module = module_of(source)
    options = read_options(question["options"])
    columns = Columns(**question["columns"] | {"text": tuple(question["columns"]["text"])})
    rejects: Any = _Told(answers, question["rejects"])
    for batch in module.read(source, columns, rejects, options):
        send(answers, *pack(batch))


def _write(question: dict[str, Any], source: Source, answers: IO[bytes]) -> None:
    from whorl.corpus.reading import module_of

    options = read_options(question["options"])
    rows = module_of(source).write(source, Path(question["target"]), kept_rows(question), options)
    send(answers, {"is": "written", "rows": rows})


def _bound(source: Source) -> None:
    """Let this process grow by what the file may take and no more, beside its libraries, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if source.format not in _LOADED:
        _LOADED.add(source.format)
        for library in _LIBRARIES[source.format]:
            with suppress(ImportError):
                import_module(library)
        gc.freeze()  # libraries are no garbage: looking for it among them took an eighth of the time
    pages = Path("/proc/self/statm")
    if pages.exists():
        now = int(pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        without = _WITHOUT_FILES.setdefault(source.format, now)
        most = without + BUDGETS[source.format].memory(source.size)
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
