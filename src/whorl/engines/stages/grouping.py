"""Who shares keys, as columns that one process leaves for another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.stages.columns import Arrays

GROUP_COLUMNS = {"keys": np.uint64, "multiplicities": np.uint32, "starts": np.uint64, "members": np.uint32}
"""A key of each group; how many it stands for; where its members begin, and the last ones end; the members."""


def group_columns(buffers: Sequence[Any]) -> Arrays:
    """Return the columns of groups, by their names."""
    named = zip(GROUP_COLUMNS.items(), buffers, strict=True)
    return {name: np.frombuffer(memoryview(buffer), kind) for (name, kind), buffer in named}


def joined_groups(parts: Iterable[Mapping[str, NDArray[Any]]], order: NDArray[np.uint32]) -> _core.Groups:
    """Return groups by rank of the columns of some by document, of which ``order`` has the numbers by rank."""
    rank_of = np.empty_like(order)
    rank_of[order] = np.arange(len(order), dtype=np.uint32)
    groups = _core.Groups()
    for columns in parts:
        keys, multiplicities, starts, members = (columns[name] for name in GROUP_COLUMNS)
        groups.add_columns((keys, multiplicities, starts, members), rank_of)
    return groups


__all__ = ["GROUP_COLUMNS", "group_columns", "joined_groups"]
