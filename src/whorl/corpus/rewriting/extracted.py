"""Write the texts of documents whose format cannot be changed in place as JSON Lines: id, row and text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from whorl.corpus.contract import Columns, ReadOptions, Source
from whorl.corpus.reader import format_of
from whorl.corpus.rejects import Rejects
from whorl.corpus.rewriting.contract import Edits, apply


def write(source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
    """Write the kept documents with their changes. Returns their number."""
    written = 0
    with target.open("w", encoding="utf-8", newline="\n") as file:
        for batch in format_of(source).read(source, Columns(tuple(columns)), Rejects(), options):
            ids, texts = pa.array(batch.ids).to_pylist(), pa.array(batch.texts).to_pylist()
            for row, id_, text in zip(batch.rows.tolist(), ids, texts, strict=True):
                if row <= len(edits.keep) and edits.keep[row - 1]:
                    changed = apply(text, edits.of_row(row), edits.mask)
                    document = {"id": id_ or source.name, "row": row, "text": changed}
                    file.write(json.dumps(document, ensure_ascii=False) + "\n")
                    written += 1
    return written


__all__ = ["write"]
