"""The documents of a run by number, whatever engine it is, and the files that they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl.corpus import MENDED_TEXTS, Source, Span

REFERENCE = "reference/"
"""Begins the names of files that belong to a reference."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One input file, or a stretch of one, as it was read.

    Attributes:
        name: its path relative to the input root.
        path: where it is; None for standard input.
        format: how it was read.
        compression: None, "gz" or "zst".
        bytes: its size.
        modified: its time of modification in nanoseconds.
        encoding: of its rows, when their texts can be read again from it; else None.
        last_row: the number of its last row, 0 for none.
        documents: how many documents it gave.
        rejected: how many rows it did not; a file that cannot be read at all counts as one.
        fault: why it cannot be read at all, None if it can.
        cure: what to do about that.
        notices: what there is to say about how it was read, as the corpus says it.
        address: whence it was fetched to ``path``, None where it was here already.
        span: of a file that was read in stretches, which one this is; None for the whole file.
        dates: how many documents have their publication date in each column, where the rule asks for it.
        given: the place, from 0, of the input through which it was found.
        reason: why the first row of it that was rejected cannot be read; empty for none.
    """

    name: str
    path: str | None
    format: str
    compression: str | None
    bytes: int
    modified: int
    encoding: str | None
    last_row: int
    documents: int
    rejected: int
    fault: str | None = None
    cure: str = ""
    notices: dict[str, str] = field(default_factory=dict)
    address: str | None = None
    span: Span | None = None
    dates: dict[str, int] = field(default_factory=dict)
    given: int = 0
    reason: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the record that ``asdict`` made plain data of.

        Raises:
            TypeError: it is none.
        """
        span = record.get("span")
        return cls(**{**record, "span": None if span is None else Span(**span)})

    @property
    def goes_on(self) -> bool:
        """Whether it is the stretch of a file behind another one of it."""
        return self.span is not None and self.span.start > 0

    @property
    def source(self) -> Source:
        """The file, or the stretch of it, as the corpus knows it."""
        path = None if self.path is None else Path(self.path)
        return Source(path, self.name, self.format, self.compression, address=self.address, span=self.span)

    def is_unchanged(self) -> bool:
        """Whether the file has the size and time it had when it was read."""
        if self.path is None:
            return False
        return file_state(Path(self.path)) == (self.bytes, self.modified)


def whole_files(records: Iterable[FileRecord]) -> list[FileRecord]:
    """Return a record for each file, of records of files and of stretches, which follow each other."""
    files: list[FileRecord] = []
    for record in records:
        if record.goes_on and files:
            before = files.pop()
            record = replace(  # noqa: PLW2901 - it is the same file
                before,
                documents=before.documents + record.documents,
                rejected=before.rejected + record.rejected,
                last_row=max(before.last_row, record.last_row),
                encoding=before.encoding or record.encoding,
                notices=_joined(before.notices, record.notices),
                dates=dict(Counter(before.dates) + Counter(record.dates)),
                reason=before.reason or record.reason,
            )
        files.append(replace(record, span=None))
    return files


def _joined(notices: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """What there is to say of two stretches of a file; what is counted is added up."""
    joined = {**notices, **others}
    if MENDED_TEXTS in notices and MENDED_TEXTS in others:
        joined[MENDED_TEXTS] = str(int(notices[MENDED_TEXTS]) + int(others[MENDED_TEXTS]))
    return joined


def file_state(path: Path) -> tuple[int, int]:
    """Return size and time of modification, (-1, -1) for a file that is gone."""
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True, slots=True, eq=False)
class Identifiers:
    """The ids of documents: n strings one after the other, empty where a document has none."""

    values: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, ids: Sequence[str]) -> Identifiers:
        """Lay strings out one after the other."""
        encoded = [item.encode("utf-8", "surrogatepass") for item in ids]
        bounds = np.concatenate([[0], np.cumsum([len(item) for item in encoded], dtype=np.int64)]).astype(np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), bounds)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Every document of a run by number: those of the references first, then those of the input.

    Attributes:
        references: how many documents are references.
        file: uint32 (n,), index into ``files``.
        row: int64 (n,), row in the file.
        files: the names of all files; those of references begin with ``REFERENCE``.
        ids: the ids.
        inputs: the files of the input, as they were read; none where documents are in memory.
    """

    references: int
    file: NDArray[np.uint32]
    row: NDArray[np.int64]
    files: Sequence[str]
    ids: Identifiers
    inputs: Sequence[FileRecord] = ()


__all__ = ["REFERENCE", "Corpus", "FileRecord", "Identifiers", "file_state", "whole_files"]
