"""Judge hits with the whole corpus in view: what many documents have is a form or common stock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Self

from whorl._internal.frozen import frozen
from whorl.inside.contamination.hits import Hit

FORM_DOCUMENTS = 2
"""From this many documents on that differ from an item in the same words, each in its own way, it is a form."""

STOCK_DOCUMENTS = 10
"""From this many documents on, a saying without a question is common stock."""

_SAYING = 125
"""Maximum length of a saying, in units of ``HitTrace``: 25 words or 62 Han characters."""


@frozen
class Judgment:
    """What all documents of a corpus say about the items.

    Attributes:
        forms: the parts and gaps that documents fill differently.
        stock: the parts that are sayings of many documents.
    """

    forms: frozenset[tuple[int, int]]
    stock: frozenset[int]

    @classmethod
    def of(cls, hits: Iterable[Hit]) -> Self:
        """Return the judgment by all hits of a corpus."""
        fillers: dict[tuple[int, int], set[int]] = defaultdict(set)
        documents: dict[int, set[tuple[str, int]]] = defaultdict(set)
        for hit in hits:
            if hit.reason == "edited":
                fillers[hit.trace.part, hit.trace.gaps].add(hit.trace.fillers)
            if hit.reason in ("verbatim", "edited") and not hit.trace.asks and hit.trace.units <= _SAYING:
                documents[hit.trace.part].add((hit.file, hit.row))
        return cls(
            frozenset(place for place, several in fillers.items() if len(several) >= FORM_DOCUMENTS),
            frozenset(part for part, several in documents.items() if len(several) >= STOCK_DOCUMENTS),
        )

    def judged(self, hits: Sequence[Hit], counted: Collection[str]) -> list[Hit]:
        """Return hits with their final reasons, in order; ``counted`` are the reasons that count as contamination."""
        return [hit.judged(self._reason(hit), counted) for hit in hits]

    def _reason(self, hit: Hit) -> str:
        if hit.reason == "edited" and (hit.trace.part, hit.trace.gaps) in self.forms:
            return "template"
        if hit.reason in ("verbatim", "edited") and hit.trace.part in self.stock and not hit.answer_found:
            return "quotation"
        return hit.reason


__all__ = ["FORM_DOCUMENTS", "STOCK_DOCUMENTS", "Judgment"]
