"""Split large files into parts, so that several tasks or shards can read one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from whorl.corpus import ReadOptions, Source
from whorl.corpus.cutting import LineCounts, Stretch, cut, stretches
from whorl.engines.corpus import columns_of
from whorl.recipe import Recipe

Count = Callable[[Sequence[Stretch]], Sequence[LineCounts]]
"""Counts the lines of file parts."""


def in_stretches(sources: Sequence[Source], size: int, recipe: Recipe, count: Count) -> list[Source]:
    """Split files larger than two parts of ``size`` bytes into parts of that size.

    Args:
        sources: the files.
        size: size of a part in bytes; at least one block.
        recipe: how documents are read.
        count: called once with all parts, if there are any.

    Raises:
        InputError: a file cannot be read.
    """
    columns = columns_of(recipe)
    options = ReadOptions.of(recipe)
    parts = [stretches(source, size) for source in sources]
    every = [stretch for part in parts for stretch in part]
    counted = iter(count(every) if every else ())
    read: list[Source] = []
    for source, part in zip(sources, parts, strict=True):
        line_counts = list(islice(counted, len(part)))
        read += cut(source, part, line_counts, columns, options) if part else [source]
    return read


__all__ = ["Count", "in_stretches"]
