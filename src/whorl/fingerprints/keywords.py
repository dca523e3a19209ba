"""The set of the heaviest words as one key.

Is
    The ``top`` words of the greatest weight, word count times rarity, as in ``info``; their sorted hashes are hashed to
    a single key. Two texts with the same set of keywords are copies.

Survives
    What ``exact`` survives, reordered words and sentences, and every edit that does not change which words are the
    heaviest.

Blind to
    An edit that changes the set of the heaviest words, and texts of fewer than ``least`` such words, which have no key.
    Texts about one event may have the same keywords without being copies: add an exact verification.

Cost
    Word segmentation, about 0.1 µs a character; one key.

Source
    Keyword signatures of early copy detectors; compare ``imatch``, which uses all words of medium rarity.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl._internal.frozen import frozen
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, keys
from whorl.text.terms import TermChoice

_MOST_TERMS = 1000


@frozen(slots=False)
class Keywords(TermChoice):
    """The method ``keywords``. It also has the parameters of ``TermChoice``.

    Args:
        top: number of words in the set, 1 to 1000.
        least: minimum number of terms; a text with fewer has no key.

    Raises:
        UsageError: a value is out of range.
        InputError: a dictionary or idf table cannot be read or does not fit.
    """

    top: int = 6
    least: int = 3

    name: ClassVar[str] = "keywords"
    usual_threshold: ClassVar[float] = A_SIXTH
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.demand_whole("top", 1, _MOST_TERMS)
        self.demand_whole("least", 1, _MOST_TERMS)

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; one key each."""
        return Fingerprints.from_buffers(self.reader().keywords(texts, self.top, self.least))

    def similarity(self, a: str, b: str) -> float:
        """Return 1.0 for texts with the same keywords, otherwise 0.0; 0.0 for texts without a key."""
        return 1.0 if keys(self, a) & keys(self, b) else 0.0

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: equal keywords, and a copied share of ``threshold``."""
        return Verdict("keys", 1.0, copied=threshold)
