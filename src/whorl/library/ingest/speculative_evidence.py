"""Comparisons of a batch that were made before the write lock was held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.library.search.evidence import Evidence
from whorl.library.search.finder import CandidateContent, CopyQuery, judged
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import Notices

if TYPE_CHECKING:
    from whorl.library.core import Core
    from whorl.stores import Reader
    from whorl.stores.records import Entry

Witness = tuple[int, int]
"""Number and revision of a document: the identity of its text."""


@frozen(eq=False)
class SpeculativeEvidence:
    """Evidence between texts and the documents that were stored when they began to wait.

    Attributes:
        evidence: by text, and number and revision of the document.
        texts: texts of these documents, by number and revision.
        notices: the boilerplate that was excluded.
    """

    evidence: Mapping[tuple[str, int, int], Evidence] = field(default_factory=dict)
    texts: Mapping[Witness, str] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    def judged(
        self,
        core: Core,
        reader: Reader,
        questions: Sequence[tuple[CopyQuery, CandidateContent]],
        keys: TextKeys,
        notices: Notices,
    ) -> list[Evidence]:
        """Return what `whorl.library.search.finder.judged` returns, comparing only pairs that were not foreseen."""
        foreseen = self._under(notices)
        evidence = {
            place: foreseen[key]
            for place, (query, candidate) in enumerate(questions)
            if (key := (query.text, *witness_of(candidate.witness))) in foreseen
        }
        remaining = [place for place in range(len(questions)) if place not in evidence]
        if remaining:
            fresh_evidence = judged(core, reader, [questions[place] for place in remaining], keys, notices)
            evidence |= dict(zip(remaining, fresh_evidence, strict=True))
        return [evidence[place] for place in range(len(questions))]

    def _under(self, notices: Notices) -> Mapping[tuple[str, int, int], Evidence]:
        """Return the evidence that other boilerplate does not affect: the texts contain none of the difference."""
        if not self.evidence or notices is self.notices:
            return self.evidence
        other = (notices - self.notices) | (self.notices - notices)
        if not other:
            return self.evidence
        texts = list({*self.texts.values(), *(text for text, _, _ in self.evidence)})
        having = {text for text, spans in zip(texts, other.spans(texts), strict=True) if spans}
        return {
            (text, number, revision): pair_evidence
            for (text, number, revision), pair_evidence in self.evidence.items()
            if text not in having and self.texts[number, revision] not in having
        }


def witness_of(entry: Entry) -> Witness:
    """Return the identity of the text of a document: its number and revision."""
    return entry.number, entry.revision


__all__ = ["SpeculativeEvidence", "Witness", "witness_of"]
