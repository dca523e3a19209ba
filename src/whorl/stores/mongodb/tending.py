"""Remove rows that were replaced long ago, and remains of dead turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from time import time
from typing import TYPE_CHECKING, Any

from whorl.stores.mongodb.chain import GRACE, Chain, ChainState
from whorl.stores.mongodb.layout import KINDS, MongoCollection
from whorl.stores.mongodb.rows import parts

if TYPE_CHECKING:
    from pymongo.database import Database

_FEW = 1000
"""Number of old rows that are not worth removing."""

_SHARE = 0.2
"""Minimum share of old rows among all for their removal."""


def tend(database: Database[Any], chain: Chain) -> None:
    """Remove rows that no reader sees any more, while others read and write."""
    state = chain.demand().state
    if state.dead:
        _bury(database, chain, state)
    horizon = state.replaced_long_ago()
    crowded = [kind for kind in KINDS.values() if _is_crowded(state, kind)]
    if horizon > state.purged and crowded:
        _change(chain, lambda now: _note_purge(now, horizon))
        removed = {kind.name: _purge(database[kind.name], kind, horizon, state.passed_over) for kind in crowded}
        _change(chain, lambda now: _note_removed(now, removed))


def _change(chain: Chain, change: Callable[[ChainState], None]) -> None:
    """Change the state in a turn that writes no rows."""
    turn = chain.take()
    before = deepcopy(turn.state)
    try:
        change(turn.state)
        turn.commit()
    except BaseException:
        turn.abandon(before, wrote=False)
        raise


def _bury(database: Database[Any], chain: Chain, state: ChainState) -> None:
    """Remove the rows of dead turns, and drop turns that are so old that they cannot write any more."""
    dead = state.passed_over
    for name in KINDS:
        database[name].delete_many({"from": {"$in": dead}})
    if forgotten := {turn for turn, at in state.dead if time() - at > GRACE}:
        _change(chain, lambda now: _forget(now, forgotten))


def _forget(state: ChainState, turns: set[float]) -> None:
    state.dead = [turn for turn in state.dead if turn[0] not in turns]


def _is_crowded(state: ChainState, kind: MongoCollection) -> bool:
    rows, alive = state.rows.get(kind.name, 0), state.alive.get(kind.name, 0)
    return rows - alive > max(_FEW, _SHARE * alive)


def _note_purge(state: ChainState, horizon: int) -> None:
    state.purged = max(state.purged, horizon)


def _note_removed(state: ChainState, removed: dict[str, int]) -> None:
    for name, count in removed.items():
        state.rows[name] -= count


def _purge(rows: Any, kind: MongoCollection, horizon: int, dead: list[int]) -> int:
    """Remove the versions of a collection that were replaced as of a turn; return how many.

    Versions that mark a removal are deleted last: they must outlast the versions that they hide.
    """
    fields = dict.fromkeys((*kind.key, "from", "step", "gone"), True)
    last: dict[tuple[Any, ...], Any] = {}
    old: list[Any] = []
    for row in rows.find({"from": {"$lte": horizon, "$nin": dead}}, fields):
        key = kind.key_of(row)
        before = last.get(key)
        newer = before is None or (before["from"], before["step"]) < (row["from"], row["step"])
        if before is not None:
            old.append((before if newer else row)["_id"])
        if newer:
            last[key] = row
    removed = [row["_id"] for row in last.values() if row.get("gone")]
    return sum(_removed(rows, some) for some in (old, removed))


def _removed(rows: Any, ids: Iterable[Any]) -> int:
    groups: Iterator[tuple[Any, ...]] = parts(ids)
    return sum(rows.delete_many({"_id": {"$in": list(some)}}).deleted_count for some in groups)


__all__ = ["tend"]
