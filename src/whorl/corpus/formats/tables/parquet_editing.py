"""Write a Parquet file again with some of its rows changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from whorl.corpus.contract import Source
from whorl.corpus.editing import RowEdits, has_column
from whorl.corpus.formats.tables.arrays import select_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_MOST_ROWS = 4096


def rewrite_groups(
    file: Any, source: Source, target: Path, keep: NDArray[np.bool_], edits: RowEdits, compression: Any
) -> int:
    """Write the kept rows with their changes, in the row groups of the file. Return their number.

    Args:
        file: the open file.
        source: the file.
        target: the file to write.
        keep: a flag for each row.
        edits: the changes.
        compression: the codecs of the columns.

    Raises:
        InputError: the file has the added column already.
    """
    if edits.added is not None and edits.added in file.schema_arrow.names:
        raise has_column(source.label, edits.added)
    addition = _addition(edits)
    fields = [pa.field(edits.added, addition)] if edits.added is not None and addition is not None else []
    schema = pa.schema([*file.schema_arrow, *fields], metadata=file.schema_arrow.metadata)
    first = written = 0
    codec = compression if isinstance(compression, str) or not fields else next(iter(compression.values()), "snappy")
    with pq.ParquetWriter(str(target.absolute()), schema, compression=codec) as writer:
        for group in range(file.num_row_groups):
            pieces: list[Any] = []
            for batch in file.iter_batches(batch_size=_MOST_ROWS, row_groups=[group]):
                mask = np.zeros(len(batch), np.bool_)
                part = keep[first : first + len(batch)]
                mask[: len(part)] = part
                edited = _edited(pa.Table.from_batches([batch]), first, edits, schema, mask)
                first += len(batch)
                written += int(mask.sum())
                pieces += select_rows(edited, mask)
            if pieces:
                table = pa.concat_tables(_tables(pieces))
                writer.write_table(table, row_group_size=max(1, len(table)))
    return written


def _tables(pieces: list[Any]) -> Iterator[Any]:
    for piece in pieces:
        yield piece if isinstance(piece, pa.Table) else pa.Table.from_batches([piece])


def _addition(edits: RowEdits) -> Any:
    """Return the type of the added column, as its first value has it."""
    if edits.added is None:
        return None
    first = next(iter(sorted(edits.rows)), None)
    if first is None:
        return pa.null()
    return pa.array([edits.edit(first, dict.fromkeys(edits.columns))[edits.added]]).type


def _edited(table: Any, first: int, edits: RowEdits, schema: Any, mask: NDArray[np.bool_]) -> Any:
    """Return a batch with its changes; ``first`` is the number of rows before it."""
    rows = [row for row in range(first + 1, first + len(table) + 1) if row in edits.rows and mask[row - 1 - first]]
    values = {row: edits.edit(row, _texts(table, row - 1 - first, edits)) for row in rows}
    for name in {name for changed in values.values() for name in changed} & set(table.schema.names):
        place = table.schema.get_field_index(name)
        column = table.column(place).to_pylist()
        for row, changed in values.items():
            column[row - 1 - first] = changed.get(name, column[row - 1 - first])
        table = table.set_column(place, table.schema.field(place), pa.array(column, table.schema.field(place).type))
    if edits.added is not None:
        added = [values.get(first + place + 1, {}).get(edits.added) for place in range(len(table))]
        table = table.append_column(schema.field(edits.added), pa.array(added, schema.field(edits.added).type))
    return table


def _texts(table: Any, place: int, edits: RowEdits) -> dict[str, str | None]:
    names = set(table.schema.names)
    texts = {name: table.column(name)[place].as_py() if name in names else None for name in edits.columns}
    return {name: text.decode("utf-8", "replace") if isinstance(text, bytes) else text for name, text in texts.items()}


__all__ = ["rewrite_groups"]
