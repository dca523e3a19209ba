"""The last pass: kept rows, rejected rows, duplicates and clusters, and the sketches that a later run may reuse."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.corpus import ReadOptions, format_of
from whorl.corpus.jsonl import copy_rows
from whorl.engines.local.changes import COUNTED, Compared
from whorl.engines.local.columns import ColumnWriter
from whorl.engines.local.decide import Decisions
from whorl.engines.local.durable import write_json
from whorl.engines.local.ranking import Identifiers
from whorl.engines.local.read import FileRecord, Segment, file_state
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.matching.fields import PARTS

if TYPE_CHECKING:
    import pyarrow as pa


_LEAVE_ALONE = "leave the input alone, and start again"


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Every document of a run by number: those of the references first, then those of the input.

    Attributes:
        segments: all segments, in that order.
        references: how many documents are references.
        file: uint32 (n,), index into ``files``.
        row: int64 (n,), row in the file.
        files: the names of all files; those of references begin with ``REFERENCE``.
        ids: the ids.
        input_segments: the segments of the input alone.
    """

    segments: Sequence[Segment]
    references: int
    file: NDArray[np.uint32]
    row: NDArray[np.int64]
    files: Sequence[str]
    ids: Identifiers
    input_segments: Sequence[Segment]


def write_kept(
    corpus: Corpus, kept: NDArray[np.bool_], folder: Path, scratch: Path, options: ReadOptions, progress: Progress
) -> None:
    """Write the kept rows of every input file below ``folder``, each file whole or not at all.

    Args:
        corpus: all documents.
        kept: which of them stay.
        folder: where the files go.
        scratch: where each is written first: no name there stands for one of the input.
        options: how the files were read.
        progress: is told of the bytes.

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
                _write_file(record, _Rows(rows, offsets, sizes), folder / record.name, scratch, options)
            progress.advance(record.bytes)
            begun += record.documents
        first += segment.documents


class _Rows(NamedTuple):
    """Kept rows of one file: their numbers, and where they lie if they can be read again there."""

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
        reason = (
            f"{record.path} gave {written} rows where {len(kept.numbers)} are kept: it changed while it was written"
        )
        raise InputError(reason, cure=_LEAVE_ALONE)
    if temporary.exists():
        temporary.replace(target)


def _demand_unchanged(record: FileRecord) -> None:
    if not record.is_unchanged():
        raise InputError(f"{record.path} changed after it was read", cure=_LEAVE_ALONE)


def gather_rejected(segments: Sequence[Segment], folder: Path) -> None:
    """Join the rejected rows of the segments below ``folder``; the list of them is in file order."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rejected.jsonl").open("wb") as listing:
        for segment in segments:
            source = segment.folder / "rejected"
            listing.write((source / "rejected.jsonl").read_bytes())
            for record in segment.files:
                if (source / record.name).exists():
                    target = folder / record.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source / record.name, target)


def shown_ids(corpus: Corpus) -> pa.Array:
    """Return how each document is called: its id, or ``file:row``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bounds, values = pa.py_buffer(corpus.ids.bounds), pa.py_buffer(corpus.ids.values)
    ids = pa.LargeStringArray.from_buffers(len(corpus.row), bounds, values)
    nameless = pc.equal(ids, "")
    if not pc.any(nameless).as_py():
        return ids
    return pc.if_else(nameless, places(corpus), ids)


def places(corpus: Corpus, documents: NDArray[Any] | None = None) -> pa.Array:
    """Return ``file:row`` of every document, or of ``documents``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = slice(None) if documents is None else documents
    files = pa.array(corpus.files, pa.large_string()).take(pa.array(corpus.file[chosen]))
    rows = pa.array(corpus.row[chosen]).cast(pa.large_string())
    return pc.binary_join_element_wise(files, rows, pa.scalar(":", pa.large_string()))


def documents_by_id(corpus: Corpus) -> NDArray[np.uint32]:
    """Return all documents sorted by id, then by file and row."""
    return np.frombuffer(
        memoryview(_core.rank(np.zeros(len(corpus.row)), corpus.ids.values, corpus.ids.bounds)), np.uint32
    )


def repeated_ids(corpus: Corpus, by_id: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which documents have an id that others have too."""
    return np.frombuffer(memoryview(_core.repeated(by_id, corpus.ids.values, corpus.ids.bounds)), np.bool_)


def cluster_names(corpus: Corpus, ids: pa.Array, repeated: NDArray[np.bool_]) -> pa.Array:
    """Return what the cluster of each document would be called: its id, or ``file:row`` where the id repeats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not repeated.any():
        return ids
    return pc.if_else(pa.array(repeated), places(corpus), ids)


def duplicates_table(
    corpus: Corpus,
    decisions: Decisions,
    compared: Compared | None,
    measure: str,
    by_id: NDArray[np.uint32],
    ids: pa.Array,
    clusters: pa.Array,
) -> pa.Table:
    """Return a row for each removed document, sorted by id, file and row.

    A field that judged no copy has null, and so have kind and changes where nothing was ``compared``.
    """
    import pyarrow as pa

    documents = by_id[~decisions.kept[by_id]]
    originals = decisions.duplicate_of[documents]
    fields = zip(PARTS, decisions.by_field[documents].T, strict=True) if len(decisions.by_field) else ()
    return pa.table(
        {
            "id": ids.take(pa.array(documents)),
            "file": _file_names(corpus, documents),
            "row": corpus.row[documents],
            "duplicate_of": ids.take(pa.array(originals)),
            "similarity": decisions.similarity[documents],
            "measure": pa.repeat(measure, len(documents)),
            "cluster_id": clusters.take(pa.array(originals)),
            **_changes(compared, documents),
            **{f"similarity_{part}": pa.array(figures, from_pandas=True) for part, figures in fields},
        }
    )


def _changes(compared: Compared | None, documents: NDArray[np.uint32]) -> dict[str, pa.Array]:
    """The columns that say what each removed document is to the kept one, and how it was changed."""
    import pyarrow as pa

    flags = [pa.field("title", pa.bool_()), pa.field("byline", pa.bool_())]
    kind = pa.struct([*flags, *(pa.field(name, pa.uint32()) for name in COUNTED)])
    if compared is None:
        return {"kind": pa.nulls(len(documents), pa.string()), "changes": pa.nulls(len(documents), kind)}
    places = np.searchsorted(compared.removed, documents)
    title = pa.array(compared.title[places], mask=~compared.titled[places])
    counts = [pa.array(np.ascontiguousarray(column)) for column in compared.counts[places].T]
    columns = [title, pa.array(compared.byline[places]), *counts]
    kinds = pa.array(compared.kinds, pa.string()).take(pa.array(places))
    return {"kind": kinds, "changes": pa.StructArray.from_arrays(columns, fields=list(kind))}


def clusters_table(
    corpus: Corpus, decisions: Decisions, by_id: NDArray[np.uint32], ids: pa.Array, clusters: pa.Array
) -> pa.Table:
    """Return a row for each document of the input and each reference that has a copy, sorted by id, file and row."""
    import pyarrow as pa

    kept = decisions.kept
    centre = np.where(kept, np.arange(len(kept), dtype=np.uint32), decisions.duplicate_of)
    listed = np.ones(len(kept), np.bool_)
    listed[: corpus.references] = False
    listed[decisions.duplicate_of[~kept]] = True
    documents = by_id[listed[by_id]]
    role = np.where(documents < corpus.references, 2, np.where(kept[documents], 0, 1))
    return pa.table(
        {
            "cluster_id": clusters.take(pa.array(centre[documents])),
            "id": ids.take(pa.array(documents)),
            "file": _file_names(corpus, documents),
            "row": corpus.row[documents],
            "role": pa.array(["kept", "duplicate", "reference"]).take(pa.array(role)),
        }
    )


def _file_names(corpus: Corpus, documents: NDArray[Any]) -> pa.Array:
    import pyarrow as pa

    return pa.array(corpus.files, pa.large_string()).take(pa.array(corpus.file[documents]))


def write_table(table: pa.Table, path: Path) -> None:
    """Write a Parquet file; it appears whole or not at all."""
    import pyarrow.parquet as pq

    temporary = path.with_name(f"{path.name}.part")
    repetitive = [name for name in ("file", "measure", "kind", "role") if name in table.column_names]
    # By the file, since Arrow takes a name with a colon for the address of something else.
    with temporary.open("wb") as file:
        pq.write_table(table, file, compression="zstd", use_dictionary=repetitive, write_page_checksum=True)
    temporary.replace(path)


def mark_kept(corpus: Corpus, kept: NDArray[np.bool_], kept_folder: Path) -> None:
    """Note in every segment of the input which documents are kept, and where their rows lie below ``kept_folder``.

    The segments are then what a later run needs of this one, but for the texts.
    """
    first = corpus.references
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
                writer.append("kept_offset", np.cumsum(with_newline) - with_newline)
        states = [file_state(kept_folder / record.name) for record in segment.files]
        write_json({"states": states, "sums": writer.sums}, segment.folder / "kept.json")
        first = last


__all__ = [
    "Corpus",
    "cluster_names",
    "clusters_table",
    "documents_by_id",
    "duplicates_table",
    "gather_rejected",
    "mark_kept",
    "places",
    "repeated_ids",
    "shown_ids",
    "write_kept",
    "write_table",
]
