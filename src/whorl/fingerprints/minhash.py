"""Near-duplicates by the Jaccard similarity of their shingle sets.

Is
    Fast Similarity Sketching: ``values`` minima of the text's shingles (``shingle`` consecutive tokens). The share of
    equal values estimates the Jaccard similarity of the shingle sets without bias. ``bands`` of ``rows`` values are
    hashed to a key each; two texts of similarity s share a key with probability 1 − (1 − s^rows)^bands. Bands and rows
    are chosen from the threshold and the target recall. A candidate is accepted by its exact Jaccard similarity.

Survives
    What ``exact`` survives, and edits anywhere, reordered blocks, additions and deletions, while the shingle sets
    remain similar.

Blind to
    A short excerpt in a long text (its Jaccard similarity is low), and rewriting that touches every shingle.

Cost
    O(n + values · log values) a text of n tokens; ``values`` / 2 bytes and ``bands`` keys a document.

Source
    Broder: On the resemblance and containment of documents, SEQUENCES 1997. Dahlgaard, Knudsen, Thorup: Fast
    Similarity Sketching, FOCS 2017. Bands: Indyk, Motwani: Approximate nearest neighbors, STOC 1998; Leskovec,
    Rajaraman, Ullman: Mining of Massive Datasets, chapter 3.4.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, lgamma, log, log1p
from typing import Any, ClassVar

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError, demand_whole
from whorl.fingerprints import Fingerprints, Verdict
from whorl.i18n import say

FALSE_REJECT = 1e-6
"""Probability that the codes reject a duplicate at the threshold."""
_LARGEST_SKETCH = 4096
_LARGEST_SHINGLE = 64
_CHANCE = 1 / 16
_TINY = 1e-300


@frozen(slots=False)
class MinHash:
    """The method ``minhash``.

    Args:
        threshold: similarity for which bands and rows are chosen, in (0, 1].
        target_recall: minimum probability that two texts at the threshold share a key, in (0, 1).
        shingle: number of tokens of a shingle, 1 to 64.
        values: number of values of a sketch, a multiple of 8 up to 4096.

    Raises:
        UsageError: a value is out of range, or no bands and rows reach the target recall.
    """

    threshold: float = 0.8
    target_recall: float = 0.99
    shingle: int = 5
    values: int = 128

    name: ClassVar[str] = "minhash"
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for name in ("threshold", "target_recall"):
            _demand(
                type(getattr(self, name)) in (int, float),
                say("{name} is {value!r}, not a number", name=name, value=getattr(self, name)),
            )
        demand_whole(self, "shingle", 1, _LARGEST_SHINGLE)
        demand_whole(self, "values", 8, _LARGEST_SKETCH)
        _demand(self.values % 8 == 0, say("{name} is {value}, not a multiple of 8", name="values", value=self.values))
        _demand(
            0 < self.threshold <= 1,
            say("expected a number in (0, 1] for {name}, got {value}", name="threshold", value=self.threshold),
        )
        _demand(
            0 < self.target_recall < 1,
            say("{name} is {value}, not in (0, 1)", name="target_recall", value=self.target_recall),
        )
        object.__setattr__(self, "_banding", choose_banding(self.threshold, self.target_recall, self.values))

    @property
    def bands(self) -> int:
        """Number of keys of a text."""
        return self._banding[0]  # type: ignore[attr-defined,no-any-return]

    @property
    def rows(self) -> int:
        """Number of values in a key."""
        return self._banding[1]  # type: ignore[attr-defined,no-any-return]

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; ``bands`` keys each."""
        return Fingerprints.from_buffers(_core.minhash(texts, self.shingle, self.values, self.bands, self.rows))

    def sketch(self, text: str) -> np.ndarray[Any, np.dtype[np.uint32]] | None:
        """Return the values of a text, uint32 (values,); None for a text without features."""
        (buffer,) = _core.sketch([text], self.shingle, self.values, False)
        return None if buffer is None else np.frombuffer(memoryview(buffer), np.uint32)

    def signatures(self, texts: Any, prints: Fingerprints) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the values of each text, little-endian uint32; zeros for a text without features."""
        width = 4 * self.values
        sketches = _core.sketch(texts, self.shingle, self.values, False)
        empty = bytes(width)
        joined = b"".join(empty if sketch is None else memoryview(sketch) for sketch in sketches)
        return np.frombuffer(joined, np.uint8).reshape(len(prints.counts), width)

    def similarity(self, a: str, b: str) -> float:
        """Estimate the Jaccard similarity from the sketches: unbiased, standard error at most 0.5 / √values."""
        sketches = self.sketch(a), self.sketch(b)
        if sketches[0] is None or sketches[1] is None:
            return 0.0
        return float(np.mean(sketches[0] == sketches[1]))

    def resemblance(self, a: bytes, b: bytes) -> float:
        """Estimate the Jaccard similarity from the codes, whose fields of four bits agree by chance in one of 16.

        Standard error at most 0.56 / √values. Source: Li, König: b-bit minwise hashing, WWW 2010, section 2.
        """
        differing = int.from_bytes(a, "little") ^ int.from_bytes(b, "little")
        differing |= differing >> 1
        differing |= differing >> 2
        fields = differing & int.from_bytes(b"\x11" * len(a), "little")
        agreement = 1 - fields.bit_count() / self.values
        return max(0.0, (agreement - _CHANCE) / (1 - _CHANCE))

    def recall(self, similarity: float) -> float:
        """Return the probability that two texts of this similarity share a key."""
        return float(1 - (1 - similarity**self.rows) ** self.bands)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: exact Jaccard similarity of at least ``threshold``."""
        return Verdict("jaccard", threshold, self.shingle, least_agreement(threshold, self.values))


@lru_cache(64)
def choose_banding(threshold: float, target_recall: float, values: int) -> tuple[int, int]:
    """Return (bands, rows) with the most rows, then the fewest bands, that reach the target recall.

    Raises:
        UsageError: no banding of ``values`` reaches it.
    """
    for rows in range(values, 0, -1):
        agreement = threshold**rows
        needed = 1.0 if agreement >= target_recall else log(1 - target_recall) / min(log1p(-agreement), -_TINY)
        if needed * rows <= values and ceil(needed) * rows <= values:
            return ceil(needed), rows
    raise UsageError(
        say(
            "{values} values cannot find copies at threshold {threshold} with recall {target_recall}",
            values=values,
            threshold=threshold,
            target_recall=target_recall,
        ),
        hint=say("raise the threshold, lower target_recall, or set more values"),
    )


def least_agreement(threshold: float, fields: int) -> int:
    """Return the largest count such that a pair at the threshold agrees in fewer fields with probability ≤ 10⁻⁶.

    A field of four bits agrees if the values do, and otherwise by chance in one of sixteen cases. The agreement of Fast
    Similarity Sketching is at least as concentrated as the binomial distribution used here.
    """
    probability = threshold + (1 - threshold) * _CHANCE
    if probability == 1:
        return fields
    below = 0.0
    for count in range(fields):
        ways = lgamma(fields + 1) - lgamma(count + 1) - lgamma(fields - count + 1)
        below += exp(ways + count * log(probability) + (fields - count) * log1p(-probability))
        if below > FALSE_REJECT:
            return count
    return fields


def _demand(condition: bool, message: str) -> None:
    if not condition:
        raise UsageError(
            say("{label}: {reason}", label="minhash", reason=message), hint=say("see `whorl methods minhash`")
        )
