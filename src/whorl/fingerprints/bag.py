"""The same characters, each as often, in any order.

Is
    One hash of all folded characters with their numbers, whatever their order. Texts with equal hashes are copies. A
    text of fewer than ``min_length`` folded code points is known by its order too, since a short text can be turned
    into another by it: 甲胜乙, 乙胜甲.

Survives
    What ``exact`` survives, and sentences, paragraphs, words or characters in any other order.

Blind to
    Everything else: one changed character makes another text.

Cost
    One pass over the text, one key.

Source
    Described in Chinese articles on finding reprints: the same content has the same characters equally often. Adding
    up hashes is the multiset hash of Bellare, Micciancio: A new paradigm for collision-free hashing, EUROCRYPT 1997.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from whorl import _core
from whorl.errors import demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys


@dataclass(frozen=True)
class Bag:
    """The family ``bag``.

    Args:
        min_length: folded code points from which on the order does not matter, 1 to 10,000.

    Raises:
        UsageError: it is out of range.
    """

    min_length: int = 50

    name: ClassVar[str] = "bag"
    usual_threshold: ClassVar[float] = A_SIXTH
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        demand_whole(self, "min_length", 1, 10_000)

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts; one key each."""
        return Fingerprints.from_buffers(_core.bag(texts, self.min_length))

    def similarity(self, a: str, b: str) -> float:
        """Return 1.0 for texts of the same characters, 0.0 for others and for texts without features."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """Equal keys, and the share ``threshold`` of the article copied."""
        return Verdict("keys", 1.0, copied=threshold)
