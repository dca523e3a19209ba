"""A consistent read snapshot."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from whorl.stores.records import (
    BoilerplateRecord,
    ChangeSet,
    Content,
    ContentReview,
    Counters,
    DocumentBrief,
    DocumentFilter,
    Entry,
    FormerText,
    Mark,
    PairRecord,
    ReviewRecord,
    SightingRecord,
    Sketch,
)
from whorl.stores.sql.counters import ADDED, PAIR, REMOVED, REVISED, VERDICT
from whorl.stores.sql.dialect import SqlStatement, quoted
from whorl.stores.sql.monitoring import SqlMonitoringReader
from whorl.stores.sql.rows import lists
from whorl.stores.sql.statistics import SqlStatisticsReader

_ENTRY, _BRIEF, _FORMER, _CONTENT, _PAIR, _VERDICT, _NOTICE = (
    quoted(record._fields)
    for record in (Entry, DocumentBrief, FormerText, Content, PairRecord, ReviewRecord, BoilerplateRecord)
)
_CLOCKS = {
    "published": "CASE WHEN published_at < first_seen_at THEN published_at ELSE first_seen_at END",
    "first_seen": "first_seen_at",
}
_LOOKED_AT = 250_000
"""Maximum number of documents examined for one page of a selection: some tenths of a second."""


class SqlReader(SqlMonitoringReader, SqlStatisticsReader):
    """Rows of a snapshot; implements `whorl.stores.Reader`, which documents the methods."""

    def mark(self) -> Mark:
        """See the contract."""
        return Mark(self._last["content"], self._last["removal"], self._last["change"])

    def counters(self) -> Counters:
        """See the contract."""
        last = self.last_numbers()
        return Counters(*(last[kind] for kind in Counters._fields))

    def changes(self, since: int, limit: int) -> ChangeSet:
        """See the contract."""
        statement = 'SELECT number, kind, low, high FROM "change" WHERE number > %s ORDER BY number LIMIT %s'
        rows = self.query(statement, since, limit) if since < self._last["change"] else []
        changed: dict[int, dict[tuple[int, int], None]] = defaultdict(dict)
        for _, kind, low, high in rows:
            changed[kind][low, high] = None
        added, revised, removed = ([number for number, _ in changed[kind]] for kind in (ADDED, REVISED, REMOVED))
        return ChangeSet(
            added, revised, removed, list(changed[PAIR]), list(changed[VERDICT]), rows[-1][0] if rows else since
        )

    def has_been(self, state: int) -> bool:
        """See the contract."""
        return bool(self.query("SELECT 1 FROM state WHERE token = %s", state))

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        requested = set(ids)
        rows = self.select_texts(f"SELECT {_ENTRY} FROM document", "id", requested)
        return {entry.id: entry for entry in map(Entry._make, rows) if entry.id in requested}

    def entries_from(self, origins: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        rows = self.select_texts(f"SELECT {_ENTRY} FROM document", "origin", origins)
        return {str(entry.origin): entry for entry in map(Entry._make, rows)}

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_ENTRY} FROM document", "number", numbers)
        return {entry.number: entry for entry in map(Entry._make, rows)}

    def all_entries(self, collection: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """See the contract."""
        conditions = {"collection = %s": collection, "first_seen_at >= %s": since}
        active = {condition: value for condition, value in conditions.items() if value is not None}
        rows = self.pages(Entry._fields, "document", " AND ".join(active), *active.values())
        return map(Entry._make, rows)

    def documents(
        self, chosen: DocumentFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> tuple[list[Entry], int | None]:
        """See the contract."""
        ((first, last),) = self.query("SELECT (SELECT min(number) FROM document), (SELECT max(number) FROM document)")
        if first is None:
            return [], None
        begin, end, step, order = (last, first, -1, "DESC") if newest else (first, last, 1, "ASC")
        if after is not None:
            begin = min(begin, after - 1) if newest else max(begin, after + 1)
        if step * (end - begin) < 0:
            return [], None
        stop = begin + step * (_LOOKED_AT - 1)
        conditions = {
            condition: value for condition, value in zip(self._conditions(), chosen, strict=True) if value is not None
        }
        where = " AND ".join(["number BETWEEN %s AND %s", *conditions])
        values = (min(begin, stop), max(begin, stop), *conditions.values(), limit)
        rows = self.query(f"SELECT {_ENTRY} FROM document WHERE {where} ORDER BY number {order} LIMIT %s", *values)
        entries = list(map(Entry._make, rows))
        last_seen = entries[-1].number if len(entries) == limit else stop
        return entries, last_seen if step * (end - last_seen) > 0 else None

    def _conditions(self) -> Sequence[str]:
        """Return the conditions for the fields of a ``DocumentFilter``."""
        titled = f"{self._dialect.position}(lower(title), lower(%s)) > 0"
        return "collection = %s", "source = %s", "author = %s", "first_seen_at >= %s", titled

    def ordered(self, order: str) -> Sequence[int]:
        """See the contract."""
        by = {
            "added": "document ORDER BY document.number",
            "time": "document ORDER BY coalesce(published_at, first_seen_at), document.number",
            "cluster": "document LEFT JOIN content ON content.number = document.content "
            "ORDER BY cluster, document.content, document.number",
        }
        return array("q", (number for (number,) in self.stream(f"SELECT document.number FROM {by[order]}")))

    def members(
        self, contents: Iterable[int], limit: int | None = None, collection: str | None = None
    ) -> dict[int, list[Entry]]:
        """See the contract."""
        numbers = list(dict.fromkeys(contents))
        statements = self.statements_of_members(numbers, limit, collection)
        return self.members_in(
            Entry._make(row) for statement in statements for row in self.query(statement.text, *statement.values)
        )

    def statements_of_members(
        self, contents: Sequence[int], limit: int | None, collection: str | None
    ) -> Iterator[SqlStatement]:
        """Return the statements for the first documents of contents."""
        if limit is not None and contents:
            yield from self._dialect.firsts(_ENTRY, contents, limit, collection)
            return
        of_collection = f"AND {self._dialect.unindexed('collection')} = %s"
        rest, values = ("", ()) if collection is None else (of_collection, (collection,))
        for some in self.parts(contents):
            condition = self._dialect.in_list("content", some)
            all_of_them = f"SELECT {_ENTRY} FROM document WHERE {condition.text} {rest} ORDER BY number"
            yield SqlStatement(all_of_them, (*condition.values, *values))

    @staticmethod
    def members_in(entries: Iterable[Entry]) -> dict[int, list[Entry]]:
        """Group documents by content."""
        return lists((entry.content, entry) for entry in entries)

    def briefs(self, contents: Iterable[int]) -> Iterator[DocumentBrief]:
        """See the contract."""
        return map(DocumentBrief._make, self.select_in(f"SELECT {_BRIEF} FROM document", "content", contents))

    def extents(self, contents: Iterable[int], clock: str) -> dict[int, tuple[int, int]]:
        """See the contract."""
        time = _CLOCKS[clock]
        select = f"SELECT content, min({time}), max({time}) FROM document"
        rows = self.select_in(select, "content", contents, "GROUP BY content")
        return {content: (first, last) for content, first, last in rows}

    def texts(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """See the contract."""
        return dict(self.select_in("SELECT document, body FROM text", "document", numbers))

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, bytes]:
        """See the contract."""
        rows: dict[int, bytes] = {}
        for some in self.parts(contents):
            statement = self._first_texts("content", some)
            rows |= dict(self.query(statement.text, *statement.values))
        return rows

    def statement_of_first_texts(self, contents: Sequence[int]) -> SqlStatement:
        """Return the statement for the text of the first document of each content, by document."""
        return self._first_texts("document", contents)

    def _first_texts(self, by: str, contents: Sequence[int]) -> SqlStatement:
        condition = self._dialect.in_list("content", contents)
        first = f"SELECT content, min(number) AS number FROM document WHERE {condition.text} GROUP BY content"
        return SqlStatement(f"SELECT {by}, body FROM ({first}) AS own JOIN text ON document = number", condition.values)

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """See the contract."""
        statements = map(self.statement_of_contents, self.parts(numbers))
        return self.contents_in(
            row for statement in statements for row in self.query(statement.text, *statement.values)
        )

    def statement_of_contents(self, numbers: Sequence[int]) -> SqlStatement:
        """Return the statement for the rows of contents."""
        condition = self._dialect.in_list("number", numbers)
        return SqlStatement(f"SELECT {_CONTENT} FROM content WHERE {condition.text}", condition.values)

    @staticmethod
    def contents_in(rows: Iterable[Sequence[Any]]) -> dict[int, Content]:
        """Return contents by number."""
        return {content.number: content for content in map(Content._make, rows)}

    def contents_after(self, number: int, limit: int) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE number > %s ORDER BY number LIMIT %s"
        return list(map(Content._make, self.query(statement, number, limit)))

    def removed_after(self, removal: int) -> list[int]:
        """See the contract."""
        if removal >= self._last["removal"]:
            return []
        rows = self.query("SELECT content FROM removal WHERE number > %s ORDER BY number", removal)
        return [number for (number,) in rows]

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """See the contract."""
        rows = self.select_in('SELECT content, "keys", code FROM sketch', "content", contents)
        return {sketch.content: sketch for sketch in map(Sketch._make, rows)}

    def pairs(self, contents: Iterable[int]) -> dict[int, list[PairRecord]]:
        """See the contract."""
        numbers = dict.fromkeys(contents)
        return self.pairs_in(numbers, self._of_either("pair", _PAIR, numbers))

    @staticmethod
    def pairs_in(contents: Iterable[int], rows: Iterable[Sequence[Any]]) -> dict[int, list[PairRecord]]:
        """Group pairs by the contents among those listed."""
        numbers = frozenset(contents)
        pairs: dict[int, list[PairRecord]] = defaultdict(list)
        for pair in dict.fromkeys(map(_pair, rows)):
            for number in numbers.intersection((pair.low, pair.high)):
                pairs[number].append(pair)
        return {content: sorted(pairs_of, key=attrgetter("low", "high")) for content, pairs_of in pairs.items()}

    def _of_either(self, table: str, names: str, numbers: Iterable[int]) -> Iterator[Any]:
        """Return the rows whose lower or higher number is listed, each once."""
        statements = [self._either(table, names, some) for some in self.parts(numbers)]
        rows = [row for statement in statements for row in self.query(statement.text, *statement.values)]
        return iter(rows if len(statements) < 2 else dict.fromkeys(map(tuple, rows)))

    def _either(self, table: str, names: str, numbers: Sequence[int]) -> SqlStatement:
        low, high = (self._dialect.in_list(side, numbers) for side in ("low", "high"))
        sides = (f'SELECT {names} FROM "{table}" WHERE {side.text}' for side in (low, high))
        return SqlStatement(" UNION ".join(sides), (*low.values, *high.values))

    def all_pairs(self, collection: str | None = None) -> Iterator[PairRecord]:
        """See the contract."""
        if collection is None:
            return map(_pair, self.pages(PairRecord._fields, "pair"))
        contents, key = self._contents_of(), self._dialect.key_of(collection)
        queries = (f"SELECT {_PAIR} FROM pair WHERE {side} IN {contents}" for side in ("low", "high"))
        return map(_pair, self.scan(" UNION ".join(queries), key, key))

    def repeated(self, collection: str | None = None) -> list[int]:
        """See the contract."""
        statement = "SELECT number FROM content WHERE members > 1"
        if collection is None:
            return [number for (number,) in self.scan(statement)]
        rows = self.scan(f"{statement} AND number IN {self._contents_of()}", self._dialect.key_of(collection))
        return [number for (number,) in rows]

    def _contents_of(self) -> str:
        """Return the query for the contents of a collection, whose key is a parameter."""
        return f"(SELECT content FROM document WHERE {self._dialect.key('collection')} = %s)"

    def joined(self, contents: Iterable[int]) -> list[PairRecord]:
        """See the contract."""
        numbers = dict.fromkeys(contents)
        pairs = map(_pair, self.select_in(f"SELECT {_PAIR} FROM pair", "low", numbers, "AND joins"))
        return [pair for pair in pairs if pair.high in numbers]

    def notices_after(self, number: int) -> list[BoilerplateRecord]:
        """See the contract."""
        if number >= self._last["notice"]:
            return []
        rows = self.query(f"SELECT {_NOTICE} FROM notice WHERE number > %s ORDER BY number", number)
        return list(map(BoilerplateRecord._make, rows))

    def cluster(self, cluster: int) -> int:
        """See the contract."""
        rows = self.query("SELECT is_now FROM alias WHERE cluster = %s", cluster)
        return int(rows[0][0]) if rows else cluster

    def aliases(self, clusters: Iterable[int]) -> dict[int, list[int]]:
        """See the contract."""
        return lists(self.select_in("SELECT is_now, cluster FROM alias", "is_now", clusters, "ORDER BY cluster"))

    def borne(self, contents: Iterable[int]) -> dict[int, list[int]]:
        """See the contract."""
        return lists(self.select_in("SELECT content, cluster FROM bore", "content", contents, "ORDER BY cluster"))

    def in_clusters(self, clusters: Iterable[int]) -> dict[int, list[Content]]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_CONTENT} FROM content", "cluster", clusters, "ORDER BY number")
        return lists((content.cluster, content) for content in map(Content._make, rows))

    def cluster_sizes(
        self, at_least: int, since: int | None, limit: int | None, after: tuple[int, int] | None = None
    ) -> list[tuple[int, int]]:
        """See the contract."""
        query, values = "SELECT cluster, sum(members) AS size FROM content GROUP BY cluster", list[int]()
        if since is not None:
            table = "document JOIN content ON content.number = document.content WHERE first_seen_at >= %s"
            query, values = f"SELECT cluster, count(*) AS size FROM {table} GROUP BY cluster", [since]
        where, values = "size >= %s", [*values, at_least]
        if after is not None:
            where, values = f"{where} AND (-size, cluster) > (%s, %s)", [*values, -after[1], after[0]]
        clause = "" if limit is None else f"LIMIT {limit:d}"
        statement = f"SELECT cluster, size FROM ({query}) AS own WHERE {where} ORDER BY size DESC, cluster {clause}"
        return [(cluster, int(size)) for cluster, size in self.scan(statement, *values)]

    def sightings(self, documents: Iterable[int]) -> dict[int, list[SightingRecord]]:
        """See the contract."""
        rows = self.select_in('SELECT document, url, "at" FROM seen', "document", documents, 'ORDER BY "at", url')
        return lists((number, SightingRecord(number, url or None, at)) for number, url, at in rows)

    def links(self, documents: Iterable[int]) -> dict[int, list[str]]:
        """See the contract."""
        return lists(self.select_in("SELECT document, url FROM link", "document", documents, "ORDER BY position"))

    def verdicts(self, documents: Iterable[int]) -> dict[int, dict[int, ReviewRecord]]:
        """See the contract."""
        numbers = dict.fromkeys(documents)
        rows: dict[int, dict[int, ReviewRecord]] = defaultdict(dict)
        for verdict in map(ReviewRecord._make, self._of_either("verdict", _VERDICT, numbers)):
            if verdict.low in numbers:
                rows[verdict.low][verdict.high] = verdict
            if verdict.high in numbers:
                rows[verdict.high][verdict.low] = verdict
        return dict(rows)

    def all_verdicts(self) -> Iterator[ReviewRecord]:
        """See the contract."""
        return map(ReviewRecord._make, self.pages(ReviewRecord._fields, "verdict"))

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """See the contract."""
        statements = map(self.statement_of_reviews, self.parts(contents))
        return self.reviews_in(row for statement in statements for row in self.query(statement.text, *statement.values))

    def statement_of_reviews(self, contents: Sequence[int]) -> SqlStatement:
        """Return the statement for the decisions about documents of contents."""
        join, condition = self._dialect.ordered_join, self._dialect.in_list("near.content", contents)
        sides = (
            'SELECT near.content, far.content, state, verdict."at" FROM document AS near '
            f"{join} verdict ON verdict.{side} = near.number {join} document AS far "
            f"ON far.number = verdict.{other} AND far.content <> near.content WHERE {condition.text}"
            for side, other in (("low", "high"), ("high", "low"))
        )
        return SqlStatement(" UNION ".join(sides), condition.values * 2)

    @staticmethod
    def reviews_in(rows: Iterable[Sequence[Any]]) -> list[ContentReview]:
        """Return the decisions in rows, each once."""
        return sorted({ContentReview(min(a, b), max(a, b), state, at) for a, b, state, at in rows})

    def former(self, documents: Iterable[int]) -> dict[int, list[FormerText]]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_FORMER} FROM former", "document", documents, "ORDER BY revision")
        return lists((former.document, former) for former in map(FormerText._make, rows))

    def count(self) -> int:
        """See the contract."""
        return self.number("SELECT count(*) FROM document")

    def collections(self) -> dict[str, int]:
        """See the contract."""
        key = self._dialect.key("collection")
        statement = f"SELECT collection, count(*) FROM document WHERE {key} IS NOT NULL GROUP BY collection"
        return {collection: count for collection, count in self.scan(statement) if collection}

    def counts(self) -> dict[str, int]:
        """See the contract."""
        tables = {
            "documents": "document",
            "contents": "content",
            "pairs": "pair",
            "sightings": "seen",
            "notices": "notice",
        }
        counted = {name: self.number(f"SELECT count(*) FROM {table}") for name, table in tables.items()}
        shared = "SELECT cluster FROM content GROUP BY cluster HAVING sum(members) > 1"
        counted["clusters"] = self.number(f"SELECT count(*) FROM ({shared}) AS shared")
        return counted | {"bytes": self.number(self._dialect.bytes)}

    def invalid_json(self, table: str, column: str, where: str) -> int:
        """Return how many values of a column are not valid JSON."""
        return sum(not _is_json(text) for (text,) in self.stream(f"SELECT {column} FROM {table} {where}"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _pair(row: Any) -> PairRecord:
    low, high, similarity, low_in_high, high_in_low, kind, joins = row
    return PairRecord(low, high, similarity, low_in_high, high_in_low, kind, bool(joins))


__all__ = ["SqlReader"]
