"""One short code for a text; similar texts have codes that differ in few bits.

Is
    Every feature of the text votes with the bits of its hash; bit i of the code is 1 if the weight of votes for it
    exceeds that of votes against it, and 0 on a tie. Features are shingles of ``shingle`` tokens, with repeats; or,
    with ``features = "words"``, the ``top`` heaviest words with their weights, chosen as in ``info``. The code is split
    into ``distance`` + 1 blocks, each a key: codes within ``distance`` bits agree in a block. A candidate is accepted
    if the Hamming distance of the codes is within the limit for the length of the shorter text.

Survives
    What ``exact`` survives, and edits anywhere that keep most features; with words also reordered sentences.

Blind to
    Excerpts, and at a distance of 3 most edited articles: of Chinese news of 501 to 1000 characters, lightly edited,
    0.36 are within 3 bits and 0.93 within 10, over shingles of two; of unrelated pairs one in two million are within
    10, but one in 14,000 of those above 3000 characters. So the limits are wide for short texts. Beyond ``distance``,
    though, a pair may share no key: of lightly edited news of any length the defaults find 0.70, a ``distance`` of 5
    finds 0.89 among 30 times the candidates. The code is not evidence: use ``minhash`` or ``winnowing`` if every
    removal must be justified.

Cost
    About a nanosecond a token and 64 bits; with words, segmentation takes about 0.1 µs a character. ``bits`` / 8 bytes
    and ``distance`` + 1 keys a document.

Source
    Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002. Manku, Jain, Das Sarma: Detecting
    near-duplicates for web crawling, WWW 2007. Words with weights, hashed with Jenkins's lookup3, are the recipe of the
    C++ library simhash by Yanyi Wu.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import combinations
from math import cos, pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict
from whorl.i18n import say
from whorl.text.terms import TermChoice

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = (8, 32, 64, 128)
FEATURES = ("shingles", "words")
HASHES = ("whorl", "xxh3", "md5", "sha1", "farmhash64", "jenkins")
_LARGEST_SHINGLE = 64
_LONG_CODE = 64
_HASH_LIMIT = 2**128
_WEIGHT_LIMIT = 2**63
_LIMITS = {"shingles": ((1000, 10), (3000, 8)), "words": ((1000, 10), (3000, 7))}
_LONGER, _NEAR = 3, 5
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HINT = say("see `whorl methods simhash`")


@frozen(slots=False)
class SimHash(TermChoice):
    """The method ``simhash``. It also has the parameters of ``TermChoice``, which select and weight words.

    Args:
        bits: size of the code: 8, 32, 64 or 128.
        distance: distance within which codes always share a key, 0 to 11; also the limit for longer texts.
        limits: pairs of a length in folded code points and the maximum distance for texts up to that length,
            ascending; longer texts have ``distance``. Beyond ``distance`` a shared key is likely, not certain. None
            is, for codes of 64 bits and more, 10 up to 1000 and, up to 3000, 8 over shingles and 7 over words; and
            no limits for shorter codes.
        features: "shingles" or "words".
        shingle: number of tokens of a shingle, 1 to 64.
        top: number of heaviest words that vote, 1 to 1,000,000.
        hash: hash function of features: "whorl" for the hashes that all methods share; "xxh3", "md5", "sha1",
            "farmhash64" or "jenkins" (lookup3) of the UTF-8 of the folded word or shingle, for codes compatible with
            other programs.
        least_features: minimum number of shingles or distinct words; a text with fewer is not informative enough and
            has no code.

    Raises:
        UsageError: a value is out of range.
        InputError: a dictionary or idf table cannot be read or does not fit.
    """

    bits: int = 64
    distance: int = 3
    limits: tuple[tuple[int, int], ...] | None = None
    features: str = "shingles"
    shingle: int = 2
    top: int = 1000
    hash: str = "whorl"
    least_features: int = 4

    name: ClassVar[str] = "simhash"
    usual_threshold: ClassVar[float] = A_SIXTH
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, choices in (("bits", BITS), ("features", FEATURES), ("hash", HASHES)):
            value = getattr(self, name)
            if value not in choices or isinstance(value, bool | float):
                raise UsageError(
                    say(
                        "{label}: {name} is {value!r}, not one of {choices}",
                        label="simhash",
                        name=name,
                        value=value,
                        choices=choices,
                    ),
                    hint=_HINT,
                )
        self._demand_words()
        self.demand_whole("distance", 0, 11)
        self.demand_whole("shingle", 1, _LARGEST_SHINGLE)
        self.demand_whole("top", 1, 10**6)
        self.demand_whole("least_features", 1, 10**6)
        if self.limits is None:
            object.__setattr__(self, "limits", _LIMITS[self.features] if self.bits >= _LONG_CODE else ())
        object.__setattr__(self, "limits", _limits(self.limits, self.bits))

    def _demand_words(self) -> None:
        """Raise a UsageError if a parameter selects or weights words, but words are not the features."""
        if self.features == "words":
            return
        of_words = [field for field in fields(self) if field.name == "top" or field.name in TermChoice.__match_args__]
        for field in of_words:
            if getattr(self, field.name) != field.default:
                hint = say('set features = "words", or omit it')
                raise UsageError(say("simhash: {name} requires words as features", name=field.name), hint=hint)

    @property
    def vocabulary(self) -> str:
        """Dependencies of the words, as for the methods that use terms; empty for shingles."""
        return super().vocabulary if self.features == "words" else ""

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; ``distance`` + 1 keys each."""
        named = None if self.hash == "whorl" else self.hash
        blocks = self.distance + 1
        if self.features == "words":
            buffers = self.reader().simhash(texts, self.top, self.least_features, self.bits, blocks, named)
        else:
            buffers = _core.simhash(texts, self.shingle, self.bits, blocks, self.least_features, named)
        return Fingerprints.from_buffers(buffers)

    def indexed(self, prints: Fingerprints) -> Fingerprints:
        """Append longer keys to fingerprints, which separate near codes from unrelated ones.

        The code is split into more blocks than ``distance``. A key combines any ``_LONGER`` of these, or 2 if
        ``distance`` is above ``_NEAR``: codes within ``distance`` agree in one. Among a million codes of 64 bits hardly
        one shares such a key by chance, compared to sixty that share a block.

        Source: Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling, WWW 2007, section 3.
        """
        together = _LONGER if self.distance <= _NEAR else 2
        blocks = self.distance + together
        if blocks > self.bits:
            return prints
        coded = prints.counts > 0
        codes = np.zeros((int(coded.sum()), 16), np.uint8)
        codes[:, : prints.codes.shape[1]] = prints.codes[coded]
        halves = codes.view("<u8")
        longer = [
            _masked(halves, sum(_block(self.bits, blocks, block) for block in chosen), place)
            for place, chosen in enumerate(combinations(range(blocks), together), 1)
        ]
        keys = np.column_stack([prints.keys.reshape(len(codes), -1), *longer]) if len(codes) else prints.keys
        counts = np.where(coded, prints.counts + np.uint32(len(longer)), 0).astype(np.uint32)
        return replace(prints, keys=keys.ravel(), counts=counts)

    def signatures(self, texts: Any, prints: Fingerprints) -> NDArray[np.uint8]:
        """Return the code of each text, little-endian."""
        del texts
        return prints.codes

    def code(self, text: str) -> int | None:
        """Return the code of a text; None for a text of fewer than ``least_features`` features."""
        fingerprints = self.fingerprint([text])
        return int.from_bytes(fingerprints.codes[0].tobytes(), "little") if fingerprints.counts[0] else None

    def similarity(self, a: str, b: str) -> float:
        """Return the share of equal bits of the codes; 0.0 for a text without a code."""
        fingerprints = self.fingerprint([a, b])
        if not fingerprints.counts.all():
            return 0.0
        differing = np.unpackbits(fingerprints.codes[0] ^ fingerprints.codes[1]).sum()
        return float(1 - differing / self.bits)

    def resemblance(self, a: bytes, b: bytes) -> float:
        """Estimate the Jaccard similarity from the codes, assuming that both texts have equally many features.

        A bit differs with the probability of the angle between the features over π, and the cosine c of that angle is
        that of a Jaccard similarity c / (2 − c). Source: Charikar: Similarity estimation techniques from rounding
        algorithms, STOC 2002, section 3.
        """
        differing = (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).bit_count()
        cosine = max(0.0, cos(pi * differing / self.bits))
        return cosine / (2 - cosine)

    def verdict(self, threshold: float) -> Verdict:
        """Distance within the limit for the length, and the share ``threshold`` of the article copied."""
        limits = (*(self.limits or ()), (2**32 - 1, self.distance))
        return Verdict("hamming", threshold, limits=limits, copied=threshold)


def _block(bits: int, blocks: int, block: int) -> int:
    """Return the bit mask of one of ``blocks`` parts of a code."""
    start, end = bits * block // blocks, bits * (block + 1) // blocks
    return (1 << end) - (1 << start)


def _masked(halves: NDArray[np.uint64], mask: int, salt: int) -> NDArray[np.uint64]:
    """Hash the masked bits of each code, which is represented by its lower and upper half."""
    kept = halves & np.array([mask % 2**64, mask >> 64], np.uint64)
    with np.errstate(over="ignore"):
        return _mixed(kept[:, 0] ^ _mixed(kept[:, 1] + np.uint64(salt) * _GOLDEN))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def code_of(features: Iterable[tuple[int, int]], bits: int = 64) -> int | None:
    """Return the code of features that are already hashed and weighted; None without features.

    Args:
        features: hash of each feature, below 2¹²⁸, with its weight, a nonnegative integer; the weights sum up to less
            than 2⁶³.
        bits: size of the code: 8, 32, 64 or 128; the lowest bits of the hashes.

    Raises:
        UsageError: the size is unsupported, or a hash or a weight is out of range.

    Cost: linear in the features.
    """
    if bits not in BITS:
        raise UsageError(
            say(
                "{label}: {name} is {value!r}, not one of {choices}",
                label="simhash",
                name="bits",
                value=bits,
                choices=BITS,
            ),
            hint=_HINT,
        )
    votes = list(features)
    sound = all(0 <= hash < _HASH_LIMIT and weight >= 0 for hash, weight in votes)
    if not sound or sum(weight for _, weight in votes) >= _WEIGHT_LIMIT:
        raise UsageError(
            say("simhash: a hash or a weight is out of range"), hint=say("weights are whole numbers from 0")
        )
    return _core.simhash_code(votes, bits)


def _limits(limits: Any, bits: int) -> tuple[tuple[int, int], ...]:
    try:
        pairs = tuple((int(length), int(distance)) for length, distance in limits)
    except (TypeError, ValueError) as error:
        raise UsageError(
            say(
                "{label}: {name} is {value!r}, not pairs of length and distance",
                label="simhash",
                name="limits",
                value=limits,
            ),
            hint=_HINT,
        ) from error
    lengths = [length for length, _ in pairs]
    if lengths != sorted(set(lengths)) or any(not 0 <= distance <= bits for _, distance in pairs):
        raise UsageError(say("simhash: limits {limits!r} do not ascend or exceed the code", limits=limits), hint=_HINT)
    return pairs
