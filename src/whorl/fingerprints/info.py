"""The heaviest words, one key each.

Is
    The text is cut into words by jieba; function words, numbers and single characters are dropped. The ``top`` words
    of the greatest weight, word count times rarity, are hashed to a key each. Texts that share ``shared`` keys are
    compared; a candidate is accepted by the share of its keys that the kept text has.

Survives
    What ``exact`` survives, another order of sentences, and any edit that leaves the words that matter: typing errors,
    rewritten sentences, added boilerplate.

Blind to
    Texts of fewer than ``least`` such words, which have no keys. Two texts about one event may share their heaviest
    words without being copies: demand an exact figure besides.

Cost
    That of cutting words, about 0.1 µs a character; ``top`` keys a document.

Source
    The information fingerprint of Chinese search engines: the top words by tf-idf, each hashed (Wu Jun: 数学之美, 2012,
    chapters on tf-idf and on information fingerprints). Weights: Spärck Jones: A statistical interpretation of term
    specificity, Journal of Documentation 28, 1972.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from whorl.fingerprints import Fingerprints, Verdict, keys
from whorl.text.terms import TermChoice

_MOST_TERMS = 1000


@dataclass(frozen=True)
class Info(TermChoice):
    """The family ``info``. Besides these, the parameters of ``TermChoice``.

    Args:
        top: keys a text at most, 1 to 1000.
        shared: how many keys two texts must share to be compared, up to ``top``.
        least: a text with fewer terms has no keys.

    Raises:
        UsageError: a value is out of range.
        InputError: a dictionary or idf table cannot be read or does not fit.
    """

    top: int = 10
    shared: int = 5
    least: int = 3

    name: ClassVar[str] = "info"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.demand_whole("top", 1, _MOST_TERMS)
        self.demand_whole("least", 1, _MOST_TERMS)
        self.demand_whole("shared", 1, self.top)

    @property
    def min_shared(self) -> int:
        """How many keys two texts must share."""
        return self.shared

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts; at most ``top`` keys each, heaviest first."""
        return Fingerprints.from_buffers(self.reader().info(texts, self.top, self.least))

    def similarity(self, a: str, b: str) -> float:
        """Return the share of the keys that both have; 0 for fewer than ``shared``, unless they are all there are."""
        keys_a, keys_b = keys(self, a), keys(self, b)
        if len(keys_a & keys_b) < min(self.shared, max(len(keys_a), 1), max(len(keys_b), 1)):
            return 0.0
        return len(keys_a & keys_b) / max(len(keys_a), len(keys_b))

    def verdict(self, threshold: float) -> Verdict:
        """At least ``threshold`` of the keys of the candidate are in the kept text."""
        return Verdict("keys", threshold, 5, 0)
