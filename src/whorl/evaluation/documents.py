"""A corpus in memory, with an id for every document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whorl.corpus import EVERYTHING, Columns, ReadOptions, Rejects, Source, discover, read_files, read_source
from whorl.engines.hot import Place
from whorl.engines.memory.rows import Rows
from whorl.engines.progress import Silent
from whorl.errors import InputError, UsageError
from whorl.language import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whorl.corpus import Batch, Selection
    from whorl.engines.progress import Progress


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents in memory.

    Attributes:
        ids: one for each, all different.
        texts: of each.
        places: where each stands; empty for documents that stand in no file.
        rejected: rows that could not be read.
        repeated: an id that several documents had, and that has their places added; None if there is none.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    places: tuple[Place, ...] = ()
    rejected: int = 0
    repeated: str | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self) -> Rows:
        """Return them as the engine takes them."""
        return Rows(list(self.texts), list(self.ids), np.empty(0))

    def chosen(self, positions: Sequence[int]) -> Documents:
        """Return some of the documents, in the order given."""
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
    """Read files into memory; a document without an id is named ``FILE:ROW``, and that is added to one that repeats.

    Args:
        inputs: files, folders and globs.
        columns: which columns make the text and the id.
        options: how bytes become rows.
        progress: is told what happens, and how many rows could not be read.
        selection: which files of folders and globs are read.

    Raises:
        UsageError: standard input is asked for.
        InputError: a file cannot be read as asked, or there is no document.

    Memory: all texts.
    """
    if "-" in inputs:
        raise UsageError(say("documents cannot come from standard input here"), cure=say("save them to a file first"))
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
        raise InputError(say("there is no document to read"), cure=say("check the files and the text column, `text`"))
    repeated = next((own for own, count in Counter(ids).items() if count > 1), None)
    return Documents(_different(ids, places), tuple(texts), tuple(places), rejects.total, repeated)


def read_column(
    inputs: Sequence[str],
    column: str,
    options: ReadOptions | None = None,
    *,
    required: bool = False,
    selection: Selection = EVERYTHING,
) -> Mapping[Place, str]:
    """Return a further column of the rows that have it.

    Args:
        inputs: files, folders and globs.
        column: its name.
        options: how bytes become rows.
        required: whether every file that is named must have it, and one of them all.
        selection: which files of folders and globs are read.

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
    return [own or f"{source.name}:{row}" for own, row in zip(ids, batch.rows.tolist(), strict=True)]


def _different(ids: Sequence[str], places: Sequence[Place]) -> tuple[str, ...]:
    """The ids, those that occur more than once with the place of the document."""
    counts = Counter(ids)
    return tuple(
        own if counts[own] == 1 else f"{own} ({place.file}:{place.row})" for own, place in zip(ids, places, strict=True)
    )


def demand_different_ids(documents: Documents) -> None:
    """Refuse documents that had to be told apart by their places.

    Raises:
        InputError: two documents have the same id.
    """
    if documents.repeated is not None:
        message = say("two documents have the id {id!r}", id=documents.repeated)
        raise InputError(message, cure=say("name a column of different ids, `id`"))


__all__ = ["Documents", "demand_different_ids", "read_column", "read_documents"]
