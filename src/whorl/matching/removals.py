"""Plausibility of removals, by shared passages, and signs that a method does not fit a corpus.

A method explains by its own score why two texts are copies; passages show the copied text independently of the method.
If they often disagree, or if most removals are in favor of one document, people should inspect the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from whorl._internal.frozen import frozen
from whorl.i18n import Message, say
from whorl.matching.compare import NOTABLE, compare_many

EXAMINED = 100
"""Maximum number of removals to compare."""

_CODE_POINTS = 4_000_000
_MANY = 5
_MANY_SHARE = 0.1
_GIANT = 20
_OF_REMOVALS, _OF_DOCUMENTS = 0.5, 0.05


@frozen
class Caveat:
    """A sign that a method does not fit a corpus.

    Attributes:
        kind: "unbacked", removals of texts with hardly any text of the kept one; "giant", a cluster with most removals
            or a twentieth of all documents; "excess", more removals than there are copies; "forms", "versions" and
            "clauses", many related texts that are not copies.
        count: number of affected documents.
        of: number of examined documents.
        message: explanation in one sentence.
    """

    kind: str
    count: int
    of: int
    message: Message

    def as_dict(self) -> dict[str, str | int]:
        """Return the fields, ready for JSON."""
        return {"kind": self.kind, "count": self.count, "of": self.of, "message": str(self.message)}


def copied_shares(pairs: Iterable[tuple[str, str]]) -> list[float]:
    """Return the copied share of each removed text; 1.0 for exact duplicates.

    Args:
        pairs: kept and removed text of each removal.

    Cost: one comparison for each pair, in parallel.
    """
    return [1.0 if comparison.relation == "exact" else comparison.ratios.copied for comparison in compare_many(pairs)]


def within_reach(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the first pairs up to a bounded cost: 100 pairs, and four million code points in total."""
    budget = _CODE_POINTS
    for kept, removed in islice(pairs, EXAMINED):
        length = len(kept) + len(removed)
        if length <= budget:
            budget -= length
            yield kept, removed


def caveats(shares: Sequence[float], largest: int, removed: int, documents: int) -> list[Caveat]:
    """Return the caveats about the removals of a method.

    Args:
        shares: copied share of each removal in a sample, without exact duplicates.
        largest: maximum number of distinct texts removed in favor of one document, without exact duplicates.
        removed: number of removed documents.
        documents: number of all documents.

    - *unbacked*: at least 5 removals, and more than a tenth of the sample, have less than a tenth of their text in
      common with the kept text.
    - *giant*: more than 20 removals are in favor of one document, and these are more than half of all removals or more
      than a twentieth of all documents.
    """
    candidates = [_unbacked(shares), _giant(largest, removed, documents)]
    return [caveat for caveat in candidates if caveat is not None]


def _unbacked(shares: Sequence[float]) -> Caveat | None:
    count, of = sum(share < NOTABLE for share in shares), len(shares)
    if count < _MANY or count <= _MANY_SHARE * of:
        return None
    message = say(
        "{count:,} of {of:,} removals that were compared have less than a tenth of their text from the kept one: "
        "this method may not suit these texts",
        count=count,
        of=of,
    )
    return Caveat("unbacked", count, of, message)


def _giant(largest: int, removed: int, documents: int) -> Caveat | None:
    if largest <= _GIANT or (largest <= _OF_REMOVALS * removed and largest <= _OF_DOCUMENTS * documents):
        return None
    message = say(
        "{largest:,} of {removed:,} removals were in favor of one document with a different text: "
        "check whether they are copies of it",
        largest=largest,
        removed=removed,
    )
    return Caveat("giant", largest, removed, message)


__all__ = ["EXAMINED", "Caveat", "caveats", "copied_shares", "within_reach"]
