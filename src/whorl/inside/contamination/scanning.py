"""Scan the documents of a corpus for the items of an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.corpus import TEXT_COLUMN, Batch, Columns, ReadOptions, Rejects, Source, read_sources
from whorl.corpus.formats.json.nested import value_at
from whorl.inside.contamination.hits import DocumentPlace, Hit, hit_of
from whorl.inside.contamination.index import ItemIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.inside.contamination.progress import ContaminationProgress

_LONGEST_SOURCE = 200


@dataclass(slots=True)
class ScannedFile:
    """A file of the corpus after its scan.

    Attributes:
        source: the file.
        columns: the columns that make up the text.
        rows: the numbers of its documents.
        documents: their number by source, if sources are distinguished.
    """

    source: Source
    columns: tuple[str, ...]
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    documents: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """The number of documents."""
        return sum(map(len, self.rows))

    def flags(self) -> NDArray[np.bool_]:
        """Return a flag for each row up to the last document: whether it is a document."""
        rows = np.concatenate(self.rows) if self.rows else np.zeros(0, np.int64)
        flags = np.zeros(int(rows.max(initial=0)), np.bool_)
        flags[rows - 1] = True
        return flags


def scan_files(
    index: ItemIndex,
    sources: Sequence[Source],
    columns: Columns,
    rejects: Rejects,
    options: ReadOptions,
    *,
    by: str | None,
    progress: ContaminationProgress,
) -> tuple[list[ScannedFile], list[Hit]]:
    """Scan files, and return them with all hits in order.

    Args:
        index: the items.
        sources: the files.
        columns: the columns of text and id.
        rejects: receives unreadable rows.
        options: the read options.
        by: a column that names the source, such as ``meta.source``.
        progress: receives the number of documents.

    Raises:
        InputError: a named file cannot be read.
    """
    files: dict[str, ScannedFile] = {}
    hits: list[Hit] = []
    for source, batch in read_sources(sources, columns, rejects, options):
        chosen = columns.of(source).text
        if TEXT_COLUMN in batch.notices:
            chosen = (batch.notices[TEXT_COLUMN],)
        scanned = files.setdefault(source.name, ScannedFile(source, chosen))
        scanned.rows.append(batch.rows)
        hits += _scan_batch(index, scanned, batch, by)
        progress.advance(len(batch))
    return list(files.values()), hits


def _scan_batch(index: ItemIndex, scanned: ScannedFile, batch: Batch, by: str | None) -> list[Hit]:
    import pyarrow as pa

    sources = None if by is None else [source_of(row, by) for row in batch.others or ()]
    scanned.documents.update(sources or ())
    hits: list[Hit] = []
    texts: Any = None
    for core_hit in index.scan(batch.texts):
        texts = pa.array(batch.texts) if texts is None else texts
        document = core_hit.document
        place = DocumentPlace(
            batch.ids[document].as_py() or "",
            scanned.source.name,
            int(batch.rows[document]),
            "" if sources is None else sources[document],
        )
        hits.append(hit_of(index, core_hit, texts[document].as_py(), place))
    return hits


def source_of(row: Any, by: str) -> str:
    """Return the source of a row as text; empty if it has none."""
    value = value_at(row, by)
    return "" if value is None else str(value)[:_LONGEST_SOURCE]


__all__ = ["ScannedFile", "scan_files", "source_of"]
