"""Read a single text from a file, a row of a file, or standard input."""

from __future__ import annotations

import re
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.tasks.library.arguments import reading
from whorl.text import fold
from whorl.types.scans import PageLine

if TYPE_CHECKING:
    from whorl.corpus import Source
    from whorl.recipe import Recipe

_ROW = re.compile(r"(?P<file>.+):(?P<row>[1-9][0-9]*)")


class ReadText(NamedTuple):
    """A text with notes about its document.

    Attributes:
        text: the text.
        hidden: number of hidden characters in the document, which are not in the text.
        missing: one sentence about missing contents of its file, or an empty string.
        lines: the places of recognized lines in the text.
    """

    text: str
    hidden: int = 0
    missing: str = ""
    lines: tuple[PageLine, ...] = ()


def read_article(place: str, recipe: Recipe, *, may_be_empty: bool = False) -> str:
    """Return the text at ``place``, as read by ``read_text``."""
    return read_text(place, recipe, may_be_empty=may_be_empty).text


def read_text(place: str, recipe: Recipe, *, may_be_empty: bool = False) -> ReadText:
    """Read the text at ``place`` in the same way as a deduplication.

    Args:
        place: a file that is one document; ``FILE:ROW`` for a row of a JSONL, Parquet, CSV, XLSX or WARC file; ``-``
            for standard input.
        recipe: its text columns, encoding and maximum row size.
        may_be_empty: accept a text without letters, characters and digits, too.

    Raises:
        InputError: the file or row does not exist, cannot be read, or has no text.
        UsageError: the file has rows and ``place`` names none.

    Cost: a file is read up to the row, with one block in memory.
    """
    read = _read(place, recipe)
    if not may_be_empty and not fold(read.text):
        raise InputError(
            say("{label} has no text to compare", label=place_label(place)),
            hint=say("choose another text, or name its columns: `text=body`"),
        )
    return read


def _read(place: str, recipe: Recipe) -> ReadText:
    from whorl.corpus import Source
    from whorl.corpus.remote.address import place_of as remote

    if place == "-":
        return _row(Source(None, "stdin.txt", "text"), 1, recipe)
    if not place:
        raise UsageError(say("an input is empty"), hint=say("use a text file, FILE:ROW, or - for stdin"))
    file_name, row = split_row(place)
    if remote(file_name) is not None:
        return _row_of(file_name, row, recipe)
    file = Path(file_name)
    if not file.exists():
        raise InputError(say("{file} does not exist", file=file), hint=say("use a text file, FILE:ROW, or - for stdin"))
    if file.is_dir():
        raise InputError(say("{file} is a folder", file=file), hint=say("choose a text file in it, or FILE:ROW"))
    return _row_of(file, row, recipe)


def _row_of(file: Path | str, row: int | None, recipe: Recipe) -> ReadText:
    from whorl.corpus import WHOLE, discover

    sources = discover([file])
    if len(sources) > 1:
        raise InputError(say("{file} is a folder", file=file), hint=say("choose a text file in it, or FILE:ROW"))
    (source,) = sources
    if row is None and source.format not in WHOLE:
        raise UsageError(
            say("{file} has a document in each row", file=file), hint=say("choose one: {file}:1", file=file)
        )
    return _row(source, row or 1, recipe)


def place_of(place: str) -> tuple[Path, int] | None:
    """Return the file, with links resolved, and the row of ``place``; None for standard input and remote places."""
    from whorl.corpus.remote.address import place_of as remote

    file, row = split_row(place)
    return None if place == "-" or remote(file) is not None else (Path(realpath(file)), row or 1)


def place_label(place: str) -> str:
    """Return ``place`` without the secrets of an address, for display."""
    from whorl.corpus.remote.address import redacted
    from whorl.stores import masked, on_server

    return masked(place) if on_server(place) else redacted(place)


def split_row(place: str) -> tuple[str, int | None]:
    """Split ``FILE:ROW`` unless a file has that whole name."""
    parts = _ROW.fullmatch(place)
    if parts is None or Path(place).exists():
        return place, None
    return parts["file"], int(parts["row"])


def _row(source: Source, row: int, recipe: Recipe) -> ReadText:
    import pyarrow as pa

    from whorl.corpus import HIDDEN_TEXT, MISSING_PARTS, Columns, Rejects, format_of

    columns, options = Columns(recipe.text).texts_of(source.name), reading(recipe)
    rejects = Rejects()
    for batch in format_of(source).read(source, columns, rejects, options):
        position = int(batch.rows.searchsorted(row))
        if position < len(batch) and batch.rows[position] == row:
            text: str = pa.array(batch.texts)[position].as_py()
            hidden = int(batch.notices.get(HIDDEN_TEXT, 0))
            lines = () if batch.lines is None else batch.lines[position]
            return ReadText(text, hidden, batch.notices.get(MISSING_PARTS, ""), lines)
    message = say("{label} has no readable row {row}", label=source.label, row=row)
    reason = next((rejection.reason for rejection in rejects.named if rejection.row == row), None)
    if reason is not None:
        message = say("{label}: {reason}", label=message, reason=reason)
    raise InputError(
        message,
        hint=say("choose another row; the first is 1") if reason is None or not _is_whole(source) else "",
    )


def _is_whole(source: Source) -> bool:
    """Return True if a file is a single document: it has no second row, and the rejection of its row has no hint."""
    from whorl.corpus import WHOLE

    return source.format in WHOLE


__all__ = ["ReadText", "place_label", "place_of", "read_article", "read_text", "split_row"]
