"""All k-grams of a text, compared exactly, without estimates.

Is
    The set of every ``shingle`` consecutive tokens; a token is one word of letters or digits, or one character of a
    script written without spaces. The ``sample`` lowest hashes of the set are the keys. Two texts that share a key are
    compared; a candidate is accepted by its exact Jaccard similarity, shared ÷ all.

Survives
    What ``exact`` survives, and edits anywhere, reordered blocks, additions and deletions, while the shingle sets
    remain similar.

Blind to
    A short excerpt in a long text (its Jaccard similarity is low), and rewriting that touches every shingle. Two texts
    of similarity s share a key with probability 1 − (1 − s)^sample at least, whatever their length: 0.9999 for s = 0.25
    and 32 keys.

Cost
    A sort of the shingles; ``sample`` keys a document. Any common text can produce a key, so more pairs are compared
    than with ``minhash``, whose keys are tuned for one threshold.

Source
    Broder: On the resemblance and containment of documents, SEQUENCES 1997: shingles, and samples of the lowest hashes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import demand_whole
from whorl.fingerprints import Fingerprints, Verdict

_LARGEST_SHINGLE = 64
_LARGEST_SAMPLE = 4096


@frozen(slots=False)
class Shingles:
    """The method ``shingles``.

    Args:
        shingle: number of tokens of a shingle, 1 to 64.
        sample: maximum number of keys of a text, 1 to 4096; a text of fewer distinct shingles has a key for each.

    Raises:
        UsageError: a value is out of range.
    """

    shingle: int = 3
    sample: int = 32

    name: ClassVar[str] = "shingles"
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        demand_whole(self, "shingle", 1, _LARGEST_SHINGLE)
        demand_whole(self, "sample", 1, _LARGEST_SAMPLE)

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; at most ``sample`` keys each, ascending."""
        return Fingerprints.from_buffers(_core.shingles(texts, self.shingle, self.sample))

    def similarity(self, a: str, b: str) -> float:
        """Return the exact Jaccard similarity of the shingle sets; 0.0 for a text without features."""
        demand = _core.Demand("jaccard", 1.0, part="whole", over="shingles", width=self.shingle, fold="none")
        return demand.figure(a, b)[2]

    def min_recall(self, similarity: float) -> float:
        """Return a lower bound of the probability that two texts of this similarity share a key."""
        return float(1 - (1 - similarity) ** self.sample)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: exact Jaccard similarity of at least ``threshold``."""
        return Verdict("jaccard", threshold, self.shingle)
