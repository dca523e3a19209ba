"""Conversion of in-memory sources to rows, and of the kept rows back to the type of the source."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus.dates import date_columns
from whorl.corpus.formats.json.nested import SEPARATOR
from whorl.corpus.formats.tables.arrays import demand_sound, select_rows
from whorl.engines.memory.rows import Rows, rows_of_dicts, rows_of_table, rows_of_texts
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.recipe import AUTO, Recipe

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_NAMES_LOOKED_AT = 8
_LONGEST_NAME = 4096


@frozen(eq=False)
class SourceDocuments:
    """Documents in memory.

    Attributes:
        rows: the rows for the engine.
        select: returns the documents selected by a mask, in the type of the source.
    """

    rows: Rows
    select: Callable[[NDArray[np.bool_]], Any]


def hold(source: Any, recipe: Recipe) -> SourceDocuments:
    """Read documents from a source of any supported type; a stream is read to its end.

    Raises:
        UsageError: the source is not a collection of documents, or consists of file names.
        InputError: the documents cannot be read as the recipe requests.
    """
    if _is(source, "pyarrow.dataset", "Dataset", "Scanner"):
        return _hold_arrow(source.to_table(), recipe)
    if _is_dataset(source):
        names = source.column_names
        columns = _read(names, recipe, _dates_among(names, recipe))
        table = source.select_columns(columns).with_format("arrow")[:]
        return SourceDocuments(rows_of_table(table, recipe), lambda mask: source.select(np.flatnonzero(mask)))
    if _is(source, "polars", "LazyFrame"):
        source = _collected(source)
    if _is(source, "polars", "DataFrame", "Series"):
        frame, polars = source, sys.modules["polars"]
        rows = rows_of_table(_table(_narrowed(frame, recipe), recipe.text[0]), recipe)
        return SourceDocuments(rows, lambda mask: frame.filter(polars.Series(mask)))
    if _is(source, "pandas", "DataFrame", "Series"):
        rows = rows_of_table(_table(_narrowed(source, recipe), recipe.text[0]), recipe)
        return SourceDocuments(rows, lambda mask: source[mask])
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return _hold_arrow(source, recipe)
    return _hold_items(source, recipe)


def _is(source: Any, package: str, *names: str) -> bool:
    """Return True if an object is of a class of a package, without importing the package."""
    module = sys.modules.get(package)
    return module is not None and isinstance(source, tuple(getattr(module, name) for name in names))


def is_spark(source: Any) -> bool:
    """Return True if an object is a Spark DataFrame, which stays on its cluster."""
    return _is(source, "pyspark.sql", "DataFrame")


def _is_dataset(source: Any) -> bool:
    """Return True if an object is a complete Hugging Face dataset; a streaming one is read as an iterable."""
    return all(hasattr(source, name) for name in ("with_format", "select", "select_columns", "__getitem__"))


def _collected(frame: Any) -> Any:
    try:
        return frame.collect()
    except sys.modules["polars"].exceptions.PolarsError as error:
        hint = say("fix the query so that `collect()` succeeds")
        raise InputError(say("the LazyFrame cannot be collected: {error}", error=error), hint=hint) from error


def _narrowed(frame: Any, recipe: Recipe) -> Any:
    """Select the columns to read, since others may have types that Arrow does not support."""
    if not hasattr(frame, "columns"):
        return frame
    names = list(frame.columns)
    dates = [name for name in _dates_among(names, recipe) if _is_arrow(frame[[name]])]
    return frame[_read(names, recipe, dates)]


def _is_arrow(frame: Any) -> bool:
    """Return True if Arrow supports the type of an unnamed column; other columns are left out."""
    import pyarrow as pa

    try:
        pa.table(frame)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return False
    return True


def _dates_among(names: Sequence[Any], recipe: Recipe) -> list[str]:
    """Return the possible date columns, if the recipe searches for dates."""
    if not recipe.finds_dates:
        return []
    return date_columns([name for name in names if isinstance(name, str)], (*recipe.text, recipe.id))


def _read(names: Sequence[str], recipe: Recipe, dates: Sequence[str]) -> list[str]:
    """Return the columns to read; all of them if a required one is missing."""
    required = [*recipe.text, recipe.id, None if recipe.keep == AUTO else recipe.order_column]
    optional = [*dates, recipe.order_column]
    existing = {path: {path, path.partition(SEPARATOR)[0]} & set(names) for path in (*required, *optional) if path}
    roots = {"id"}.union(*existing.values())
    is_whole = all(existing[path] for path in required if path)
    return [name for name in names if name in roots or not is_whole]


def _hold_arrow(source: Any, recipe: Recipe) -> SourceDocuments:
    import pyarrow as pa

    table = _without_views(_table(source, recipe.text[0]))

    def select(mask: NDArray[np.bool_]) -> Any:
        kept = pa.concat_tables([table.slice(0, 0), *select_rows(table, mask)])
        if isinstance(source, pa.Array):
            return kept.column(0).combine_chunks()
        return kept.column(0) if isinstance(source, pa.ChunkedArray) else kept

    return SourceDocuments(rows_of_table(table, recipe), select)


def _hold_items(source: Any, recipe: Recipe) -> SourceDocuments:
    if isinstance(source, str | Path):
        raise UsageError(
            say("expected a collection of documents, got the string {source!r:.60}", source=str(source)),
            hint=say("use whorl.dedup_files for files"),
        )
    if isinstance(source, bytes | Mapping) or not isinstance(source, Iterable):
        raise UsageError(
            say("expected documents, got {kind}", kind=type(source).__name__),
            hint=say("use strings, dicts or a table"),
        )
    items = list(source)
    if items and _is(items[0], "pyarrow", "RecordBatch", "Table"):
        return _hold_arrow(_joined(items), recipe)
    if _are_names(items[:_NAMES_LOOKED_AT]):
        raise UsageError(
            say("expected a text, got the file {source!r:.60}", source=str(items[0])),
            hint=say("use whorl.dedup_files for files"),
        )
    rows = rows_of_dicts(items, recipe) if items and isinstance(items[0], Mapping) else rows_of_texts(items)
    return SourceDocuments(rows, lambda mask: list(compress(items, mask.tolist())))


def _are_names(items: Sequence[Any]) -> bool:
    """Return True if all items are paths or look like file names."""
    return bool(items) and all(isinstance(item, Path) or _is_name(item) for item in items)


def _is_name(item: Any) -> bool:
    try:
        return isinstance(item, str) and 0 < len(item) <= _LONGEST_NAME and Path(item).is_file()
    except (OSError, ValueError):
        return False


def _table(source: Any, name: str) -> pa.Table:
    """Convert a frame to a table, and a column of texts to a table with that column.

    Raises:
        InputError: it cannot be converted.
    """
    import pyarrow as pa

    try:
        if isinstance(source, pa.Array | pa.ChunkedArray):
            return pa.table({name: source})
        if _is(source, "pandas", "Series"):
            return pa.table({name: pa.Array.from_pandas(source)})
        return pa.table({name: _column(source)}) if _is_column(source) else _imported(source, name)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise _no_table(source, error) from error


def _imported(source: Any, name: str) -> pa.Table:
    """Import Arrow data: a table, or the single column that the exporter reports instead."""
    import pyarrow as pa

    try:
        return pa.table(source)
    except pa.ArrowInvalid:
        with suppress(pa.ArrowException, ValueError, TypeError, AttributeError):
            return pa.table({name: _column(source)})
        raise


def _column(source: Any) -> pa.Array | pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array(source) if hasattr(source, "__arrow_c_stream__") else pa.array(source)


def _is_column(source: Any) -> bool:
    """Return True if an exporter of Arrow data is a single column, such as a polars Series."""
    return getattr(source, "ndim", None) == 1 or type(source).__name__ == "Series"


def _joined(batches: Sequence[Any]) -> pa.Table:
    """Join the batches or tables of a stream into one table."""
    import pyarrow as pa

    try:
        return pa.concat_tables([pa.table(batch) for batch in batches])
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise _no_table(batches, error) from error


def _no_table(source: Any, error: Exception) -> InputError:
    reason = "; ".join(map(str, error.args))
    return InputError(
        say("cannot convert the {kind} to a table: {reason}", kind=type(source).__name__, reason=reason),
        hint=say("use one type per column and unique column names"),
    )


def _without_views(table: pa.Table) -> pa.Table:
    """Convert string views, which Arrow cannot filter yet."""
    import pyarrow as pa

    for place, column in enumerate(table.schema):
        if column.type == pa.string_view():
            demand_sound(table.column(place), column.name)
            table = table.set_column(place, column.name, table.column(place).cast(pa.large_string()))
    return table


__all__ = ["SourceDocuments", "hold", "is_spark"]
