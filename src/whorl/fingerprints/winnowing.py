"""Excerpts, compilations and near-duplicates, by selected k-grams of the folded text.

Is
    The hash of every ``k`` consecutive folded code points is computed, and of every ``window`` consecutive hashes the
    lowest is a key. Any run of at least ``window + k - 1`` folded code points that two texts share gives them a
    common key, wherever it occurs. A Han character carries as much information as about three letters, so ``dense_k``
    and ``dense_window`` can make runs of Han, kana and Hangul shorter: in mixed text each code point counts as its
    share of a k-gram and of a window. An article that shares ``hits`` keys, and ``share`` of its keys, with another is
    a copy if the share ``threshold`` of it lies in passages of the other, including edits; or, with ``measure``, if the
    other has that share of its shingles ("containment"), or if that is their Jaccard similarity ("jaccard").

Survives
    What ``exact`` survives; excerpting, embedding in another article, reordered blocks, additions anywhere.

Blind to
    Changes that keep no run of ``window + k - 1`` code points, or ``dense_window + dense_k - 1`` in Han.

Cost
    About thirteen nanoseconds a code point, four of them for the keys once it is folded; about 2n / (window + 1) keys
    for n code points, so several times the disk and memory of ``minhash``.

Source
    Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003. Containment:
    Broder: On the resemblance and containment of documents, SEQUENCES 1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError, demand_share, demand_whole
from whorl.fingerprints import CODE_POINTS, SHINGLES, Fingerprints, Verdict, keys
from whorl.i18n import say

_MEASURES = ("copied", "containment", "jaccard")
_UNITS = (SHINGLES, CODE_POINTS)
_FOLDS = ("none", "pinyin")
_LARGEST = 1024
_LEAST_RUN = 12


@frozen(slots=False)
class Winnowing:
    """The method ``winnowing``.

    Args:
        k: number of folded code points of a k-gram, 1 to 1024.
        window: number of k-grams of a window, 1 to 1024.
        hits: minimum number of common keys for a comparison, 1 to 1024; the guarantee is for 1.
        share: minimum share of the keys of an article that the other must have for a comparison, in (0, 1].
        measure: "copied", "containment" or "jaccard".
        shingle: number of tokens of a shingle for "containment" and "jaccard", 1 to 1024.
        over: unit of those shingles: "shingles" for tokens, or "code_points".
        dense_k: ``k`` for code points from U+2E80 on, which include Han, kana and Hangul, 1 to 1024; 0 for ``k``.
        dense_window: ``window`` for the same code points, 1 to 1024; 0 for ``window``.
        fold: "pinyin" makes the k-grams from the sound of Han characters, so that homophones do not change them.

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
                hint=say("choose one of: {known}", known=", ".join(_FOLDS)),
            )
        if self.over not in _UNITS:
            raise UsageError(
                say("{label}: {name} is {value!r}", label="winnowing", name="over", value=self.over),
                hint=say("choose one of: {known}", known=", ".join(_UNITS)),
            )
        if self.measure == "containment" and self.over == CODE_POINTS and self.shingle < _LEAST_RUN:
            hint = say("use {least} or more, or the measure 'copied'", least=_LEAST_RUN)
            raise UsageError(
                say("winnowing: runs of {shingle} code points occur in any long text", shingle=self.shingle), hint=hint
            )
        if self.measure not in _MEASURES:
            raise UsageError(
                say("{label}: {name} is {value!r}", label="winnowing", name="measure", value=self.measure),
                hint=say("choose one of: {known}", known=", ".join(_MEASURES)),
            )

    @property
    def min_shared(self) -> int:
        """Minimum number of common keys, ``hits``."""
        return self.hits

    @property
    def guarantee(self) -> int:
        """Length of the shortest common run, in folded code points, that guarantees a common key in any script."""
        (k, window), (dense_k, dense_window) = self._grams
        return max(k + window, dense_k + dense_window) - 1

    @property
    def _grams(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return ``k`` and ``window`` for sparse and for dense code points."""
        return (self.k, self.window), (self.dense_k or self.k, self.dense_window or self.window)

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; about 2n / (window + 1) keys for n folded code points."""
        return Fingerprints.from_buffers(_core.winnowing(texts, *self._grams, self.fold == "pinyin"))

    def keys_within(self, stretches: Sequence[str]) -> Fingerprints:
        """Return the hashes of all k-grams of each stretch, selected by a window or not. Linear."""
        return replace(self, window=1, dense_window=1).fingerprint(stretches)

    def similarity(self, a: str, b: str) -> float:
        """Estimate the similarity as the share of common keys of the shorter text, or of both texts."""
        keys_a, keys_b = keys(self, a), keys(self, b)
        base = min(keys_a, keys_b, key=len) if self.measure != "jaccard" else keys_a | keys_b
        return len(keys_a & keys_b) / len(base) if base else 0.0

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: a copied share, containment or Jaccard similarity of at least ``threshold``."""
        if self.measure == "copied":
            return Verdict("keys", self.share, copied=threshold, local=True)
        return Verdict(self.measure, threshold, self.shingle, over=self.over)
