"""A write transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
from whorl.stores.sql.counters import ADDED, PAIR, REMOVED, REVISED, VERDICT
from whorl.stores.sql.dialect import Dialect
from whorl.stores.sql.monitoring import SqlMonitoringWriter
from whorl.stores.sql.reading import SqlReader

_OF_A_DOCUMENT = (
    ("document", "number"),
    *((table, "document") for table in ("text", "former", "seen", "link", "attestation")),
    *((table, side) for table in ("verdict", "decision") for side in ("low", "high")),
)
_OF_A_CONTENT = (("content", "number"), ("sketch", "content"), ("bore", "content"), ("pair", "low"), ("pair", "high"))


class SqlWriter(SqlMonitoringWriter, SqlReader):
    """Rows of a transaction; implements `whorl.stores.Writer`, which documents the methods."""

    def __init__(self, connection: Any, dialect: Dialect, counters: Sequence[int]) -> None:
        super().__init__(connection, dialect, counters)
        self._first_new = self.next_number("document")
        self._with_text, self._with_links = set[int](), set[int]()

    def next_document(self) -> int:
        """See the contract."""
        return self.next_number("document")

    def next_content(self) -> int:
        """See the contract."""
        return self.next_number("content")

    def next_clusters(self, count: int) -> range:
        """See the contract."""
        first = self.next_number("cluster")
        self.reserve("cluster", first + count - 1)
        return range(first, first + count)

    def put_counters(self, counters: Counters) -> None:
        """See the contract."""
        for kind, last in counters._asdict().items():
            self.reserve(kind, last)

    def put_settings(self, settings: Mapping[str, str]) -> None:
        """See the contract."""
        self.put("setting", list(settings.items()), ("name", "value"))

    def put_state(self, state: int) -> None:
        """See the contract."""
        self.run("INSERT INTO state (token) VALUES (%s)", state)

    def put_entries(self, entries: Sequence[Entry]) -> None:
        """See the contract."""
        first = self.next_document()
        self.put_numbered("document", entries)
        self._log(((ADDED if entry.number >= first else REVISED), entry.number, 0) for entry in entries)

    def put_texts(self, packed: Mapping[int, bytes]) -> None:
        """See the contract."""
        replaced = [number for number in packed if number < self._first_new or number in self._with_text]
        self.delete("text", "document", replaced)
        self.insert("text", list(packed.items()), ("document", "body"))
        self._with_text.update(packed)

    def put_former(self, former: Sequence[FormerText]) -> None:
        """See the contract."""
        self.put("former", former)

    def put_contents(self, contents: Sequence[Content]) -> None:
        """See the contract."""
        self.put_numbered("content", contents)

    def put_sketches(self, sketches: Sequence[Sketch]) -> None:
        """See the contract."""
        self.put("sketch", sketches)

    def put_pairs(self, pairs: Sequence[PairRecord]) -> None:
        """See the contract."""
        self.put("pair", pairs)
        self._log((PAIR, pair.low, pair.high) for pair in pairs)

    def remove_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self.delete_pairs("pair", pairs)
        self._log((PAIR, *pair) for pair in pairs)

    def put_notices(self, notices: Sequence[BoilerplateRecord]) -> None:
        """See the contract."""
        first = self.next_number("notice")
        self.put_numbered("notice", [notice._replace(number=number) for number, notice in enumerate(notices, first)])

    def put_sightings(self, sightings: Sequence[SightingRecord]) -> None:
        """See the contract."""
        rows = [(sighting.document, sighting.url or "", sighting.at) for sighting in sightings]
        self.put_new("seen", rows, SightingRecord._fields)

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """See the contract."""
        existing = self.links(number for number in links if number < self._first_new or number in self._with_links)
        rows = []
        for document, urls in links.items():
            before = dict.fromkeys(existing.get(document, ()))
            new = dict.fromkeys(link for link in urls if link not in before)
            rows += [(document, position, link) for position, link in enumerate(new, len(before))]
        self.insert("link", rows, ("document", "position", "url"))
        self._with_links.update(links)

    def put_verdicts(self, verdicts: Sequence[ReviewRecord]) -> None:
        """See the contract."""
        self.put("verdict", verdicts)
        self._log((VERDICT, verdict.low, verdict.high) for verdict in verdicts)

    def remove_verdicts(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self.delete_pairs("verdict", pairs)
        self._log((VERDICT, *pair) for pair in pairs)

    def move(self, clusters: Mapping[int, int]) -> None:
        """See the contract."""
        going: dict[int, list[int]] = defaultdict(list)
        for content, cluster in clusters.items():
            going[cluster].append(content)
        for cluster, contents in going.items():
            for some in self.parts(contents):
                condition = self._dialect.in_list("number", some)
                self.run(f"UPDATE content SET cluster = %s WHERE {condition.text}", cluster, *condition.values)

    def merge_clusters(self, into: Mapping[int, int]) -> None:
        """See the contract."""
        if not into:
            return
        rows = self.select_in("SELECT number, cluster FROM content", "cluster", into)
        self.put_new("bore", list(rows), ("content", "cluster"))
        changes = [(stays, cluster) for cluster, stays in into.items()]
        self.run_many("UPDATE content SET cluster = %s WHERE cluster = %s", changes)
        self.run_many("UPDATE alias SET is_now = %s WHERE is_now = %s", changes)
        self.put("alias", changes, ("is_now", "cluster"))

    def put_aliases(self, aliases: Mapping[int, int]) -> None:
        """See the contract."""
        self.put("alias", list(aliases.items()), ("cluster", "is_now"))

    def put_borne(self, borne: Mapping[int, Sequence[int]]) -> None:
        """See the contract."""
        rows = [(content, cluster) for content, clusters in borne.items() for cluster in clusters]
        self.put_new("bore", rows, ("content", "cluster"))

    def redirect(self, aliases: Sequence[int]) -> None:
        """See the contract."""
        rows = self.select_in("SELECT cluster, min(content) FROM bore", "cluster", aliases, "GROUP BY cluster")
        oldest = dict(rows)
        existing = self.contents(oldest.values())
        changes = [(existing[content].cluster, alias) for alias, content in oldest.items() if content in existing]
        self.run_many("UPDATE alias SET is_now = %s WHERE cluster = %s", changes)

    def remove_entries(self, documents: Sequence[int]) -> None:
        """See the contract."""
        self._remove(_OF_A_DOCUMENT, documents)
        self.remove_snapshots(documents)
        self._log((REMOVED, document, 0) for document in documents)

    def remove_contents(self, contents: Sequence[int]) -> None:
        """See the contract."""
        self._remove(_OF_A_CONTENT, contents)
        self._append("removal", ((content,) for content in contents), ("content",))

    def _log(self, changes: Iterable[tuple[int, int, int]]) -> None:
        self._append("change", changes, ("kind", "low", "high"))

    def _append(self, table: str, rows: Iterable[Sequence[int]], names: Sequence[str]) -> None:
        """Insert rows under the next numbers of a table."""
        numbered = [(number, *row) for number, row in enumerate(rows, self.next_number(table))]
        self.insert(table, numbered, ("number", *names))
        self.count_to(table, self._last[table] + len(numbered))

    def _remove(self, columns: Iterable[tuple[str, str]], numbers: Sequence[int]) -> None:
        for table, column in columns:
            self.delete(table, column, numbers)


__all__ = ["SqlWriter"]
