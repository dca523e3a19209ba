"""Write the corpus again: documents with items are tagged, cut or dropped; all others keep their bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pyarrow as pa

from whorl.corpus import Columns, ReadOptions, Rejects, format_of, read_source
from whorl.corpus.rewriting import EXTRACTED, AddedColumn, Edits, add_column, is_in_place, rewrite
from whorl.errors import InputError
from whorl.i18n import say
from whorl.inside.contamination.cutting import Span, cut_ranges, is_blank_without
from whorl.inside.contamination.hits import Hit
from whorl.inside.contamination.scanning import ScannedFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

Action = Literal["report", "tag", "cut", "drop"]
ACTIONS = ("report", "tag", "cut", "drop")


@dataclass(slots=True)
class WrittenRows:
    """Counts of the written rows.

    Attributes:
        kept: number of rows in the output.
        changed: how many of them were changed.
        dropped: number of rows that were left out.
        removed: number of characters cut.
    """

    kept: int = 0
    changed: int = 0
    dropped: int = 0
    removed: int = 0

    @classmethod
    def total(cls, parts: Sequence[WrittenRows]) -> Self:
        """Return the counts of all parts."""
        return cls(*(sum(counts) for counts in zip(*map(astuple, parts), strict=True)))


def write_files(
    files: Sequence[ScannedFile],
    hits: Iterable[Hit],
    folder: Path,
    action: Action,
    column: str,
    options: ReadOptions,
) -> WrittenRows:
    """Write every file of the corpus below ``folder``.

    Args:
        files: the scanned files.
        hits: the hits that count.
        folder: where to write.
        action: "tag", "cut" or "drop".
        column: the name of the column of tags.
        options: how the files were read.

    Raises:
        InputError: a file changed since it was scanned, or has the column of tags already.
        UsageError: the rows of a file cannot be changed.
    """
    by_file: dict[str, dict[int, list[Hit]]] = defaultdict(lambda: defaultdict(list))
    for hit in hits:
        by_file[hit.file][hit.row].append(hit)
    written = WrittenRows()
    for scanned in files:
        target = folder / scanned.source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        rows = by_file.get(scanned.source.name, {})
        expected = _write_file(scanned, rows, target, action, column, options, written)
        if expected is not None:
            raise InputError(
                say("{path} changed during the run", path=scanned.source.label),
                hint=say("do not change the input during a run; run again"),
            )
    return written


def _write_file(
    scanned: ScannedFile,
    rows: Mapping[int, Sequence[Hit]],
    target: Path,
    action: Action,
    column: str,
    options: ReadOptions,
    written: WrittenRows,
) -> int | None:
    """Write a file; return the expected number of rows if another one was written."""
    source, keep = scanned.source, scanned.flags()
    if action == "tag":
        values = {row: tags(hits) for row, hits in rows.items()}
        count = add_column(source, target, keep, AddedColumn(column, values), options)
        written.changed += len(rows)
    elif action == "drop" or not rows:
        keep[[row - 1 for row in rows]] = False
        count = format_of(source).write(source, target, keep, options)
        written.dropped += len(rows)
    else:
        edits = _cuts(scanned, rows, keep, options, written)
        path = target if is_in_place(source) else target.with_name(target.name + EXTRACTED)
        count = rewrite(source, path, edits, scanned.columns, options)
    written.kept += count
    expected = int(keep.sum())
    return None if count == expected else expected


def _cuts(
    scanned: ScannedFile,
    rows: Mapping[int, Sequence[Hit]],
    keep: NDArray[np.bool_],
    options: ReadOptions,
    written: WrittenRows,
) -> Edits:
    """Return what is cut from a file. A document of which nothing is left is no longer kept."""
    cuts: dict[int, list[Span]] = {}
    for batch in read_source(scanned.source, Columns(scanned.columns, id_required=False), Rejects(), options):
        texts = pa.array(batch.texts)
        for place in np.flatnonzero(np.isin(batch.rows, list(rows))).tolist():
            row, text = int(batch.rows[place]), texts[place].as_py()
            ranges = cut_ranges(text, (hit.extent for hit in rows[row]))
            if is_blank_without(text, ranges):
                keep[row - 1] = False
            else:
                cuts[row] = ranges
    written.changed += len(cuts)
    written.dropped += len(rows) - len(cuts)
    written.removed += sum(end - start for ranges in cuts.values() for start, end in ranges)
    by_row = [cuts[row] for row in sorted(cuts)]
    return Edits(
        keep,
        np.fromiter(sorted(cuts), np.int64, len(cuts)),
        np.cumsum([0, *map(len, by_row)], dtype=np.int64),
        np.array([span for spans in by_row for span in spans], np.uint32).reshape(-1, 2),
    )


def tags(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """Return the value of the column of tags of a document."""
    return [
        {"benchmark": hit.benchmark, "item": hit.item, "reason": hit.reason, "start": hit.start, "end": hit.end}
        for hit in hits
    ]


__all__ = ["ACTIONS", "Action", "WrittenRows", "tags", "write_files"]
