"""Judge hits with the whole corpus in view: what many documents have is a form or common stock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from whorl.inside.contamination.hits import Hit

FORM_DOCUMENTS = 2
"""From this many documents on that differ from an item in the same words, each in its own way, it is a form."""

STOCK_DOCUMENTS = 10
"""From this many documents on, a saying without a question is common stock."""

_SAYING = 125
"""Maximum length of a saying, in units of ``HitTrace``: 25 words or 62 Han characters."""


def judge(hits: Sequence[Hit], counted: Collection[str]) -> list[Hit]:
    """Return the hits with their final reasons, in order.

    Args:
        hits: all hits of a corpus.
        counted: the reasons that count as contamination.
    """
    forms, stock = _forms(hits), _stock(hits)
    return [hit.judged(_reason(hit, forms, stock), counted) for hit in hits]


def _reason(hit: Hit, forms: set[tuple[int, int]], stock: set[int]) -> str:
    if hit.reason == "edited" and (hit.trace.part, hit.trace.gaps) in forms:
        return "template"
    if hit.reason in ("verbatim", "edited") and hit.trace.part in stock and not hit.answer_found:
        return "quotation"
    return hit.reason


def _forms(hits: Sequence[Hit]) -> set[tuple[int, int]]:
    """Return the parts and gaps that documents fill differently."""
    fillers: dict[tuple[int, int], set[int]] = defaultdict(set)
    for hit in hits:
        if hit.reason == "edited":
            fillers[hit.trace.part, hit.trace.gaps].add(hit.trace.fillers)
    return {place for place, several in fillers.items() if len(several) >= FORM_DOCUMENTS}


def _stock(hits: Sequence[Hit]) -> set[int]:
    """Return the sayings that many documents have."""
    documents: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for hit in hits:
        if hit.reason in ("verbatim", "edited") and not hit.trace.asks and hit.trace.units <= _SAYING:
            documents[hit.trace.part].add((hit.file, hit.row))
    return {part for part, several in documents.items() if len(several) >= STOCK_DOCUMENTS}


__all__ = ["FORM_DOCUMENTS", "STOCK_DOCUMENTS", "judge"]
