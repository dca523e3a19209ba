"""A corpus in memory, with a unique id for every document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus import EVERYTHING, Columns, ReadOptions, Rejects, Source, discover, read_files, read_source
from whorl.corpus.rejects import no_documents
from whorl.engines.hot import Place
from whorl.engines.memory.rows import Rows
from whorl.engines.progress import Silent
from whorl.errors import InputError, UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whorl.corpus import Batch, Selection
    from whorl.engines.progress import Progress


@frozen
class Documents:
    """Documents in memory.

    Attributes:
        ids: unique ids.
        texts: texts, in the same order.
        places: location of each document in its file; empty for documents that come from no file.
        rejected: number of rows that could not be read.
        repeated: an id that occurred several times and was made unique by adding the location; None if all ids differ.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    places: tuple[Place, ...] = ()
    rejected: int = 0
    repeated: str | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self) -> Rows:
        """Return the documents as rows of the engine."""
        return Rows(list(self.texts), list(self.ids), np.empty(0))

    def chosen(self, positions: Sequence[int]) -> Documents:
        """Return the documents at some positions, in that order."""
        places = tuple(self.places[position] for position in positions) if self.places else ()
        ids, texts = (tuple(column[position] for position in positions) for column in (self.ids, self.texts))
        return Documents(ids, texts, places)


def read_documents(
    inputs: Sequence[str],
    columns: Columns,
    options: ReadOptions | None = None,
    progress: Progress | None = None,
    selection: Selection = EVERYTHING,
) -> Documents:
    """Read files into memory. Documents without id are named ``FILE:ROW``; repeated ids get this as a suffix.

    Args:
        inputs: files, folders and globs.
        columns: columns of the text and the id.
        options: parsing options.
        progress: receives events and the number of unreadable rows.
        selection: files of folders and globs to read.

    Raises:
        UsageError: standard input was requested.
        InputError: a file cannot be read with these options, or there is no document.

    Memory: all texts.
    """
    if "-" in inputs:
        raise UsageError(say("standard input is not supported here"), hint=say("save them to a file first"))
    report = progress or Silent()
    report.stage("read", None, "documents")
    ids: list[str] = []
    texts: list[str] = []
    places: list[Place] = []
    rejects = Rejects()
    for source, batch in read_files(inputs, columns, rejects, options or ReadOptions(), selection=selection):
        ids += _names(source, batch)
        texts += _strings(batch.texts)
        places += _places(source, batch)
        report.advance(len(batch.rows))
    for error in rejects.unreadable.values():
        report.note(say("not read: {reason}", reason=error.message))
    if rejects.total:
        report.note(say("{count:,} rows cannot be read and are left out", count=rejects.total))
    if not ids:
        raise no_documents()
    repeated = next((id for id, count in Counter(ids).items() if count > 1), None)
    return Documents(_different(ids, places), tuple(texts), tuple(places), rejects.total, repeated)


def read_column(
    inputs: Sequence[str],
    column: str,
    options: ReadOptions | None = None,
    *,
    required: bool = False,
    selection: Selection = EVERYTHING,
) -> Mapping[Place, str]:
    """Return another column, for the rows that have it.

    Args:
        inputs: files, folders and globs.
        column: name of the column.
        options: parsing options.
        required: require the column in every named file and in at least one file overall.
        selection: files of folders and globs to read.

    Raises:
        InputError: a file cannot be read, or lacks a column that is required.
    """
    values: dict[Place, str] = {}
    rejects = Rejects()
    for source in discover(inputs, selection=selection):
        try:
            for batch in read_source(source, Columns((column,)), rejects, options or ReadOptions()):
                values |= zip(_places(source, batch), _strings(batch.texts), strict=True)
        except InputError:
            if required:
                raise
    if required and not values:
        rejects.demand_readable()
    return values


def _places(source: Source, batch: Batch) -> list[Place]:
    return [Place(source.name, row) for row in batch.rows.tolist()]


def _strings(column: object) -> list[str]:
    import pyarrow as pa

    strings: list[str] = pa.array(column).to_pylist()
    return strings


def _names(source: Source, batch: Batch) -> list[str]:
    ids = _strings(batch.ids)
    return [id or f"{source.name}:{row}" for id, row in zip(ids, batch.rows.tolist(), strict=True)]


def _different(ids: Sequence[str], places: Sequence[Place]) -> tuple[str, ...]:
    """Return unique ids: those that repeat are extended by the location of the document."""
    counts = Counter(ids)
    return tuple(
        id if counts[id] == 1 else f"{id} ({place.file}:{place.row})" for id, place in zip(ids, places, strict=True)
    )


def demand_different_ids(documents: Documents) -> None:
    """Reject documents with repeated ids.

    Raises:
        InputError: two documents have the same id.
    """
    if documents.repeated is not None:
        message = say("two documents have the id {id!r}", id=documents.repeated)
        raise InputError(message, hint=say("name a column of unique ids, `id`"))


__all__ = ["Documents", "demand_different_ids", "read_column", "read_documents"]
