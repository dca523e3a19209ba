"""A write transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from whorl.stores.records import (
    BoilerplateRecord,
    Content,
    Counters,
    Entry,
    FormerText,
    PairRecord,
    ReviewRecord,
    SightingRecord,
    Sketch,
)
from whorl.stores.sqlite.monitoring import SqliteMonitoringWriter
from whorl.stores.sqlite.reading import SqliteReader
from whorl.stores.sqlite.schema import ADDED, NOTHING, PAIR, REMOVED, REVISED, VERDICT

_OF_A_DOCUMENT = (
    ("document", "number"),
    *((table, "document") for table in ("text", "former", "seen", "link", "proof")),
    *((table, side) for table in ("verdict", "decision") for side in ("low", "high")),
)
_OF_A_CONTENT = (("content", "number"), ("sketch", "content"), ("bore", "content"), ("pair", "low"), ("pair", "high"))


class SqliteWriter(SqliteMonitoringWriter, SqliteReader):
    """Rows of a transaction; implements `whorl.stores.Writer`, which documents the methods."""

    def next_document(self) -> int:
        """See the contract."""
        return self.next_number("document")

    def next_content(self) -> int:
        """See the contract."""
        return self.next_number("content")

    def next_clusters(self, count: int) -> range:
        """See the contract."""
        first = self.next_number("cluster")
        if count:
            self.run("INSERT INTO cluster VALUES (?)", first + count - 1)
            self.run("DELETE FROM cluster")
        return range(first, first + count)

    def put_counters(self, counters: Counters) -> None:
        """See the contract."""
        current = self.counters()
        for kind, last in counters._asdict().items():
            if last > getattr(current, kind) and kind != "change":
                self.run("DELETE FROM sqlite_sequence WHERE name = ?", kind)
                self.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", kind, last)
        if counters.change > current.change:
            self.run("INSERT INTO change VALUES (?, ?, 0, 0)", counters.change, NOTHING)

    def put_settings(self, settings: Mapping[str, str]) -> None:
        """See the contract."""
        self.run_many("REPLACE INTO setting VALUES (?, ?)", settings.items())

    def put_state(self, state: int) -> None:
        """See the contract."""
        self.run("INSERT INTO state VALUES (?)", state)

    def put_entries(self, entries: Sequence[Entry]) -> None:
        """See the contract."""
        first = self.next_document()
        self.put("document", entries)
        self._log(((ADDED if entry.number >= first else REVISED), entry.number, 0) for entry in entries)

    def put_texts(self, packed: Mapping[int, bytes]) -> None:
        """See the contract."""
        self.run_many("REPLACE INTO text VALUES (?, ?)", packed.items())

    def put_former(self, former: Sequence[FormerText]) -> None:
        """See the contract."""
        self.put("former", former)

    def put_contents(self, contents: Sequence[Content]) -> None:
        """See the contract."""
        self.put("content", contents)

    def put_sketches(self, sketches: Sequence[Sketch]) -> None:
        """See the contract."""
        self.put("sketch", sketches)

    def put_pairs(self, pairs: Sequence[PairRecord]) -> None:
        """See the contract."""
        self.put("pair", pairs)
        self._log((PAIR, pair.low, pair.high) for pair in pairs)

    def remove_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self.run_many("DELETE FROM pair WHERE low = ? AND high = ?", pairs)
        self._log((PAIR, *pair) for pair in pairs)

    def put_notices(self, notices: Sequence[BoilerplateRecord]) -> None:
        """See the contract."""
        rows = ((notice.text, notice.runs, notice.holders) for notice in notices)
        self.run_many("INSERT INTO notice (text, runs, holders) VALUES (?, ?, ?)", rows)

    def put_sightings(self, sightings: Sequence[SightingRecord]) -> None:
        """See the contract."""
        rows = ((sighting.document, sighting.at, sighting.url or "") for sighting in sightings)
        self.run_many("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", rows)

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """See the contract."""
        existing = self.links(links)
        all_of = {document: dict.fromkeys([*existing.get(document, ()), *urls]) for document, urls in links.items()}
        rows = ((document, position, link) for document, urls in all_of.items() for position, link in enumerate(urls))
        self.run_many("INSERT OR IGNORE INTO link VALUES (?, ?, ?)", rows)

    def put_verdicts(self, verdicts: Sequence[ReviewRecord]) -> None:
        """See the contract."""
        self.put("verdict", verdicts)
        self._log((VERDICT, verdict.low, verdict.high) for verdict in verdicts)

    def remove_verdicts(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self.run_many("DELETE FROM verdict WHERE low = ? AND high = ?", pairs)
        self._log((VERDICT, *pair) for pair in pairs)

    def move(self, clusters: Mapping[int, int]) -> None:
        """See the contract."""
        rows = ((cluster, content) for content, cluster in clusters.items())
        self.run_many("UPDATE content SET cluster = ? WHERE number = ?", rows)

    def merge_clusters(self, into: Mapping[int, int]) -> None:
        """See the contract."""
        going = [(cluster,) for cluster in into]
        rows = [(stays, cluster) for cluster, stays in into.items()]
        self.run_many("INSERT OR IGNORE INTO bore SELECT number, cluster FROM content WHERE cluster = ?", going)
        self.run_many("UPDATE content SET cluster = ? WHERE cluster = ?", rows)
        self.run_many("UPDATE alias SET is_now = ? WHERE is_now = ?", rows)
        self.run_many("REPLACE INTO alias (is_now, cluster) VALUES (?, ?)", rows)

    def put_aliases(self, aliases: Mapping[int, int]) -> None:
        """See the contract."""
        self.run_many("REPLACE INTO alias (cluster, is_now) VALUES (?, ?)", aliases.items())

    def put_borne(self, borne: Mapping[int, Sequence[int]]) -> None:
        """See the contract."""
        rows = ((content, cluster) for content, clusters in borne.items() for cluster in clusters)
        self.run_many("INSERT OR IGNORE INTO bore (content, cluster) VALUES (?, ?)", rows)

    def redirect(self, aliases: Sequence[int]) -> None:
        """See the contract."""
        oldest = "SELECT min(content) FROM bore WHERE bore.cluster = alias.cluster"
        now = f"SELECT cluster FROM content WHERE number = ({oldest})"
        statement = f"UPDATE alias SET is_now = coalesce(({now}), is_now) WHERE cluster = ?"
        self.run_many(statement, ((alias,) for alias in aliases))

    def remove_entries(self, documents: Sequence[int]) -> None:
        """See the contract."""
        self._remove(_OF_A_DOCUMENT, documents)
        self.remove_snapshots(documents)
        self._log((REMOVED, document, 0) for document in documents)

    def remove_contents(self, contents: Sequence[int]) -> None:
        """See the contract."""
        self._remove(_OF_A_CONTENT, contents)
        self.run_many("INSERT INTO removal (content) VALUES (?)", ((content,) for content in contents))

    def _log(self, changes: Iterable[tuple[int, int, int]]) -> None:
        self.run_many("INSERT INTO change (kind, low, high) VALUES (?, ?, ?)", changes)

    def _remove(self, columns: Iterable[tuple[str, str]], numbers: Sequence[int]) -> None:
        for table, column in columns:
            self.run_many(f"DELETE FROM {table} WHERE {column} = ?", ((number,) for number in numbers))


__all__ = ["SqliteWriter"]
