"""Documents in memory: tag, cut or drop those with items, in the type of their source."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from whorl.corpus.rewriting.contract import apply_to_parts
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.contamination.cutting import cut_ranges
from whorl.inside.contamination.hits import Hit
from whorl.inside.contamination.rewriting import tags


def changed_documents(
    source: Any, hits: Mapping[int, Sequence[Hit]], action: str, columns: Sequence[str], added: str
) -> Any:
    """Return the documents of a source with those that have hits tagged or cut.

    Args:
        source: strings or dicts, a pyarrow table, or a frame of polars or pandas.
        hits: the hits by document, from 0.
        action: "tag" or "cut".
        columns: the columns that make up the text.
        added: the name of the column of tags.

    Raises:
        UsageError: documents of this type cannot be changed.
    """
    if isinstance(source, list | tuple):
        return [_changed_item(item, hits.get(place, ()), action, columns, added) for place, item in enumerate(source)]
    polars, pandas = sys.modules.get("polars"), sys.modules.get("pandas")
    if polars is not None and isinstance(source, polars.DataFrame | polars.LazyFrame):
        frame = source.lazy().collect()
        return polars.from_arrow(_changed_table(frame.to_arrow(), hits, action, columns, added))
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return _changed_pandas(source, hits, action, columns, added)
    if hasattr(source, "__arrow_c_stream__"):
        import pyarrow as pa

        return _changed_table(pa.table(source), hits, action, columns, added)
    raise UsageError(
        say("`action={action}` does not support {kind}", action=action, kind=type(source).__name__),
        hint=say("use a list, a pyarrow table, or a frame of polars or pandas"),
    )


def _changed_item(item: Any, hits: Sequence[Hit], action: str, columns: Sequence[str], added: str) -> Any:
    if isinstance(item, Mapping):
        if not hits:
            return item
        return {**item, **_values(item, hits, action, columns, added)}
    if action == "tag":
        raise UsageError(
            say("`action=tag` needs columns, got strings"), hint=say("use dicts or a table, or look at `hits`")
        )
    return _without({"": item}, hits, ("",))[""] if hits else item


def _values(
    texts: Mapping[str, Any], hits: Sequence[Hit], action: str, columns: Sequence[str], added: str
) -> dict[str, Any]:
    if action == "tag":
        return {added: tags(hits)}
    return _without(texts, hits, columns)


def _without(texts: Mapping[str, Any], hits: Sequence[Hit], columns: Sequence[str]) -> dict[str, Any]:
    """Return the texts of a document without its hits; a column without text stays as it is."""
    parts = [texts.get(name) or "" for name in columns]
    ranges = cut_ranges("\n".join(parts), (hit.extent for hit in hits))
    changed = zip(columns, parts, apply_to_parts(parts, ranges, ""), strict=True)
    return {name: after for name, before, after in changed if before}


def _changed_table(
    table: Any, hits: Mapping[int, Sequence[Hit]], action: str, columns: Sequence[str], added: str
) -> Any:
    import pyarrow as pa

    if action == "tag":
        tagged = [tags(hits[place]) if place in hits else None for place in range(len(table))]
        return table.append_column(added, pa.array(tagged, _tag_type()))
    names = [name for name in columns if name in table.schema.names]
    values_of = {row: {name: table.column(name)[row].as_py() for name in names} for row in hits}
    changed = {row: _values(values_of[row], hits[row], action, columns, added) for row in hits}
    for name in names:
        column = table.column(name).to_pylist()
        for row, values in changed.items():
            column[row] = values.get(name, column[row])
        place = table.schema.get_field_index(name)
        field = table.schema.field(place)
        table = table.set_column(place, field, pa.array(column, field.type))
    return table


def _changed_pandas(
    frame: Any, hits: Mapping[int, Sequence[Hit]], action: str, columns: Sequence[str], added: str
) -> Any:
    changed = frame.copy()
    if action == "tag":
        changed[added] = [tags(hits[place]) if place in hits else None for place in range(len(frame))]
        return changed
    for row, several in hits.items():
        texts = {name: frame[name].iloc[row] for name in columns if name in frame.columns}
        sound = {name: text if isinstance(text, str) else None for name, text in texts.items()}
        for name, text in _values(sound, several, action, columns, added).items():
            changed.iloc[row, changed.columns.get_loc(name)] = text
    return changed


def _tag_type() -> Any:
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("benchmark", "item", "reason")]
    return pa.list_(pa.struct([*texts, ("start", pa.int64()), ("end", pa.int64())]))


__all__ = ["changed_documents"]
