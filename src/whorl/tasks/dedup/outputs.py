"""Write output files atomically, without overwriting unrelated files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from os import SEEK_END
from pathlib import Path
from typing import NamedTuple

from whorl._internal.atomic_file import appearing
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.reports.naming import CSV_MARK, TABLE_MARK
from whorl.reports.pdf.printing import PDF_MARK
from whorl.tasks.compare.articles import place_of

_MARK_BYTES = 4096

STANDARD_OUTPUT = Path("-")


class OutputKind(NamedTuple):
    """A kind of output file.

    Attributes:
        name: its name in messages.
        mark: magic bytes near the beginning or the end of each file.
    """

    name: str
    mark: bytes


PAGE = OutputKind(say("report"), b"<title>whorl ")
PDF = OutputKind(say("report"), PDF_MARK)
RECIPE = OutputKind(say("recipe"), b"# whorl recommend: ")
WEIGHTS = OutputKind(say("recipe"), b"# whorl attribute fit: ")
SITES = OutputKind(say("list of sites"), b"# whorl watch")


TABLES = {
    ".csv": OutputKind(say("table"), CSV_MARK),
    ".xlsx": OutputKind(say("table"), TABLE_MARK),
    ".docx": OutputKind(say("table"), TABLE_MARK),
}
"""The tables of a comparison by file suffix."""


def kind_of(path: Path) -> OutputKind:
    """Return the kind of file that a path requests for a comparison: a PDF, a table, or else an HTML page."""
    suffix = path.suffix.lower()
    return PDF if suffix == ".pdf" else TABLES.get(suffix, PAGE)


def demand_free(path: Path | None, kind: OutputKind, inputs: Iterable[str]) -> None:
    """Refuse an occupied path before any work is done. An older file of the same kind may be replaced.

    Args:
        path: output path, or None.
        kind: kind of the output.
        inputs: paths that are read.

    Raises:
        UsageError: the path is an input, another kind of file, or in a missing folder.
    """
    if path is None or path == STANDARD_OUTPUT or (path.exists() and not path.is_file()):
        return
    if not path.parent.is_dir():
        raise UsageError(
            say("the folder {path} does not exist", path=path.parent),
            hint=say("create it, or choose another path for the {kind}", kind=kind.name),
        )
    if not path.exists():
        return
    if any(_is_in(path, place[0]) for place in map(place_of, inputs) if place is not None):
        raise UsageError(
            say("{path} is an input", path=path), hint=say("choose a new file for the {kind}", kind=kind.name)
        )
    with path.open("rb") as file:
        begins = file.read(_MARK_BYTES)
        file.seek(max(0, file.seek(0, SEEK_END) - _MARK_BYTES))
        ends = file.read()
    if begins and kind.mark not in begins and kind.mark not in ends:
        raise UsageError(
            say("{path} already exists and is not a {kind} written by whorl", path=path, kind=kind.name),
            hint=say("choose a new file"),
        )


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically and durably; a device or pipe is written directly.

    ``-`` is standard output.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with appearing(path) as place:
        place.write_bytes(data)


def _is_in(path: Path, place: Path) -> bool:
    try:
        return place.samefile(path) or (place.is_dir() and path.resolve().is_relative_to(place.resolve()))
    except OSError:
        return False


__all__ = ["PAGE", "PDF", "RECIPE", "STANDARD_OUTPUT", "TABLES", "demand_free", "kind_of", "write_whole"]
