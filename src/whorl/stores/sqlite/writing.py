"""One change of the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whorl.stores.packing import pack_many
from whorl.stores.records import Content, Entry, Notice, Pair, Seen, Sketch, Verdict
from whorl.stores.sqlite.reading import Reading


class Writing(Reading):
    """The rows of a transaction; fulfils `whorl.stores.Writer`, where what each method does is told."""

    def next_document(self) -> int:
        """See the contract."""
        return self._next("document")

    def next_content(self) -> int:
        """See the contract."""
        return self._next("content")

    def next_clusters(self, count: int) -> range:
        """See the contract."""
        first = self._next("cluster")
        if count:
            self._run("INSERT INTO cluster VALUES (?)", first + count - 1)
            self._run("DELETE FROM cluster")
        return range(first, first + count)

    def put_state(self, state: int) -> None:
        """See the contract."""
        self._run("INSERT INTO state VALUES (?)", state)

    def put_entries(self, entries: Sequence[Entry]) -> None:
        """See the contract."""
        self._put("document", entries)

    def put_texts(self, packed: Mapping[int, bytes]) -> None:
        """See the contract."""
        self._connection.executemany("REPLACE INTO text VALUES (?, ?)", packed.items())

    def put_former(self, document: int, revision: int, until: int, text: str) -> None:
        """See the contract."""
        (packed,) = pack_many([text])
        self._run("REPLACE INTO former VALUES (?, ?, ?, ?)", document, revision, until, packed)

    def put_contents(self, contents: Sequence[Content]) -> None:
        """See the contract."""
        self._put("content", contents)

    def put_sketches(self, sketches: Sequence[Sketch]) -> None:
        """See the contract."""
        self._put("sketch", sketches)

    def put_pairs(self, pairs: Sequence[Pair]) -> None:
        """See the contract."""
        self._put("pair", pairs)

    def remove_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self._connection.executemany("DELETE FROM pair WHERE low = ? AND high = ?", pairs)

    def put_notice(self, notice: Notice) -> None:
        """See the contract."""
        self._run("INSERT INTO notice (text, runs) VALUES (?, ?)", notice.text, notice.runs)

    def put_seen(self, seen: Sequence[Seen]) -> None:
        """See the contract."""
        rows = [(one.document, one.at, one.url or "") for one in seen]
        self._connection.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", rows)

    def put_links(self, document: int, links: Sequence[str]) -> None:
        """See the contract."""
        known = self.links(document)
        fresh = [link for link in dict.fromkeys(links) if link not in set(known)]
        rows = ((document, position, link) for position, link in enumerate(fresh, len(known)))
        self._connection.executemany("INSERT INTO link VALUES (?, ?, ?)", rows)

    def put_verdict(self, verdict: Verdict) -> None:
        """See the contract."""
        self._put("verdict", [verdict])

    def move(self, contents: Sequence[int], cluster: int) -> None:
        """See the contract."""
        rows = ((cluster, content) for content in contents)
        self._connection.executemany("UPDATE content SET cluster = ? WHERE number = ?", rows)

    def merge_clusters(self, into: int, others: Sequence[int]) -> None:
        """See the contract."""
        for other in others:
            self._run("INSERT OR IGNORE INTO bore SELECT number, cluster FROM content WHERE cluster = ?", other)
            self._run("UPDATE content SET cluster = ? WHERE cluster = ?", into, other)
            self._run("UPDATE alias SET is_now = ? WHERE is_now = ?", into, other)
            self._run("REPLACE INTO alias VALUES (?, ?)", other, into)

    def redirect(self, aliases: Sequence[int]) -> None:
        """See the contract."""
        oldest = "SELECT min(content) FROM bore WHERE bore.cluster = alias.cluster"
        now = f"SELECT cluster FROM content WHERE number = ({oldest})"
        statement = f"UPDATE alias SET is_now = coalesce(({now}), is_now) WHERE cluster = ?"
        self._connection.executemany(statement, ((alias,) for alias in aliases))

    def remove_entry(self, document: int) -> None:
        """See the contract."""
        self._run("DELETE FROM document WHERE number = ?", document)
        for table in ("text", "former", "seen", "link"):
            self._run(f"DELETE FROM {table} WHERE document = ?", document)
        self._run("DELETE FROM verdict WHERE low = ?", document)
        self._run("DELETE FROM verdict WHERE high = ?", document)

    def remove_content(self, content: int) -> None:
        """See the contract."""
        self._run("DELETE FROM content WHERE number = ?", content)
        self._run("DELETE FROM sketch WHERE content = ?", content)
        self._run("DELETE FROM bore WHERE content = ?", content)
        self._run("DELETE FROM pair WHERE low = ?", content)
        self._run("DELETE FROM pair WHERE high = ?", content)
        self._run("INSERT INTO removal (content) VALUES (?)", content)

    def _next(self, table: str) -> int:
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 1 if row is None else int(row[0]) + 1

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement, values)

    def _put(self, table: str, rows: Sequence[Any]) -> None:
        """Keep records, whose fields are named as the columns."""
        if rows:
            names = rows[0]._fields
            changed = ", ".join(f"{name} = excluded.{name}" for name in names)
            statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            self._connection.executemany(f"{statement} ON CONFLICT DO UPDATE SET {changed}", rows)


__all__ = ["Writing"]
