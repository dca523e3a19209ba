"""An index of keys in Redis that all workers of a library share.

Redis holds the keys of all contents up to a mark, which is updated atomically with them. Contents are published only
after their transaction has been committed; until then a process keeps them in memory. A process that finds the mark
behind the store (a worker died in between, or Redis was restored to an older state) adds the missing contents. The
second process to add the same contents is refused, so there are no duplicates. Removed contents are filtered out of
every answer. A Redis that is empty, or belongs to another version or another store, is filled again.

In a library with a window each period is stored separately, and expires in Redis after three windows without a query. A
query for an expired period loads it again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from secrets import token_hex
from threading import Lock, RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from whorl.errors import ResourceError, WhorlError
from whorl.i18n import say
from whorl.indexes.inverted import KeyAnswers
from whorl.library.rules import Making
from whorl.library.search.answering import KeyRows, answers_of
from whorl.library.search.indexing import EARLIEST, keys_of_digests, lacking, with_digests
from whorl.library.search.keys import TextKeys, keys_of
from whorl.stores import Reader, Store
from whorl.stores.records import PERIODS, Content
from whorl.stores.redis import IndexState, PeriodKeys, RedisKeys, StateMismatch, bits_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Answer = TypeVar("_Answer")
_BLOCK, _LOADED_AT_ONCE = 500, 4096
_MOST_SAME = 1000
_MOST_TRIES = 20
_WINDOWS_KEPT = 3
_NOWHERE = IndexState("", 0, "")
_LOG = logging.getLogger("whorl.library")


class SharedIndex:
    """Index of a library in Redis; implements `whorl.library.search.indexing.Index`, which documents the methods.

    Args:
        store: source of truth.
        making: recipe and rules of the library.
        identity: identity of the library.
        address: address of Redis.
    """

    def __init__(self, store: Store, making: Making, identity: str, address: str) -> None:
        self._store, self._making = store, making
        span = making.rules.span
        self._redis = RedisKeys(address, identity, 0 if span is None else _WINDOWS_KEPT * span // 1000)
        self._lock, self._changing, self._building = RLock(), Lock(), RLock()
        self._state = _NOWHERE
        self._removed: NDArray[np.int64] = np.empty(0, np.int64)
        self._removal = 0
        self._writer: Reader | None = None
        self._true = 0
        self._pending: list[tuple[Sequence[int], TextKeys, Sequence[int]]] = []
        self._totals = dict.fromkeys(("queries", "keys", "cut", "postings_read", "unlisted"), 0)

    def catch_up(self, reader: Reader) -> None:
        """See the contract."""
        mark = reader.mark()
        if mark.removal > self._removal:
            with self._lock:
                more = np.array(reader.removed_after(self._removal), np.int64)
                self._removed, self._removal = np.union1d(self._removed, more), mark.removal
        self._cover(reader, mark.content)

    def _cover(self, reader: Reader, content: int) -> None:
        """Make Redis cover at least the committed contents up to a number, with retries."""
        if self._state.token and self._state.content >= content:
            return
        with self._lock:
            for _ in range(_MOST_TRIES):
                try:
                    self._reach(reader, content)
                except StateMismatch:
                    continue
                return
        raise self._restless()

    def _reach(self, reader: Reader, content: int) -> None:
        """Make Redis cover at least a content.

        Raises:
            Refused: another worker changed the state; try again.
        """
        state = self._redis.state()
        if state is not None and not state.token:
            self._build(reader, content, say("it is damaged"))
            return
        if state is None or not self._is_of_this_truth(state):
            self._build(reader, content, "" if state is None else say("it belongs to another state of the library"))
            return
        self._state = state
        while self._state.content < content:
            contents = [item for item in reader.contents_after(self._state.content, _BLOCK) if item.number <= content]
            last = contents[-1].number if len(contents) == _BLOCK else content
            keys = keys_of(self._making, reader, contents)
            self._push(last, [item.number for item in contents], keys, [item.period for item in contents])

    def _is_of_this_truth(self, state: IndexState) -> bool:
        """Return True if the state in Redis is not ahead of the store, and its last content is the same."""
        if state.token == self._state.token and state.content >= self._state.content:
            return True
        with self._store.reading() as now:
            if now.mark().content < state.content:
                return False
            last = [*now.contents([state.content]).values()]
            return not last or _known_by(keys_of(self._making, now, last), 0) == state.last

    def _push(self, last: int, numbers: Sequence[int], keys: TextKeys, periods: Sequence[int]) -> None:
        """Add contents up to the last of them, or up to a later one that was removed."""
        known_by = _known_by(keys, len(numbers) - 1) if numbers and numbers[-1] == last else ""
        self._redis.push(self._state, (last, known_by), _by_period(numbers, keys, periods))
        self._state = IndexState(self._state.token, last, known_by)

    @contextmanager
    def inserting(self, reader: Reader) -> Iterator[None]:
        """See the contract."""
        with self._changing:
            self.catch_up(reader)
            self._writer, self._true, self._pending = reader, reader.mark().content, []
            try:
                yield
            finally:
                self._writer = None

    def insert(self, contents: Sequence[int], keys: TextKeys, periods: Sequence[int], reader: Reader) -> None:  # noqa: ARG002
        """See the contract."""
        if contents:
            self._pending.append((contents, keys, periods))

    def committed(self) -> None:
        """See the contract."""
        with self._changing, self._lock:
            pending, self._pending = self._pending, []
            try:
                for numbers, keys, periods in pending:
                    self._push(numbers[-1], numbers, keys, periods)
            except StateMismatch:
                pass  # another worker has added them from the store by now, or will
            except WhorlError as error:
                _LOG.warning(say("the index in Redis is out of date: {reason}", reason=error.message))

    def take_back(self) -> None:
        """See the contract."""
        with self._changing:
            self._pending = []

    def query(self, keys: TextKeys, periods: tuple[int, int] | None, reader: Reader, limit: int) -> KeyAnswers:
        """See the contract."""
        return self._query(keys, self._periods(periods), reader, limit, self._making.family.min_shared, EARLIEST)

    def same(
        self,
        values: Sequence[tuple[bytes, range]],
        reader: Reader,
        fresh: Mapping[int, Content] = MappingProxyType({}),
    ) -> dict[tuple[bytes, int], Content]:
        """See the contract."""
        return with_digests(values, self.holders(values, reader), reader, fresh)

    def holders(self, values: Sequence[tuple[bytes, range]], reader: Reader) -> list[int]:
        """See the contract."""
        periods = sorted({period for _, periods_of in values for period in periods_of})
        numbers: list[int] = self._query(keys_of_digests(values), lambda: periods, reader, _MOST_SAME, 1).id.tolist()
        return numbers

    def lacks(self, contents: Sequence[int], keys: TextKeys) -> list[int]:
        """See the contract."""
        with self._store.reading() as reader:
            self.catch_up(reader)
            return lacking(contents, self._query(keys, self._periods(None), reader, 1_000_000, 1))

    def _periods(self, periods: tuple[int, int] | None) -> Callable[[], Iterable[int]]:
        if self._making.rules.span is None:
            return lambda: (0,)
        return self._redis.all_periods if periods is None else lambda: range(periods[0], periods[1] + 1)

    def _query(
        self,
        keys: TextKeys,
        periods: Callable[[], Iterable[int]],
        reader: Reader,
        maximum: int,
        min_shared: int,
        earliest: int = 0,
    ) -> KeyAnswers:
        different, places = np.unique(keys.keys, return_inverse=True)
        limit = self._making.rules.most_documents
        needed = max(limit + 1, earliest)

        def ask() -> KeyRows:
            state, removed = self._state, self._removed
            # Answers include removed contents, so request that many more.
            answer = self._redis.ask((state.token, state.content), different, periods(), needed + len(removed))
            is_there = (answer.content <= state.content) & ~_is_among(answer.content, removed)
            return KeyRows(answer.key[is_there], answer.content[is_there])

        rows = self._ask_with_retries(ask, reader)
        if reader is self._writer:
            rows = rows.with_all(self._own_rows(different, set(periods())))
        answers = answers_of(
            rows,
            places.reshape(-1),
            keys.counts,
            limit=limit,
            max_listed=maximum,
            min_shared=min_shared,
            earliest=earliest,
        )
        self._count(answers, len(rows.key))
        return answers

    def _ask_with_retries(self, ask: Callable[[], _Answer], reader: Reader) -> _Answer:
        """Query Redis, and load what is missing before another try."""
        for _ in range(_MOST_TRIES):
            try:
                return ask()
            except StateMismatch as refused:
                if refused.reason == "absent":
                    self._load(refused.periods, reader)
                else:
                    self._state = _NOWHERE
                    self._cover(reader, self._truth(reader))
        raise self._restless()

    def _truth(self, reader: Reader) -> int:
        """Return the last committed content that a reader sees."""
        return self._true if reader is self._writer else reader.mark().content

    def _own_rows(self, different: NDArray[np.uint64], periods: set[int]) -> KeyRows:
        """Return the contents about to be written that have one of the keys, ascending."""
        places, numbers = [], []
        for contents, keys, periods_of in self._pending:
            in_period = np.repeat(np.isin(periods_of, sorted(periods)), keys.counts)
            of = np.repeat(np.array(contents, np.int64), keys.counts)
            place = np.searchsorted(different, keys.keys)
            place[place == len(different)] = 0
            hit = in_period & (different[place] == keys.keys) if len(different) else np.zeros(len(of), bool)
            once = np.unique(np.stack([place[hit], of[hit]]), axis=1)
            places.append(once[0])
            numbers.append(once[1])
        return KeyRows(np.concatenate(places or [_NONE]), np.concatenate(numbers or [_NONE]))

    def _load(self, periods: Sequence[int], reader: Reader) -> None:
        """Load periods that Redis has dropped, or that have outgrown their encoding."""
        with self._building:
            loading = _Loading(self._redis, self._making, periods)
            for _ in range(_MOST_TRIES):
                with nullcontext(reader) if reader is self._writer else self._store.reading() as now:
                    content = self._truth(now)
                    self._cover(now, content)
                    loading.go_on(now, content)
                try:
                    self._redis.take(loading.builder, self._state._replace(content=content), periods)
                except StateMismatch as refused:
                    if refused.reason == "mark":
                        continue  # contents were added meanwhile and have to be loaded too
                return  # if another worker replaced everything, the next query is refused and starts over
        raise self._restless()

    def rebuild(self, reader: Reader, reason: str = "") -> None:
        """See the contract."""
        with self._lock:
            self._build(reader, self._truth(reader), reason)

    def _build(self, reader: Reader, content: int, reason: str) -> None:
        """Replace the data of the library in Redis by the committed contents up to a number."""
        if reason:
            _LOG.warning(say("rebuilding the index from the texts: {reason}", reason=reason))
        stored_periods = (
            {all_content.period for all_content in _all_contents(reader, content)} if self._making.rules.span else {0}
        )
        live = sorted(stored_periods)[-_WINDOWS_KEPT * PERIODS :]
        loading = _Loading(self._redis, self._making, live)
        loading.go_on(reader, content)
        last = [*reader.contents([content]).values()]
        known_by = _known_by(keys_of(self._making, reader, last), 0) if last else ""
        state = IndexState(token_hex(8), content, known_by)
        try:
            self._redis.take(loading.builder, state, live, stored_periods)
        except StateMismatch as refused:
            raise self._restless() from refused
        self._state = state

    def verify(self) -> None:
        """See the contract."""
        self._redis.verify()

    def stats(self) -> dict[str, float]:
        """See the contract."""
        sizes = self._redis.sizes()
        figures: dict[str, float] = {
            "documents": sizes["contents"],
            "removed": len(self._removed),
            "segments": sizes["periods"],
            "postings": sizes["postings"],
            "bytes": sizes["bytes"],
        }
        return figures | self._totals | {"bytes_per_posting": sizes["bytes"] / max(1, sizes["postings"])}

    def tend(self) -> None:
        """See the contract."""
        with self._store.reading() as reader:
            self.catch_up(reader)
            if full := self._redis.full(self._state.token):
                self._load(full, reader)

    def save(self) -> None:
        """See the contract; Redis is durable by itself."""

    def close(self) -> None:
        """See the contract."""
        self._redis.close()

    def _count(self, answers: KeyAnswers, postings: int) -> None:
        addends = (len(answers.keys), answers.keys.sum(), answers.cut.sum(), postings, answers.unlisted.sum())
        with self._lock:
            self._totals = {
                name: count + int(addend) for (name, count), addend in zip(self._totals.items(), addends, strict=True)
            }

    def _restless(self) -> ResourceError:
        return ResourceError(
            say("the index at {where} changes too often", where=self._redis.where),
            hint=say("try again; a library needs a Redis without eviction: `maxmemory-policy noeviction`"),
        )


class _Loading:
    """Periods that are read from the store to replace those in Redis."""

    def __init__(self, keys: RedisKeys, making: Making, periods: Iterable[int]) -> None:
        self.builder = token_hex(8)
        self._redis, self._making = keys, making
        self._periods = dict.fromkeys(periods, (0, 0))
        self._after = 0
        self._begun = False

    def go_on(self, reader: Reader, content: int) -> None:
        """Read up to a content."""
        if not self._begun:
            self._begin(reader, content)
        for contents in _blocks(reader, self._after, content):
            chosen = [item for item in contents if item.period in self._periods]
            periods = [item.period for item in chosen]
            keys = keys_of(self._making, reader, chosen)
            for period, some in _by_period([item.number for item in chosen], keys, periods).items():
                self._redis.append(self.builder, period, *self._periods[period], some)
        self._after = content

    def _begin(self, reader: Reader, content: int) -> None:
        """Scan all contents for the number and the first content of each period."""
        counts = dict.fromkeys(self._periods, 0)
        firsts: dict[int, int] = {}
        for all_content in _all_contents(reader, content):
            if all_content.period in counts:
                counts[all_content.period] += 1
                firsts.setdefault(all_content.period, all_content.number)
        for period, count in counts.items():
            self._periods[period] = (bits_for(count), firsts.get(period, content + 1))
            self._redis.begin(self.builder, period, *self._periods[period])
        self._begun = True


_NONE = np.empty(0, np.int64)


def _all_contents(reader: Reader, last: int) -> Iterator[Content]:
    for contents in _blocks(reader, 0, last):
        yield from contents


def _blocks(reader: Reader, after: int, last: int) -> Iterator[list[Content]]:
    """Yield the contents after a number, up to another one."""
    while after < last and (contents := reader.contents_after(after, _LOADED_AT_ONCE)):
        after = contents[-1].number
        yield [content for content in contents if content.number <= last]


def _by_period(numbers: Sequence[int], keys: TextKeys, periods: Sequence[int]) -> dict[int, PeriodKeys]:
    """Group the keys of contents by period, without repeats within a content."""
    if not numbers:
        return {}
    rows = np.repeat(np.arange(len(numbers)), keys.counts)
    order = np.lexsort((keys.keys, rows))
    rows, sorted_keys = rows[order], keys.keys[order]
    is_first = np.ones(len(sorted_keys), bool)
    is_first[1:] = (sorted_keys[1:] != sorted_keys[:-1]) | (rows[1:] != rows[:-1])
    rows, sorted_keys = rows[is_first], sorted_keys[is_first]
    of, counts = np.array(periods, np.int64), np.bincount(rows, minlength=len(numbers)).astype(np.uint32)
    names = np.array(numbers, np.int64)
    return {
        period: PeriodKeys(names[of == period], sorted_keys[of[rows] == period], counts[of == period])
        for period in dict.fromkeys(periods)
    }


def _known_by(keys: TextKeys, row: int) -> str:
    """Return the key of the digest of a content, its last key, which distinguishes contents of the same number."""
    return keys.row(row)[-1:].tobytes().hex()


def _is_among(numbers: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which numbers occur in an ascending array."""
    if not len(ascending):
        return np.zeros(len(numbers), bool)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[places] == numbers)


__all__ = ["SharedIndex"]
