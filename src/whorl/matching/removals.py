"""Removals judged by the passages that the texts share, and signs that a method does not suit a corpus.

A method says why it takes two texts for copies; passages say what was copied, whatever the method. Where the two
disagree often, or where one document stands for most of what was removed, people should look before they believe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from whorl.language import Message, say
from whorl.matching.compare import NOTABLE, compare_many

EXAMINED = 100
"""How many removals are compared at most, to tell whether a method suits a corpus."""

_CODE_POINTS = 4_000_000
_MANY = 5
_MANY_SHARE = 0.1
_GIANT = 20
_OF_REMOVALS, _OF_DOCUMENTS = 0.5, 0.05


@dataclass(frozen=True, slots=True)
class Caveat:
    """A sign that a method does not suit a corpus.

    Attributes:
        kind: "unbacked" removals of texts that have next to nothing from the one kept; "giant" one cluster that has
            most of what was removed, or a twentieth of all documents; "excess" more removals than there are copies;
            "forms", "versions" and "clauses" many related texts that are no copies.
        count: how many there are of them.
        of: of how many.
        message: one sentence for people.
    """

    kind: str
    count: int
    of: int
    message: Message

    def as_dict(self) -> dict[str, str | int]:
        """Return this, ready for JSON."""
        return {"kind": self.kind, "count": self.count, "of": self.of, "message": str(self.message)}


def copied_shares(pairs: Iterable[tuple[str, str]]) -> list[float]:
    """Return how much of each removed text lies in passages of the kept one; 1.0 for texts that fold to the same.

    Args:
        pairs: of each removal the text that was kept, and the text that was removed.

    Cost: a comparison a pair, in parallel.
    """
    return [1.0 if found.relation == "exact" else found.ratios.copied for found in compare_many(pairs)]


def within_reach(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the first pairs that can be compared at bounded cost: 100 of them, of four million code points in all."""
    left = _CODE_POINTS
    for kept, removed in islice(pairs, EXAMINED):
        length = len(kept) + len(removed)
        if length <= left:
            left -= length
            yield kept, removed


def caveats(shares: Sequence[float], largest: int, removed: int, documents: int) -> list[Caveat]:
    """Return what speaks against a method that removed documents from a corpus.

    Args:
        shares: of a sample of the removals that are no exact copies, how much of each is copied.
        largest: how many different texts were removed for one document, exact copies of it apart.
        removed: how many documents were removed.
        documents: how many there were.

    - *unbacked*: at least 5 removals, and more than a tenth of those compared, have less than a tenth of their text
      from the kept one.
    - *giant*: one document stands for more than 20 others, and these are more than half of all removals or more than
      a twentieth of all documents.
    """
    found = [_unbacked(shares), _giant(largest, removed, documents)]
    return [caveat for caveat in found if caveat is not None]


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
        "one document was kept for {largest:,} others that differ from it, of {removed:,} removed in all: "
        "see whether they are copies of it",
        largest=largest,
        removed=removed,
    )
    return Caveat("giant", largest, removed, message)


__all__ = ["EXAMINED", "Caveat", "caveats", "copied_shares", "within_reach"]
