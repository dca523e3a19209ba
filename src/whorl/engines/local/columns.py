"""On-disk columns of numbers and strings, appended in batches and read whole."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl.engines.decide import POSTING
from whorl.engines.local.durable import sync_open

SOUGHT = np.dtype([("document", "<u4"), ("source", "<u4"), ("number", "<u8"), ("hits", "<u4")])
"""A document numbered within its segment, its candidate in a source, and the number of shared keys."""

COLUMNS: dict[str, np.dtype[Any]] = {
    "digest": np.dtype(("<u8", 2)),
    "length": np.dtype("<u4"),
    "code": np.dtype("u1"),
    "key_count": np.dtype("<u4"),
    "order": np.dtype("<f8"),
    "blemishes": np.dtype("<u4"),
    "file": np.dtype("<u4"),
    "row": np.dtype("<i8"),
    "offset": np.dtype("<u8"),
    "size": np.dtype("<u4"),
    "id": np.dtype("u1"),
    "id_end": np.dtype("<i8"),
    "text": np.dtype("u1"),
    "posting": POSTING,
    "partition_end": np.dtype("<u8"),
    "sought": SOUGHT,
    "number": np.dtype("<u8"),
    "kept": np.dtype("?"),
    "kept_offset": np.dtype("<u8"),
}
"""The columns of a segment.

``file`` is the number of the document's file in its segment. ``offset`` and ``size`` locate its text: in the file
itself for rows that can be read again, otherwise in ``text``. ``id_end`` is the end of the document's id in ``id``.
``posting`` contains the postings of each batch by partition, ``partition_end`` the end of each partition of each batch.
``sought`` contains the candidates from other sources; ``number`` is the number of a candidate in its library. A
finished run adds ``kept`` and ``kept_offset``: the kept documents, and the position of their rows in the kept file.
"""


LIBRARY = "library"
"""Format name of a pseudo-file with the documents found in a library."""
SEVERAL = ("digest", "code")
"""Columns with several numbers per document."""
PASSING = ("text", "sought")
"""Temporary columns that only the run itself needs."""


class ColumnWriter:
    """Writer of the columns of one segment; they are flushed to disk when the context ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, IO[bytes]] = {}
        self._written: dict[str, int] = {}
        self._checksums: dict[str, int] = {}

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Append ``values`` to the column ``name``, converted to its type."""
        file = self._files.get(name)
        if file is None:
            file = self._files[name] = (self._folder / name).open("wb")
        base = COLUMNS[name].base
        data = np.ascontiguousarray(values, dtype=base)
        view = data.data if data.size else b""
        file.write(view)
        self._written[name] = self.written(name) + data.nbytes
        self._checksums[name] = zlib.crc32(view, self._checksums.get(name, 0))

    def written(self, name: str) -> int:
        """Return the current size of a column in bytes."""
        return self._written.get(name, 0)

    @property
    def sums(self) -> dict[str, Sequence[int]]:
        """Return size and CRC-32 of each column so far."""
        return {name: (self._written[name], self._checksums[name]) for name in self._files}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with ExitStack() as stack:
            files = [stack.enter_context(file) for file in self._files.values()]
            if kind is None:
                sync_open(files)


def read_column(folder: Path, name: str) -> NDArray[Any]:
    """Read a whole column; empty if nothing was appended."""
    path = folder / name
    if not path.exists():
        return np.empty(0, COLUMNS[name])
    return np.fromfile(path, COLUMNS[name])


def map_column(folder: Path, name: str) -> NDArray[Any]:
    """Memory-map a column of numbers; empty if nothing was appended."""
    path, kind = folder / name, COLUMNS[name].base
    is_there = path.exists() and path.stat().st_size > 0
    return np.memmap(path, kind, "r") if is_there else np.empty(0, kind)


__all__ = ["COLUMNS", "LIBRARY", "PASSING", "SEVERAL", "SOUGHT", "ColumnWriter", "map_column", "read_column"]
