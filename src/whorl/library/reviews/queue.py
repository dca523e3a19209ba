"""List all matches of a library with their decisions, without comparing or reading any text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product
from typing import NamedTuple

from whorl.library.clusters.decisions import decided, heeding
from whorl.library.core import Core
from whorl.library.ingest.documents import document_from
from whorl.library.ingest.reporting import ContentMatches
from whorl.library.search.finder import NOTHING
from whorl.library.search.listing import ExaminedText, RelatedContent, listed
from whorl.stores import Reader
from whorl.stores.records import DecisionRecord, DocumentBrief, Entry, PairRecord
from whorl.types.library import Document, Review, moment

_BLOCK = 500


class StoredMatch(NamedTuple):
    """A stored match of two documents, whatever was decided about it.

    Attributes:
        document: entry of one document.
        other: entry of the other document.
        this_in_other: share of the one that the other has, in [0, 1].
        other_in_this: share of the other that the one has, in [0, 1].
        kind: relation of the one to the other, as in a match.
        joins: whether their texts alone put both into one cluster.
    """

    document: DocumentBrief
    other: DocumentBrief
    this_in_other: float
    other_in_this: float
    kind: str
    joins: bool

    @property
    def pair(self) -> tuple[int, int]:
        """The lower and the higher number of the documents."""
        number, other = self.document.number, self.other.number
        return (number, other) if number < other else (other, number)


class ReviewMatch(NamedTuple):
    """A match with its current review state, for display.

    Attributes:
        document: one document, without its text.
        other: the other document, without its text.
        joins: whether both are in one cluster, by their texts or by decision.
        review: the decision in effect.
        decisions: decisions that were not taken back, oldest first.
    """

    document: Document
    other: Document
    joins: bool
    review: Review
    decisions: Sequence[DecisionRecord]


def matched(core: Core, reader: Reader, collection: str | None = None) -> tuple[list[StoredMatch], int]:
    """Return each match once, and how many are not listed because a document has too many.

    Args:
        core: the library.
        reader: read access to the store.
        collection: collection that at least one of the two documents belongs to; None for all matches.

    Cost: linear in matches and their documents, some microseconds each; more for documents with too many matches.
    """
    pairs = {(pair.low, pair.high): pair for pair in reader.all_pairs(collection)}
    repeated = reader.repeated(collection)
    members: dict[int, list[DocumentBrief]] = {content: [] for content in chain(*pairs, repeated)}
    for brief in reader.briefs(members):
        members[brief.content].append(brief)
    crowded = _crowded(core, pairs, members)
    matches = list(_uncrowded(core, pairs, members, crowded, collection))
    unlisted = 0
    if crowded:
        existing = {match.pair: match for match in matches}
        briefs = {brief.number: brief for documents in members.values() for brief in documents}
        members_in_scope = (
            brief.number for content in crowded for brief in members[content] if _is_of(brief, collection)
        )
        for numbers in _blocks(members_in_scope):
            entries = list(reader.numbered(numbers).values())
            for entry, (some, remaining) in zip(entries, _listed(core, reader, entries), strict=True):
                unlisted += remaining
                for related, other in some:
                    match = _kept(briefs[entry.number], briefs[other.number], related)
                    existing.setdefault(match.pair, match)
        matches = list(existing.values())
    return matches, unlisted


def review_matches(reader: Reader, matches: Sequence[StoredMatch]) -> list[ReviewMatch | None]:
    """Return the current display data of matches, in their order; None if a document was removed."""
    pairs = [match.pair for match in matches]
    entries = reader.numbered(chain(*pairs))
    joined = decided(reader, {decision.content for match in matches for decision in (match.document, match.other)})
    verdicts = reader.verdicts({low for low, _ in pairs})
    decisions = reader.decisions(pairs)
    shown_matches: list[ReviewMatch | None] = []
    for match, (low, high) in zip(matches, pairs, strict=True):
        if low not in entries or high not in entries:
            shown_matches.append(None)
            continue
        verdict = verdicts.get(low, {}).get(high)
        entry, other = entries[match.document.number], entries[match.other.number]
        shown_matches.append(
            ReviewMatch(
                document_from(entry, "", ()),
                document_from(other, "", ()),
                heeding(joined, entry.content, other.content, match.joins),
                Review() if verdict is None else Review(verdict.state, verdict.by, moment(verdict.at), verdict.note),
                [decision for decision in decisions.get((low, high), ()) if decision.undone_at is None],
            )
        )
    return shown_matches


def _crowded(
    core: Core, pairs: Iterable[tuple[int, int]], members: Mapping[int, Sequence[DocumentBrief]]
) -> dict[int, None]:
    """Return the contents whose documents may have more matches than are listed."""
    others = {content: len(documents) - 1 for content, documents in members.items()}
    for low, high in pairs:
        others[low] += len(members[high])
        others[high] += len(members[low])
    return {content: None for content, count in others.items() if count > core.making.rules.most}


def _uncrowded(
    core: Core,
    pairs: Mapping[tuple[int, int], PairRecord],
    members: Mapping[int, Sequence[DocumentBrief]],
    crowded: Mapping[int, None],
    collection: str | None,
) -> Iterator[StoredMatch]:
    """Return all matches of documents of contents that are not crowded."""
    span = core.making.rules.span
    for (low, high), pair in pairs.items():
        low_lists, high_lists = low not in crowded, high not in crowded
        for document, other in product(members[low], members[high]) if low_lists or high_lists else ():
            is_listed = (low_lists and _is_of(document, collection)) or (high_lists and _is_of(other, collection))
            if is_listed and (span is None or _gap(core, document, other) <= span):
                yield StoredMatch(document, other, pair.low_in_high, pair.high_in_low, pair.kind, pair.joins)
    for content, documents in members.items():
        if len(documents) < 2 or content in crowded:
            continue
        for document, other in combinations(sorted(documents), 2):
            is_listed = _is_of(document, collection) or _is_of(other, collection)
            if is_listed and (span is None or _gap(core, document, other) <= span):
                yield _kept(document, other, RelatedContent.same(content))


def _is_of(document: DocumentBrief, collection: str | None) -> bool:
    return collection is None or document.collection == collection


def _gap(core: Core, document: DocumentBrief, other: DocumentBrief) -> int:
    """Return the microseconds between two documents."""
    time, another = (core.clock(entry.published_at, entry.first_seen_at) for entry in (document, other))
    return abs(time - another)


def _kept(document: DocumentBrief, other: DocumentBrief, related: RelatedContent) -> StoredMatch:
    return StoredMatch(document, other, related.this_in_other, related.other_in_this, related.relation, related.joins)


def _listed(
    core: Core, reader: Reader, entries: Sequence[Entry]
) -> list[tuple[list[tuple[RelatedContent, Entry]], int]]:
    """Return the listed matches of documents, based on their texts."""
    contents = reader.contents({entry.content for entry in entries})
    pairs = reader.pairs(contents)
    related = {
        number: {
            related_content.content: related_content
            for related_content in ContentMatches(content, pairs.get(number, []), NOTHING).related()
        }
        for number, content in contents.items()
    }
    owns = [
        (ExaminedText("", core.when(entry), entry.number, entry.content), list(related[entry.content].values()))
        for entry in entries
    ]
    return [
        (
            [
                (related[entry.content][related_content.related.content], related_content.other)
                for related_content in some
            ],
            remaining,
        )
        for entry, (some, remaining) in zip(entries, listed(core, reader, owns), strict=True)
    ]


def _blocks(numbers: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(numbers)
    while block := list(islice(rest, _BLOCK)):
        yield block


__all__ = ["ReviewMatch", "StoredMatch", "matched", "review_matches"]
