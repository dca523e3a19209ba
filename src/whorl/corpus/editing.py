"""Write a file again with some of its rows changed; all other rows keep their bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from whorl.corpus.contract import ReadOptions, Source
from whorl.errors import InputError, UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RowEdits:
    """Changes of the rows of one file.

    Attributes:
        rows: the numbers of the rows to change, from 1.
        columns: the columns of texts whose values ``edit`` needs.
        added: a column to add; None for none. Rows that are not changed have no value in it.
        edit: returns the new values of a row by column, from its number and the texts in ``columns``.
    """

    rows: Collection[int]
    columns: tuple[str, ...]
    added: str | None
    edit: Callable[[int, Mapping[str, str | None]], Mapping[str, Any]]


class EditableFormat(Protocol):
    """A file format whose rows can be changed."""

    def rewrite(
        self, source: Source, target: Path, keep: NDArray[np.bool_], edits: RowEdits, options: ReadOptions
    ) -> int:
        """Write the rows for which ``keep[row - 1]`` is true, with their changes. Return the number of rows."""
        ...


def rewrite_source(source: Source, target: Path, keep: NDArray[np.bool_], edits: RowEdits, options: ReadOptions) -> int:
    """Write the kept rows of a file with their changes. Return their number.

    Raises:
        UsageError: the format has no rows that can be changed.
        InputError: the file has the added column already.
    """
    from whorl.corpus.reader import module_of

    module = module_of(source)
    if not hasattr(module, "rewrite"):
        raise UsageError(
            say("{label}: rows of this format cannot be changed", label=source.label),
            hint=say("use `action=report` or `action=drop`, or convert the file to JSON Lines, CSV or Parquet"),
        )
    return cast(EditableFormat, module).rewrite(source, target, keep, edits, options)


def has_column(label: str, column: str) -> InputError:
    """Return the error for a file that has the added column already."""
    return InputError(
        say("{label} already has a column {column!r}", label=label, column=column),
        hint=say("choose another name: `column`"),
    )


__all__ = ["EditableFormat", "RowEdits", "has_column", "rewrite_source"]
