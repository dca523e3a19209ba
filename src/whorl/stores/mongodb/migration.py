"""Migrate the collections of an older version."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from whorl.stores.mongodb.chain import Chain
from whorl.stores.mongodb.layout import VERSION

if TYPE_CHECKING:
    from pymongo.database import Database

_RENAMED = {"leave": "permission", "proof": "attestation"}
"""New names of the collections of version 1."""


def migrate(database: Database[Any], chain: Chain) -> None:
    """Rename the collections of version 1, and their counts in the state of the library.

    Workers of an older version refuse the library from then on. A killed migration continues when the library is
    opened again: renamed collections are skipped, and the state changes last.
    """
    turn = chain.take()
    before = deepcopy(turn.state)
    try:
        state = turn.state
        if state.tables < VERSION:
            for former in _RENAMED.keys() & database.list_collection_names():
                database[former].rename(_RENAMED[former])
            state.alive, state.rows = _renamed(state.alive), _renamed(state.rows)
            state.bounds = _renamed(state.bounds)
            state.tables = VERSION
        turn.commit()
    except BaseException:
        turn.abandon(before, wrote=False)
        raise


def _renamed(counts: dict[str, int]) -> dict[str, int]:
    """Return counts by "kind" or "kind.field" with the new names of the kinds."""
    parts = ((name.partition("."), count) for name, count in counts.items())
    return {_RENAMED.get(kind, kind) + dot + field: count for (kind, dot, field), count in parts}


__all__ = ["migrate"]
