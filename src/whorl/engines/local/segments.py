"""A segment: the columns of a group of input files on disk, and the manifest that makes it complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from whorl.engines.corpus import FileRecord
from whorl.engines.local.columns import SEVERAL, map_column, read_column
from whorl.engines.local.durable import Sums, is_as_written, read_json, sum_of, write_json

MANIFEST = "segment.json"
"""Name of the manifest, which is written last."""


class StoredSegment(NamedTuple):
    """A stored group of files and their documents.

    Attributes:
        folder: folder of the columns.
        files: its files, in order.
        documents: number of documents.
        reasons: number of rejected rows by reason.
        sums: size and checksum of its columns and of the rejected rows.
    """

    folder: Path
    files: tuple[FileRecord, ...]
    documents: int
    reasons: dict[str, int]
    sums: Sums

    @property
    def identity(self) -> Sequence[int]:
        """Return a value that identifies the contents, collisions aside."""
        return sum_of(self.folder / MANIFEST)

    @property
    def goes_on(self) -> bool:
        """Return True if this is a later part of the file in the previous segment."""
        return any(record.goes_on for record in self.files)

    @property
    def text_files(self) -> list[tuple[str, str | None]]:
        """Return the path that the texts of each file are read from, and the encoding of rows that must be parsed."""
        return [
            (str(self.folder / "text"), None) if record.encoding is None else (str(record.path), record.encoding)
            for record in self.files
        ]

    def is_whole(self, passing: Sequence[str] = ()) -> bool:
        """Return True if all columns are intact, temporary ones optionally excepted. Reads every column once."""
        return is_as_written(
            self.folder, {name: sum_of_file for name, sum_of_file in self.sums.items() if name not in passing}
        )

    def column(self, name: str) -> NDArray[Any]:
        """Read a whole column."""
        return read_column(self.folder, name)

    def mapped(self, name: str) -> NDArray[Any]:
        """Memory-map a column with one row per document."""
        column = map_column(self.folder, name)
        return column.reshape(self.documents, -1) if self.documents and name in SEVERAL else column


def load_segment(folder: Path) -> StoredSegment | None:
    """Read a complete segment; None if it is missing, incomplete or damaged."""
    manifest = read_json(folder / MANIFEST)
    try:
        files = tuple(FileRecord.of(record) for record in manifest["files"])
        return StoredSegment(folder, files, manifest["documents"], manifest["reasons"], manifest["sums"])
    except (TypeError, KeyError):
        return None


def save_segment(segment: StoredSegment) -> None:
    """Write the manifest that makes the segment complete."""
    manifest = {
        "files": [asdict(record) for record in segment.files],
        "documents": segment.documents,
        "reasons": segment.reasons,
        "sums": segment.sums,
    }
    write_json(manifest, segment.folder / MANIFEST)


__all__ = ["MANIFEST", "StoredSegment", "load_segment", "save_segment"]
