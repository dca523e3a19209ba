"""The interface of file formats: a source is read as batches of rows, and written back without the removed rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.rejects import Rejects

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Format(Protocol):
    """A file format: a module with these two functions."""

    def read(self, source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
        """Yield the rows of ``source``; unreadable rows go to ``rejects``.

        Raises:
            InputError: the whole file cannot be read, for example because it lacks the text column.
        """
        ...

    def write(self, source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
        """Write the rows of ``source`` for which ``keep[row - 1]`` is true to ``target``, in the same format.

        Returns the number of written rows, which the caller verifies: a file may change between reading and writing.
        Rows beyond the end of ``keep`` are dropped. The parent of ``target`` exists. A file with one document that is
        not kept leaves no target at all: an empty file would be a document.
        """
        ...


__all__ = ["Format"]
