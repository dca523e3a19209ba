"""The keys of a library in Redis: queries and updates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whorl._internal.frozen import frozen
from whorl.errors import InputError, ResourceError
from whorl.i18n import say
from whorl.stores.redis.connecting import client_of, masked
from whorl.stores.redis.failures import failures, is_damage
from whorl.stores.redis.records import MOST_NUMBERS, bits_for, decode_answer, encode_query, mixed, postings
from whorl.stores.redis.scripts import APPEND, ASK, PUSH, TAKE

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = b"1"
_ASKED_AT_ONCE = 1 << 15
_BUILDING = 3600 * 1000
_BYTES_OF_POSTING, _BYTES_OF_FIELD = 8, 3


class StateMismatch(Exception):
    """The data in Redis is not in the expected state.

    Attributes:
        reason: "token" if it was replaced, "mark" if its mark differs, "period" if a period has another layout,
            "absent" if periods have to be loaded, "lost" if loaded data has expired.
        periods: periods that have to be loaded.
    """

    def __init__(self, reason: str, periods: Sequence[int] = ()) -> None:
        super().__init__(reason)
        self.reason, self.periods = reason, tuple(periods)


class IndexState(NamedTuple):
    """State of a library in Redis.

    Attributes:
        token: random name, replaced whenever the data is rebuilt.
        content: contents up to this number are included.
        last: key that identifies the last content.
    """

    token: str
    content: int
    last: str


DAMAGED = IndexState("", -1, "")


class FoundPostings(NamedTuple):
    """Which contents have keys: a row for each key that one has.

    Attributes:
        key: position of the key.
        content: number of the content.
    """

    key: NDArray[np.int64]
    content: NDArray[np.int64]


@frozen(eq=False)
class PeriodKeys:
    """The keys of contents of one period.

    Attributes:
        numbers: numbers of the contents, ascending.
        keys: keys of all contents, content after content.
        counts: number of keys of each content.
    """

    numbers: NDArray[np.int64]
    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]

    def offsets(self, base: int) -> NDArray[np.int64]:
        """Return for each key its content, relative to a base.

        Raises:
            ResourceError: the range of numbers is too large.
        """
        behind = self.numbers - base
        if len(behind) and not 0 <= int(behind[0]) <= int(behind[-1]) < MOST_NUMBERS:
            raise ResourceError(
                say("an index in Redis is limited to {most:,} different texts per period", most=MOST_NUMBERS),
                hint=say("open the library without `?index=` to use a local index"),
            )
        return np.repeat(behind, self.counts)


class RedisKeys:
    """The keys of one library. Thread-safe.

    Args:
        address: of the server and its database, such as ``redis://host:6379/0``.
        identity: identity of the library.
        lifetime: milliseconds after which a period without queries expires; 0 for never.

    Raises:
        UsageError: the address is malformed.
        InputError: the password file cannot be read.
    """

    def __init__(self, address: str, identity: str, lifetime: int) -> None:
        self.where, self._client = masked(address), client_of(address)
        self._lifetime = lifetime
        self._name = f"whorl:{{{identity}}}"
        self._append, self._push, self._take, self._ask = map(self._client.register_script, (APPEND, PUSH, TAKE, ASK))

    def state(self) -> IndexState | None:
        """How far it has come; None where there is nothing, or nothing of this version.

        Where what is there is damaged, the state has no token.
        """
        try:
            with failures(self.where):
                kept, token, content, last = self._client.hmget(self._name, "format", "token", "content", "last")
        except ResourceError as error:
            if is_damage(error):
                return DAMAGED
            raise
        if kept != FORMAT:
            return None
        number = _number(content)
        if not token or number is None or last is None or not (token + last).isascii():
            return DAMAGED
        return IndexState(token.decode(), number, last.decode())

    def ask(
        self, state: tuple[str, int], keys: NDArray[np.uint64], periods: Iterable[int], limit: int
    ) -> FoundPostings:
        """Return which contents of some periods have keys.

        Args:
            state: required token and minimum mark.
            keys: distinct keys.
            periods: periods to search.
            limit: minimum number of contents returned for a key with more contents than this.

        Raises:
            Refused: the token differs, the mark is lower, or periods have to be loaded.
            ResourceError: the server cannot be reached.
        """
        token, needed = state
        numbers = list(periods)
        names = [self._name, f"{self._name}:periods", *map(self._period, numbers)]
        answers = [(np.empty(0, np.int64), np.empty(0, np.int64))]
        own_keys = mixed(keys)
        order = np.argsort(own_keys)
        for start in range(0, len(keys), _ASKED_AT_ONCE):
            question = encode_query(own_keys[order[start : start + _ASKED_AT_ONCE]])
            with self._repairing():
                answer = self._ask(names, [token, needed, limit, self._lifetime, question, *numbers])
            if answer[0] != b"done":
                raise StateMismatch(answer[0].decode(), [int(period) for period in answer[1:]])
            for base, rows in zip(answer[1::2], answer[2::2], strict=True):
                places, contents = decode_answer(rows)
                answers.append((order[places + start], contents + int(base)))
        return FoundPostings(*map(np.concatenate, zip(*answers, strict=True)))

    def push(self, state: IndexState, last: tuple[int, str], periods: Mapping[int, PeriodKeys]) -> None:
        """Add the contents after the mark up to ``last`` atomically; periods to be loaded are skipped.

        Args:
            state: required state.
            last: the new mark, and the key that identifies the last content.
            periods: the keys of the contents by period.

        Raises:
            Refused: token or mark differ.
            ResourceError: the server cannot be reached, is full or not writable.
        """
        names = [self._name, f"{self._name}:periods", *map(self._period, periods)]
        values: list[Any] = [state.token, state.content, *last, self._lifetime]
        for (period, period_keys), kept in zip(periods.items(), self._kept(state.token, periods), strict=True):
            bits, base = kept or (bits_for(len(period_keys.numbers)), int(period_keys.numbers[0]))
            blob = b"".join(postings(mixed(period_keys.keys), period_keys.offsets(base), bits))
            values += [period, bits, base, blob, len(period_keys.numbers), len(period_keys.keys)]
        with self._repairing():
            done = self._push(names, values)
        if done != b"done":
            raise StateMismatch(done.decode())

    def begin(self, builder: str, period: int, bits: int, base: int) -> None:
        """Begin to load a period under a builder name; it becomes visible with ``take``.

        Raises:
            ResourceError: as for ``push``.
        """
        name = self._new(builder, period)
        with failures(self.where), self._client.pipeline() as line:
            line.delete(name)
            line.hset(name, mapping={"bits": bits, "base": base})
            line.pexpire(name, _BUILDING)
            line.execute()

    def append(self, builder: str, period: int, bits: int, base: int, postings_of: PeriodKeys) -> None:
        """Append postings to a period that is being loaded.

        Raises:
            ResourceError: as for ``push``.
        """
        name, width = self._new(builder, period), -(-bits // 8)
        counts = (len(postings_of.numbers), len(postings_of.keys))
        for blob in postings(mixed(postings_of.keys), postings_of.offsets(base), bits):
            with failures(self.where):
                self._append([name], [width, blob, *counts, _BUILDING])
            counts = (0, 0)

    def take(
        self, builder: str, state: IndexState, periods: Sequence[int], all_numbers: Iterable[int] | None = None
    ) -> None:
        """Make loaded periods visible.

        Args:
            builder: name under which they were loaded.
            state: required state; with ``all_numbers``, the new state.
            periods: the loaded periods.
            all_numbers: all periods of the library; all its data is replaced.

        Raises:
            Refused: token or mark differ, or loaded data has expired.
            ResourceError: as for ``push``.
        """
        news = [self._new(builder, period) for period in periods]
        names = [self._name, f"{self._name}:periods", *news, *map(self._period, periods)]
        demanded = state.token if all_numbers is None else ""
        values: list[Any] = [
            demanded,
            state.token,
            state.content,
            state.last,
            self._lifetime,
            FORMAT,
            *(all_numbers or ()),
        ]
        with failures(self.where):
            done = self._take(names, values)
        if done != b"done":
            raise StateMismatch(done.decode())

    def all_periods(self) -> list[int]:
        """Return the periods of the library, ascending."""
        with failures(self.where):
            members = self._client.smembers(f"{self._name}:periods")
        numbers = [number for number in map(_number, members) if number is not None]
        if len(numbers) < len(members):
            raise self._incomplete()
        return sorted(numbers)

    def full(self, token: str) -> list[int]:
        """Return the periods that should be loaded again, since they have grown far beyond their size when loaded."""
        periods = self.all_periods()
        with failures(self.where), self._client.pipeline(transaction=False) as line:
            for period in periods:
                line.hmget(self._period(period), "token", "bits", "contents")
            rows = line.execute()
        return [
            period
            for period, (stored_token, bits, contents) in zip(periods, rows, strict=True)
            if stored_token == token.encode() and bits_for(_number(contents) or 0) > (_number(bits) or 0)
        ]

    def sizes(self) -> dict[str, int]:
        """Return the number of periods, contents, postings and bytes."""
        names = [self._period(period) for period in self.all_periods()]
        with failures(self.where), self._client.pipeline(transaction=False) as line:
            for name in names:
                line.hmget(name, "contents", "postings")
                line.memory_usage(name, samples=1000)
            rows = line.execute()
        counts = [[_number(value) or 0 for value in row] for row in rows[::2]]
        return {
            "periods": sum(size is not None for size in rows[1::2]),
            "contents": sum(contents for contents, _ in counts),
            "postings": sum(posting_count for _, posting_count in counts),
            "bytes": sum(size or 0 for size in rows[1::2]),
        }

    def verify(self) -> None:
        """Read and count all data.

        Raises:
            InputError: it is incomplete.
        """
        for period in self.all_periods():
            name, size, counted = self._period(period), 0, 0
            with failures(self.where):
                for field, value in self._client.hscan_iter(name, count=1000):
                    counted = _number(value) or 0 if field == b"postings" else counted
                    if len(field) <= _BYTES_OF_FIELD or field.startswith(b"part:"):
                        size += len(value)
            if size != counted * _BYTES_OF_POSTING:
                raise self._incomplete()

    def _incomplete(self) -> InputError:
        return InputError(
            say("{where} lacks data that was written there", where=self.where),
            hint=say("rebuild it with `whorl library reindex`"),
        )

    @contextmanager
    def _repairing(self) -> Iterator[None]:
        """Give up what is damaged, so that it is built again from the texts.

        Raises:
            StateMismatch: it was damaged.
            ResourceError: the server cannot be reached, is full or may not be written to.
        """
        try:
            with failures(self.where):
                yield
        except ResourceError as error:
            if not is_damage(error):
                raise
            with failures(self.where):
                periods = [key for key in self._client.scan_iter(f"{self._name}:*", count=1000) if b":new:" not in key]
                self._client.unlink(self._name, *periods)
            raise StateMismatch("token") from error

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _kept(self, token: str, periods: Iterable[int]) -> list[tuple[int, int] | None]:
        """Return bits and base of each period; None for missing ones."""
        with failures(self.where), self._client.pipeline(transaction=False) as line:
            for period in periods:
                line.hmget(self._period(period), "token", "bits", "base")
            rows = line.execute()
        kept = [
            (_number(bits), _number(base)) if stored_token == token.encode() else (None, None)
            for stored_token, bits, base in rows
        ]
        return [None if bits is None or base is None else (bits, base) for bits, base in kept]

    def _period(self, period: int) -> str:
        return f"{self._name}:{period}"

    def _new(self, builder: str, period: int) -> str:
        return f"{self._name}:new:{builder}:{period}"


def _number(value: bytes | None) -> int | None:
    """The number that a value is; None where it is none."""
    try:
        return None if value is None else int(value)
    except ValueError:
        return None


__all__ = ["FORMAT", "FoundPostings", "IndexState", "PeriodKeys", "RedisKeys", "StateMismatch"]
