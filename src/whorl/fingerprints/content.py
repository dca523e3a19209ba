"""The rarest words, names and numbers, to find rewritten articles.

Is
    The text is segmented into words by jieba; function words and single characters are dropped, English words are
    stemmed, and numbers count as words. The ``top`` words of the greatest weight, word count times rarity, are hashed
    to a key each. Texts that share ``shared`` keys are compared: by their passages, and by their content if they have
    hardly a passage in common. Documents with the same content are linked with the relation ``reworded``. They are
    never removed for it: an article is only removed if the share ``threshold`` of it is copied.

Survives
    What ``info`` survives, and rewriting of every sentence that keeps the names, numbers and subject words of an
    article.

Blind to
    Texts of fewer than ``least`` such words, which have no keys. Rewrites that drop the numbers and names; retellings
    from memory. Texts with fewer than three numbers or names in common are compared by their passages only. Two
    reports of one event with the same facts, written independently, are linked as well.

Cost
    Word segmentation, about 0.1 µs a character; ``top`` keys a document. On 61,000 articles of news, five candidates
    an article.

Source
    Candidates by rare terms: Hoad, Zobel: Methods for identifying versioned and plagiarised documents, JASIST 54,
    2003. Weights: Spärck Jones: A statistical interpretation of term specificity, Journal of Documentation 28, 1972.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl._internal.frozen import frozen
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys
from whorl.text.terms import HeaviestTerms


@frozen(slots=False)
class Content(HeaviestTerms):
    """The method ``content``. It has the parameters of ``HeaviestTerms`` and ``TermChoice``."""

    top: int = 48
    shared: int = 3
    least: int = 3
    share: float = 0.05
    numbers: bool = True
    stem: str | None = "english"

    name: ClassVar[str] = "content"
    usual_threshold: ClassVar[float] = A_SIXTH

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; at most ``top`` keys each, heaviest first."""
        return Fingerprints.from_buffers(self.reader().info(texts, self.top, self.least))

    def similarity(self, a: str, b: str) -> float:
        """Return the Jaccard similarity of the keys."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: the share ``share`` of the keys, and the share ``threshold`` copied or reworded."""
        return Verdict("keys", self.share, copied=threshold, content=True)
