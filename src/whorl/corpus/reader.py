"""Read files in sequence; an unreadable file does not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.discovery import demand_file, discover
from whorl.corpus.formats.protocol import Format
from whorl.corpus.rejects import Rejects
from whorl.corpus.sandbox import is_isolated
from whorl.corpus.selection import EVERYTHING, Selection
from whorl.errors import InputError

_LOG = logging.getLogger("whorl.corpus")

FORMATS = {
    "jsonl": "whorl.corpus.formats.json.jsonl",
    "parquet": "whorl.corpus.formats.tables.parquet",
    "csv": "whorl.corpus.formats.tables.delimited",
    "xlsx": "whorl.corpus.formats.sheets.workbook",
    "html": "whorl.corpus.formats.web.html",
    "docx": "whorl.corpus.formats.office.docx",
    "odt": "whorl.corpus.formats.office.odt",
    "rtf": "whorl.corpus.formats.office.rtf",
    "epub": "whorl.corpus.formats.web.epub",
    "mhtml": "whorl.corpus.formats.web.mhtml",
    "markdown": "whorl.corpus.formats.text.markdown",
    "latex": "whorl.corpus.formats.text.latex",
    "warc": "whorl.corpus.formats.web.warc",
    "closed": "whorl.corpus.formats.office.unsupported",
    "pdf": "whorl.corpus.formats.pdf.file",
    "picture": "whorl.corpus.formats.picture.file",
    "subtitles": "whorl.corpus.formats.text.subtitles",
    "container": "whorl.corpus.containers",
    "text": "whorl.corpus.formats.text.plain",
}


def module_of(source: Source) -> Format:
    """Return the module that reads and writes ``source`` in this process, imported on first use."""
    return cast(Format, import_module(FORMATS[source.format]))


def format_of(source: Source) -> Format:
    """Return the reader and writer of ``source``: its module, or a proxy for a separate process."""
    module = module_of(source)
    if not is_isolated(source):
        return module
    from whorl.corpus.sandbox.parsers import SandboxedFormat

    return SandboxedFormat(module)


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
    for source, batch in read_sources(discover(inputs, selection=selection), columns, rejects, options):
        has_rows = has_rows or len(batch) > 0
        yield source, batch
    if not has_rows:
        rejects.demand_readable()


def read_sources(
    sources: Sequence[Source], columns: Columns, rejects: Rejects, options: ReadOptions
) -> Iterator[tuple[Source, Batch]]:
    """Yield the rows of files as ``read_files`` does, also if no row can be read."""
    for source in sources_ahead(sources, columns, rejects, options):
        for batch in read_source(source, columns, rejects, options):
            yield source, batch


def sources_ahead(
    sources: Iterable[Source], columns: Columns, rejects: Rejects, options: ReadOptions
) -> Generator[Source, None, None]:
    """Yield files in order, while worker processes already read the following ones.

    Read each file with ``columns.of(source)`` and these options before requesting the next one.
    """
    if isinstance(sources, Sequence) and not any(map(is_isolated, sources)):
        yield from sources
        return
    from whorl.corpus.sandbox.parsers import sources_ahead as read_ahead

    yield from read_ahead(sources, columns, rejects, options)


__all__ = ["FORMATS", "format_of", "module_of", "read_files", "read_source", "read_sources", "sources_ahead"]
