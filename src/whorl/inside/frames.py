"""Documents in memory with changed texts or another column, in the type of their source."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from whorl.corpus.formats.json.nested import value_at
from whorl.corpus.rewriting.contract import apply_to_parts
from whorl.errors import UsageError
from whorl.i18n import say


def is_of(frame: Any, package: str, *names: str) -> bool:
    """Return True for an instance of one of some classes of a package, which is not imported for that."""
    module = sys.modules.get(package)
    return module is not None and isinstance(frame, tuple(getattr(module, name) for name in names))


def column_of(frame: Any, name: str) -> list[Any]:
    """Return the values of a column.

    Raises:
        UsageError: the documents have no such column.
    """
    try:
        if isinstance(frame, list):
            if frame and not isinstance(frame[0], Mapping):
                raise KeyError(name)
            return [value_at(item, name) for item in frame]
        if is_of(frame, "pandas", "DataFrame"):
            return [None if value != value else value for value in frame[name].tolist()]
        if is_of(frame, "polars", "DataFrame"):
            return list(frame[name].to_list())
        if is_of(frame, "pyarrow", "Table"):
            return list(frame.column(name).to_pylist())
        return list(frame[name])
    except Exception as error:
        if type(error).__name__ in ("KeyError", "ColumnNotFoundError", "IndexError", "TypeError"):
            raise UsageError(
                say("the documents have no column {name!r}", name=name), hint=say("name an existing column")
            ) from error
        raise


def with_changes(frame: Any, names: Sequence[str], changes: Mapping[int, list[tuple[int, int]]], mask: str) -> Any:
    """Return a frame with changed texts, in the type of the frame."""
    if _is_single(frame):
        values = _listed(frame)
        for place, ranges in changes.items():
            values[place] = apply_to_parts([values[place]], ranges, mask)[0]
        return _single_like(frame, values)
    columns = {name: column_of(frame, name) for name in names}
    for place, ranges in changes.items():
        parts = apply_to_parts([columns[name][place] or "" for name in names], ranges, mask)
        for name, part in zip(names, parts, strict=True):
            if columns[name][place] is not None:
                columns[name][place] = part
    return _frame_like(frame, columns)


def with_column(frame: Any, name: str, values: Sequence[Any], kind: Any) -> Any:
    """Return a frame with a further column; dicts get it only where there is a value.

    Args:
        frame: dicts, a pyarrow table, a dataset, or a frame of polars or pandas.
        name: name of the column.
        values: its values by document.
        kind: their Arrow type.

    Raises:
        UsageError: the documents have no columns.
    """
    if _is_single(frame):
        raise UsageError(
            say("`action=tag` needs columns, got strings"), hint=say("use dicts or a table, or look at `hits`")
        )
    if isinstance(frame, list):
        return [item if value is None else {**item, name: value} for item, value in zip(frame, values, strict=True)]
    if is_of(frame, "pandas", "DataFrame"):
        return frame.assign(**{name: list(values)})
    import pyarrow as pa

    column = pa.array(values, kind)
    if is_of(frame, "polars", "DataFrame"):
        return frame.with_columns(sys.modules["polars"].from_arrow(column).alias(name))
    if is_of(frame, "pyarrow", "Table"):
        return frame.append_column(name, column)
    features = sys.modules["datasets"].Features.from_arrow_schema(pa.schema([(name, kind)]))
    return frame.add_column(name, list(values), feature=features[name])


def _is_single(frame: Any) -> bool:
    """Return True for a column of texts."""
    if isinstance(frame, list):
        return not frame or not isinstance(frame[0], Mapping)
    return any(
        (
            is_of(frame, "pandas", "Series"),
            is_of(frame, "polars", "Series"),
            is_of(frame, "pyarrow", "Array", "ChunkedArray"),
        )
    )


def _listed(column: Any) -> list[Any]:
    if isinstance(column, list):
        return list(column)
    if is_of(column, "pyarrow", "Array", "ChunkedArray"):
        values: list[Any] = column.to_pylist()
        return values
    return list(column)


def _single_like(column: Any, values: list[Any]) -> Any:
    if is_of(column, "pandas", "Series"):
        return type(column)(values, index=column.index, name=column.name, dtype=column.dtype)
    if is_of(column, "polars", "Series"):
        return type(column)(column.name, values, dtype=column.dtype)
    if is_of(column, "pyarrow", "ChunkedArray"):
        return sys.modules["pyarrow"].chunked_array([values], column.type)
    if is_of(column, "pyarrow", "Array"):
        return sys.modules["pyarrow"].array(values, column.type)
    return values


def _frame_like(frame: Any, columns: Mapping[str, list[Any]]) -> Any:
    if isinstance(frame, list):
        _demand_plain(columns, frame[0] if frame else {})
        changed = zip(*columns.values(), strict=True)
        return [
            _merged(item, dict(zip(columns, texts, strict=True))) for item, texts in zip(frame, changed, strict=True)
        ]
    if is_of(frame, "pandas", "DataFrame"):
        series = sys.modules["pandas"].Series
        new = {name: series(values, index=frame.index, dtype=frame[name].dtype) for name, values in columns.items()}
        return frame.assign(**new)
    if is_of(frame, "polars", "DataFrame"):
        series = sys.modules["polars"].Series
        return frame.with_columns([series(name, values, dtype=frame.schema[name]) for name, values in columns.items()])
    if is_of(frame, "pyarrow", "Table"):
        for name, values in columns.items():
            place = frame.schema.get_field_index(name)
            array = sys.modules["pyarrow"].array(values, _plain_type(frame.schema.field(place).type))
            frame = frame.set_column(place, frame.schema.field(place), array.cast(frame.schema.field(place).type))
        return frame
    return frame.map(lambda _, number: {name: values[number] for name, values in columns.items()}, with_indices=True)


def _merged(item: Mapping[str, Any], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with changed texts; absent ones stay absent."""
    return {**item, **{name: text for name, text in texts.items() if name in item}}


def _plain_type(kind: Any) -> Any:
    return kind.value_type if hasattr(kind, "value_type") else kind


def _demand_plain(columns: Mapping[str, Any], item: Mapping[str, Any]) -> None:
    for name in columns:
        if name not in item and value_at(item, name) is not None:
            raise UsageError(
                say("the text {name!r} is within another column and cannot be changed", name=name),
                hint=say('use `action="tag"`, or move it to a column'),
            )


__all__ = ["column_of", "is_of", "with_changes", "with_column"]
