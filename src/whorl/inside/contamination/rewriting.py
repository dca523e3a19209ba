"""Write the corpus again: documents with items are tagged, cut or dropped; all others keep their bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from whorl.corpus import ReadOptions, format_of
from whorl.corpus.editing import RowEdits, rewrite_source
from whorl.errors import InputError
from whorl.i18n import say
from whorl.inside.contamination.cutting import column_texts
from whorl.inside.contamination.hits import Hit
from whorl.inside.contamination.scanning import ScannedFile

Action = Literal["report", "tag", "cut", "drop"]
ACTIONS = ("report", "tag", "cut", "drop")


@dataclass(slots=True)
class Written:
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


def write_files(
    files: Sequence[ScannedFile],
    hits: Iterable[Hit],
    folder: Path,
    action: Action,
    column: str,
    options: ReadOptions,
) -> Written:
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
    written = Written()
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
    written: Written,
) -> int | None:
    """Write a file; return the expected number of rows if another one was written."""
    keep = scanned.flags()
    dropped = list(rows) if action == "drop" else _emptied(scanned, rows, action, options)
    keep[[row - 1 for row in dropped]] = False
    changed = [row for row in rows if keep[row - 1]]
    if action == "drop" or not (changed or action == "tag"):
        count = format_of(scanned.source).write(scanned.source, target, keep, options)
    else:
        editor = _Editor(rows, scanned.columns, action, column)
        edits = RowEdits(set(changed), scanned.columns, column if action == "tag" else None, editor.edit)
        count = rewrite_source(scanned.source, target, keep, edits, options)
        written.removed += editor.removed
        written.changed += len(changed)
    written.kept += count
    written.dropped += len(dropped)
    expected = scanned.count - len(dropped)
    return None if count == expected else expected


def _emptied(
    scanned: ScannedFile, rows: Mapping[int, Sequence[Hit]], action: Action, options: ReadOptions
) -> list[int]:
    """Return the rows that would be empty."""
    if action != "cut" or not rows:
        return []
    import pyarrow as pa

    from whorl.corpus import Columns, Rejects, read_source
    from whorl.inside.contamination.cutting import cut_spans, without

    emptied: list[int] = []
    for batch in read_source(scanned.source, Columns(scanned.columns, id_required=False), Rejects(), options):
        texts = pa.array(batch.texts)
        for place, row in enumerate(batch.rows.tolist()):
            if row in rows:
                text = texts[place].as_py()
                if not without(text, cut_spans(text, [hit.extent for hit in rows[row]])).strip():
                    emptied.append(row)
    return emptied


class _Editor:
    """Changes the rows of one file.

    Attributes:
        removed: number of characters cut up to here.
    """

    def __init__(self, hits: Mapping[int, Sequence[Hit]], columns: Sequence[str], action: Action, column: str) -> None:
        self.removed = 0
        self._hits = hits
        self._columns = columns
        self._action = action
        self._column = column

    def edit(self, row: int, texts: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Return the new values of a row."""
        hits = self._hits[row]
        if self._action == "tag":
            return {self._column: tags(hits)}
        changed = column_texts(texts, self._columns, [hit.extent for hit in hits])
        self.removed += sum(len(texts.get(name) or "") - len(text) for name, text in changed.items())
        return changed


def tags(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """Return the value of the column of tags of a document."""
    return [
        {"benchmark": hit.benchmark, "item": hit.item, "reason": hit.reason, "start": hit.start, "end": hit.end}
        for hit in hits
    ]


__all__ = ["ACTIONS", "Action", "Written", "tags", "write_files"]
