"""A consistent read snapshot."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
from whorl.stores.sqlite.monitoring import SqliteMonitoringReader
from whorl.stores.sqlite.rows import lists, parts
from whorl.stores.sqlite.schema import ADDED, PAIR, REMOVED, REVISED, VERDICT
from whorl.stores.sqlite.statistics import SqliteStatisticsReader

_ENTRY, _BRIEF, _FORMER, _CONTENT, _PAIR, _VERDICT = (
    ", ".join(record._fields) for record in (Entry, DocumentBrief, FormerText, Content, PairRecord, ReviewRecord)
)
_OF_COLLECTION = "(SELECT content FROM document WHERE collection = ?)"
_CLOCKS = {"published": "min(coalesce(published_at, first_seen_at), first_seen_at)", "first_seen": "first_seen_at"}
_NONE = -1
_CONDITIONS = ("collection = ?", "source = ?", "author = ?", "first_seen_at >= ?", "instr(lower(title), lower(?))")
_LOOKED_AT = 250_000
"""Maximum number of documents examined for one page of a selection: a tenth of a second."""


class SqliteReader(SqliteMonitoringReader, SqliteStatisticsReader):
    """Rows of a snapshot; implements `whorl.stores.Reader`, which documents the methods."""

    def mark(self) -> Mark:
        """See the contract."""
        last = self._last_numbers()
        return Mark(last.get("content", 0), last.get("removal", 0), last["change"])

    def counters(self) -> Counters:
        """See the contract."""
        last = self._last_numbers()
        return Counters(*(last.get(kind, 0) for kind in Counters._fields))

    def changes(self, since: int, limit: int) -> ChangeSet:
        """See the contract."""
        statement = "SELECT number, kind, low, high FROM change WHERE number > ? ORDER BY number LIMIT ?"
        rows = list(self.query(statement, since, limit))
        changed: dict[int, dict[tuple[int, int], None]] = defaultdict(dict)
        for _, kind, low, high in rows:
            changed[kind][low, high] = None
        added, revised, removed = ([number for number, _ in changed[kind]] for kind in (ADDED, REVISED, REMOVED))
        return ChangeSet(
            added, revised, removed, list(changed[PAIR]), list(changed[VERDICT]), rows[-1][0] if rows else since
        )

    def has_been(self, state: int) -> bool:
        """See the contract."""
        return bool(self.number(f"SELECT count(*) FROM state WHERE token = {state:d}"))

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_ENTRY} FROM document", "id", filter(_can_be_kept, ids))
        return {entry.id: entry for entry in map(Entry._make, rows)}

    def entries_from(self, origins: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_ENTRY} FROM document", "origin", origins)
        return {str(entry.origin): entry for entry in map(Entry._make, rows)}

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_ENTRY} FROM document", "number", numbers)
        return {entry.number: entry for entry in map(Entry._make, rows)}

    def all_entries(self, collection: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """See the contract."""
        conditions = {"collection = ?": collection, "first_seen_at >= ?": since}
        active = {condition: value for condition, value in conditions.items() if value is not None}
        where = f"WHERE {' AND '.join(active)}" if active else ""
        statement = f"SELECT {_ENTRY} FROM document {where} ORDER BY number"
        return map(Entry._make, self.query(statement, *active.values()))

    def documents(
        self, chosen: DocumentFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> tuple[list[Entry], int | None]:
        """See the contract."""
        statement = "SELECT (SELECT min(number) FROM document), (SELECT max(number) FROM document)"
        ((first, last),) = self.query(statement)
        if first is None:
            return [], None
        begin, end, step, order = (last, first, -1, "DESC") if newest else (first, last, 1, "ASC")
        if after is not None:
            begin = min(begin, after - 1) if newest else max(begin, after + 1)
        if step * (end - begin) < 0:
            return [], None
        stop = begin + step * (_LOOKED_AT - 1)
        conditions = {
            condition: value for condition, value in zip(_CONDITIONS, chosen, strict=True) if value is not None
        }
        where = " AND ".join(["number BETWEEN ? AND ?", *conditions])
        values = (min(begin, stop), max(begin, stop), *conditions.values(), limit)
        rows = self.query(f"SELECT {_ENTRY} FROM document WHERE {where} ORDER BY number {order} LIMIT ?", *values)
        entries = list(map(Entry._make, rows))
        last_seen = entries[-1].number if len(entries) == limit else stop
        return entries, last_seen if step * (end - last_seen) > 0 else None

    def ordered(self, order: str) -> Sequence[int]:
        """See the contract."""
        by = {
            "added": "number",
            "time": "coalesce(published_at, first_seen_at), number",
            "cluster": "(SELECT cluster FROM content WHERE content.number = content), content, number",
        }
        return array("q", (number for (number,) in self.query(f"SELECT number FROM document ORDER BY {by[order]}")))

    def members(
        self, contents: Iterable[int], limit: int | None = None, collection: str | None = None
    ) -> dict[int, list[Entry]]:
        """See the contract."""
        # The unary plus keeps SQLite from scanning the whole collection for each content, through the index of
        # collections.
        condition = "" if collection is None else "AND +collection = ?"
        first = f"SELECT number FROM document WHERE content = asked.number {condition} ORDER BY number LIMIT ?"
        limits = [*([] if collection is None else [collection]), _NONE if limit is None else limit]
        columns = ", ".join(f"own.{name}" for name in Entry._fields)
        members: dict[int, list[Entry]] = {}
        for some in parts(contents):
            statement = (
                f"WITH asked (number) AS (VALUES {', '.join(['(?)'] * len(some))}) "
                f"SELECT {columns} FROM asked CROSS JOIN document AS own ON own.number IN ({first}) ORDER BY own.number"
            )
            for entry in map(Entry._make, self.query(statement, *some, *limits)):
                members.setdefault(entry.content, []).append(entry)
        return members

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
        first = "SELECT min(number) FROM document WHERE content = value"
        statement = f"SELECT value, body FROM json_each(?) JOIN text ON document = ({first})"
        return dict(self.query(statement, json.dumps(list(contents))))

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_CONTENT} FROM content", "number", numbers)
        return {content.number: content for content in map(Content._make, rows)}

    def contents_after(self, number: int, limit: int) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE number > ? ORDER BY number LIMIT ?"
        return list(map(Content._make, self.query(statement, number, limit)))

    def removed_after(self, removal: int) -> list[int]:
        """See the contract."""
        return [number for (number,) in self.query("SELECT content FROM removal WHERE number > ?", removal)]

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """See the contract."""
        rows = self.select_in("SELECT content, keys, code FROM sketch", "content", contents)
        return {sketch.content: sketch for sketch in map(Sketch._make, rows)}

    def pairs(self, contents: Iterable[int]) -> dict[int, list[PairRecord]]:
        """See the contract."""
        numbers = dict.fromkeys(contents)
        rows: dict[int, list[PairRecord]] = defaultdict(list)
        for pair in map(_pair, self.select_in(f"SELECT {_PAIR} FROM pair", "low", numbers)):
            rows[pair.low].append(pair)
        for pair in map(_pair, self.select_in(f"SELECT {_PAIR} FROM pair", "high", numbers)):
            rows[pair.high].append(pair)
        return dict(rows)

    def all_pairs(self, collection: str | None = None) -> Iterator[PairRecord]:
        """See the contract."""
        if collection is None:
            return map(_pair, self.query(f"SELECT {_PAIR} FROM pair"))
        queries = (f"SELECT {_PAIR} FROM pair WHERE {side} IN {_OF_COLLECTION}" for side in ("low", "high"))
        return map(_pair, self.query(" UNION ".join(queries), collection, collection))

    def repeated(self, collection: str | None = None) -> list[int]:
        """See the contract."""
        statement = "SELECT number FROM content WHERE members > 1"
        if collection is None:
            return [number for (number,) in self.query(statement)]
        return [number for (number,) in self.query(f"{statement} AND number IN {_OF_COLLECTION}", collection)]

    def joined(self, contents: Iterable[int]) -> list[PairRecord]:
        """See the contract."""
        numbers = dict.fromkeys(contents)
        pairs = map(_pair, self.select_in(f"SELECT {_PAIR} FROM pair", "low", numbers, "AND joins"))
        return [pair for pair in pairs if pair.high in numbers]

    def notices_after(self, number: int) -> list[BoilerplateRecord]:
        """See the contract."""
        rows = self.query("SELECT number, text, runs, holders FROM notice WHERE number > ? ORDER BY number", number)
        return list(map(BoilerplateRecord._make, rows))

    def cluster(self, cluster: int) -> int:
        """See the contract."""
        row = self._connection.execute("SELECT is_now FROM alias WHERE cluster = ?", (cluster,)).fetchone()
        return cluster if row is None else int(row[0])

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
        later = "" if after is None else "AND (-size, cluster) > (?, ?)"
        order = f"GROUP BY cluster HAVING size >= ? {later} ORDER BY size DESC, cluster LIMIT ?"
        behind = () if after is None else (-after[1], after[0])
        limits = (at_least, *behind, _NONE if limit is None else limit)
        if since is None:
            return list(self.query(f"SELECT cluster, sum(members) AS size FROM content {order}", *limits))
        table = "document JOIN content ON content.number = document.content WHERE first_seen_at >= ?"
        return list(self.query(f"SELECT cluster, count(*) AS size FROM {table} {order}", since, *limits))

    def sightings(self, documents: Iterable[int]) -> dict[int, list[SightingRecord]]:
        """See the contract."""
        rows = self.select_in("SELECT document, url, at FROM seen", "document", documents, "ORDER BY at, url")
        return lists((number, SightingRecord(number, url or None, at)) for number, url, at in rows)

    def links(self, documents: Iterable[int]) -> dict[int, list[str]]:
        """See the contract."""
        return lists(self.select_in("SELECT document, url FROM link", "document", documents, "ORDER BY position"))

    def verdicts(self, documents: Iterable[int]) -> dict[int, dict[int, ReviewRecord]]:
        """See the contract."""
        numbers = dict.fromkeys(documents)
        rows: dict[int, dict[int, ReviewRecord]] = defaultdict(dict)
        for verdict in map(ReviewRecord._make, self.select_in(f"SELECT {_VERDICT} FROM verdict", "low", numbers)):
            rows[verdict.low][verdict.high] = verdict
        for verdict in map(ReviewRecord._make, self.select_in(f"SELECT {_VERDICT} FROM verdict", "high", numbers)):
            rows[verdict.high][verdict.low] = verdict
        return dict(rows)

    def all_verdicts(self) -> Iterator[ReviewRecord]:
        """See the contract."""
        return map(ReviewRecord._make, self.query(f"SELECT {_VERDICT} FROM verdict"))

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """See the contract."""
        # This runs with every batch and every check, and few libraries have any decisions.
        if not self.number("SELECT EXISTS (SELECT 1 FROM verdict)"):
            return []
        reviews = set[ContentReview]()
        numbers = list(dict.fromkeys(contents))
        for side, other in (("low", "high"), ("high", "low")):
            statement = (
                f"SELECT asked.content, far.content, state, at FROM document AS asked "
                f"CROSS JOIN verdict ON verdict.{side} = asked.number CROSS JOIN document AS far "
                f"ON far.number = verdict.{other} AND far.content <> asked.content"
            )
            rows = self.select_in(statement, "asked.content", numbers)
            reviews |= {ContentReview(min(a, b), max(a, b), state, at) for a, b, state, at in rows}
        return sorted(reviews)

    def former(self, documents: Iterable[int]) -> dict[int, list[FormerText]]:
        """See the contract."""
        rows = self.select_in(f"SELECT {_FORMER} FROM former", "document", documents, "ORDER BY revision")
        return lists((former.document, former) for former in map(FormerText._make, rows))

    def count(self) -> int:
        """See the contract."""
        return self.number("SELECT count(*) FROM document")

    def collections(self) -> dict[str, int]:
        """See the contract."""
        statement = "SELECT collection, count(*) FROM document WHERE collection <> '' GROUP BY collection"
        return dict(self.query(statement))

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
        pages, size = self.number("PRAGMA page_count"), self.number("PRAGMA page_size")
        return counted | {"bytes": pages * size}

    def _last_numbers(self) -> dict[str, int]:
        """Return the last number assigned in each table; tables without rows are omitted."""
        statement = (
            "SELECT name, seq FROM sqlite_sequence UNION ALL SELECT 'change', coalesce(max(number), 0) FROM change"
        )
        return dict(self.query(statement))


def _can_be_kept(text: Any) -> bool:
    """Return True if SQLite can store a text: it has no lone surrogates."""
    return isinstance(text, str) and (text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text))


def _pair(row: Any) -> PairRecord:
    low, high, similarity, low_in_high, high_in_low, kind, joins = row
    return PairRecord(low, high, similarity, low_in_high, high_in_low, kind, bool(joins))


__all__ = ["SqliteReader"]
