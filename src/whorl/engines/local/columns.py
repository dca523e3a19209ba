"""Columns of numbers and strings on disk, appended batch by batch and read whole."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl.engines.decide import POSTING

SOUGHT = np.dtype([("document", "<u4"), ("source", "<u4"), ("number", "<u8"), ("hits", "<u4")])
"""A document, numbered within its segment, and a candidate that a source found: what that calls it; keys of both."""

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

``file`` is the number of the document's file in its segment. ``offset`` and ``size`` say where its text lies: in the
file itself for rows that can be read again, in ``text`` for those that cannot. ``id_end`` is where the document's id
ends in ``id``. ``posting`` holds the postings of each batch by partition, ``partition_end`` where each partition of
each batch ends in it. ``sought`` has the candidates that were asked for elsewhere; ``number`` is what a library calls
what was found in it. ``kept`` and ``kept_offset`` are added by a finished run: which documents stay, and where their
rows lie in the kept file.
"""


LIBRARY = "library"
"""The format of a file that stands for what was found in a library."""
SEVERAL = ("digest", "code")
"""The columns of more than one number a document."""
PASSING = ("text", "sought")
"""The columns that only the run itself needs."""


class ColumnWriter:
    """Appends to the columns of one segment, which are on the disk when it is left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, IO[bytes]] = {}
        self._written: dict[str, int] = {}
        self._checksums: dict[str, int] = {}

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Add ``values`` to the column ``name``; they are converted to its type."""
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
        """How many bytes the column has."""
        return self._written.get(name, 0)

    @property
    def sums(self) -> dict[str, Sequence[int]]:
        """Size and CRC-32 of each column so far."""
        return {name: (self._written[name], self._checksums[name]) for name in self._files}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for file in self._files.values():
            if kind is None:
                file.flush()
                os.fsync(file.fileno())
            file.close()


def read_column(folder: Path, name: str) -> NDArray[Any]:
    """Return a whole column; empty when nothing was appended."""
    path = folder / name
    if not path.exists():
        return np.empty(0, COLUMNS[name])
    return np.fromfile(path, COLUMNS[name])


def map_column(folder: Path, name: str) -> NDArray[Any]:
    """Return the numbers of a column, which are read where they are asked for; none when nothing was appended."""
    path, kind = folder / name, COLUMNS[name].base
    is_there = path.exists() and path.stat().st_size > 0
    return np.memmap(path, kind, "r") if is_there else np.empty(0, kind)


__all__ = ["COLUMNS", "LIBRARY", "PASSING", "SEVERAL", "SOUGHT", "ColumnWriter", "map_column", "read_column"]
