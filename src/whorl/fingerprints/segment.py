"""The text in a few segments, most of them equal.

Is
    The text is split into ``segments`` pieces of equal length in folded code points, and each is hashed together with
    its number. ``rule`` gives the allowed boundaries: between any two characters or words ("length"), or between
    sentences or paragraphs, which belong to the segment in which they begin. Texts with ``min_shared`` equal segments
    are copies. A segment of fewer than ``min_length`` folded code points is ignored; a text with fewer than
    ``min_shared`` other segments is represented by its folded text as a whole.

Survives
    What ``exact`` survives, and changes in few places that keep the length: up to ``segments`` − ``min_shared``
    segments may change in any way. By sentence or paragraph, also small changes of length.

Blind to
    Anything that moves the boundaries: inserted or deleted text, an excerpt, another order.

Cost
    One pass over the text, ``segments`` keys a document.

Source
    Described as the method of segment signatures (分段签名) in Chinese articles on cleaning search results:
    copies have M of N equal segments. An index of the segments makes it fast enough.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import NotFoundError, demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys
from whorl.i18n import say
from whorl.text.structure import RULES


@frozen(slots=False)
class Segment:
    """The method ``segment``.

    Args:
        segments: number of pieces, 1 to 256.
        rule: "length", "sentence" or "paragraph".
        min_length: minimum length of a segment in folded code points, 1 to 10,000.
        min_shared: minimum number of equal segments of two copies, up to ``segments``.

    Raises:
        UsageError: a value is out of range.
    """

    segments: int = 8
    rule: str = "length"
    min_length: int = 8
    min_shared: int = 5

    name: ClassVar[str] = "segment"
    usual_threshold: ClassVar[float] = A_SIXTH

    def __post_init__(self) -> None:
        demand_whole(self, "segments", 1, 256)
        demand_whole(self, "min_length", 1, 10_000)
        demand_whole(self, "min_shared", 1, self.segments)
        if self.rule not in RULES:
            raise NotFoundError(
                say("{label}: there is no rule {rule!r}", label=self.name, rule=self.rule),
                hint=say("choose one of: {known}", known=", ".join(RULES)),
            )

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; up to ``segments`` keys each."""
        return Fingerprints.from_buffers(
            _core.segment(texts, self.segments, self.rule, self.min_length, self.min_shared)
        )

    def similarity(self, a: str, b: str) -> float:
        """Return the Jaccard similarity of the keys of both texts."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: ``min_shared`` equal segments, and a copied share of ``threshold``."""
        return Verdict("keys", self.min_shared / self.segments, copied=threshold, local=True)
