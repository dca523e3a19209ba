"""The text on both sides of the punctuation marks.

Is
    At every punctuation, the last ``width`` characters (of a script without spaces) or words before it and the first
    ``width`` after it, hashed together; the mark itself is ignored. One hash in ``sample``, chosen by its value, is a
    key. Texts that share ``min_shared`` keys are compared. An article is a copy if the kept text has the share
    ``share`` of its keys, and it is copied from it. A text with fewer than ``min_shared`` keys is represented by its
    folded text as a whole.

Survives
    What ``exact`` survives, other marks in the same places, reordered blocks, additions, deletions and longer
    excerpts, changes away from the marks.

Blind to
    Inserted, deleted or moved marks; text with hardly any marks.

Cost
    One pass over the text; about one key per ``sample`` marks, so per 10 · ``sample`` characters of Chinese.

Source
    Described in Chinese articles on cleaning search results: two characters or words on each side of the marks are the
    features of a page. The sampling by value is that of Manber: Finding similar files in a large file system, USENIX
    1994.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import demand_share, demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys


@frozen(slots=False)
class Punctuation:
    """The method ``punctuation``.

    Args:
        width: number of characters or words on each side of a mark, 1 to 32.
        sample: one context in this many is a key, 1 to 1,024.
        min_shared: minimum number of common keys for a comparison, 1 to 1,024.
        share: minimum share of the keys of an article that the kept text has, in (0, 1].

    Raises:
        UsageError: a value is out of range.
    """

    width: int = 2
    sample: int = 2
    min_shared: int = 3
    share: float = 0.8

    name: ClassVar[str] = "punctuation"
    usual_threshold: ClassVar[float] = A_SIXTH

    def __post_init__(self) -> None:
        demand_whole(self, "width", 1, 32)
        demand_whole(self, "sample", 1, 1024)
        demand_whole(self, "min_shared", 1, 1024)
        demand_share(self, "share")

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; about one key per ``sample`` marks."""
        return Fingerprints.from_buffers(_core.punctuation(texts, self.width, self.sample, self.min_shared))

    def similarity(self, a: str, b: str) -> float:
        """Return the Jaccard similarity of the keys of both texts."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: the share ``share`` of the keys in the other, and a copied share of ``threshold``."""
        return Verdict("keys", self.share, copied=threshold, local=True)
