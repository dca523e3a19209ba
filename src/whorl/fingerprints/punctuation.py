"""What stands on both sides of the punctuation marks.

Is
    At every place with a punctuation mark, the last ``width`` characters (of a script without spaces) or words before
    it and the first ``width`` behind it, hashed together; which mark it is does not matter. One hash of ``sample``,
    chosen by its value, is a key. Texts that share ``min_shared`` keys are compared; an article goes if the kept text
    has the share ``share`` of its keys, and it is copied from it. A text with fewer than ``min_shared`` keys is known
    by its folded text as a whole.

Survives
    What ``exact`` survives, other marks in the same places, blocks in another order, additions, deletions and excerpts
    of some length, changes away from the marks.

Blind to
    Marks put in, taken out or moved; text with hardly any marks.

Cost
    One pass over the text; about one key for ``sample`` marks, so for some 10 · ``sample`` characters of Chinese.

Source
    Described in Chinese articles on cleaning search results: two characters or words on each side of the marks are the
    features of a page. The sampling by value is that of Manber: Finding similar files in a large file system, USENIX
    1994.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from whorl import _core
from whorl.errors import demand_share, demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys


@dataclass(frozen=True)
class Punctuation:
    """The family ``punctuation``.

    Args:
        width: characters or words on each side of a mark, 1 to 32.
        sample: one context of so many is a key, 1 to 1,024.
        min_shared: how many keys two texts share to be compared, 1 to 1,024.
        share: of the keys of an article, how many the kept text has, in (0, 1].

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
        """Fingerprint many texts; one key for about ``sample`` marks."""
        return Fingerprints.from_buffers(_core.punctuation(texts, self.width, self.sample, self.min_shared))

    def similarity(self, a: str, b: str) -> float:
        """Return the share of the keys of both texts that they have in common."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """The share ``share`` of the keys in the other, and the share ``threshold`` of the article copied."""
        return Verdict("keys", self.share, copied=threshold, local=True)
