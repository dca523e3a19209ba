"""A consistent read snapshot."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from whorl.stores.mongodb.layout import (
    ALERTS,
    ALIASES,
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
    SIGHTINGS,
    SKETCHES,
    STATES,
    TEXTS,
    VERDICTS,
    restored,
)
from whorl.stores.mongodb.logged import ADDED, MOST_TOGETHER, PAIR, REMOVED, REVISED, VERDICT, unpacked
from whorl.stores.mongodb.monitoring import MongoMonitoringReader
from whorl.stores.mongodb.rows import lists
from whorl.stores.mongodb.statistics import MongoStatisticsReader
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

_LOOKED_AT = 50_000
"""Maximum number of documents examined for one page of a selection."""

_BRIEF = DocumentBrief._fields


class MongoReader(MongoMonitoringReader, MongoStatisticsReader):
    """Rows of a snapshot; implements `whorl.stores.Reader`, which documents the methods."""

    def mark(self) -> Mark:
        """See the contract."""
        return Mark(self.bound(CONTENTS), self.bound(REMOVALS), self._state.bounds.get("change", 0))

    def changes(self, since: int, limit: int) -> ChangeSet:
        """See the contract."""
        named: dict[int, dict[tuple[int, int], None]] = defaultdict(dict)
        last = since
        for number, kind, low, high in islice(self._logged(since, limit), limit):
            named[kind][low, high] = None
            last = number
        added, revised, removed = ([number for number, _ in named[kind]] for kind in (ADDED, REVISED, REMOVED))
        return ChangeSet(added, revised, removed, list(named[PAIR]), list(named[VERDICT]), last)

    def counters(self) -> Counters:
        """See the contract."""
        kinds = (DOCUMENTS, CONTENTS, NOTICES, DECISIONS, ALERTS)
        document, content, notice, decision, alert = map(self.bound, kinds)
        cluster, change = (self._state.bounds.get(name, 0) for name in ("cluster", "change"))
        return Counters(document, content, cluster, notice, decision, alert, change)

    def has_been(self, state: int) -> bool:
        """See the contract."""
        return bool(self.rows_by(STATES, "token", [state], ()))

    def entries(self, ids: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        requested = set(ids)
        return {entry.id: entry for entry in self.by(DOCUMENTS, "id", requested) if entry.id in requested}

    def entries_from(self, origins: Iterable[str]) -> dict[str, Entry]:
        """See the contract."""
        requested = set(origins)
        return {entry.origin: entry for entry in self.by(DOCUMENTS, "origin", requested) if entry.origin in requested}

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """See the contract."""
        return self.by_unique(DOCUMENTS, "number", numbers)

    def all_entries(self, collection: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """See the contract."""
        for entry in map(DOCUMENTS.record_of, self.scan(DOCUMENTS)):
            if _is_chosen(entry, DocumentFilter(collection=collection, since=since)):
                yield entry

    def documents(
        self, chosen: DocumentFilter, after: int | None, limit: int, *, newest: bool = False
    ) -> tuple[list[Entry], int | None]:
        """See the contract."""
        first, last = 1, self.bound(DOCUMENTS)
        if after is not None:
            first, last = (first, min(last, after - 1)) if newest else (max(first, after + 1), last)
        looked_at, matching = 0, list[Entry]()
        page = min(max(limit, 100), 2000)
        while first <= last and looked_at < _LOOKED_AT:
            some = (max(first, last - page + 1), last) if newest else (first, min(last, first + page - 1))
            rows = self.between(DOCUMENTS, *some)
            for entry in map(DOCUMENTS.record_of, reversed(rows) if newest else rows):
                if _is_chosen(entry, chosen):
                    if len(matching) == limit:
                        return matching, matching[-1].number
                    matching.append(entry)
            first, last = (first, some[0] - 1) if newest else (some[1] + 1, last)
            looked_at += page
        return matching, None if first > last else (last + 1 if newest else first - 1)

    def ordered(self, order: str) -> Sequence[int]:
        """See the contract."""
        if order == "added":
            return array("q", (row["number"] for row in self.scan(DOCUMENTS, ())))
        if order == "time":
            times = ("published_at", "first_seen_at")
            timed = [(_when(row), row["number"]) for row in self.scan(DOCUMENTS, times)]
            return array("q", (number for _, number in sorted(timed)))
        clusters = {row["number"]: row["cluster"] for row in self.scan(CONTENTS, ["cluster"])}
        pairs = ((row["content"], row["number"]) for row in self.scan(DOCUMENTS, ["content"]))
        placed = sorted((clusters.get(content, 0), content, number) for content, number in pairs)
        return array("q", (number for _, _, number in placed))

    def members(
        self, contents: Iterable[int], limit: int | None = None, collection: str | None = None
    ) -> dict[int, list[Entry]]:
        """See the contract."""
        entries = self.by(DOCUMENTS, "content", contents)
        if collection is not None:
            entries = [entry for entry in entries if entry.collection == collection]
        members = lists((entry.content, entry) for entry in sorted(entries, key=lambda entry: entry.number))
        return {content: documents[:limit] for content, documents in members.items()}

    def briefs(self, contents: Iterable[int]) -> Iterator[DocumentBrief]:
        """See the contract."""
        for entry in self.by(DOCUMENTS, "content", contents):
            yield DocumentBrief(*(getattr(entry, name) for name in _BRIEF))

    def extents(self, contents: Iterable[int], clock: str) -> dict[int, tuple[int, int]]:
        """See the contract."""
        times: dict[int, list[int]] = defaultdict(list)
        for row in self.rows_by(DOCUMENTS, "content", contents, ["published_at", "first_seen_at"]):
            first_seen = row["first_seen_at"]
            times[row["content"]].append(min(_when(row), first_seen) if clock == "published" else first_seen)
        return {content: (min(time), max(time)) for content, time in times.items()}

    def texts(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """See the contract."""
        return {row["document"]: row["body"] for row in self.rows_by(TEXTS, "document", numbers)}

    def texts_of_contents(self, contents: Iterable[int]) -> dict[int, bytes]:
        """See the contract."""
        first: dict[int, int] = {}
        for row in self.rows_by(DOCUMENTS, "content", contents, ()):
            first[row["content"]] = min(row["number"], first.get(row["content"], row["number"]))
        texts = self.texts(first.values())
        return {content: texts[number] for content, number in first.items() if number in texts}

    def contents(self, numbers: Iterable[int]) -> dict[int, Content]:
        """See the contract."""
        return self.by_unique(CONTENTS, "number", numbers)

    def contents_after(self, number: int, limit: int) -> list[Content]:
        """See the contract."""
        return self.after(CONTENTS, number, limit)

    def removed_after(self, removal: int) -> list[int]:
        """See the contract."""
        return [row["content"] for row in self.scan(REMOVALS, ["content"], after=removal)]

    def sketches(self, contents: Iterable[int]) -> dict[int, Sketch]:
        """See the contract."""
        return self.by_unique(SKETCHES, "content", contents)

    def pairs(self, contents: Iterable[int]) -> dict[int, list[PairRecord]]:
        """See the contract."""
        numbers = list(dict.fromkeys(contents))
        rows: dict[int, list[PairRecord]] = defaultdict(list)
        for side in ("low", "high"):
            for pair in sorted(self.by(PAIRS, side, numbers)):
                rows[getattr(pair, side)].append(pair)
        return dict(rows)

    def all_pairs(self, collection: str | None = None) -> Iterator[PairRecord]:
        """See the contract."""
        contents = None if collection is None else self._contents_of(collection)
        for row in self.scan(PAIRS):
            if contents is None or row["low"] in contents or row["high"] in contents:
                yield PAIRS.record_of(row)

    def repeated(self, collection: str | None = None) -> list[int]:
        """See the contract."""
        contents = None if collection is None else self._contents_of(collection)
        several = (row["number"] for row in self.scan(CONTENTS, ["members"]) if row["members"] > 1)
        return [number for number in several if contents is None or number in contents]

    def joined(self, contents: Iterable[int]) -> list[PairRecord]:
        """See the contract."""
        numbers = set(contents)
        return [pair for pair in self.by(PAIRS, "low", numbers) if pair.joins and pair.high in numbers]

    def notices_after(self, number: int) -> list[BoilerplateRecord]:
        """See the contract."""
        return list(map(NOTICES.record_of, self.scan(NOTICES, after=number)))

    def cluster(self, cluster: int) -> int:
        """See the contract."""
        return next((alias.is_now for alias in self.by(ALIASES, "cluster", [cluster])), cluster)

    def aliases(self, clusters: Iterable[int]) -> dict[int, list[int]]:
        """See the contract."""
        return lists((alias.is_now, alias.cluster) for alias in sorted(self.by(ALIASES, "is_now", clusters)))

    def borne(self, contents: Iterable[int]) -> dict[int, list[int]]:
        """See the contract."""
        return lists(sorted(self.by(BORNE, "content", contents)))

    def in_clusters(self, clusters: Iterable[int]) -> dict[int, list[Content]]:
        """See the contract."""
        return lists((content.cluster, content) for content in _by_number(self.by(CONTENTS, "cluster", clusters)))

    def cluster_sizes(
        self, at_least: int, since: int | None, limit: int | None, after: tuple[int, int] | None = None
    ) -> list[tuple[int, int]]:
        """See the contract."""
        sizes = Counter[int]()
        counts = None if since is None else self._said_since(since)
        for row in self.scan(CONTENTS, ["members", "cluster"]):
            sizes[row["cluster"]] += row["members"] if counts is None else counts[row["number"]]
        behind = None if after is None else (-after[1], after[0])
        placed = ((-size, cluster) for cluster, size in sizes.items() if size >= max(at_least, 1 if counts else 0))
        chosen = sorted(row_key for row_key in placed if behind is None or row_key > behind)
        return [(cluster, -size) for size, cluster in chosen[:limit]]

    def sightings(self, documents: Iterable[int]) -> dict[int, list[SightingRecord]]:
        """See the contract."""
        rows = sorted(self.by(SIGHTINGS, "document", documents), key=lambda row: (row.at, row.url or ""))
        return lists((row.document, row) for row in rows)

    def links(self, documents: Iterable[int]) -> dict[int, list[str]]:
        """See the contract."""
        return {row_links.document: row_links.urls for row_links in self.by(LINKS, "document", documents)}

    def verdicts(self, documents: Iterable[int]) -> dict[int, dict[int, ReviewRecord]]:
        """See the contract."""
        numbers = list(dict.fromkeys(documents))
        rows: dict[int, dict[int, ReviewRecord]] = defaultdict(dict)
        for side, other in (("low", "high"), ("high", "low")):
            for verdict in self.by(VERDICTS, side, numbers):
                rows[getattr(verdict, side)][getattr(verdict, other)] = verdict
        return dict(rows)

    def all_verdicts(self) -> Iterator[ReviewRecord]:
        """See the contract."""
        return map(VERDICTS.record_of, self.scan(VERDICTS))

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """See the contract."""
        if not self.alive(VERDICTS):
            return []
        says = {row["number"]: row["content"] for row in self.rows_by(DOCUMENTS, "content", contents, ())}
        verdicts = {review for reviews_of in self.verdicts(says).values() for review in reviews_of.values()}
        others = {number for review in verdicts for number in (review.low, review.high)} - says.keys()
        says |= {row["number"]: row["content"] for row in self.rows_by(DOCUMENTS, "number", others, ["content"])}
        reviews = set[ContentReview]()
        for review in verdicts:
            low, high = says.get(review.low), says.get(review.high)
            if low is not None and high is not None and low != high:
                reviews.add(ContentReview(min(low, high), max(low, high), review.state, review.at))
        return sorted(reviews)

    def former(self, documents: Iterable[int]) -> dict[int, list[FormerText]]:
        """See the contract."""
        rows = sorted(self.by(FORMER, "document", documents), key=lambda row: row.revision)
        return lists((row.document, row) for row in rows)

    def count(self) -> int:
        """See the contract."""
        return self.alive(DOCUMENTS)

    def collections(self) -> dict[str, int]:
        """See the contract."""
        named = (restored(row["collection"]) for row in self.scan(DOCUMENTS, ["collection"]))
        return dict(Counter(filter(None, named)))

    def counts(self) -> dict[str, int]:
        """See the contract."""
        kinds = {
            "documents": DOCUMENTS,
            "contents": CONTENTS,
            "pairs": PAIRS,
            "sightings": SIGHTINGS,
            "notices": NOTICES,
        }
        counted = {name: self.alive(kind) for name, kind in kinds.items()}
        counted["clusters"] = len(self.cluster_sizes(2, None, None))
        sizes = self._database.command("dbStats")
        return counted | {"bytes": int(sizes["storageSize"] + sizes["indexSize"])}

    def _logged(self, since: int, limit: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield the changes after a number with their numbers, at least as many as requested if they exist."""
        first, step = since + 1 - MOST_TOGETHER, limit + MOST_TOGETHER
        while first <= self.bound(CHANGES):
            for row in self.between(CHANGES, first, first + step - 1):
                for number, change in enumerate(unpacked(row["packed"]), row["first"]):
                    if number > since:
                        yield number, *change
            first, step = first + step, 2 * step  # rows copied from another store may begin with large numbers

    def _contents_of(self, collection: str) -> set[int]:
        """Return the contents of the documents of a collection."""
        return {row["content"] for row in self.rows_by(DOCUMENTS, "collection", [collection], ["content"])}

    def _said_since(self, since: int) -> Counter[int]:
        """Count the documents of each content that were first seen at or after a time."""
        rows = self.scan(DOCUMENTS, ["content", "first_seen_at"])
        return Counter(row["content"] for row in rows if row["first_seen_at"] >= since)


def _is_chosen(entry: Entry, chosen: DocumentFilter) -> bool:
    if chosen.since is not None and entry.first_seen_at < chosen.since:
        return False
    if chosen.title is not None and chosen.title.lower() not in (entry.title or "").lower():
        return False
    both = ((chosen.collection, entry.collection), (chosen.source, entry.source), (chosen.author, entry.author))
    return all(expected is None or expected == actual for expected, actual in both)


def _when(row: Any) -> int:
    """Return when a document was published, or first seen if that is unknown."""
    published: int | None = row["published_at"]
    return row["first_seen_at"] if published is None else published


def _by_number(contents: Iterable[Content]) -> list[Content]:
    return sorted(contents, key=lambda content: content.number)


__all__ = ["MongoReader"]
