"""Determine the clusters that articles would join if they were added, without writing.

Adding them and rolling back would take the write lock, and readers may not write. So the steps of adding are repeated
here on numbers above all stored ones: one for each article and one for each distinct content.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from time import time_ns

from whorl._internal.frozen import frozen
from whorl.indexes.inverted import KeyIndex
from whorl.library.clusters.algebra import ClusterForest
from whorl.library.core import Core
from whorl.library.ingest.batches import DocumentBatch
from whorl.library.ingest.documents import entry_of, times_of
from whorl.library.search.compilations import relabelled
from whorl.library.search.evidence import compared
from whorl.library.search.finder import CandidateContent, CopyQuery, candidates, judged, look_up, pair_of, sought
from whorl.library.search.keys import TextKeys
from whorl.stores import Reader
from whorl.stores.records import Entry, PairRecord
from whorl.types.library import Document

_FIRST = 2**62
"""First number of articles and contents that are not stored."""


@frozen
class IncomingArticles:
    """Articles that are not stored, with the clusters that they would join.

    Attributes:
        entries: their entries, in their order.
        texts: their texts, by number.
        clusters: the cluster of each content that is not stored, before it joins others.
        forest: clusters that the articles merge.
    """

    entries: Sequence[Entry] = ()
    texts: Mapping[int, str] = field(default_factory=dict)
    clusters: Mapping[int, int] = field(default_factory=dict)
    forest: ClusterForest = field(default_factory=ClusterForest)

    def merged(self, clusters: Iterable[int]) -> dict[int, list[int]]:
        """Group stored clusters by the cluster that they are part of once the articles have joined."""
        groups: dict[int, list[int]] = defaultdict(list)
        for cluster in sorted({*clusters, *self.forest.joined(), *self.forest.joined().values()}):
            if is_stored(cluster):
                groups[self.forest.now(cluster)].append(cluster)
        return groups


def is_stored(number: int) -> bool:
    """Return True for the number of a stored content or cluster."""
    return number < _FIRST


def incoming(core: Core, reader: Reader, documents: Sequence[Document]) -> IncomingArticles:
    """Place articles that are not stored among those of a library.

    Args:
        core: the library.
        reader: its store.
        documents: the articles; their ids differ.

    Cost: that of a check for each distinct text, and comparing the texts that share enough with each other.
    """
    if not documents:
        return IncomingArticles()
    batch = DocumentBatch.of(core.making, documents)
    now = time_ns() // 1000
    times = [times_of(document, now) for document in documents]
    whens = [core.clock(*both) for both in times]
    numbers, clusters = _contents(core, reader, batch.digests, whens)
    fresh = {number: row for row, number in reversed(list(enumerate(numbers))) if not is_stored(number)}
    rows = sorted(fresh.values())
    queries = [
        CopyQuery(
            numbers[row], batch.digests[row], documents[row].text, whens[row], place, batch.prints.codes[row].tobytes()
        )
        for place, row in enumerate(rows)
    ]
    forest = _merged(core, reader, queries, TextKeys.of(batch.prints, rows), clusters) if queries else ClusterForest()
    entries = [entry_of(document, _FIRST + row, numbers[row], times[row]) for row, document in enumerate(documents)]
    texts = {entry.number: document.text for entry, document in zip(entries, documents, strict=True)}
    return IncomingArticles(entries, texts, clusters, forest)


def _contents(
    core: Core, reader: Reader, digests: Sequence[bytes | None], whens: Sequence[int]
) -> tuple[list[int], dict[int, int]]:
    """Return the number of the content of each article, and the clusters of these contents."""
    places = [(digest, core.period(when)) for digest, when in zip(digests, whens, strict=True)]
    core.index.catch_up(reader)
    same = core.index.same(
        [(digest, range(period, period + 1)) for digest, period in places if digest is not None], reader
    )
    contents: dict[tuple[bytes, int], int] = {place: content.number for place, content in same.items()}
    numbers = [
        _FIRST + row if digest is None else contents.setdefault((digest, period), _FIRST + row)
        for row, (digest, period) in enumerate(places)
    ]
    clusters = {number: number for number in numbers if not is_stored(number)}
    return numbers, clusters | {content.number: content.cluster for content in same.values()}


def _merged(
    core: Core, reader: Reader, queries: Sequence[CopyQuery], keys: TextKeys, clusters: dict[int, int]
) -> ClusterForest:
    """Return the clusters that new contents merge; add those of the stored contents that share text with them."""
    questions = _questions(core, reader, queries, keys)
    clusters |= {candidate.content.number: candidate.content.cluster for _, candidate in questions}
    evidence = judged(core, reader, questions, keys)
    pairs = [
        pair_of(query.content or 0, candidate.content.number, pair_evidence, core)
        for (query, candidate), pair_evidence in zip(questions, evidence, strict=True)
        if pair_evidence.counts(core.making.rules)
    ]
    pairs += _pairs_among(core, reader, queries, keys)
    texts = {query.content or 0: query.text for query in queries}
    forest = ClusterForest()
    for pair in relabelled(core, reader, pairs, texts=texts).pairs:
        if pair.joins:
            forest.join((clusters[pair.low], clusters[pair.high]))
    return forest


def _questions(
    core: Core, reader: Reader, queries: Sequence[CopyQuery], keys: TextKeys
) -> list[tuple[CopyQuery, CandidateContent]]:
    """Return the pairs of a content that is not stored and one that is, to be compared."""
    looked = look_up(core, reader, queries, keys)
    if core.making.rules.span is None:
        results = candidates(core, reader, queries, looked)
    else:  # which document of a content is near depends on the time of the text
        results = [
            candidates(core, reader, [query], [result], at=query.when)[0]
            for query, result in zip(queries, looked, strict=True)
        ]
    return [(query, candidate) for query, some in zip(queries, results, strict=True) for candidate in some]


def _pairs_among(core: Core, reader: Reader, queries: Sequence[CopyQuery], keys: TextKeys) -> list[PairRecord]:
    """Return the matches among contents that are not stored."""
    rules, notices = core.making.rules, core.notices.common(reader)
    texts = [query.text for query in queries]
    index = KeyIndex(most_documents=rules.most_documents)
    index.add(keys)
    seeking_keys = sought(core, texts, keys).without_boilerplate(core.making, notices, texts)
    answers = index.query_many(seeking_keys, limit=rules.compared + 1)
    needed = [rules.needed(count) for count in answers.keys.tolist()]
    both = {
        (min(query, other), max(query, other))
        for query, other, hits in zip(answers.query.tolist(), answers.id.tolist(), answers.hits.tolist(), strict=True)
        if query != other and hits >= needed[query]
    }
    pairs = sorted(pair for pair in both if _are_near(core, *(queries[row].when for row in pair)))
    evidence = compared([(texts[low], texts[high]) for low, high in pairs], notices, content=core.making.by_content)
    return [
        pair_of(queries[high].content or 0, queries[low].content or 0, pair_evidence, core)
        for (low, high), pair_evidence in zip(pairs, evidence, strict=True)
        if pair_evidence.counts(rules)
    ]


def _are_near(core: Core, when: int, other: int) -> bool:
    span = core.making.rules.span
    return span is None or abs(when - other) <= span


__all__ = ["IncomingArticles", "incoming", "is_stored"]
