"""Documents in memory: tag or cut those with items, in the type of their source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from whorl.inside.contamination.cutting import Span, cut_ranges, is_blank_without
from whorl.inside.contamination.hits import Hit
from whorl.inside.contamination.rewriting import tags
from whorl.inside.frames import with_changes, with_column


def item_ranges(texts: Any, hits: Mapping[int, Sequence[Hit]]) -> tuple[dict[int, list[Span]], list[int]]:
    """Return what is cut from each document with hits, and the documents of which nothing is left.

    Args:
        texts: the texts of all documents.
        hits: the hits by document, from 0.
    """
    array, ranges, blank = pa.array(texts), {}, []
    for row, of_row in hits.items():
        text = array[row].as_py()
        ranges[row] = cut_ranges(text, (hit.extent for hit in of_row))
        if is_blank_without(text, ranges[row]):
            blank.append(row)
    return ranges, blank


def cut_documents(frame: Any, ranges: Mapping[int, list[Span]], columns: Sequence[str]) -> Any:
    """Return documents without some ranges.

    Args:
        frame: strings or dicts, a column, a pyarrow table, a dataset, or a frame of polars or pandas.
        ranges: the ranges of each document, in its columns joined by line breaks.
        columns: the columns that make up the text.
    """
    return with_changes(frame, [name for name in columns if _has(frame, name)], ranges, "")


def tagged_documents(frame: Any, hits: Mapping[int, Sequence[Hit]], count: int, added: str) -> Any:
    """Return documents with a column of tags.

    Args:
        frame: dicts, a pyarrow table, a dataset, or a frame of polars or pandas.
        hits: the hits by document, from 0.
        count: number of documents.
        added: name of the column.

    Raises:
        UsageError: the documents have no columns.
    """
    values = [tags(hits[row]) if row in hits else None for row in range(count)]
    texts = [(name, pa.string()) for name in ("benchmark", "item", "reason")]
    kind = pa.list_(pa.struct([*texts, ("start", pa.int64()), ("end", pa.int64())]))
    return with_column(frame, added, values, kind)


def _has(frame: Any, name: str) -> bool:
    """Return True if a frame has a column; documents of a list may have any."""
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    return names is None or name in list(names)


__all__ = ["cut_documents", "item_ranges", "tagged_documents"]
