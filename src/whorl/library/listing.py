"""List the matches of a document from the pairs of its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import maxsize
from typing import NamedTuple

from whorl.library.compilations import COMPILATION
from whorl.library.core import Core
from whorl.library.evidence import Evidence, compared
from whorl.library.model import Match, Review, moment
from whorl.library.packing import unpacked
from whorl.library.verdicts import decided, heeding
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Entry, Pair, ReviewRecord


class RelatedContent(NamedTuple):
    """A content that shares text with the content under examination.

    Attributes:
        content: its number.
        similarity: Jaccard similarity, in [0, 1].
        this_in_other: share of the examined content that it has.
        other_in_this: share of it that the examined content has.
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
    def by(cls, pair: Pair, content: int) -> RelatedContent:
        """Return the other content of a pair."""
        if content == pair.high:
            return cls(pair.low, pair.similarity, pair.high_in_low, pair.low_in_high, pair.kind, pair.joins)
        return cls(pair.high, pair.similarity, pair.low_in_high, pair.high_in_low, pair.kind, pair.joins)

    @classmethod
    def found(cls, content: int, evidence: Evidence, core: Core) -> RelatedContent:
        """Return a newly found content, as text a of the evidence."""
        shares = (evidence.similarity, evidence.b_in_a, evidence.a_in_b)
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
        told = None if related.relation == COMPILATION else evidence
        review = Review() if decided is None else Review(decided.state, decided.by, moment(decided.at), decided.note)
        return Match(
            id=self.other.id,
            title=self.other.title,
            similarity=self.related.similarity,
            this_in_other=self.related.this_in_other,
            other_in_this=self.related.other_in_this,
            relation=related.relation if told is None else told.relation,
            direction=related.direction if told is None else told.direction,
            changes=None if evidence is None else evidence.changes,
            passages=() if evidence is None else evidence.passages,
            joins=self.related.joins,
            review=review,
            recipe=core.making.name,
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


def listed(
    core: Core,
    reader: Reader,
    owns: Sequence[tuple[ExaminedText, Sequence[RelatedContent]]],
    among: str | None = None,
    *,
    are_all: bool = False,
) -> list[tuple[list[ListedMatch], int]]:
    """Return for each text the documents of related contents, best first, older first, and the number left out.

    With ``among``, only documents of this collection. With ``are_all``, which requires ``among``, none are left out.
    """
    most = None if core.making.rules.span is not None or among is not None else core.making.rules.most + 2
    members = reader.members({one.content for _, related in owns for one in related}, most, among)
    sizes = {content: len(documents) for content, documents in members.items()}
    if most is not None:
        contents = reader.contents(content for content, size in sizes.items() if size == most)
        sizes |= {number: content.members for number, content in contents.items()}
    kept = [own.number for own, related in owns if related and own.number is not None and not own.is_new]
    verdicts = reader.verdicts(kept)
    told = decided(reader, {own.content for own, related in owns if related and own.content is not None})
    return [
        _listed(
            core,
            own,
            _heeding(told, own, related),
            members,
            None if most is None else sizes,
            verdicts.get(own.number or 0, {}),
            maxsize if are_all else core.making.rules.most,
        )
        for own, related in owns
    ]


def _heeding(
    told: Mapping[tuple[int, int], bool], own: ExaminedText, related: Sequence[RelatedContent]
) -> Sequence[RelatedContent]:
    """Return the related contents, with ``joins`` according to decisions."""
    if not told:
        return related
    return [one._replace(joins=heeding(told, own.content, one.content, one.joins)) for one in related]


def _listed(
    core: Core,
    own: ExaminedText,
    related: Sequence[RelatedContent],
    members: Mapping[int, Sequence[Entry]],
    sizes: Mapping[int, int] | None,
    verdicts: Mapping[int, ReviewRecord],
    most: int,
) -> tuple[list[ListedMatch], int]:
    found: list[tuple[RelatedContent, Entry]] = []
    left = 0
    for one in sorted(related, key=RelatedContent.order):
        room = most - len(found)
        others = [
            entry for entry in members.get(one.content, ()) if entry.number != own.number and core.near(entry, own.when)
        ]
        found += [(one, entry) for entry in others[:room]]
        if len(others) > room:
            all_of_them = len(others) if sizes is None else sizes[one.content] - (one.content == own.content)
            left += all_of_them - room
    return [ListedMatch(one, entry, verdicts.get(entry.number)) for one, entry in found], left


class PendingMatches(NamedTuple):
    """Listed documents of some texts, with all data needed to build their matches.

    Attributes:
        owns: texts with their listed documents.
        known: earlier comparisons, by text and number of the other document.
        texts: texts of the documents that were not compared, by number.
        notices: learned boilerplate.
    """

    owns: Sequence[tuple[ExaminedText, list[ListedMatch]]]
    known: Mapping[tuple[str, int], Evidence]
    texts: Mapping[int, str]
    notices: Notices

    @classmethod
    def read(
        cls,
        core: Core,
        reader: Reader,
        owns: Sequence[tuple[ExaminedText, list[ListedMatch]]],
        known: Mapping[tuple[str, int], Evidence],
    ) -> PendingMatches:
        """Read the data from the store."""
        if not core.making.rules.texts:
            return cls(owns, known, {}, Notices())
        numbers = {
            one.other.number for own, found in owns for one in found if (own.text, one.other.number) not in known
        }
        return cls(owns, known, unpacked(reader.texts(numbers)), core.notices.known(reader))

    def matches(self, core: Core) -> list[tuple[Match, ...]]:
        """Return the matches of each text with their passages, all compared together; reads nothing."""
        if not core.making.rules.texts:
            return [tuple(one.match(core, None) for one in found) for _, found in self.owns]
        wanted = [
            (own.text, one.other.number)
            for own, found in self.owns
            for one in found
            if (own.text, one.other.number) not in self.known
        ]
        pairs = [(self.texts.get(number, ""), text) for text, number in wanted]
        evidence = {**self.known, **dict(zip(wanted, compared(pairs, self.notices), strict=True))}
        return [
            tuple(one.match(core, evidence[own.text, one.other.number]) for one in found) for own, found in self.owns
        ]


def matches(
    core: Core,
    reader: Reader,
    owns: Sequence[tuple[ExaminedText, list[ListedMatch]]],
    known: Mapping[tuple[str, int], Evidence],
) -> list[tuple[Match, ...]]:
    """Return the listed documents of each text as matches with their passages, all compared together.

    Args:
        core: the library.
        reader: read access to the store.
        owns: texts with their listed documents.
        known: earlier comparisons, by text and number of the other document.
    """
    return PendingMatches.read(core, reader, owns, known).matches(core)


__all__ = ["ExaminedText", "ListedMatch", "PendingMatches", "RelatedContent", "listed", "matches"]
