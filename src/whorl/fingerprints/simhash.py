"""One short code for a text; similar texts have codes that differ in few bits.

Is
    Every shingle of ``shingle`` tokens, repeats counted, votes with the bits of its hash; bit i of the code is 1 when
    more votes are for it than against it, and 0 on a tie. The code is cut into ``distance`` + 1 blocks, each a key:
    codes within ``distance`` bits agree in a block. A candidate is accepted when the Hamming distance of the codes is
    within the limit for the length of the shorter text.

Survives
    What ``exact`` survives, and edits that leave most shingles alone, wherever they are.

Blind to
    Half of the articles with 2 % of their characters edited at a distance of 3; excerpts. The code is no proof: use
    ``minhash`` or ``winnowing`` where every removal must stand up.

Cost
    About a nanosecond a token and 64 bits; ``bits`` / 8 bytes and ``distance`` + 1 keys a document.

Source
    Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002. Manku, Jain, Das Sarma: Detecting
    near-duplicates for web crawling, WWW 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from whorl import _core
from whorl.errors import UsageError
from whorl.fingerprints import Fingerprints, Verdict

_BITS = (8, 32, 64, 128)
_LARGEST_SHINGLE = 64
_LONG_CODE = 64
_SHORT_TEXTS = ((140, 10), (500, 6))


@dataclass(frozen=True)
class SimHash:
    """The family ``simhash``.

    Args:
        bits: of the code: 8, 32, 64 or 128.
        distance: the distance within which codes always share a key, 0 to 11; also the limit for longer texts.
        limits: pairs of a length in folded code points and the largest distance for texts up to that length,
            ascending; texts longer than the last have ``distance``. Beyond ``distance`` a shared key is likely, not
            sure. None is 10 up to 140, 6 up to 500 for codes of 64 bits and more, and nothing for shorter ones.
        shingle: tokens a shingle, 1 to 64.
        least_features: a text of fewer shingles is not informative enough for a code and has none.

    Raises:
        UsageError: a value is out of range.
    """

    bits: int = 64
    distance: int = 3
    limits: tuple[tuple[int, int], ...] | None = None
    shingle: int = 2
    least_features: int = 4

    name: ClassVar[str] = "simhash"
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        cure = "see `whorl methods simhash`"
        if self.bits not in _BITS or type(self.bits) is not int:
            raise UsageError(f"simhash: bits is {self.bits!r}, not one of {_BITS}", cure=cure)
        for name, lowest, highest in (
            ("distance", 0, 11),
            ("shingle", 1, _LARGEST_SHINGLE),
            ("least_features", 1, 10**6),
        ):
            value = getattr(self, name)
            if type(value) is not int or not lowest <= value <= highest:
                raise UsageError(f"simhash: {name} is {value!r}, not {lowest} to {highest}", cure=cure)
        limits = (_SHORT_TEXTS if self.bits >= _LONG_CODE else ()) if self.limits is None else self.limits
        object.__setattr__(self, "limits", _limits(limits, self.bits, cure))

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts; ``distance`` + 1 keys each."""
        buffers = _core.simhash(texts, self.shingle, self.bits, self.distance + 1, self.least_features)
        return Fingerprints.from_buffers(buffers)

    def code(self, text: str) -> int | None:
        """Return the code of one text; None for a text of fewer than ``least_features`` shingles."""
        fingerprints = self.fingerprint([text])
        return int.from_bytes(fingerprints.codes[0].tobytes(), "little") if fingerprints.counts[0] else None

    def similarity(self, a: str, b: str) -> float:
        """Return the share of bits in which the codes agree; 0.0 for a text without a code."""
        fingerprints = self.fingerprint([a, b])
        if not fingerprints.counts.all():
            return 0.0
        differing = np.unpackbits(fingerprints.codes[0] ^ fingerprints.codes[1]).sum()
        return float(1 - differing / self.bits)

    def verdict(self, threshold: float) -> Verdict:
        """Distance within the limit for the length, whatever the threshold."""
        return Verdict("hamming", threshold, self.shingle, limits=(*(self.limits or ()), (2**32 - 1, self.distance)))


def _limits(limits: Any, bits: int, cure: str) -> tuple[tuple[int, int], ...]:
    try:
        pairs = tuple((int(length), int(distance)) for length, distance in limits)
    except (TypeError, ValueError) as error:
        raise UsageError(f"simhash: limits is {limits!r}, not pairs of length and distance", cure=cure) from error
    lengths = [length for length, _ in pairs]
    if lengths != sorted(set(lengths)) or any(not 0 <= distance <= bits for _, distance in pairs):
        raise UsageError(f"simhash: limits {limits!r} do not ascend or exceed the code", cure=cure)
    return pairs
