"""What is true at one moment."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from whorl.stores.packing import unpack_many
from whorl.stores.records import Content, Entry, Mark, Notice, Pair, Seen, Sketch, Verdict

_ENTRY, _CONTENT, _PAIR, _VERDICT = (", ".join(record._fields) for record in (Entry, Content, Pair, Verdict))
_CLOCKS = {"published": "min(coalesce(published_at, first_seen_at), first_seen_at)", "first_seen": "first_seen_at"}
_NONE = -1
_VALUES = 1000


class Reading:
    """The rows of a snapshot; fulfils `whorl.stores.Reader`, where what each method does is told."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def mark(self) -> Mark:
        """See the contract."""
        last = dict(self.query("SELECT name, seq FROM sqlite_sequence"))
        return Mark(last.get("content", 0), last.get("removal", 0))

    def has_been(self, state: int) -> bool:
        """See the contract."""
        return bool(self._number(f"SELECT count(*) FROM state WHERE token = {state:d}"))

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        rows = self._among(f"SELECT {_ENTRY} FROM document", "id", filter(_can_be_kept, ids))
        return {entry.id: entry for entry in map(Entry._make, rows)}

    def entries_from(self, origins: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        rows = self._among(f"SELECT {_ENTRY} FROM document", "origin", origins)
        return {str(entry.origin): entry for entry in map(Entry._make, rows)}

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """See the contract."""
        rows = self._among(f"SELECT {_ENTRY} FROM document", "number", numbers)
        return {entry.number: entry for entry in map(Entry._make, rows)}

    def all_entries(self) -> Iterator[Entry]:
        """See the contract."""
        return map(Entry._make, self.query(f"SELECT {_ENTRY} FROM document ORDER BY number"))

    def ordered(self, order: str) -> Sequence[int]:
        """See the contract."""
        by = {
            "added": "number",
            "time": "coalesce(published_at, first_seen_at), number",
            "cluster": "(SELECT cluster FROM content WHERE content.number = content), content, number",
        }
        return array("q", (number for (number,) in self.query(f"SELECT number FROM document ORDER BY {by[order]}")))

    def members(self, contents: Iterable[int], most: int | None = None) -> dict[int, list[Entry]]:
        """See the contract."""
        first = "SELECT number FROM document WHERE content = asked.number ORDER BY number LIMIT ?"
        columns = ", ".join(f"own.{name}" for name in Entry._fields)
        found: dict[int, list[Entry]] = {}
        for some in _parts(contents):
            statement = (
                f"WITH asked (number) AS (VALUES {', '.join(['(?)'] * len(some))}) "
                f"SELECT {columns} FROM asked CROSS JOIN document AS own ON own.number IN ({first}) ORDER BY own.number"
            )
            for entry in map(Entry._make, self.query(statement, *some, _NONE if most is None else most)):
                found.setdefault(entry.content, []).append(entry)
        return found

    def extents(self, contents: Iterable[int], clock: str) -> dict[int, tuple[int, int]]:
        """See the contract."""
        time = _CLOCKS[clock]
        select = f"SELECT content, min({time}), max({time}) FROM document"
        rows = self._among(select, "content", contents, "GROUP BY content")
        return {content: (first, last) for content, first, last in rows}

    def texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """See the contract."""
        return _unpacked(self._among("SELECT document, body FROM text", "document", numbers))

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, str]:
        """See the contract."""
        first = "SELECT min(number) FROM document WHERE content = value"
        statement = f"SELECT value, body FROM json_each(?) JOIN text ON document = ({first})"
        return _unpacked(self.query(statement, json.dumps(list(contents))))

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """See the contract."""
        rows = self._among(f"SELECT {_CONTENT} FROM content", "number", numbers)
        return {content.number: content for content in map(Content._make, rows)}

    def contents_after(self, number: int, most: int) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE number > ? ORDER BY number LIMIT ?"
        return list(map(Content._make, self.query(statement, number, most)))

    def removed_after(self, removal: int) -> list[int]:
        """See the contract."""
        return [number for (number,) in self.query("SELECT content FROM removal WHERE number > ?", removal)]

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """See the contract."""
        rows = self._among("SELECT content, keys, code FROM sketch", "content", contents)
        return {sketch.content: sketch for sketch in map(Sketch._make, rows)}

    def pairs(self, content: int) -> list[Pair]:
        """See the contract."""
        low = self.query(f"SELECT {_PAIR} FROM pair WHERE low = ?", content)
        high = self.query(f"SELECT {_PAIR} FROM pair WHERE high = ?", content)
        return [_pair(row) for rows in (low, high) for row in rows]

    def joined(self, contents: Sequence[int]) -> list[Pair]:
        """See the contract."""
        statement = f"SELECT {_PAIR} FROM pair WHERE low = ? AND joins"
        among = set(contents)
        found = (_pair(row) for content in contents for row in self.query(statement, content))
        return [pair for pair in found if pair.high in among]

    def notices_after(self, number: int) -> list[Notice]:
        """See the contract."""
        rows = self.query("SELECT number, text, runs FROM notice WHERE number > ? ORDER BY number", number)
        return list(map(Notice._make, rows))

    def cluster(self, cluster: int) -> int:
        """See the contract."""
        row = self._connection.execute("SELECT is_now FROM alias WHERE cluster = ?", (cluster,)).fetchone()
        return cluster if row is None else int(row[0])

    def aliases(self, cluster: int) -> list[int]:
        """See the contract."""
        return [number for (number,) in self.query("SELECT cluster FROM alias WHERE is_now = ? ORDER BY 1", cluster)]

    def borne(self, content: int) -> list[int]:
        """See the contract."""
        return [number for (number,) in self.query("SELECT cluster FROM bore WHERE content = ? ORDER BY 1", content)]

    def in_cluster(self, cluster: int) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE cluster = ? ORDER BY number"
        return list(map(Content._make, self.query(statement, cluster)))

    def cluster_sizes(self, at_least: int, since: int | None, most: int | None) -> list[tuple[int, int]]:
        """See the contract."""
        order = "GROUP BY cluster HAVING size >= ? ORDER BY size DESC, cluster LIMIT ?"
        limits = (at_least, _NONE if most is None else most)
        if since is None:
            return list(self.query(f"SELECT cluster, sum(members) AS size FROM content {order}", *limits))
        table = "document JOIN content ON content.number = document.content WHERE first_seen_at >= ?"
        return list(self.query(f"SELECT cluster, count(*) AS size FROM {table} {order}", since, *limits))

    def seen(self, document: int) -> list[Seen]:
        """See the contract."""
        rows = self.query("SELECT document, url, at FROM seen WHERE document = ? ORDER BY at, url", document)
        return [Seen(number, url or None, at) for number, url, at in rows]

    def links(self, document: int) -> list[str]:
        """See the contract."""
        return [url for (url,) in self.query("SELECT url FROM link WHERE document = ? ORDER BY position", document)]

    def verdicts(self, document: int) -> dict[int, Verdict]:
        """See the contract."""
        low = self.query(f"SELECT {_VERDICT} FROM verdict WHERE low = ?", document)
        high = self.query(f"SELECT {_VERDICT} FROM verdict WHERE high = ?", document)
        found = [Verdict(*row) for rows in (low, high) for row in rows]
        return {verdict.high if verdict.low == document else verdict.low: verdict for verdict in found}

    def former(self, document: int) -> list[tuple[int, int, str]]:
        """See the contract."""
        statement = "SELECT revision, until, body FROM former WHERE document = ? ORDER BY revision"
        rows = list(self.query(statement, document))
        texts = unpack_many([body for _, _, body in rows])
        return [(revision, until, text) for (revision, until, _), text in zip(rows, texts, strict=True)]

    def count(self) -> int:
        """See the contract."""
        return self._number("SELECT count(*) FROM document")

    def counts(self) -> dict[str, int]:
        """See the contract."""
        tables = {
            "documents": "document",
            "contents": "content",
            "pairs": "pair",
            "sightings": "seen",
            "notices": "notice",
        }
        counted = {name: self._number(f"SELECT count(*) FROM {table}") for name, table in tables.items()}
        counted["clusters"] = self._number("SELECT count(DISTINCT cluster) FROM content")
        pages, size = self._number("PRAGMA page_count"), self._number("PRAGMA page_size")
        return counted | {"bytes": pages * size}

    def query(self, statement: str, *values: Any) -> Iterator[Any]:
        """The rows of any statement of SQL."""
        return self._connection.execute(statement, values)

    def _among(self, select: str, column: str, asked: Iterable[Any], rest: str = "") -> Iterator[Any]:
        """The rows in which a column has one of the values asked for."""
        for some in _parts(asked):
            yield from self.query(f"{select} WHERE {column} IN ({', '.join('?' * len(some))}) {rest}", *some)

    def _number(self, statement: str) -> int:
        return int(self._connection.execute(statement).fetchone()[0])


def _can_be_kept(text: Any) -> bool:
    """Whether SQLite can hold a text at all: it has no half characters."""
    return isinstance(text, str) and (text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text))


def _unpacked(rows: Iterable[tuple[int, bytes]]) -> dict[int, str]:
    packed = dict(rows)
    return dict(zip(packed, unpack_many(list(packed.values())), strict=True)) if packed else {}


def _parts(values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """The values in groups of as many as a statement takes."""
    rest = iter(values)
    while some := tuple(islice(rest, _VALUES)):
        yield some


def _pair(row: Any) -> Pair:
    low, high, similarity, low_in_high, high_in_low, kind, joins = row
    return Pair(low, high, similarity, low_in_high, high_in_low, kind, bool(joins))


__all__ = ["Reading"]
