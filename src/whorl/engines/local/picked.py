"""A selection of documents from stored segments; only their data is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.local.columns import COLUMNS
from whorl.engines.local.read import StoredSegment
from whorl.engines.stages.deciding import Prints


class Picked:
    """Selected documents of some segments.

    Args:
        segments: of all documents, in their order.
        documents: uint32 (n,), the selected documents, in any order.
    """

    def __init__(self, segments: Sequence[StoredSegment], documents: NDArray[np.uint32]) -> None:
        self._segments = segments
        self._documents = documents
        self._order = np.argsort(documents, kind="stable")
        self._bases = np.cumsum([0, *(segment.documents for segment in segments)])
        self._bounds = np.searchsorted(documents[self._order], self._bases)

    def prints(self) -> Prints:
        """Return the digests, lengths and codes of the documents."""
        return Prints(self.column("digest"), self.column("length"), self.column("code"))

    def column(self, name: str) -> NDArray[Any]:
        """Return one column of the documents, with one or more numbers per document."""
        column: NDArray[Any] | None = None
        for segment, places, rows in self._pieces():
            values = segment.mapped(name)[rows]
            if column is None:
                column = np.empty((len(self._documents), *values.shape[1:]), values.dtype)
            column[places] = values
        return np.empty(0, COLUMNS[name].base) if column is None else column

    def texts(self, columns: Sequence[str]) -> _core.FileTexts:
        """Return a reader for their texts by position; the texts are built from ``columns``."""
        files: list[tuple[str, str | None]] = []
        file_of = np.empty(len(self._documents), np.uint32)
        for segment, places, rows in self._pieces():
            file_of[places] = segment.mapped("file")[rows] + np.uint32(len(files))
            files += segment.text_files
        return _core.FileTexts(
            files, _core.RowColumns(list(columns)), file_of, self.column("offset"), self.column("size")
        )

    def _pieces(self) -> Iterator[tuple[StoredSegment, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the segments with selected documents, their positions in the selection, and their rows."""
        for number, segment in enumerate(self._segments):
            places = self._order[self._bounds[number] : self._bounds[number + 1]]
            if len(places):
                yield segment, places, self._documents[places].astype(np.int64) - self._bases[number]


__all__ = ["Picked"]
