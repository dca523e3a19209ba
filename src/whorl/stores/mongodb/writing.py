"""A write transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from whorl.stores.mongodb.layout import (
    ALIASES,
    ATTESTATIONS,
    BORNE,
    CHANGES,
    CONTENTS,
    DECISIONS,
    DOCUMENTS,
    FORMER,
    LINKS,
    NOTICES,
    PAIRS,
    REMOVALS,
    SETTINGS,
    SIGHTINGS,
    SKETCHES,
    STATES,
    TEXTS,
    VERDICTS,
    Alias,
    BorneCluster,
    DocumentLinks,
    LoggedChanges,
    NamedState,
    PackedText,
    Removal,
    Setting,
)
from whorl.stores.mongodb.logged import ADDED, MOST_TOGETHER, PAIR, REMOVED, REVISED, VERDICT, packed
from whorl.stores.mongodb.monitoring import MongoMonitoringWriter
from whorl.stores.mongodb.reading import MongoReader
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

_CLUSTER, _CHANGE = "cluster", "change"
_COUNTED = (
    "document.number",
    "content.number",
    _CLUSTER,
    "notice.number",
    "decision.number",
    "alert.number",
    _CHANGE,
)
"""Bounds from which ``Counters`` are read."""

_OF_A_DOCUMENT = (
    (DOCUMENTS, "number"),
    *((kind, "document") for kind in (TEXTS, FORMER, SIGHTINGS, LINKS, ATTESTATIONS)),
    *((kind, side) for kind in (VERDICTS, DECISIONS) for side in ("low", "high")),
)
_OF_A_CONTENT = ((CONTENTS, "number"), (SKETCHES, "content"), (BORNE, "content"), (PAIRS, "low"), (PAIRS, "high"))


class MongoWriter(MongoMonitoringWriter, MongoReader):
    """Rows of a turn; implements `whorl.stores.Writer`, which documents the methods."""

    def next_document(self) -> int:
        """See the contract."""
        return self.bound(DOCUMENTS) + 1

    def next_content(self) -> int:
        """See the contract."""
        return self.bound(CONTENTS) + 1

    def next_clusters(self, count: int) -> range:
        """See the contract."""
        first = self._state.bounds.get(_CLUSTER, 0) + 1
        self._state.bounds[_CLUSTER] = first + count - 1
        return range(first, first + count)

    def put_counters(self, counters: Counters) -> None:
        """See the contract."""
        for name, last in zip(_COUNTED, counters, strict=True):
            self._state.bounds[name] = max(last, self._state.bounds.get(name, 0))

    def put_settings(self, settings: Mapping[str, str]) -> None:
        """See the contract."""
        self.put(SETTINGS, (Setting(*both) for both in settings.items()))

    def put_state(self, state: int) -> None:
        """See the contract."""
        self.put(STATES, [NamedState(state)])

    def put_entries(self, entries: Sequence[Entry]) -> None:
        """See the contract."""
        first = self.next_document()
        self.put(DOCUMENTS, entries)
        self._log(((ADDED if entry.number >= first else REVISED), entry.number, 0) for entry in entries)

    def put_texts(self, packed: Mapping[int, bytes]) -> None:
        """See the contract."""
        self.put(TEXTS, (PackedText(*row) for row in packed.items()))

    def put_former(self, former: Sequence[FormerText]) -> None:
        """See the contract."""
        self.put(FORMER, former)

    def put_contents(self, contents: Sequence[Content]) -> None:
        """See the contract."""
        self.put(CONTENTS, contents)

    def put_sketches(self, sketches: Sequence[Sketch]) -> None:
        """See the contract."""
        self.put(SKETCHES, sketches)

    def put_pairs(self, pairs: Sequence[PairRecord]) -> None:
        """See the contract."""
        self.put(PAIRS, pairs)
        self._log((PAIR, pair.low, pair.high) for pair in pairs)

    def remove_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self.remove(PAIRS, ((high, low) for low, high in pairs))
        self._log((PAIR, *pair) for pair in pairs)

    def put_notices(self, notices: Sequence[BoilerplateRecord]) -> None:
        """See the contract."""
        first = self.bound(NOTICES) + 1
        self.put(NOTICES, (notice._replace(number=number) for number, notice in enumerate(notices, first)))

    def put_sightings(self, sightings: Sequence[SightingRecord]) -> None:
        """See the contract."""
        self.put_new(SIGHTINGS, (sighting._replace(url=sighting.url or None) for sighting in sightings))

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """See the contract."""
        existing = self.links(links)
        rows = {document: list(dict.fromkeys([*existing.get(document, ()), *urls])) for document, urls in links.items()}
        self.put(LINKS, (DocumentLinks(*row) for row in rows.items() if row[1] and row[1] != existing.get(row[0])))

    def put_verdicts(self, verdicts: Sequence[ReviewRecord]) -> None:
        """See the contract."""
        self.put(VERDICTS, verdicts)
        self._log((VERDICT, verdict.low, verdict.high) for verdict in verdicts)

    def remove_verdicts(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See the contract."""
        self.remove(VERDICTS, pairs)
        self._log((VERDICT, *pair) for pair in pairs)

    def move(self, clusters: Mapping[int, int]) -> None:
        """See the contract."""
        there = self.contents(clusters)
        self.put(CONTENTS, (content._replace(cluster=clusters[number]) for number, content in there.items()))

    def merge_clusters(self, into: Mapping[int, int]) -> None:
        """See the contract."""
        going = self.in_clusters(into)
        self.put_new(
            BORNE,
            (BorneCluster(content.number, cluster) for cluster, contents in going.items() for content in contents),
        )
        moved = (content._replace(cluster=into[cluster]) for cluster, contents in going.items() for content in contents)
        self.put(CONTENTS, moved)
        older = (Alias(content, into[now]) for now, some in self.aliases(into).items() for content in some)
        self.put(ALIASES, [*older, *(Alias(*both) for both in into.items())])

    def put_aliases(self, aliases: Mapping[int, int]) -> None:
        """See the contract."""
        self.put(ALIASES, (Alias(*both) for both in aliases.items()))

    def put_borne(self, borne: Mapping[int, Sequence[int]]) -> None:
        """See the contract."""
        self.put_new(
            BORNE, (BorneCluster(content, cluster) for content, clusters in borne.items() for cluster in clusters)
        )

    def redirect(self, aliases: Sequence[int]) -> None:
        """See the contract."""
        if not aliases:
            return
        oldest: dict[int, int] = {}
        for row in self.by(BORNE, "cluster", aliases):
            oldest[row.cluster] = min(row.content, oldest.get(row.cluster, row.content))
        there = self.contents(oldest.values())
        existing = self.by_unique(ALIASES, "cluster", aliases)
        self.put(
            ALIASES,
            (
                Alias(alias, there[content].cluster)
                for alias, content in oldest.items()
                if alias in existing and content in there
            ),
        )

    def remove_entries(self, documents: Sequence[int]) -> None:
        """See the contract."""
        for kind, field in _OF_A_DOCUMENT:
            self.remove_by(kind, field, documents)
        self.remove_snapshots(documents)
        self._log((REMOVED, document, 0) for document in documents)

    def remove_contents(self, contents: Sequence[int]) -> None:
        """See the contract."""
        for kind, field in _OF_A_CONTENT:
            self.remove_by(kind, field, contents)
        self.put(REMOVALS, (Removal(*row) for row in enumerate(contents, self.bound(REMOVALS) + 1)))

    def _log(self, changes: Iterable[tuple[int, int, int]]) -> None:
        rest = iter(changes)
        while some := list(islice(rest, MOST_TOGETHER)):
            first = self._state.bounds.get(_CHANGE, 0) + 1
            self._state.bounds[_CHANGE] = first + len(some) - 1
            self.put(CHANGES, [LoggedChanges(first, packed(some))])


__all__ = ["MongoWriter"]
