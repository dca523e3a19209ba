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

from dataclasses import dataclass
from typing import ClassVar

from whorl.fingerprints import Verdict
from whorl.fingerprints.info import Info


@dataclass(frozen=True)
class Content(Info):
    """The method ``content``. It also has the parameters of ``TermChoice``.

    Args:
        top: maximum number of keys of a text, 1 to 1000.
        shared: minimum number of common keys for a comparison, up to ``top``.
        least: minimum number of terms; a text with fewer has no keys.
        share: minimum share of the keys of an article that the other text has, in (0, 1].

    Raises:
        UsageError: a value is out of range.
        InputError: a dictionary or idf table cannot be read or does not fit.
    """

    top: int = 48
    shared: int = 3
    share: float = 0.05
    numbers: bool = True
    stem: str | None = "english"

    name: ClassVar[str] = "content"

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: the share ``share`` of the keys, and the share ``threshold`` copied or reworded."""
        return Verdict("keys", self.share, copied=threshold, content=True)
