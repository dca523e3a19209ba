"""Groups of documents that share keys, as columns for exchange between processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.stages.columns import Arrays

GROUP_COLUMNS = {"keys": np.uint64, "multiplicities": np.uint32, "starts": np.uint64, "members": np.uint32}
"""A key of each group; its multiplicity; the start of its members, followed by the end of the last; the members."""


def group_columns(buffers: Sequence[Any]) -> Arrays:
    """Return the columns of groups by name."""
    named = zip(GROUP_COLUMNS.items(), buffers, strict=True)
    return {name: np.frombuffer(memoryview(buffer), kind) for (name, kind), buffer in named}


def joined_groups(parts: Iterable[Mapping[str, NDArray[Any]]], order: NDArray[np.uint32]) -> _core.Groups:
    """Convert columns of groups by document to groups by rank; ``order`` contains the documents by rank."""
    rank_of = np.empty_like(order)
    rank_of[order] = np.arange(len(order), dtype=np.uint32)
    groups = _core.Groups()
    for columns in parts:
        keys, multiplicities, starts, members = (columns[name] for name in GROUP_COLUMNS)
        groups.add_columns((keys, multiplicities, starts, members), rank_of)
    return groups


__all__ = ["GROUP_COLUMNS", "group_columns", "joined_groups"]
