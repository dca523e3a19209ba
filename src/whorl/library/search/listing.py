"""List the matches of a document from the pairs of its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import maxsize
from typing import NamedTuple

from whorl.library.clusters.decisions import decided, heeding
from whorl.library.core import Core
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.compilations import COMPILATION
from whorl.library.search.evidence import Evidence, compared
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Entry, PairRecord, ReviewRecord
from whorl.types.library import MAX_MATCH_TITLE, Match, Review, moment


class RelatedContent(NamedTuple):
    """A content that shares text with the content under examination.

    Attributes:
        content: its number.
        similarity: Jaccard similarity, in [0, 1].
        this_in_other: copied share of the examined content.
        other_in_this: its copied share.
        relation: relation of the two.
        joins: whether both are in one cluster.
    """

    content: int
    similarity: float
    this_in_other: float
    other_in_this: float
    relation: str
    joins: bool

    @classmethod
    def by(cls, pair: PairRecord, content: int) -> RelatedContent:
        """Return the other content of a pair."""
        if content == pair.high:
            return cls(pair.low, pair.similarity, pair.high_in_low, pair.low_in_high, pair.kind, pair.joins)
        return cls(pair.high, pair.similarity, pair.low_in_high, pair.high_in_low, pair.kind, pair.joins)

    @classmethod
    def from_evidence(cls, content: int, evidence: Evidence, core: Core) -> RelatedContent:
        """Return a newly found content, as text a of the evidence."""
        of_other, of_examined = evidence.copied
        shares = (evidence.similarity, of_examined, of_other)
        return cls(content, *shares, evidence.relation, evidence.joins(core.making.rules))

    @classmethod
    def same(cls, content: int) -> RelatedContent:
        """Return the examined content itself, for other documents with the same text."""
        return cls(content, 1.0, 1.0, 1.0, "exact", True)

    @property
    def direction(self) -> str | None:
        """Return which one derives from the other, as far as shares show: "b" is the examined content, "a" this one."""
        if self.relation == COMPILATION:
            return "b" if self.other_in_this >= self.this_in_other else "a"
        if self.relation != "excerpt":
            return None
        return "b" if self.this_in_other >= self.other_in_this else "a"

    def order(self) -> tuple[float, float, int]:
        """Sort key, best first: the largest share, then the similarity, then the oldest."""
        return (-max(self.similarity, self.this_in_other, self.other_in_this), -self.similarity, self.content)


class ListedMatch(NamedTuple):
    """A match whose passages have not been computed yet.

    Attributes:
        related: its figures.
        other: the other document.
        verdict: decision about it, or None.
    """

    related: RelatedContent
    other: Entry
    verdict: ReviewRecord | None

    def match(self, core: Core, evidence: Evidence | None) -> Match:
        """Return the match with its passages."""
        decided, related = self.verdict, self.related
        # The two texts alone do not show that one of them is a compilation.
        text_evidence = None if related.relation == COMPILATION else evidence
        review = Review() if decided is None else Review(decided.state, decided.by, moment(decided.at), decided.note)
        return Match(
            id=self.other.id,
            title=self.other.title and self.other.title[:MAX_MATCH_TITLE],
            similarity=self.related.similarity,
            this_in_other=self.related.this_in_other,
            other_in_this=self.related.other_in_this,
            relation=related.relation if text_evidence is None else text_evidence.relation,
            direction=related.direction if text_evidence is None else text_evidence.direction,
            changes=None if evidence is None else evidence.changes,
            passages=() if evidence is None else evidence.passages,
            joins=self.related.joins,
            review=review,
            recipe=core.making.name,
            same_content=0.0 if evidence is None else evidence.same_content,
        )


class ExaminedText(NamedTuple):
    """The text whose matches are listed.

    Attributes:
        text: the text.
        when: its time that the window applies to.
        number: number of its document; None for a text that is not stored.
        content: content of its document; None for a text that is not stored.
        is_new: whether it was not stored before, so that there are no decisions about it.
    """

    text: str
    when: int
    number: int | None = None
    content: int | None = None
    is_new: bool = False


def members_to_list(core: Core, collection: str | None = None) -> int | None:
    """Return how many documents of each related content are read to list the matches of a text; None for all."""
    is_selective = core.making.rules.span is not None or collection is not None
    return None if is_selective else core.making.rules.most + 2


def listed(
    core: Core,
    reader: Reader,
    owns: Sequence[tuple[ExaminedText, Sequence[RelatedContent]]],
    collection: str | None = None,
    *,
    are_all: bool = False,
) -> list[tuple[list[ListedMatch], int]]:
    """Return for each text the documents of related contents, best first, older first, and the number left out.

    With ``collection``, only documents of this collection. With ``are_all``, which requires ``collection``, none are
    left out.
    """
    limit = members_to_list(core, collection)
    members = reader.members(
        {related_content.content for _, related in owns for related_content in related}, limit, collection
    )
    sizes = {content: len(documents) for content, documents in members.items()}
    if limit is not None:
        contents = reader.contents(content for content, size in sizes.items() if size == limit)
        sizes |= {number: content.members for number, content in contents.items()}
    kept = [
        examined.number for examined, related in owns if related and examined.number is not None and not examined.is_new
    ]
    verdicts = reader.verdicts(kept)
    decisions = decided(
        reader, {examined.content for examined, related in owns if related and examined.content is not None}
    )
    return [
        _listed(
            core,
            examined,
            _heeding(decisions, examined, related),
            members,
            None if limit is None else sizes,
            verdicts.get(examined.number or 0, {}),
            maxsize if are_all else core.making.rules.most,
        )
        for examined, related in owns
    ]


def _heeding(
    decisions: Mapping[tuple[int, int], bool], examined: ExaminedText, related: Sequence[RelatedContent]
) -> Sequence[RelatedContent]:
    """Return the related contents, with ``joins`` according to decisions."""
    if not decisions:
        return related
    return [
        content._replace(joins=heeding(decisions, examined.content, content.content, content.joins))
        for content in related
    ]


def _listed(
    core: Core,
    examined: ExaminedText,
    related: Sequence[RelatedContent],
    members: Mapping[int, Sequence[Entry]],
    sizes: Mapping[int, int] | None,
    verdicts: Mapping[int, ReviewRecord],
    limit: int,
) -> tuple[list[ListedMatch], int]:
    results: list[tuple[RelatedContent, Entry]] = []
    remaining = 0
    for content in sorted(related, key=RelatedContent.order):
        room = limit - len(results)
        others = [
            entry
            for entry in members.get(content.content, ())
            if entry.number != examined.number and core.near(entry, examined.when)
        ]
        results += [(content, entry) for entry in others[:room]]
        if len(others) > room:
            all_of_them = (
                len(others) if sizes is None else sizes[content.content] - (content.content == examined.content)
            )
            remaining += all_of_them - room
    return [ListedMatch(content, entry, verdicts.get(entry.number)) for content, entry in results], remaining


class PendingMatches(NamedTuple):
    """Listed documents of some texts, with all data needed to build their matches.

    Attributes:
        owns: texts with their listed documents.
        evidence: earlier comparisons, by text and number of the other document.
        texts: texts of the documents that were not compared, by number.
        notices: learned boilerplate.
    """

    owns: Sequence[tuple[ExaminedText, list[ListedMatch]]]
    evidence: Mapping[tuple[str, int], Evidence]
    texts: Mapping[int, str]
    notices: Notices

    @classmethod
    def read(
        cls,
        core: Core,
        reader: Reader,
        owns: Sequence[tuple[ExaminedText, list[ListedMatch]]],
        existing: Mapping[tuple[str, int], Evidence],
    ) -> PendingMatches:
        """Read the data from the store."""
        if not core.making.rules.texts:
            return cls(owns, existing, {}, Notices())
        numbers = {
            listed_match.other.number
            for examined, listed_matches in owns
            for listed_match in listed_matches
            if (examined.text, listed_match.other.number) not in existing
        }
        return cls(owns, existing, unpacked(reader.texts(numbers)), core.notices.common(reader))

    def matches(self, core: Core) -> list[tuple[Match, ...]]:
        """Return the matches of each text with their passages, all compared together; reads nothing."""
        if not core.making.rules.texts:
            return [
                tuple(listed_match.match(core, None) for listed_match in listed_matches)
                for _, listed_matches in self.owns
            ]
        uncompared = [
            (examined.text, listed_match.other.number)
            for examined, listed_matches in self.owns
            for listed_match in listed_matches
            if (examined.text, listed_match.other.number) not in self.evidence
        ]
        pairs = [(self.texts.get(number, ""), text) for text, number in uncompared]
        missing = compared(pairs, self.notices, content=core.making.by_content)
        evidence = {**self.evidence, **dict(zip(uncompared, missing, strict=True))}
        return [
            tuple(
                listed_match.match(core, evidence[examined.text, listed_match.other.number])
                for listed_match in listed_matches
            )
            for examined, listed_matches in self.owns
        ]


def matches(
    core: Core,
    reader: Reader,
    owns: Sequence[tuple[ExaminedText, list[ListedMatch]]],
    existing: Mapping[tuple[str, int], Evidence],
) -> list[tuple[Match, ...]]:
    """Return the listed documents of each text as matches with their passages, all compared together.

    Args:
        core: the library.
        reader: read access to the store.
        owns: texts with their listed documents.
        existing: earlier comparisons, by text and number of the other document.
    """
    return PendingMatches.read(core, reader, owns, existing).matches(core)


__all__ = [
    "ExaminedText",
    "ListedMatch",
    "PendingMatches",
    "RelatedContent",
    "listed",
    "matches",
    "members_to_list",
]
