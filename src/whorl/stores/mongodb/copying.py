"""Copy a consistent snapshot, without replaced rows."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.stores.mongodb.chain import Chain
from whorl.stores.mongodb.layout import ALIASES, BODIES, KINDS, PERMISSIONS, SETTINGS, SITES, STATES, MongoCollection
from whorl.stores.mongodb.reading import MongoReader
from whorl.stores.mongodb.rows import prepare, without_blanks

if TYPE_CHECKING:
    from pymongo.database import Database

_TOGETHER = 1000
_UNNUMBERED = (SETTINGS, ALIASES, STATES, SITES, PERMISSIONS, BODIES)


def copy_to(reading: MongoReader, database: Database[Any], chain: Chain) -> None:
    """Write all rows of a snapshot into a database with an empty library; they become visible together at the end.

    Raises:
        UsageError: the database is not empty.
    """
    turn = chain.take()
    before = deepcopy(turn.state)
    try:
        if turn.state.rows or turn.state.version:
            problem = say("{folder} already contains a library", folder=database.name)
            raise UsageError(problem, hint=say("choose an empty location"))
        state = reading.state
        for kind in KINDS.values():
            if state.rows.get(kind.name):
                prepare(database, kind)
            rows = (without_blanks({**row, "from": turn.number, "step": 0}) for row in _all(reading, kind))
            while some := list(islice(rows, _TOGETHER)):
                turn.demand()
                database[kind.name].insert_many(some, ordered=False)
        turn.state.bounds, turn.state.alive, turn.state.rows = state.bounds, state.alive, dict(state.alive)
        turn.commit()
    except BaseException:
        turn.abandon(before, wrote=True)
        raise


def _all(reading: MongoReader, kind: MongoCollection) -> Iterator[dict[str, Any]]:
    if kind in _UNNUMBERED:
        return iter(reading.all_rows(kind))
    return reading.scan(kind)


__all__ = ["copy_to"]
