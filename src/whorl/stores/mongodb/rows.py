"""Queries and writes of versioned rows.

A row has the fields of its record that are not None; ``from``, the turn that wrote it; ``step``, which orders versions
within a turn; and ``gone``, which is true if this version marks a removal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from pymongo.errors import OperationFailure

from whorl.errors import InputError, ResourceError
from whorl.i18n import say
from whorl.stores.mongodb.chain import GRACE, Chain, ChainState, Turn
from whorl.stores.mongodb.layout import CONTENTS, DOCUMENTS, KINDS, MongoCollection, kept

if TYPE_CHECKING:
    from pymongo.database import Database

_VALUES = 500
"""Maximum number of values in one query."""

_PAGE = 2000
"""Numbers covered by one page of a scan."""

_ASKED_AGAIN = (DOCUMENTS, CONTENTS)
"""Collections of small rows, cached for the duration of a snapshot because they are queried repeatedly."""

_MOST_KNOWN = 20_000
_SOME = 100
_BATCH = 10_000
_MOST_ROWS = 5000
_MOST_OF_A_ROW = 15 * 2**20
_SHORT = 1000
_MOST_BYTES = 32 * 2**20
_LONGEST_READING = 0.8 * GRACE

_Key = TypeVar("_Key")
_Row = TypeVar("_Row")


class MongoRows:
    """Rows as of a state."""

    def __init__(self, database: Database[Any], state: ChainState, chain: Chain, turn: int | None = None) -> None:
        self._database = database
        self._state = state
        self._chain = chain
        self._version = state.version if turn is None else turn
        self._checked = monotonic()
        self._visible: dict[str, Any] = {"$lte": self._version}
        if state.dead:
            self._visible["$nin"] = state.passed_over
        self._cache: dict[tuple[str, str], dict[Any, list[dict[str, Any]]]] = {}

    def find(
        self, kind: MongoCollection, values: Mapping[str, Any], fields: Iterable[str] | None = None
    ) -> Iterator[Any]:
        """Yield all visible versions of the rows that match a query, in no order, with all or some fields."""
        self._demand_kept()
        projection = {"_id": False}
        if fields is not None:
            projection |= dict.fromkeys((*kind.key, *fields, "from", "step", "gone"), True)
        question = {**values, "from": self._visible}
        for row in self._database[kind.name].find(question, projection, batch_size=_BATCH):
            yield {**kind.blank, **row}

    def by(self, kind: MongoCollection, field: str, values: Iterable[Any]) -> list[Any]:
        """Return the records in which a field has one of the values."""
        return list(map(kind.record_of, self.rows_by(kind, field, values)))

    def rows_by(
        self, kind: MongoCollection, field: str, values: Iterable[Any], fields: Iterable[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows in which a field has one of the values, with all or some fields."""
        named, keys = kind.query_terms(field, values)
        possible = self._possible(kind, named, keys)
        if kind not in _ASKED_AGAIN:
            return self._fetch(kind, named, possible, fields)
        cached = self._cache.setdefault((kind.name, named), {})
        if unknown := [value for value in possible if value not in cached]:
            if len(cached) > _MOST_KNOWN:
                cached.clear()
                unknown = list(possible)
            cached |= {value: [] for value in unknown}
            for row in self._fetch(kind, named, unknown, None):
                cached[row[named]].append(row)
        return [row for value in possible for row in cached[value]]

    def _fetch(
        self, kind: MongoCollection, named: str, values: Collection[Any], fields: Iterable[str] | None
    ) -> list[dict[str, Any]]:
        """Return the rows in which a field of the collection has one of the values."""
        rows: list[dict[str, Any]] = []
        some_fields = None if fields is None else (*fields, named)
        for some in parts(values):
            rows += self.find(kind, {named: {"$in": list(some)}}, some_fields)
        if named in kind.key or not self._has_old(kind):
            return _latest(kind, rows)
        # Another version of a row may have another value.
        keys = dict.fromkeys(row[kind.key[0]] for row in rows)
        rows = []
        for some in parts(keys):
            rows += self.find(kind, {kind.key[0]: {"$in": list(some)}}, some_fields)
        requested = set(values)
        return [row for row in _latest(kind, rows) if row[named] in requested]

    def by_unique(self, kind: MongoCollection, field: str, values: Iterable[Any]) -> dict[Any, Any]:
        """Return the records in which a field has one of the values, by that field, which must be unique."""
        return {getattr(record, field): record for record in self.by(kind, field, values)}

    def between(
        self, kind: MongoCollection, first: int, last: int, fields: Iterable[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows in which the first field of the key is in a range, in its order."""
        field = kind.key[0]
        rows = _latest(kind, list(self.find(kind, {field: {"$gte": first, "$lte": last}}, fields)))
        return sorted(rows, key=lambda row: row[field])

    def scan(
        self, kind: MongoCollection, fields: Iterable[str] | None = None, after: int = 0, page: int = _PAGE
    ) -> Iterator[dict[str, Any]]:
        """Yield all rows after a number, ordered by the number in the first field of their keys."""
        last = self.bound(kind)
        for first in range(after + 1, last + 1, page):
            yield from self.between(kind, first, min(first + page - 1, last), fields)

    def after(
        self, kind: MongoCollection, number: int, limit: int, chosen: Callable[[Any], bool] | None = None
    ) -> list[Any]:
        """Return the next selected records after a number, ascending."""
        records = map(kind.record_of, self.scan(kind, after=number, page=min(max(limit, _SOME), _PAGE)))
        return list(islice(filter(chosen, records), limit))

    def next_texts(self, kind: MongoCollection, text: str, limit: int) -> list[str]:
        """Return the next values after a text, ascending; the key must have this one text field."""
        rows = _latest(kind, list(self.find(kind, {kind.key[0]: {"$gt": text}}, ())))
        return sorted(row[kind.key[0]] for row in rows)[:limit]

    def all_rows(self, kind: MongoCollection) -> list[dict[str, Any]]:
        """Return all rows of a small collection, in no order."""
        return _latest(kind, list(self.find(kind, {}))) if self._state.rows.get(kind.name) else []

    def whole(self, kind: MongoCollection) -> list[Any]:
        """Return all records of a small collection, in no order."""
        return list(map(kind.record_of, self.all_rows(kind)))

    @property
    def state(self) -> ChainState:
        """The state that this snapshot shows."""
        return self._state

    def bound(self, kind: MongoCollection, field: str = "") -> int:
        """Return the highest number ever used in a field, by default the first one of the key."""
        return self._state.bounds.get(f"{kind.name}.{field or kind.key[0]}", 0)

    def alive(self, kind: MongoCollection) -> int:
        """Return the number of rows."""
        return self._state.alive.get(kind.name, 0)

    def _possible(self, kind: MongoCollection, field: str, values: Collection[Any]) -> Collection[Any]:
        """Return the values that can occur at all."""
        if not self._state.rows.get(kind.name):
            return ()
        bound = self._state.bounds.get(f"{kind.name}.{field}")
        return values if bound is None else [value for value in values if value <= bound]

    def _has_old(self, kind: MongoCollection) -> bool:
        """Return True if there are versions that were replaced."""
        return self._state.rows.get(kind.name, 0) != self.alive(kind)

    def _demand_kept(self) -> None:
        """Raise a ResourceError if this snapshot is so old that rows may be missing."""
        if monotonic() - self._checked < _LONGEST_READING:
            return
        if self._chain.demand().state.purged > self._version:
            hint = say("request less at a time")
            raise ResourceError(say("this read took so long that its snapshot has expired"), hint=hint)


class MongoChangingRows(MongoRows):
    """Rows as of a turn, including those it writes; writes are buffered and sent in blocks."""

    def __init__(self, database: Database[Any], chain: Chain, turn: Turn) -> None:
        super().__init__(database, turn.state, chain, turn.number)
        self._turn = turn
        self._before = deepcopy(turn.state)
        self._kept: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {}
        self._bytes = 0
        self._step = 0
        self._sent: set[str] = set()

    @property
    def before(self) -> ChainState:
        """The state in which the turn began."""
        return self._before

    @property
    def has_sent(self) -> bool:
        """Return True if rows of this turn may be in the database."""
        return bool(self._sent)

    def find(
        self, kind: MongoCollection, values: Mapping[str, Any], fields: Iterable[str] | None = None
    ) -> Iterator[Any]:
        """See the base class; buffered rows are sent first."""
        self._send([kind.name] if kind.name in self._kept else [])
        return super().find(kind, values, fields)

    def rows_by(
        self, kind: MongoCollection, field: str, values: Iterable[Any], fields: Iterable[str] | None = None
    ) -> list[dict[str, Any]]:
        """See the base class; buffered rows are included."""
        values = list(values)
        buffered = self._kept.pop(kind.name, None)
        try:
            rows = super().rows_by(kind, field, values, fields)
        finally:
            if buffered is not None:
                self._kept[kind.name] = buffered
        if not buffered:
            return rows
        named, keys = kind.query_terms(field, values)
        return [row for row in rows if kind.key_of(row) not in buffered] + [
            row for row in buffered.values() if not row["gone"] and row[named] in keys
        ]

    def put(self, kind: MongoCollection, records: Iterable[Any]) -> None:
        """Store records, replacing those with the same keys."""
        rows = _keyed(kind, records)
        if not rows:
            return
        self._hold(kind, rows, len(rows) - len(self._there(kind, rows)))

    def put_new(self, kind: MongoCollection, records: Iterable[Any]) -> None:
        """Store records whose keys do not exist."""
        rows = _keyed(kind, reversed(list(records)))
        for key in self._there(kind, rows):
            del rows[key]
        self._hold(kind, rows, len(rows))

    def remove(self, kind: MongoCollection, keys: Iterable[tuple[Any, ...]]) -> None:
        """Remove the rows of keys that exist."""
        requested = dict.fromkeys(tuple(map(kept, key)) for key in keys)
        there = {key: dict(zip(kind.key, key, strict=True)) for key in self._there(kind, requested)}
        self._hold(kind, there, -len(there), is_removed=True)

    def remove_by(self, kind: MongoCollection, field: str, values: Iterable[Any]) -> None:
        """Remove the rows in which a field has one of the values."""
        self.remove(kind, map(kind.key_of, self.rows_by(kind, field, values, ())))

    def finish(self) -> None:
        """Send all buffered rows."""
        self._send(list(self._kept))

    def _there(self, kind: MongoCollection, keys: Collection[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return the keys that exist."""
        rows = set(map(kind.key_of, self.rows_by(kind, kind.key[0], (first for first, *_ in keys), ())))
        return [key for key in keys if key in rows]

    def _hold(
        self,
        kind: MongoCollection,
        rows: Mapping[tuple[Any, ...], dict[str, Any]],
        more: int,
        is_removed: bool | None = None,
    ) -> None:
        if not rows:
            return
        self._bytes += sum(map(_size, rows.values()))
        buffered = self._kept.setdefault(kind.name, {})
        replaced = len(buffered)
        for row in rows.values():
            buffered[kind.key_of(row)] = {**row, "from": self._turn.number, "step": self._step, "gone": is_removed}
        state = self._state
        state.alive[kind.name] = self.alive(kind) + more
        state.rows[kind.name] = state.rows.get(kind.name, 0) + len(buffered) - replaced
        if not is_removed:
            self._raise_bounds(kind, rows.values())
        if len(buffered) > _MOST_ROWS or self._bytes > _MOST_BYTES:
            self.finish()

    def _raise_bounds(self, kind: MongoCollection, rows: Collection[Mapping[str, Any]]) -> None:
        for name in kind.questions:
            numbers = [value for row in rows if isinstance(value := row[name], int)]
            if numbers:
                self._state.bounds[f"{kind.name}.{name}"] = max(self.bound(kind, name), *numbers)

    def _possible(self, kind: MongoCollection, field: str, values: Collection[Any]) -> Collection[Any]:
        if kind.name in self._sent:
            return values
        if not self._before.rows.get(kind.name):
            return ()
        bound = self._before.bounds.get(f"{kind.name}.{field}")
        return values if bound is None else [value for value in values if value <= bound]

    def _send(self, names: Sequence[str]) -> None:
        """Send buffered rows of several collections in parallel."""
        if not names:
            return
        self._turn.demand()
        self._step += 1
        for name in names:
            if name not in self._sent and not self._before.rows.get(name):
                prepare(self._database, KINDS[name])
            self._cache = {place: rows for place, rows in self._cache.items() if place[0] != name}
        self._sent.update(names)
        batches = [(KINDS[name], list(self._kept.pop(name).values())) for name in names]
        if len(batches) == 1:
            self._insert(batches[0])
        else:
            with ThreadPoolExecutor(len(batches)) as threads:
                list(threads.map(self._insert, batches))
        if not self._kept:
            self._bytes = 0

    def _insert(self, batch: tuple[MongoCollection, list[dict[str, Any]]]) -> None:
        kind, rows = batch
        self._database[kind.name].insert_many(map(without_blanks, rows), ordered=False)


def without_blanks(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the fields that are None, as it is sent."""
    return {name: value for name, value in row.items() if value is not None}


def prepare(database: Database[Any], kind: MongoCollection) -> None:
    """Create missing indexes of a collection before its first row is inserted."""
    there = {next(iter(index["key"])) for index in database[kind.name].list_indexes()}
    for field in kind.questions:
        if field not in there:
            _make_index(database, kind, field)


def _make_index(database: Database[Any], kind: MongoCollection, field: str) -> None:
    try:
        database[kind.name].create_index(field)
    except OperationFailure as error:
        # FerretDB refuses indexes that another worker is creating, or that a killed worker had created.
        if "already exists" not in str(error):
            raise


def _latest(kind: MongoCollection, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest versions, without those that mark a removal."""
    last: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = kind.key_of(row)
        before = last.get(key)
        if before is None or (before["from"], before["step"]) < (row["from"], row["step"]):
            last[key] = row
    return [row for row in last.values() if not row["gone"]]


def _size(row: Mapping[str, Any]) -> int:
    """Return the size in bytes of the variable fields of a row.

    Raises:
        InputError: the row exceeds the limit of a server; some servers do not report it themselves.
    """
    size = sum(len(value if type(value) is bytes else value.encode()) for value in row.values() if _is_long(value))
    if size > _MOST_OF_A_ROW:
        raise InputError(
            say("a document exceeds the 16 MB limit of the server"),
            hint=say("remove it, or use a store without that limit"),
        )
    return size


def _is_long(value: Any) -> bool:
    return type(value) is bytes or (type(value) is str and len(value) > _SHORT)


def _keyed(kind: MongoCollection, records: Iterable[Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = map(kind.row_of, records)
    return {kind.key_of(row): row for row in rows}


def lists(rows: Iterable[tuple[_Key, _Row]]) -> dict[_Key, list[_Row]]:
    """Group rows by key, in their order."""
    groups: dict[_Key, list[_Row]] = {}
    for key, row in rows:
        groups.setdefault(key, []).append(row)
    return groups


def parts(values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Group values into tuples of the maximum size of a query."""
    rest = iter(values)
    while some := tuple(islice(rest, _VALUES)):
        yield some


__all__ = ["MongoChangingRows", "MongoRows", "lists", "parts", "prepare", "without_blanks"]
