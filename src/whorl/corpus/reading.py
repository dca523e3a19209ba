"""Read files in sequence; an unreadable file does not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from whorl.corpus.contract import Batch, Columns, Format, ReadOptions, Source
from whorl.corpus.discover import demand_file, discover
from whorl.corpus.isolated import SandboxedFormat, is_isolated, sources_ahead
from whorl.corpus.rejected import Rejects
from whorl.corpus.selection import EVERYTHING, Selection
from whorl.errors import InputError

_LOG = logging.getLogger("whorl.corpus")

FORMATS = {
    "jsonl": "whorl.corpus.jsonl",
    "parquet": "whorl.corpus.parquet",
    "csv": "whorl.corpus.delimited",
    "xlsx": "whorl.corpus.workbook",
    "html": "whorl.corpus.html",
    "docx": "whorl.corpus.docx",
    "odt": "whorl.corpus.odt",
    "rtf": "whorl.corpus.rtf",
    "epub": "whorl.corpus.epub",
    "mhtml": "whorl.corpus.mhtml",
    "markdown": "whorl.corpus.markdown",
    "latex": "whorl.corpus.latex",
    "warc": "whorl.corpus.warc",
    "closed": "whorl.corpus.closed",
    "pdf": "whorl.corpus.pdf",
    "subtitles": "whorl.corpus.subtitles",
    "container": "whorl.corpus.containers",
    "text": "whorl.corpus.plain",
}


def module_of(source: Source) -> Format:
    """Return the module that reads and writes ``source`` in this process, imported on first use."""
    return cast(Format, import_module(FORMATS[source.format]))


def format_of(source: Source) -> Format:
    """Return the reader and writer of ``source``: its module, or a proxy for a separate process."""
    module = module_of(source)
    return SandboxedFormat(module) if is_isolated(source) else module


def read_source(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows of a file.

    An unreadable file from a folder or pattern is rejected like a row.

    Raises:
        InputError: a named file or all its rows cannot be read; or the file breaks after some of its rows were yielded;
            or a range of a file cannot be read.
    """
    rows, notices = 0, dict[str, str]()
    try:
        demand_file(source)
        for batch in format_of(source).read(source, columns.of(source), rejects, options):
            rows += len(batch)
            notices.update(batch.notices)
            yield batch
    except InputError as error:
        if rows or source.named or source.path is None or source.span is not None:
            raise
        rejects.set_aside(source, error)
        return
    if not rows:
        rejects.demand_rows(source)
    details = "".join(f"; {name.replace('_', ' ')}: {value}" for name, value in notices.items())
    _LOG.info("%s: read, rows: %d%s", source.label, rows, details)


def read_files(
    inputs: Sequence[str | Path],
    columns: Columns,
    rejects: Rejects,
    options: ReadOptions,
    *,
    selection: Selection = EVERYTHING,
) -> Iterator[tuple[Source, Batch]]:
    """Yield the rows of all input files, each batch with its file; the next files are read ahead.

    Args:
        inputs: files, folders and globs, as for ``discover``; ``-`` is JSONL on standard input.
        columns: the columns to read.
        rejects: receives unreadable rows and files.
        options: the read options.
        selection: the files of folders and globs to read.

    Raises:
        InputError: an input does not exist; a named file or all its rows cannot be read, or it breaks after some of its
            rows were yielded; or no row at all can be read.
    """
    has_rows = False
    for source in sources_ahead(discover(inputs, selection=selection), columns, rejects, options):
        for batch in read_source(source, columns, rejects, options):
            has_rows = has_rows or len(batch) > 0
            yield source, batch
    if not has_rows:
        rejects.demand_readable()


__all__ = ["FORMATS", "format_of", "module_of", "read_files", "read_source", "sources_ahead"]
