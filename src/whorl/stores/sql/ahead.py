"""Reading rows ahead on a server: those that a check needs of its candidates, in one round trip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from whorl.stores.records import Content, ContentReview, Entry, PairRecord
from whorl.stores.sql.reading import SqlReader
from whorl.stores.sql.server import SqlServer


class RowsAhead(NamedTuple):
    """Rows of some contents.

    Attributes:
        numbers: the contents.
        limit: how many documents of each were read.
        contents: their rows.
        members: their first documents.
        texts: texts of the first document of each.
    """

    numbers: frozenset[int]
    limit: int
    contents: dict[int, Content]
    members: dict[int, list[Entry]]
    texts: dict[int, bytes]


class RowsOfEqual(NamedTuple):
    """Rows of the contents with the text of a check.

    Attributes:
        numbers: the contents.
        pairs: their pairs.
        reviewed: decisions about their documents.
    """

    numbers: frozenset[int]
    pairs: dict[int, list[PairRecord]]
    reviewed: list[ContentReview]


class ServerReader(SqlReader):
    """Rows of a snapshot on a server, where round trips cost more than rows. It implements `LookingAhead`."""

    _dialect: SqlServer
    _ahead: RowsAhead | None = None
    _equal: RowsOfEqual | None = None

    def look_ahead(self, contents: Sequence[int], limit: int, equal: Sequence[int]) -> None:
        """See the contract."""
        numbers = tuple(dict.fromkeys([*contents, *equal]))
        if not 0 < len(numbers) <= self._dialect.list_size:
            return
        statements = [
            self.statement_of_contents(numbers),
            self.statement_of_first_texts(numbers),
            *self.statements_of_members(numbers, limit, None),
        ]
        of_members = len(statements)
        if equal:
            statements += [self.statement_of_pairs(tuple(equal)), self.statement_of_reviews(tuple(equal))]
        results = self._dialect.rows_of_all(self._connection, statements)
        entries = (Entry._make(row) for rows in results[2:of_members] for row in rows)
        self._ahead = RowsAhead(
            frozenset(numbers), limit, self.contents_in(results[0]), self.members_in(entries), dict(results[1])
        )
        if equal:
            pairs, reviews = results[of_members:]
            self._equal = RowsOfEqual(frozenset(equal), self.pairs_in(equal, pairs), self.reviews_in(reviews))

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

    def pairs(self, contents: Iterable[int]) -> dict[int, list[PairRecord]]:
        """See the contract."""
        requested = tuple(dict.fromkeys(contents))
        if self._equal is None or set(requested) != self._equal.numbers:
            return super().pairs(requested)
        return self._equal.pairs

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """See the contract."""
        requested = tuple(dict.fromkeys(contents))
        if self._equal is None or set(requested) != self._equal.numbers:
            return super().reviewed(requested)
        return self._equal.reviewed


__all__ = ["ServerReader"]
