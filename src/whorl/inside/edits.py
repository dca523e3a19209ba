"""Changes of documents by file, and the files with their changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl.corpus import TEXT_COLUMN, Columns, ReadOptions, format_of
from whorl.corpus.rewriting import EXTRACTED, Edits, is_in_place, rewrite
from whorl.engines.corpus import FileRecord
from whorl.engines.job import DedupJob
from whorl.engines.local.read import StoredSegment
from whorl.engines.local.write import kept_place
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.i18n import say
from whorl.inside.cuts import CutBlock, chosen_ranges
from whorl.inside.search import Strip
from whorl.inside.tables import DroppedDocuments

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CorpusEdits:
    """What is changed in which document, sorted by document.

    Attributes:
        documents: uint32 (n,), the numbers of the documents with cuts, ascending.
        bounds: int64 (n + 1,), the ranges of each.
        ranges: uint32 (m, 2), the ranges that are deleted or masked.
        dropped: the dropped documents.
    """

    def __init__(
        self,
        documents: NDArray[np.uint32],
        bounds: NDArray[np.int64],
        ranges: NDArray[np.uint32],
        dropped: DroppedDocuments,
    ) -> None:
        self.documents = documents
        self.bounds = bounds
        self.ranges = ranges
        self.dropped = dropped

    @classmethod
    def of(cls, blocks: Iterator[CutBlock], order: NDArray[np.uint32], count: int, strip: Strip) -> CorpusEdits:
        """Collect the changes of all blocks. Memory: 20 bytes for each document with cuts, 8 for each range.

        Args:
            blocks: the decisions.
            order: the document of each rank; documents that are left out have none.
            count: number of all documents.
            strip: what is done with repeated text.
        """
        nothing = np.empty(0, np.uint32)
        parts = [(block.documents, block.remaining, np.diff(block.bounds), block.ranges) for block in blocks]
        ranks, remaining, counts, ranges = (
            np.concatenate([empty, *(part[place] for part in parts)])
            for place, empty in enumerate((nothing, nothing, np.empty(0, np.uint64), nothing.reshape(0, 2)))
        )
        numbers = order[ranks]
        sequence = np.argsort(numbers, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts.astype(np.int64))])
        bounds, chosen = chosen_ranges(starts, sequence)
        documents, remaining = numbers[sequence], remaining[sequence]
        drops = remaining < strip.drop_below if strip.action == "cut" else np.zeros(len(remaining), np.bool_)
        is_left_out = np.ones(count, np.bool_)
        is_left_out[order] = False
        left_out = np.flatnonzero(is_left_out).astype(np.uint32)
        dropped = DroppedDocuments.of(documents[drops], remaining[drops], left_out)
        return cls(documents, bounds, ranges[chosen], dropped)

    def edits(self, first: int, rows: NDArray[np.int64], last_row: int, mask: str) -> Edits:
        """Return the changes of a file.

        Args:
            first: the number of its first document.
            rows: the row of each of its documents.
            last_row: the number of its last row.
            mask: what replaces the ranges.
        """
        keep = np.zeros(last_row, np.bool_)
        keep[rows - 1] = True
        start, stop = np.searchsorted(self.documents, (first, first + len(rows))).tolist()
        begin, end = np.searchsorted(self.dropped.documents, (first, first + len(rows))).tolist()
        dropped = rows[self.dropped.documents[begin:end] - first]
        keep[dropped - 1] = False
        changed = rows[self.documents[start:stop] - first]
        stays = keep[changed - 1]
        bounds, chosen = chosen_ranges(self.bounds[start : stop + 1], stays)
        return Edits(keep, changed[stays], bounds, self.ranges[chosen], mask)


class KeptFiles(NamedTuple):
    """Where changed files are written.

    Attributes:
        kept: the folder of whole files.
        stretches: the folder of parts of files.
        scratch: a temporary folder of this process.
    """

    kept: Path
    stretches: Path
    scratch: Path

    def place_of(self, record: FileRecord, strip: Strip) -> Path:
        """Return the path of a changed file or a part of it."""
        place = kept_place(record, self.kept, self.stretches)
        is_same = strip.action == "tag" or is_in_place(record.source)
        return place if is_same else place.with_name(f"{place.name}{EXTRACTED}")


def write_files(
    segments: Sequence[StoredSegment],
    first: int,
    changes: CorpusEdits,
    job: DedupJob,
    strip: Strip,
    files: KeptFiles,
    progress: Progress,
) -> None:
    """Write the input files of segments with their changes.

    Args:
        segments: consecutive segments.
        first: the number of their first document.
        changes: the changes.
        job: how the files were read.
        strip: what is done with repeated text.
        files: where the result is written.
        progress: receives the number of bytes.

    Raises:
        InputError: a file changed since it was read.
    """
    progress.stage("write", sum(record.bytes for segment in segments for record in segment.files), "bytes")
    mask = strip.mask if strip.action == "mask" else ""
    for segment in segments:
        rows = segment.column("row")
        begun = 0
        for record in segment.files:
            file_rows = rows[begun : begun + record.documents]
            if record.fault is None:
                edits = changes.edits(first + begun, file_rows, record.last_row, mask)
                _write_file(record, edits, strip, job, files)
            progress.advance(record.bytes)
            begun += record.documents
        first += segment.documents


def _write_file(record: FileRecord, edits: Edits, strip: Strip, job: DedupJob, files: KeptFiles) -> None:
    options = ReadOptions.of(job.recipe, job.recipe.text)
    source = record.source
    temporary = files.scratch / "kept"
    temporary.unlink(missing_ok=True)
    _demand_unchanged(record)
    if strip.action == "tag":
        written = format_of(source).write(source, temporary, edits.keep, options)
    else:
        written = rewrite(source, temporary, edits, _text_columns(record, job), options)
    _demand_unchanged(record)
    if written != int(edits.keep.sum()):
        raise _changed(record)
    if temporary.exists():
        target = files.place_of(record, strip)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.replace(target)


def _text_columns(record: FileRecord, job: DedupJob) -> tuple[str, ...]:
    """Return the columns that the text of a file was read from."""
    if TEXT_COLUMN in record.notices:
        return (record.notices[TEXT_COLUMN],)
    return Columns(job.recipe.text).texts_of(record.name).text


def _demand_unchanged(record: FileRecord) -> None:
    if not record.is_unchanged():
        raise _changed(record)


def _changed(record: FileRecord) -> InputError:
    return InputError(
        say("{path} changed during the run", path=record.path),
        hint=say("do not change the input during a run; run again"),
    )


__all__ = ["CorpusEdits", "KeptFiles", "write_files"]
