"""The heaviest words, one key each.

Is
    The text is segmented into words by jieba; function words, numbers and single characters are dropped. The ``top``
    words of the greatest weight, word count times rarity, are hashed to a key each. Texts that share ``shared`` keys
    are compared. An article is a copy if the kept text has the share ``share`` of its keys, and it is copied from it.

Survives
    What ``exact`` survives, reordered sentences, and any edit that keeps the important words: typing errors, rewritten
    sentences, added boilerplate.

Blind to
    Texts of fewer than ``least`` such words, which have no keys. Two texts about one event may share their heaviest
    words without being copies; the copied share of passages decides.

Cost
    Word segmentation, about 0.1 µs a character; ``top`` keys a document.

Source
    The information fingerprint of Chinese search engines: the top words by tf-idf, each hashed (Wu Jun: 数学之美, 2012,
    chapters on tf-idf and on information fingerprints). Weights: Spärck Jones: A statistical interpretation of term
    specificity, Journal of Documentation 28, 1972.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl._internal.frozen import frozen
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, keys
from whorl.text.terms import HeaviestTerms


@frozen(slots=False)
class Info(HeaviestTerms):
    """The method ``info``. It has the parameters of ``HeaviestTerms`` and ``TermChoice``."""

    top: int = 10
    shared: int = 5
    least: int = 3
    share: float = 0.8

    name: ClassVar[str] = "info"
    usual_threshold: ClassVar[float] = A_SIXTH

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; at most ``top`` keys each, heaviest first."""
        return Fingerprints.from_buffers(self.reader().info(texts, self.top, self.least))

    def similarity(self, a: str, b: str) -> float:
        """Return the share of common keys; 0 for fewer than ``shared``, unless the texts have no other keys."""
        keys_a, keys_b = keys(self, a), keys(self, b)
        if len(keys_a & keys_b) < min(self.shared, max(len(keys_a), 1), max(len(keys_b), 1)):
            return 0.0
        return len(keys_a & keys_b) / max(len(keys_a), len(keys_b))

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: the share ``share`` of the keys in the kept text, and a copied share of ``threshold``."""
        return Verdict("keys", self.share, copied=threshold)
