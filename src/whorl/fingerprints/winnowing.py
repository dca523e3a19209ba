"""Excerpts, mixes and near-duplicates alike, by chosen k-grams of the folded text.

Is
    The hash of every ``k`` consecutive folded code points is computed, and of every ``window`` consecutive hashes the
    lowest is a key. Any run of at least ``window + k - 1`` folded code points that two texts share gives them a
    common key, wherever it stands. A Han character says as much as about three letters, so ``dense_k`` and
    ``dense_window`` may make runs of Han, kana and Hangul shorter: in mixed text each code point counts as its share
    of a k-gram and of a window. An article that shares ``hits`` keys, and ``share`` of its own, with another is a
    copy if the share ``threshold`` of it lies in passages that the other has, edits included; or, with ``measure``,
    if that is the share of its shingles that the other has ("containment"), or their Jaccard similarity ("jaccard").

Survives
    What ``exact`` survives; cutting, embedding in another article, blocks in another order, additions anywhere.

Blind to
    Changes that leave no run of ``window + k - 1`` code points whole, or ``dense_window + dense_k - 1`` in Han.

Cost
    About thirteen nanoseconds a code point, four of them for the keys once it is folded; about 2n / (window + 1) keys
    for n code points, so several times the disk and memory of ``minhash``.

Source
    Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003. Containment:
    Broder: On the resemblance and containment of documents, SEQUENCES 1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from whorl import _core
from whorl.errors import UsageError, demand_share, demand_whole
from whorl.fingerprints import CODE_POINTS, SHINGLES, Fingerprints, Verdict, keys
from whorl.language import say

_MEASURES = ("copied", "containment", "jaccard")
_UNITS = (SHINGLES, CODE_POINTS)
_FOLDS = ("none", "pinyin")
_LARGEST = 1024
_LEAST_RUN = 12


@dataclass(frozen=True)
class Winnowing:
    """The family ``winnowing``.

    Args:
        k: folded code points a k-gram, 1 to 1024.
        window: k-grams a window, 1 to 1024.
        hits: how many keys two texts must share to be compared, 1 to 1024; the guarantee holds for 1.
        share: of the keys of an article, how many the other must have to be compared with it, in (0, 1].
        measure: "copied", "containment" or "jaccard".
        shingle: tokens a shingle of "containment" and "jaccard", 1 to 1024.
        over: what those shingles are runs of: "shingles" of tokens, or "code_points".
        dense_k: folded code points a k-gram from U+2E80 on, where Han, kana and Hangul are, 1 to 1024; 0 for ``k``.
        dense_window: k-grams a window there, 1 to 1024; 0 for ``window``.
        fold: "pinyin" makes the k-grams of what Han characters sound like, so that homophones leave them whole.

    Raises:
        UsageError: a value is out of range.
    """

    k: int = 16
    window: int = 17
    hits: int = 1
    share: float = 0.02
    measure: str = "copied"
    shingle: int = 5
    over: str = SHINGLES
    fold: str = "none"
    dense_k: int = 0
    dense_window: int = 0

    name: ClassVar[str] = "winnowing"

    def __post_init__(self) -> None:
        for name in ("k", "window", "hits", "shingle"):
            demand_whole(self, name, 1, _LARGEST)
        for name in ("dense_k", "dense_window"):
            demand_whole(self, name, 0, _LARGEST)
        demand_share(self, "share")
        if self.fold not in _FOLDS:
            raise UsageError(
                say("{label}: {name} is {value!r}", label="winnowing", name="fold", value=self.fold),
                cure=say("choose one of: {known}", known=", ".join(_FOLDS)),
            )
        if self.over not in _UNITS:
            raise UsageError(
                say("{label}: {name} is {value!r}", label="winnowing", name="over", value=self.over),
                cure=say("choose one of: {known}", known=", ".join(_UNITS)),
            )
        if self.measure == "containment" and self.over == CODE_POINTS and self.shingle < _LEAST_RUN:
            cure = say("give {least} or more, or the measure 'copied'", least=_LEAST_RUN)
            raise UsageError(
                say("winnowing: any long text contains runs of {shingle} code points", shingle=self.shingle), cure=cure
            )
        if self.measure not in _MEASURES:
            raise UsageError(
                say("{label}: {name} is {value!r}", label="winnowing", name="measure", value=self.measure),
                cure=say("choose one of: {known}", known=", ".join(_MEASURES)),
            )

    @property
    def min_shared(self) -> int:
        """``hits``."""
        return self.hits

    @property
    def guarantee(self) -> int:
        """The shortest shared run, in folded code points, that always gives a common key in any script."""
        (k, window), (dense_k, dense_window) = self._grams
        return max(k + window, dense_k + dense_window) - 1

    @property
    def _grams(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """``k`` and ``window`` of sparse code points, and of dense ones."""
        return (self.k, self.window), (self.dense_k or self.k, self.dense_window or self.window)

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts; about 2n / (window + 1) keys for n folded code points."""
        return Fingerprints.from_buffers(_core.winnowing(texts, *self._grams, self.fold == "pinyin"))

    def keys_within(self, stretches: Sequence[str]) -> Fingerprints:
        """Return the hash of every k-gram of each stretch, whichever of them the windows choose. Linear."""
        return replace(self, window=1, dense_window=1).fingerprint(stretches)

    def similarity(self, a: str, b: str) -> float:
        """Estimate the similarity as the share of common keys among those of the shorter text, or of both texts."""
        keys_a, keys_b = keys(self, a), keys(self, b)
        base = min(keys_a, keys_b, key=len) if self.measure != "jaccard" else keys_a | keys_b
        return len(keys_a & keys_b) / len(base) if base else 0.0

    def verdict(self, threshold: float) -> Verdict:
        """The share ``threshold`` of the article copied; or containment or Jaccard similarity at or above it."""
        if self.measure == "copied":
            return Verdict("keys", self.share, copied=threshold, local=True)
        return Verdict(self.measure, threshold, self.shingle, over=self.over)
