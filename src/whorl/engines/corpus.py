"""The numbered documents of a run and the files that they come from, for every engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen
from whorl.corpus import MENDED_TEXTS, Columns, Source, Span
from whorl.recipe import AUTO, Recipe

REFERENCE = "reference/"
"""Prefix of the names of files that belong to a reference."""


@frozen
class FileRecord:
    """One input file, or a part of one, as it was read.

    Attributes:
        name: its path relative to the input root.
        path: its path; None for standard input.
        format: detected or selected format.
        compression: None, "gz" or "zst".
        bytes: its size.
        modified: its modification time in nanoseconds.
        encoding: encoding of its rows if their texts can be read from it again, else None.
        last_row: the number of its last row, 0 if it is empty.
        documents: number of documents read from it.
        rejected: number of rejected rows; an unreadable file counts as one.
        fault: the reason why the whole file cannot be read, or None.
        hint: how to fix that.
        notices: notices about how it was read, as the corpus reports them.
        address: the address that it was fetched from to ``path``, or None for a local file.
        span: the part of the file that was read, or None for the whole file.
        dates: number of documents with a publication date in each column, if the keep rule needs dates.
        given: the place, from 0, of the input through which it was found.
        reason: the reason why its first rejected row cannot be read; empty if no row was rejected.
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
    hint: str = ""
    notices: dict[str, str] = field(default_factory=dict)
    address: str | None = None
    span: Span | None = None
    dates: dict[str, int] = field(default_factory=dict)
    given: int = 0
    reason: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Restore a record from the plain data of ``asdict``.

        Raises:
            TypeError: the data does not describe a record.
        """
        span = record.get("span")
        return cls(**{**record, "span": None if span is None else Span(**span)})

    @property
    def goes_on(self) -> bool:
        """Return True if this is a later part of the file that the previous record describes."""
        return self.span is not None and self.span.start > 0

    @property
    def source(self) -> Source:
        """The file, or the part of it, as a source of the corpus."""
        path = None if self.path is None else Path(self.path)
        return Source(path, self.name, self.format, self.compression, address=self.address, span=self.span)

    def is_unchanged(self) -> bool:
        """Return True if the file still has the size and modification time it had when it was read."""
        if self.path is None:
            return False
        return file_state(Path(self.path)) == (self.bytes, self.modified)


def whole_files(records: Iterable[FileRecord]) -> list[FileRecord]:
    """Merge the records of consecutive parts into one record per file."""
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
    """Merge the notices of two parts of a file, adding up the counts."""
    joined = {**notices, **others}
    if MENDED_TEXTS in notices and MENDED_TEXTS in others:
        joined[MENDED_TEXTS] = str(int(notices[MENDED_TEXTS]) + int(others[MENDED_TEXTS]))
    return joined


def file_state(path: Path) -> tuple[int, int]:
    """Return size and modification time of a file, (-1, -1) if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def columns_of(recipe: Recipe) -> Columns:
    """Return the columns of a corpus that a run reads."""
    return Columns(
        recipe.text,
        recipe.id,
        recipe.order_column,
        order_required=recipe.keep != AUTO,
        dated=recipe.finds_dates,
    )


class Identifiers(NamedTuple):
    """Document ids: n concatenated strings, empty for documents without an id."""

    values: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, ids: Sequence[str]) -> Identifiers:
        """Concatenate strings."""
        encoded = [item.encode("utf-8", "surrogatepass") for item in ids]
        bounds = np.concatenate([[0], np.cumsum([len(item) for item in encoded], dtype=np.int64)]).astype(np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), bounds)


@frozen(eq=False)
class Corpus:
    """All numbered documents of a run: those of the references first, then those of the input.

    Attributes:
        references: number of reference documents.
        file: uint32 (n,), index into ``files``.
        row: int64 (n,), row in the file.
        files: the names of all files; those of references begin with ``REFERENCE``.
        ids: the document ids.
        inputs: the input files as they were read; empty for documents in memory.
    """

    references: int
    file: NDArray[np.uint32]
    row: NDArray[np.int64]
    files: Sequence[str]
    ids: Identifiers
    inputs: Sequence[FileRecord] = ()


__all__ = ["REFERENCE", "Corpus", "FileRecord", "Identifiers", "columns_of", "file_state", "whole_files"]
