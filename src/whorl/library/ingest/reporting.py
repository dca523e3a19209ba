"""Reports on added documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whorl._internal.frozen import frozen
from whorl.library.core import Core
from whorl.library.ingest.placing import NEW, REVISED, UNCHANGED, PlacedDocument
from whorl.library.search.evidence import Evidence
from whorl.library.search.finder import LookupResult
from whorl.library.search.listing import ExaminedText, PendingMatches, RelatedContent, listed
from whorl.matching.boilerplate import Notices
from whorl.stores import Reader
from whorl.stores.records import Content, PairRecord
from whorl.types.library import AddCounts, Match, Report


class ContentMatches(NamedTuple):
    """The content of a document.

    Attributes:
        content: its row.
        pairs: its matches.
        looked: its lookup result.
    """

    content: Content
    pairs: Sequence[PairRecord]
    looked: LookupResult

    def is_related(self) -> bool:
        """Return True if ``related`` is not empty."""
        return self.content.members > 1 or bool(self.pairs)

    def related(self) -> list[RelatedContent]:
        """Return the contents related to a document with this content."""
        number = self.content.number
        same = [RelatedContent.same(number)] if self.content.members > 1 else []
        return same + [RelatedContent.by(pair, number) for pair in self.pairs]


@frozen(eq=False)
class PendingReports:
    """Data for the reports on added documents, already read, so that reports are made without the write lock.

    Attributes:
        placed: the documents.
        matched: whether each has a match.
        content_matches: content of each.
        unlisted: number of related documents of each that are not listed.
        unmatched: data for the matches; empty if documents are only counted.
    """

    placed: Sequence[PlacedDocument]
    matched: Sequence[bool]
    content_matches: Sequence[ContentMatches]
    unlisted: Sequence[int]
    unmatched: PendingMatches

    @classmethod
    def counted(cls, placed: Sequence[PlacedDocument], matches_of: Mapping[int, ContentMatches]) -> PendingReports:
        """Return the data for counts only, without reading anything.

        Without a window every related content has documents; with a window they have to be looked up.
        """
        of_each = [matches_of[placed_document.entry.content] for placed_document in placed]
        return cls(
            placed,
            [placed_document.is_related() for placed_document in of_each],
            of_each,
            (),
            PendingMatches((), {}, {}, Notices()),
        )

    @classmethod
    def read(
        cls,
        core: Core,
        reader: Reader,
        placed: Sequence[PlacedDocument],
        matches_of: Mapping[int, ContentMatches],
        compared_before: Mapping[tuple[str, int], Evidence],
    ) -> PendingReports:
        """Read the data from the store.

        Args:
            core: the library.
            reader: read access to the store.
            placed: the documents.
            matches_of: content of each document, by its number.
            compared_before: earlier comparisons, by text and number of the other document.
        """
        owns = [
            ExaminedText(
                content_matches.document.text,
                core.when(content_matches.entry),
                content_matches.entry.number,
                content_matches.entry.content,
                content_matches.state == NEW,
            )
            for content_matches in placed
        ]
        of_each = [matches_of[content_matches.entry.content] for content_matches in placed]
        lists = listed(
            core,
            reader,
            [
                (listed_matches, content_matches.related())
                for listed_matches, content_matches in zip(owns, of_each, strict=True)
            ],
        )
        some = [(listed_matches, documents) for listed_matches, (documents, _) in zip(owns, lists, strict=True)]
        unmatched = PendingMatches.read(core, reader, some, compared_before)
        return cls(
            placed,
            [bool(listed_matches) for listed_matches, _ in lists],
            of_each,
            [remaining for _, remaining in lists],
            unmatched,
        )

    def tally(self) -> AddCounts:
        """Count the documents by state."""
        states = Counter(placed_document.state for placed_document in self.placed)
        return AddCounts(states[NEW], states[UNCHANGED], states[REVISED], sum(self.matched))

    def reports(self, core: Core) -> list[Report]:
        """Return the reports of the documents, in their order."""
        columns = zip(self.placed, self.content_matches, self.unmatched.matches(core), self.unlisted, strict=True)
        return [_report(*row) for row in columns]


def _report(
    placed_document: PlacedDocument, content_matches: ContentMatches, own_matches: tuple[Match, ...], remaining: int
) -> Report:
    return Report(
        id=placed_document.entry.id,
        state=placed_document.state,
        revision=placed_document.entry.revision,
        cluster_id=content_matches.content.cluster,
        matches=own_matches,
        keys=content_matches.looked.keys,
        cut=content_matches.looked.cut,
        unlisted=content_matches.looked.unlisted + remaining,
    )


__all__ = ["ContentMatches", "PendingReports"]
