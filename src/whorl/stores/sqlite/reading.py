"""What is true at one moment."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from whorl.stores.packing import unpack
from whorl.stores.records import Content, Entry, Mark, Pair, Seen, Sketch, Verdict

_ENTRY = "number, id, content, revision, characters, published_at, first_seen_at, title, url, source, author, metadata"
_CONTENT = "number, digest, period, members, cluster"
_PAIR = "low, high, similarity, low_in_high, high_in_low, kind, joins"
_NONE = -1


class Reading:
    """The rows of a snapshot; fulfils `whorl.stores.Reader`, where what each method does is told."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def mark(self) -> Mark:
        """See the contract."""
        last = dict(self.query("SELECT name, seq FROM sqlite_sequence"))
        return Mark(last.get("content", 0), last.get("removal", 0))

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        statement = f"SELECT {_ENTRY} FROM document WHERE id = ?"
        return {entry.id: entry for id_ in ids for entry in self._entries(statement, id_)}

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """See the contract."""
        statement = f"SELECT {_ENTRY} FROM document WHERE number = ?"
        return {number: entry for number in numbers for entry in self._entries(statement, number)}

    def all_entries(self) -> Iterator[Entry]:
        """See the contract."""
        return self._entries(f"SELECT {_ENTRY} FROM document ORDER BY number")

    def ordered(self, order: str) -> Sequence[int]:
        """See the contract."""
        by = {
            "added": "number",
            "time": "coalesce(published_at, first_seen_at), number",
            "cluster": "(SELECT cluster FROM content WHERE content.number = content), content, number",
        }
        return array("q", (number for (number,) in self.query(f"SELECT number FROM document ORDER BY {by[order]}")))

    def members(self, content: int, most: int | None = None) -> list[Entry]:
        """See the contract."""
        statement = f"SELECT {_ENTRY} FROM document WHERE content = ? ORDER BY number LIMIT ?"
        return list(self._entries(statement, content, _NONE if most is None else most))

    def texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """See the contract."""
        statement = "SELECT body FROM text WHERE document = ?"
        return {number: unpack(body) for number in numbers for (body,) in self.query(statement, number)}

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, str]:
        """See the contract."""
        first = "SELECT number FROM document WHERE content = ? ORDER BY number LIMIT 1"
        statement = f"SELECT body FROM text WHERE document = ({first})"
        return {number: unpack(body) for number in contents for (body,) in self.query(statement, number)}

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE number = ?"
        return {number: Content(*row) for number in numbers for row in self.query(statement, number)}

    def equal(self, digest: bytes, periods: tuple[int, int]) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE digest = ? AND period BETWEEN ? AND ? ORDER BY period"
        return [Content(*row) for row in self.query(statement, digest, *periods)]

    def contents_after(self, number: int, most: int) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE number > ? ORDER BY number LIMIT ?"
        return [Content(*row) for row in self.query(statement, number, most)]

    def removed_after(self, removal: int) -> list[int]:
        """See the contract."""
        return [number for (number,) in self.query("SELECT content FROM removal WHERE number > ?", removal)]

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """See the contract."""
        statement = "SELECT content, keys FROM sketch WHERE content = ?"
        return {number: Sketch(*row) for number in contents for row in self.query(statement, number)}

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

    def cluster(self, cluster: int) -> int:
        """See the contract."""
        row = self._connection.execute("SELECT is_now FROM alias WHERE cluster = ?", (cluster,)).fetchone()
        return cluster if row is None else int(row[0])

    def aliases(self, cluster: int) -> list[int]:
        """See the contract."""
        return [number for (number,) in self.query("SELECT cluster FROM alias WHERE is_now = ? ORDER BY 1", cluster)]

    def in_cluster(self, cluster: int) -> list[Content]:
        """See the contract."""
        statement = f"SELECT {_CONTENT} FROM content WHERE cluster = ? ORDER BY number"
        return [Content(*row) for row in self.query(statement, cluster)]

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
        columns = "low, high, state, by, at, note"
        low = self.query(f"SELECT {columns} FROM verdict WHERE low = ?", document)
        high = self.query(f"SELECT {columns} FROM verdict WHERE high = ?", document)
        found = [Verdict(*row) for rows in (low, high) for row in rows]
        return {verdict.high if verdict.low == document else verdict.low: verdict for verdict in found}

    def former(self, document: int) -> list[tuple[int, int, str]]:
        """See the contract."""
        rows = self.query("SELECT revision, until, body FROM former WHERE document = ? ORDER BY revision", document)
        return [(revision, until, unpack(body)) for revision, until, body in rows]

    def counts(self) -> dict[str, int]:
        """See the contract."""
        tables = {"documents": "document", "contents": "content", "pairs": "pair", "sightings": "seen"}
        counted = {name: self._number(f"SELECT count(*) FROM {table}") for name, table in tables.items()}
        counted["clusters"] = self._number("SELECT count(DISTINCT cluster) FROM content")
        pages, size = self._number("PRAGMA page_count"), self._number("PRAGMA page_size")
        return counted | {"bytes": pages * size}

    def query(self, statement: str, *values: Any) -> Iterator[Any]:
        """The rows of any statement of SQL."""
        return self._connection.execute(statement, values)

    def _entries(self, statement: str, *values: Any) -> Iterator[Entry]:
        return (Entry(*row) for row in self.query(statement, *values))

    def _number(self, statement: str) -> int:
        return int(self._connection.execute(statement).fetchone()[0])


def _pair(row: Any) -> Pair:
    low, high, similarity, low_in_high, high_in_low, kind, joins = row
    return Pair(low, high, similarity, low_in_high, high_in_low, kind, bool(joins))


__all__ = ["Reading"]
