"""Write files back with parts of their texts deleted or replaced, or with another column.

JSON Lines, JSON, CSV and Parquet keep their form: only the text columns of changed rows differ. Other formats cannot
be changed in place; their texts are written as JSON Lines, one object per document, to a file with ``.jsonl`` added to
its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from whorl.corpus.contract import ReadOptions, Source
from whorl.corpus.rewriting.contract import AddedColumn, Edits, Rewriter
from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_IN_PLACE = {
    "jsonl": "whorl.corpus.rewriting.json",
    "csv": "whorl.corpus.rewriting.delimited",
    "parquet": "whorl.corpus.rewriting.parquet",
}
EXTRACTED = ".jsonl"
"""Suffix of files with the texts of documents in other formats."""


def is_in_place(source: Source) -> bool:
    """Return True if a changed file keeps its format."""
    return source.format in _IN_PLACE


def rewrite(source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
    """Write the kept rows of ``source`` with its edited texts to ``target``. Returns their number.

    Args:
        source: the file.
        target: the new file; its parent exists. For a format that is not changed in place, a file of JSON Lines.
        edits: which rows are kept, and what is deleted from their texts.
        columns: the text columns of the file.
        options: how it was read.

    Raises:
        InputError: the file changed, or a text is in a column that cannot be changed.
    """
    module = import_module(_IN_PLACE.get(source.format, "whorl.corpus.rewriting.extracted"))
    return cast(Rewriter, module).write(source, target, edits, columns, options)


def add_column(source: Source, target: Path, keep: NDArray[np.bool_], column: AddedColumn, options: ReadOptions) -> int:
    """Write the kept rows of ``source`` with another column to ``target``. Returns their number.

    JSON rows without a value keep their bytes; CSV records get an empty field. In CSV, values are written as JSON.

    Raises:
        UsageError: the format has no columns.
        InputError: the file changed, or has the column already.
    """
    if not is_in_place(source):
        raise UsageError(
            say("{label}: this format has no columns", label=source.label),
            hint=say("use another action, or convert the file to JSON Lines, CSV or Parquet"),
        )
    return cast(Rewriter, import_module(_IN_PLACE[source.format])).add_column(source, target, keep, column, options)


__all__ = ["EXTRACTED", "AddedColumn", "Edits", "add_column", "is_in_place", "rewrite"]
