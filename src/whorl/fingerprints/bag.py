"""The same characters with the same counts, in any order.

Is
    One hash of all folded characters with their counts, independent of their order. Texts with equal hashes are
    copies. For a text of fewer than ``min_length`` folded code points the hash includes the order, because reordering
    can change the meaning of a short text: 甲胜乙, 乙胜甲.

Survives
    What ``exact`` survives, and sentences, paragraphs, words or characters in any other order.

Blind to
    Everything else: one changed character gives another hash.

Cost
    One pass over the text, one key.

Source
    Described in Chinese articles on finding reprints: the same content has the same characters equally often. Adding
    up hashes is the multiset hash of Bellare, Micciancio: A new paradigm for collision-free hashing, EUROCRYPT 1997.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys


@frozen(slots=False)
class Bag:
    """The method ``bag``.

    Args:
        min_length: length in folded code points from which the order is ignored, 1 to 10,000.

    Raises:
        UsageError: ``min_length`` is out of range.
    """

    min_length: int = 50

    name: ClassVar[str] = "bag"
    usual_threshold: ClassVar[float] = A_SIXTH
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        demand_whole(self, "min_length", 1, 10_000)

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; one key each."""
        return Fingerprints.from_buffers(_core.bag(texts, self.min_length))

    def similarity(self, a: str, b: str) -> float:
        """Return 1.0 for texts of the same characters, otherwise 0.0; 0.0 for texts without features."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: equal keys, and a copied share of ``threshold``."""
        return Verdict("keys", 1.0, copied=threshold)
