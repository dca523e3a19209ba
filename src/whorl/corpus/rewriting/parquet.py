"""Rewrite Parquet with the same schema, metadata, codecs and row groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whorl.corpus.contract import Columns, ReadOptions, Source
from whorl.corpus.formats.json.nested import fields_of
from whorl.corpus.formats.tables import parquet
from whorl.corpus.formats.tables.columns import locate
from whorl.corpus.rewriting.contract import AddedColumn, Edits, apply_to_parts, demand_new
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def write(source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
    """Write the kept rows with their changes. Returns their number."""
    if not len(edits.rows):
        return parquet.write(source, target, edits.keep, options)
    with parquet.open_file(source) as file, parquet.writer_like(file, str(target.absolute())) as writer:
        fields = fields_of(file.schema_arrow)
        places = locate(Columns(tuple(columns)), [field.name for field in fields], source.label).text
        chosen = [None if place is None else fields[place] for place in places]
        if any(field is not None and len(field.path) > 1 for field in chosen):
            raise InputError(
                say("{label}: texts within nested columns cannot be changed", label=source.label),
                hint=say("use `action=tag`, or convert the file to JSON Lines"),
            )
        names = [None if field is None else field.path[0] for field in chosen]
        return parquet.write_groups(
            file, writer, edits.keep, source.label, lambda batch, first: _changed(batch, first, names, edits)
        )


def add_column(
    source: Source,
    target: Path,
    keep: NDArray[np.bool_],
    column: AddedColumn,
    options: ReadOptions,  # noqa: ARG001
) -> int:
    """Write the kept rows with another column, whose type is that of its values. Returns their number."""
    with parquet.open_file(source) as file:
        schema = file.schema_arrow
        demand_new(column, schema.names, source.label)
        field = pa.field(column.name, pa.array(column.values.values()).type)

        def extended(batch: Any, first: int) -> Any:
            values = [column.values.get(row) for row in range(first, first + len(batch))]
            return batch.append_column(field, pa.array(values, field.type))

        with parquet.writer_like(file, str(target.absolute()), schema.append(field)) as writer:
            return parquet.write_groups(file, writer, keep, source.label, extended)


def _changed(batch: Any, first: int, names: Sequence[str | None], edits: Edits) -> Any:
    """Return a batch, whose first row has this number, with its changes."""
    start, stop = edits.between(first, first + len(batch))
    if start == stop:
        return batch
    rows = (edits.rows[start:stop] - first).tolist()
    present = [name for name in dict.fromkeys(names) if name is not None]
    values = {name: batch.column(batch.schema.get_field_index(name)).to_pylist() for name in present}
    for row in rows:
        parts = [_text_of(None if name is None else values[name][row]) for name in names]
        for name, part in zip(names, apply_to_parts(parts, edits.of_row(row + first), edits.mask), strict=True):
            if name is not None and values[name][row] is not None:
                values[name][row] = part.encode() if isinstance(values[name][row], bytes) else part
    for name in present:
        place = batch.schema.get_field_index(name)
        field = batch.schema.field(place)
        batch = batch.set_column(place, field, _column(values[name], field.type))
    return batch


def _text_of(value: Any) -> str:
    if isinstance(value, list):
        raise InputError(
            say("a column of lists cannot be changed"), hint=say("use `action=tag`, or convert the file to JSON Lines")
        )
    return "" if value is None else value.decode() if isinstance(value, bytes) else value


def _column(values: list[Any], kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    return pa.array(values, kind)


__all__ = ["add_column", "write"]
