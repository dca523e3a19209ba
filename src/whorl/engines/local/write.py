"""The last pass: write the kept rows, the rejected rows, and the sketches for later runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.corpus import ReadOptions, format_of
from whorl.corpus.formats.json.jsonl import copy_rows
from whorl.engines.corpus import FileRecord, file_state
from whorl.engines.local.columns import ColumnWriter
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.durable import write_json
from whorl.engines.local.read import StoredSegment
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    import pyarrow as pa


_COPY_BYTES = 2**20
_LEAVE_ALONE = say("do not change the input during a run; run again")


def write_kept(
    corpus: SegmentedCorpus,
    kept: NDArray[np.bool_],
    folder: Path,
    stretches: Path,
    scratch: Path,
    options: ReadOptions,
    progress: Progress,
) -> None:
    """Write the kept rows of every input file below ``folder``, each file atomically.

    Args:
        corpus: all documents.
        kept: True for each kept document.
        folder: folder of the files.
        stretches: folder of the files for parts, as input of ``join_kept``.
        scratch: temporary folder; its names do not depend on the input.
        options: how the files were read.
        progress: receives the number of bytes.

    Raises:
        InputError: a file changed since it was read.
    """
    progress.stage("write", sum(record.bytes for segment in corpus.input_segments for record in segment.files), "bytes")
    first = corpus.references
    for segment in corpus.input_segments:
        columns = [segment.column(name) for name in ("row", "offset", "size")]
        begun = 0
        for record in segment.files:
            here = slice(begun, begun + record.documents)
            stays = kept[first:][here]
            rows, offsets, sizes = (column[here][stays] for column in columns)
            if record.fault is None:
                target = kept_place(record, folder, stretches)
                _write_file(record, _Rows(rows, offsets, sizes), target, scratch, options)
            progress.advance(record.bytes)
            begun += record.documents
        first += segment.documents


def demand_unchanged(corpus: SegmentedCorpus) -> None:
    """Refuse a corpus of which a file changed since it was read, where kept rows are not written.

    Raises:
        InputError: a file changed.
    """
    for segment in corpus.input_segments:
        for record in segment.files:
            if record.fault is None:
                _demand_unchanged(record)


def kept_place(record: FileRecord, folder: Path, stretches: Path) -> Path:
    """Return the path of the kept rows of a file below ``folder``, or of a part below ``stretches``."""
    return folder / record.name if record.span is None else stretches / record.name / f"{record.span.start:020d}"


def join_kept(records: Sequence[FileRecord], folder: Path, stretches: Path, scratch: Path) -> None:
    """Concatenate the kept rows of all parts of a file.

    Cost: a copy of the kept rows.
    """
    target, temporary = folder / records[0].name, scratch / "kept"
    with temporary.open("wb") as file:
        for record in records:
            with kept_place(record, folder, stretches).open("rb") as stretch:
                shutil.copyfileobj(stretch, file, _COPY_BYTES)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary.replace(target)


class _Rows(NamedTuple):
    """Numbers of the kept rows of one file, and their positions if they can be read from it again."""

    numbers: NDArray[np.int64]
    offsets: NDArray[np.uint64]
    sizes: NDArray[np.uint32]


def _write_file(record: FileRecord, kept: _Rows, target: Path, scratch: Path, options: ReadOptions) -> None:
    _demand_unchanged(record)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = scratch / "kept"
    temporary.unlink(missing_ok=True)
    if record.encoding is not None:
        written = copy_rows(record.source, temporary, kept.offsets, kept.sizes)
    else:
        keep = np.zeros(record.last_row, np.bool_)
        keep[kept.numbers - 1] = True
        written = format_of(record.source).write(record.source, temporary, keep, options)
    _demand_unchanged(record)
    if written != len(kept.numbers):
        reason = say(
            "expected {count} kept rows of {path}, got {written}: the file changed during the run",
            path=record.path,
            written=written,
            count=len(kept.numbers),
        )
        raise InputError(reason, hint=_LEAVE_ALONE)
    if temporary.exists():
        temporary.replace(target)


def _demand_unchanged(record: FileRecord) -> None:
    if not record.is_unchanged():
        raise InputError(say("{path} changed during the run", path=record.path), hint=_LEAVE_ALONE)


def gather_rejected(segments: Sequence[StoredSegment], folder: Path) -> None:
    """Join the rejected rows of the segments below ``folder``, in file order."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rejected.jsonl").open("wb") as listing:
        for segment in segments:
            source = segment.folder / "rejected"
            listing.write((source / "rejected.jsonl").read_bytes())
            for record in segment.files:
                if (source / record.name).exists():
                    target = folder / record.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with (source / record.name).open("rb") as rows, target.open("ab") as file:
                        shutil.copyfileobj(rows, file, _COPY_BYTES)


def write_table(blocks: Iterator[pa.Table], path: Path) -> None:
    """Write one or more blocks of a table atomically as a Parquet file."""
    import pyarrow.parquet as pq

    temporary = path.with_name(f"{path.name}.part")
    first = next(blocks)
    repetitive = [name for name in ("file", "measure", "kind", "role") if name in first.column_names]
    options = {"compression": "zstd", "use_dictionary": repetitive, "write_page_checksum": True}
    # Open the file here: Arrow would read a name with a colon as a URI.
    with temporary.open("wb") as file, pq.ParquetWriter(file, first.schema, **options) as writer:
        for block in chain([first], blocks):
            writer.write_table(block)
    temporary.replace(path)


def mark_kept(corpus: SegmentedCorpus, kept: NDArray[np.bool_], kept_folder: Path) -> None:
    """Record in every input segment the kept documents and the position of their rows below ``kept_folder``.

    Later runs need only these segments, without the texts.
    """
    first, reached = corpus.references, 0
    for segment in corpus.input_segments:
        last = first + segment.documents
        sizes = segment.column("size").astype(np.int64)
        with ColumnWriter(segment.folder) as writer:
            writer.append("kept", kept[first:last])
            begun = 0
            for record in segment.files:
                here = slice(begun, begun + record.documents)
                begun += record.documents
                stays = kept[first:last][here]
                with_newline = np.where(stays, sizes[here] + 1, 0)
                before = reached if record.goes_on else 0
                writer.append("kept_offset", before + np.cumsum(with_newline) - with_newline)
                reached = before + int(with_newline.sum())
        states = [file_state(kept_folder / record.name) for record in segment.files]
        write_json({"states": states, "sums": writer.sums}, segment.folder / "kept.json")
        first = last


__all__ = ["demand_unchanged", "gather_rejected", "join_kept", "kept_place", "mark_kept", "write_kept", "write_table"]
