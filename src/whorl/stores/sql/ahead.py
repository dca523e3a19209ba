"""Reading with few round trips: rows that a check needs of its candidates are read ahead, and without a transaction.

A transaction costs a round trip at its beginning and another one at its end. An optimistic reader has none. It reads
the state of the library, which every write transaction changes as its last step, at the beginning and again after the
rows of each query, in the same round trip. Snapshots of statements on one connection never go back in time: if the two
states are equal, nothing was committed between them, so all rows are of that one state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from whorl.stores.contract import StoreChanged
from whorl.stores.records import Content, ContentReview, Entry, PairRecord
from whorl.stores.sql.counters import COUNTED
from whorl.stores.sql.dialect import SqlStatement, quoted
from whorl.stores.sql.reading import SqlReader
from whorl.stores.sql.server import SqlServer

_MOST_CONTENTS = 200
"""Contents whose pairs and further texts are read ahead, those that share most keys first."""
_MOST_PAIRS = 64
"""Pairs of a content, on each side, that are read ahead; contents with more are queried when they are needed."""
_PAIR = quoted(PairRecord._fields)


class RowsAhead(NamedTuple):
    """Rows of some contents.

    Attributes:
        numbers: the contents.
        equal: those with the text of the check.
        limit: how many documents of each were read.
        contents: their rows.
        members: their first documents.
        texts: texts of the first document of each, and of some others.
        pairs: all pairs of the contents that do not have too many.
        reviewed: decisions about documents of equal contents.
    """

    numbers: frozenset[int]
    equal: frozenset[int]
    limit: int
    contents: dict[int, Content]
    members: dict[int, list[Entry]]
    texts: dict[int, bytes]
    pairs: dict[int, list[PairRecord]]
    reviewed: list[ContentReview]


class ServerReader(SqlReader):
    """Rows of a snapshot on a server, where round trips cost more than rows. It implements `LookingAhead`."""

    _dialect: SqlServer
    _ahead: RowsAhead | None = None

    def look_ahead(self, contents: Sequence[int], limit: int, equal: Sequence[int]) -> None:
        """See the contract."""
        numbers = tuple(dict.fromkeys([*equal, *contents]))
        if not 0 < len(numbers) <= self._dialect.list_size:
            return
        nearest = numbers[:_MOST_CONTENTS]
        statements = [
            self.statement_of_contents(numbers),
            self.statement_of_first_texts(numbers),
            self._dialect.further_texts(nearest, limit),
            self._dialect.few_pairs(_PAIR, nearest, _MOST_PAIRS),
            *self.statements_of_members(numbers, limit, None),
        ]
        of_members = len(statements)
        if equal:
            statements.append(self.statement_of_reviews(tuple(equal)))
        rows, first_texts, further_texts, pairs, *results = self._rows_of_all(statements)
        members, reviews = results[: of_members - 4], results[of_members - 4 :]
        self._ahead = RowsAhead(
            frozenset(numbers),
            frozenset(equal),
            limit,
            self.contents_in(rows),
            self.members_in(Entry._make(row) for some in members for row in some),
            dict(chain(first_texts, further_texts)),
            _complete(nearest, self.pairs_in(nearest, pairs)),
            self.reviews_in(chain.from_iterable(reviews)),
        )

    def _rows_of_all(self, statements: Sequence[SqlStatement]) -> list[Sequence[Any]]:
        return self._dialect.rows_of_all(self._connection, statements)

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """See the contract."""
        requested = tuple(dict.fromkeys(numbers))
        if self._ahead is None or not self._ahead.numbers.issuperset(requested):
            return super().contents(requested)
        rows = self._ahead.contents
        return {number: rows[number] for number in requested if number in rows}

    def members(
        self, contents: Iterable[int], limit: int | None = None, collection: str | None = None
    ) -> dict[int, list[Entry]]:
        """See the contract."""
        requested, ahead = tuple(dict.fromkeys(contents)), self._ahead
        if (
            ahead is None
            or collection is not None
            or limit is None
            or limit > ahead.limit
            or not ahead.numbers.issuperset(requested)
        ):
            return super().members(requested, limit, collection)
        return {number: ahead.members[number][:limit] for number in requested if number in ahead.members}

    def texts(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """See the contract."""
        requested = tuple(dict.fromkeys(numbers))
        if self._ahead is None or not self._ahead.texts.keys() >= set(requested):
            return super().texts(requested)
        return {number: self._ahead.texts[number] for number in requested}

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, bytes]:
        """See the contract."""
        requested, ahead = tuple(dict.fromkeys(contents)), self._ahead
        if ahead is None or not ahead.numbers.issuperset(requested):
            return super().texts_of_contents(requested)
        firsts = ((number, ahead.members[number][0].number) for number in requested if number in ahead.members)
        return {number: ahead.texts[first] for number, first in firsts if first in ahead.texts}

    def pairs(self, contents: Iterable[int]) -> dict[int, list[PairRecord]]:
        """See the contract."""
        requested = tuple(dict.fromkeys(contents))
        if self._ahead is None or not self._ahead.pairs.keys() >= set(requested):
            return super().pairs(requested)
        return {number: self._ahead.pairs[number] for number in requested}

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """See the contract."""
        requested = tuple(dict.fromkeys(contents))
        if self._ahead is None or set(requested) != self._ahead.equal:
            return super().reviewed(requested)
        return self._ahead.reviewed


def _complete(contents: Iterable[int], pairs: Mapping[int, list[PairRecord]]) -> dict[int, list[PairRecord]]:
    """Return the pairs of the contents all of whose pairs were read."""
    complete = {}
    for number in contents:
        sides = Counter(pair.low == number for pair in pairs.get(number, ()))
        if max(sides.values(), default=0) < _MOST_PAIRS:
            complete[number] = pairs.get(number, [])
    return complete


class OptimisticReader(ServerReader):
    """Rows of one state of a library, without a transaction.

    Args:
        connection: a connection without a transaction.
        dialect: dialect of its server.
        statement: query for the state of the library, whose last columns are the counters.
        state: its result.
    """

    def __init__(self, connection: Any, dialect: SqlServer, statement: SqlStatement, state: Sequence[Any]) -> None:
        super().__init__(connection, dialect, state[-len(COUNTED) :])
        self._statement, self._state = statement, tuple(state)

    def query(self, statement: str, *values: Any) -> Sequence[Any]:
        """Return the rows of any query of SQL.

        Raises:
            StoreChanged: something was written since the beginning.
        """
        (rows,) = self._rows_of_all([SqlStatement(statement, values)])
        return rows

    def stream(self, statement: str, *values: Any) -> Iterator[Any]:
        """See the base; all rows are read at once."""
        yield from self.scan(statement, *values)

    def _rows_of_all(self, statements: Sequence[SqlStatement]) -> list[Sequence[Any]]:
        *results, states = super()._rows_of_all([*statements, self._statement])
        if [tuple(state) for state in states] != [self._state]:
            raise StoreChanged
        return results


__all__ = ["OptimisticReader", "ServerReader"]
