"""Equal normalized texts.

Is
    A 128-bit hash (XXH3) of the token hashes of the folded text; its lower half is the only key. A candidate is
    accepted if all 128 bits agree.

Survives
    Punctuation, white space, letter case, full and half width, traditional and simplified characters, zero-width
    characters.

Blind to
    Everything else: one changed character gives another hash.

Cost
    One pass over the text, one key.

Source
    The exact stage that crawlers run before near-duplicate detection; XXH3 is by Yann Collet.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.fingerprints import Fingerprints, Verdict


@frozen(slots=False)
class Exact:
    """The method ``exact``; it has no parameters."""

    name: ClassVar[str] = "exact"
    min_shared: ClassVar[int] = 1

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; one key each."""
        return Fingerprints.from_buffers(_core.exact(texts))

    def similarity(self, a: str, b: str) -> float:
        """Return 1.0 for texts with equal folded form, otherwise 0.0; 0.0 for texts without features."""
        fingerprints = self.fingerprint([a, b])
        alike = (fingerprints.digests[0] == fingerprints.digests[1]).all() and fingerprints.lengths.all()
        return 1.0 if alike else 0.0

    def verdict(self, threshold: float) -> Verdict:  # noqa: ARG002
        """Return the rule: equal digests, whatever the threshold."""
        return Verdict("exact", 1.0)
