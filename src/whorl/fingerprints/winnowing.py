"""Excerpts, mixes and near-duplicates alike, by chosen k-grams of the folded text.

Is
    The hash of every ``k`` consecutive folded code points is computed, and of every ``window`` consecutive hashes the
    lowest is a key. Any run of at least ``window + k - 1`` folded code points that two texts share gives them a common
    key, wherever it stands. A candidate is accepted by its exact containment: the share of the shingles of the article
    that may be dropped which the kept article has too; or, with ``measure = "jaccard"``, by their Jaccard similarity.

Survives
    What ``exact`` survives; cutting, embedding in another article, blocks in another order, additions anywhere.

Blind to
    Changes that leave no run of ``window + k - 1`` code points whole.

Cost
    About thirteen nanoseconds a code point, four of them for the keys once it is folded; about 2n / (window + 1) keys
    for n code points, so several times the disk and memory of ``minhash``.

Source
    Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003. Containment:
    Broder: On the resemblance and containment of documents, SEQUENCES 1997.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from whorl import _core
from whorl.errors import UsageError, demand_whole
from whorl.fingerprints import CODE_POINTS, SHINGLES, Fingerprints, Verdict, keys

_MEASURES = ("containment", "jaccard")
_UNITS = (SHINGLES, CODE_POINTS)
_LARGEST = 1024


@dataclass(frozen=True)
class Winnowing:
    """The family ``winnowing``.

    Args:
        k: folded code points a k-gram, 1 to 1024.
        window: k-grams a window, 1 to 1024.
        hits: how many keys two texts must share to be compared, 1 to 1024; the guarantee holds for 1.
        measure: "containment" or "jaccard".
        shingle: tokens a shingle of the exact figure, 1 to 1024.

    Raises:
        UsageError: a value is out of range.
    """

    k: int = 16
    window: int = 17
    hits: int = 1
    measure: str = "containment"
    shingle: int = 5
    over: str = SHINGLES

    name: ClassVar[str] = "winnowing"

    def __post_init__(self) -> None:
        for name in ("k", "window", "hits", "shingle"):
            demand_whole(self, name, 1, _LARGEST)
        if self.over not in _UNITS:
            raise UsageError(f"winnowing: over is {self.over!r}", cure=f"choose one of: {', '.join(_UNITS)}")
        if self.measure not in _MEASURES:
            raise UsageError(f"winnowing: measure is {self.measure!r}", cure=f"choose one of: {', '.join(_MEASURES)}")

    @property
    def min_shared(self) -> int:
        """``hits``."""
        return self.hits

    @property
    def guarantee(self) -> int:
        """The shortest shared run, in folded code points, that always gives a common key."""
        return self.window + self.k - 1

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts; about 2n / (window + 1) keys for n folded code points."""
        return Fingerprints.from_buffers(_core.winnowing(texts, self.k, self.window))

    def similarity(self, a: str, b: str) -> float:
        """Estimate the similarity as the share of common keys among those of the shorter text, or of both texts."""
        keys_a, keys_b = keys(self, a), keys(self, b)
        base = min(keys_a, keys_b, key=len) if self.measure == "containment" else keys_a | keys_b
        return len(keys_a & keys_b) / len(base) if base else 0.0

    def verdict(self, threshold: float) -> Verdict:
        """Exact containment or Jaccard similarity at or above ``threshold``."""
        return Verdict(self.measure, threshold, self.shingle, over=self.over)
