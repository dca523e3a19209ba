"""An index of keys in Redis, which all workers of a library share.

Redis holds the keys of all contents up to a mark, which moves with them or not at all. Contents get there when they are
true, and never before: what a process is about to write it keeps to itself, and only after the commit is it told to the
others. Whoever finds the mark behind the truth (a worker died in between, or Redis was put back to an older state)
adds from the truth what is missing; who comes second with the same contents is refused, and nothing is there twice.
What was removed is known from the truth, and taken off every answer. A Redis that is empty, of another version or of
another truth is filled again.

In a library with a window each period is kept by itself, and dropped by Redis when nobody has asked for it in three
windows; whoever asks for one that was dropped loads it again.
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
from whorl.indexes.inverted import KeyAnswers
from whorl.language import say
from whorl.library.answering import Rows, answers_of
from whorl.library.indexing import EARLIEST, lacking, said_by
from whorl.library.keys import Keys, keys_of
from whorl.library.rules import Making
from whorl.stores import Reader, Store
from whorl.stores.records import PERIODS, Content
from whorl.stores.redis import Postings, RedisKeys, Refused, State, bits_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Answer = TypeVar("_Answer")
_BLOCK, _LOADED_AT_ONCE = 500, 4096
_MOST_SAME = 1000
_MOST_TRIES = 20
_WINDOWS_KEPT = 3
_NOWHERE = State("", 0, "")
_LOG = logging.getLogger("whorl.library")


class SharedIndex:
    """The index of a library in Redis; fulfils `whorl.library.indexing.Index`, where its methods are told.

    Args:
        store: the truth.
        making: what the library was made with.
        identity: of the library.
        address: of Redis.
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
        self._pending: list[tuple[Sequence[int], Keys, Sequence[int]]] = []
        self._asked = dict.fromkeys(("queries", "keys", "cut", "postings_read", "unlisted"), 0)

    def catch_up(self, reader: Reader) -> None:
        """See the contract."""
        mark = reader.mark()
        if mark.removal > self._removal:
            with self._lock:
                more = np.array(reader.removed_after(self._removal), np.int64)
                self._removed, self._removal = np.union1d(self._removed, more), mark.removal
        self._cover(reader, mark.content)

    def _cover(self, reader: Reader, content: int) -> None:
        """Have Redis cover at least what is true up to a content."""
        if self._state.token and self._state.content >= content:
            return
        with self._lock:
            for _ in range(_MOST_TRIES):
                try:
                    self._reach(reader, content)
                except Refused:
                    continue
                return
        raise self._restless()

    def _reach(self, reader: Reader, content: int) -> None:
        """Have Redis cover at least a content.

        Raises:
            Refused: another worker has changed what is there; it is to be tried again.
        """
        state = self._redis.state()
        if state is not None and not state.token:
            self._build(reader, content, say("it is damaged"))
            return
        if state is None or not self._is_of_this_truth(state):
            self._build(reader, content, "" if state is None else say("it is of another state of the library"))
            return
        self._state = state
        while self._state.content < content:
            contents = [one for one in reader.contents_after(self._state.content, _BLOCK) if one.number <= content]
            last = contents[-1].number if len(contents) == _BLOCK else content
            keys = keys_of(self._making, reader, contents)
            self._push(last, [one.number for one in contents], keys, [one.period for one in contents])

    def _is_of_this_truth(self, state: State) -> bool:
        """Whether what Redis has has come no farther than the truth, and its last content is the same."""
        if state.token == self._state.token and state.content >= self._state.content:
            return True
        with self._store.reading() as now:
            if now.mark().content < state.content:
                return False
            last = [*now.contents([state.content]).values()]
            return not last or _known_by(keys_of(self._making, now, last), 0) == state.last

    def _push(self, last: int, numbers: Sequence[int], keys: Keys, periods: Sequence[int]) -> None:
        """Add contents up to the last of them, or one behind it that was removed."""
        known_by = _known_by(keys, len(numbers) - 1) if numbers and numbers[-1] == last else ""
        self._redis.push(self._state, (last, known_by), _by_period(numbers, keys, periods))
        self._state = State(self._state.token, last, known_by)

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

    def insert(self, contents: Sequence[int], keys: Keys, periods: Sequence[int], reader: Reader) -> None:  # noqa: ARG002
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
            except Refused:
                pass  # another worker has added them from the truth by now, or will
            except WhorlError as error:
                _LOG.warning(say("the index in Redis is behind: {reason}", reason=error.message))

    def take_back(self) -> None:
        """See the contract."""
        with self._changing:
            self._pending = []

    def query(self, keys: Keys, periods: tuple[int, int] | None, reader: Reader, most: int) -> KeyAnswers:
        """See the contract."""
        return self._query(keys, self._periods(periods), reader, most, self._making.family.min_shared, EARLIEST)

    def same(
        self,
        asked: Sequence[tuple[bytes, range]],
        reader: Reader,
        fresh: Mapping[int, Content] = MappingProxyType({}),
    ) -> dict[tuple[bytes, int], Content]:
        """See the contract."""
        periods = sorted({period for _, own in asked for period in own})

        def holders(keys: Keys) -> list[int]:
            found: list[int] = self._query(keys, lambda: periods, reader, _MOST_SAME, 1).id.tolist()
            return found

        return said_by(asked, holders, reader, fresh)

    def lacks(self, contents: Sequence[int], keys: Keys) -> list[int]:
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
        keys: Keys,
        periods: Callable[[], Iterable[int]],
        reader: Reader,
        most: int,
        least: int,
        earliest: int = 0,
    ) -> KeyAnswers:
        different, places = np.unique(keys.keys, return_inverse=True)
        limit = self._making.rules.most_documents
        wanted = max(limit + 1, earliest)

        def ask() -> Rows:
            state, removed = self._state, self._removed
            # What was removed is among what is told of a key, so as many more are asked for.
            told = self._redis.ask((state.token, state.content), different, periods(), wanted + len(removed))
            is_there = (told.content <= state.content) & ~_is_among(told.content, removed)
            return Rows(told.key[is_there], told.content[is_there])

        found = self._told(ask, reader)
        if reader is self._writer:
            found = found.with_all(self._own_rows(different, set(periods())))
        answers = answers_of(
            found, places.reshape(-1), keys.counts, limit=limit, most=most, least=least, earliest=earliest
        )
        self._count(answers, len(found.key))
        return answers

    def _told(self, ask: Callable[[], _Answer], reader: Reader) -> _Answer:
        """What Redis answers, which is brought to where it can."""
        for _ in range(_MOST_TRIES):
            try:
                return ask()
            except Refused as refused:
                if refused.reason == "absent":
                    self._load(refused.periods, reader)
                else:
                    self._state = _NOWHERE
                    self._cover(reader, self._truth(reader))
        raise self._restless()

    def _truth(self, reader: Reader) -> int:
        """Up to which content it is true what a reader tells, and does not wait for a commit."""
        return self._true if reader is self._writer else reader.mark().content

    def _own_rows(self, different: NDArray[np.uint64], periods: set[int]) -> Rows:
        """The contents that are about to be written, and have one of some keys, ascending."""
        places, numbers = [], []
        for contents, keys, own in self._pending:
            wanted = np.repeat(np.isin(own, sorted(periods)), keys.counts)
            of = np.repeat(np.array(contents, np.int64), keys.counts)
            place = np.searchsorted(different, keys.keys)
            place[place == len(different)] = 0
            hit = wanted & (different[place] == keys.keys) if len(different) else np.zeros(len(of), bool)
            once = np.unique(np.stack([place[hit], of[hit]]), axis=1)
            places.append(once[0])
            numbers.append(once[1])
        return Rows(np.concatenate(places or [_NONE]), np.concatenate(numbers or [_NONE]))

    def _load(self, periods: Sequence[int], reader: Reader) -> None:
        """Load periods that Redis has dropped, or which have outgrown the way in which they are kept."""
        with self._building:
            loading = _Loading(self._redis, self._making, periods)
            for _ in range(_MOST_TRIES):
                with nullcontext(reader) if reader is self._writer else self._store.reading() as now:
                    content = self._truth(now)
                    self._cover(now, content)
                    loading.go_on(now, content)
                try:
                    self._redis.take(loading.builder, self._state._replace(content=content), periods)
                except Refused as refused:
                    if refused.reason == "mark":
                        continue  # more contents have come: these are still to be loaded
                return  # where all is another's by now, whoever asks is refused again, and begins anew
        raise self._restless()

    def rebuild(self, reader: Reader, reason: str = "") -> None:
        """See the contract."""
        with self._lock:
            self._build(reader, self._truth(reader), reason)

    def _build(self, reader: Reader, content: int, reason: str) -> None:
        """Replace what Redis has of the library by what is true up to a content."""
        if reason:
            _LOG.warning(say("the index is built again from the texts: {reason}", reason=reason))
        known = {one.period for one in _all_contents(reader, content)} if self._making.rules.span else {0}
        live = sorted(known)[-_WINDOWS_KEPT * PERIODS :]
        loading = _Loading(self._redis, self._making, live)
        loading.go_on(reader, content)
        last = [*reader.contents([content]).values()]
        known_by = _known_by(keys_of(self._making, reader, last), 0) if last else ""
        state = State(token_hex(8), content, known_by)
        try:
            self._redis.take(loading.builder, state, live, known)
        except Refused as refused:
            raise self._restless() from refused
        self._state = state

    def verify(self) -> None:
        """See the contract."""
        self._redis.verify()

    def stats(self) -> dict[str, float]:
        """See the contract."""
        sizes = self._redis.sizes()
        held: dict[str, float] = {
            "documents": sizes["contents"],
            "removed": len(self._removed),
            "segments": sizes["periods"],
            "postings": sizes["postings"],
            "bytes": sizes["bytes"],
        }
        return held | self._asked | {"bytes_per_posting": sizes["bytes"] / max(1, sizes["postings"])}

    def tend(self) -> None:
        """See the contract."""
        with self._store.reading() as reader:
            self.catch_up(reader)
            if full := self._redis.full(self._state.token):
                self._load(full, reader)

    def save(self) -> None:
        """See the contract; Redis has it."""

    def close(self) -> None:
        """See the contract."""
        self._redis.close()

    def _count(self, answers: KeyAnswers, postings: int) -> None:
        told = (len(answers.keys), answers.keys.sum(), answers.cut.sum(), postings, answers.unlisted.sum())
        with self._lock:
            self._asked = {name: count + int(own) for (name, count), own in zip(self._asked.items(), told, strict=True)}

    def _restless(self) -> ResourceError:
        return ResourceError(
            say("the index at {where} was changed again and again", where=self._redis.where),
            cure=say("try again; a library needs a Redis that drops nothing: `maxmemory-policy noeviction`"),
        )


class _Loading:
    """Periods that are read from the truth, to take the place of others."""

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
            own = [one for one in contents if one.period in self._periods]
            periods = [one.period for one in own]
            keys = keys_of(self._making, reader, own)
            for period, some in _by_period([one.number for one in own], keys, periods).items():
                self._redis.append(self.builder, period, *self._periods[period], some)
        self._after = content

    def _begin(self, reader: Reader, content: int) -> None:
        """Look through all contents for how many there are of each period, and which is the first."""
        counts = dict.fromkeys(self._periods, 0)
        firsts: dict[int, int] = {}
        for one in _all_contents(reader, content):
            if one.period in counts:
                counts[one.period] += 1
                firsts.setdefault(one.period, one.number)
        for period, count in counts.items():
            self._periods[period] = (bits_for(count), firsts.get(period, content + 1))
            self._redis.begin(self.builder, period, *self._periods[period])
        self._begun = True


_NONE = np.empty(0, np.int64)


def _all_contents(reader: Reader, last: int) -> Iterator[Content]:
    for contents in _blocks(reader, 0, last):
        yield from contents


def _blocks(reader: Reader, after: int, last: int) -> Iterator[list[Content]]:
    """The contents behind a number, up to another one."""
    while after < last and (contents := reader.contents_after(after, _LOADED_AT_ONCE)):
        after = contents[-1].number
        yield [one for one in contents if one.number <= last]


def _by_period(numbers: Sequence[int], keys: Keys, periods: Sequence[int]) -> dict[int, Postings]:
    """The keys of contents, each once a content, by the period of these."""
    if not numbers:
        return {}
    rows = np.repeat(np.arange(len(numbers)), keys.counts)
    order = np.lexsort((keys.keys, rows))
    rows, own = rows[order], keys.keys[order]
    is_first = np.ones(len(own), bool)
    is_first[1:] = (own[1:] != own[:-1]) | (rows[1:] != rows[:-1])
    rows, own = rows[is_first], own[is_first]
    of, counts = np.array(periods, np.int64), np.bincount(rows, minlength=len(numbers)).astype(np.uint32)
    names = np.array(numbers, np.int64)
    return {
        period: Postings(names[of == period], own[of[rows] == period], counts[of == period])
        for period in dict.fromkeys(periods)
    }


def _known_by(keys: Keys, row: int) -> str:
    """By what a content is known from another of the same number: the key of its digest, which is its last."""
    return keys.row(row)[-1:].tobytes().hex()


def _is_among(numbers: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which numbers are among ascending ones."""
    if not len(known):
        return np.zeros(len(numbers), bool)
    places = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.asarray(known[places] == numbers)


__all__ = ["SharedIndex"]
