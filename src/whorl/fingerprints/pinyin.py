"""Counts of pinyin initials in overlapping windows.

Is
    Every Han character becomes the initial letter of its syllable. A granule is a window of ``granule`` characters that
    overlaps the next by the share ``overlap`` (100 characters in granules of 50 are three: 1 to 50, 26 to 75, 51 to
    100; a last one is aligned with the end). In each granule, the 20 initials b c d f g h j k l m n p q r s t w x y z
    are counted; the three rarest of the 23, a, e and o, only take up space. The share of each letter is compared with
    that of a reference, and the difference becomes a digit in base ``bins``. The 20 digits in alphabetical order form
    the number of the granule: 67 bits in base 10, so 9 bytes; 60, 40 and 20 bits in base 8, 4 and 2, so 8, 5 and 3
    bytes. Its hash is a key. Texts that share ``hits`` keys are compared, and a text is a copy if the share ``share``
    of its keys is found. The threshold of a recipe does not apply to the keys, because one edit in a hundred characters
    already changes many numbers. A text with fewer than ``hits`` distinct granules has ``hits`` keys of the whole text
    as syllables instead: its copies are texts of the same sound.

    The conversion of a difference to a digit is our reconstruction: the published description shows the formula as a
    picture that is lost. With r the share of a letter in the reference and m characters a granule, ``zscore`` takes z =
    difference / √(r (1 − r) / m), and bin ⌊(z + 2.5) / 5 · bins⌋, clamped to the range of bins. ``minmax`` distributes
    the differences of a granule from the smallest to the largest over the bins. ``quantile`` takes the binomial
    probability of a smaller count, and half of that of an equal one, times ``bins``. The reference is the words of
    jieba's dictionary with their frequencies, unless ``reference`` is set; ``initial_shares`` computes one from texts.

Survives
    What ``exact`` survives, homophone substitutions, and a few edits: granules away from them do not change, and in
    base 2 most granules with a single edit keep their number. Characters without pinyin are dropped; with ``others`` =
    "keep" they take up space in the granule, and Latin letters count as they are.

Blind to
    Many edits, and excerpts shorter than some granules. Insertions and deletions shift the granules and change most
    numbers after them: with ``overlap`` = 0.9 and ``hits`` = 3 the granules are dense enough to tolerate this, for five
    times the keys; and an excerpt is looked up by ``query``, with granules at every ``stride`` characters. Different
    texts with similar counts are confused, and so are texts of the same sound if shorter than ``hits`` granules.

Cost
    Two passes over the text and two lookups a character; one key for each step of ``granule`` · (1 − ``overlap``).

Source
    文辉 (达观数据): 网站文章如何能自动判定是抄袭？一种算法和实践架构剖析, InfoQ 2016.
    It gives a number in base 10 eight bytes, but 10²⁰ exceeds 2⁶⁴. The readings are those of pinyin-data,
    one a character; 99.6% of 210,000 characters of news have the syllable that pypinyin chooses by their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError, demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, SoughtKeys, Verdict, keys
from whorl.i18n import say
from whorl.text.pinyin import initials

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALPHABET = "bcdfghjklmnpqrstwxyz"
"""The counted initials, in the order of their digits."""
# fmt: off
REFERENCE = (
    0.0471, 0.0439, 0.0739, 0.0271, 0.0509, 0.0497, 0.0742, 0.0181, 0.0547, 0.0338,
    0.0232, 0.0116, 0.0344, 0.0242, 0.0937, 0.0363, 0.0366, 0.0551, 0.0934, 0.1062,
)
# fmt: on
"""Share of each letter of ``ALPHABET`` in the hundred million characters of the words of jieba's dictionary, weighted
by word frequency."""
NORMALISATIONS = ("zscore", "minmax", "quantile")
OTHERS = ("drop", "keep")
_LARGEST_GRANULE = 1000
_MOST_HITS = 65_535
_LARGEST_SHARE = 0.5


@frozen(slots=False)
class Pinyin:
    """The method ``pinyin``.

    Args:
        granule: number of characters of a granule, 2 to 1000.
        overlap: share of a granule that overlaps the next one, in [0, 1).
        bins: base of the digits, 2 to 10. Base 2 has the highest recall, base 10 the highest precision.
        hits: minimum number of common keys for a comparison, 1 to 65,535.
        share: minimum share of the keys of a text that makes it a copy, in (0, 1].
        normalisation: "zscore", "minmax" or "quantile".
        others: "drop" removes characters without pinyin; "keep" keeps their place, and counts Latin letters.
        reference: share of each letter of ``ALPHABET``, each in (0, 0.5]; None is ``REFERENCE``.

    Raises:
        UsageError: a value is out of range.
    """

    granule: int = 50
    overlap: float = 0.5
    bins: int = 2
    hits: int = 2
    share: float = 0.2
    normalisation: str = "zscore"
    others: str = "drop"
    reference: tuple[float, ...] | None = None

    name: ClassVar[str] = "pinyin"
    usual_threshold: ClassVar[float] = A_SIXTH

    def __post_init__(self) -> None:
        demand_whole(self, "granule", 2, _LARGEST_GRANULE)
        demand_whole(self, "bins", 2, 10)
        demand_whole(self, "hits", 1, _MOST_HITS)
        for name in ("overlap", "share"):
            _demand(
                type(getattr(self, name)) in (int, float),
                say("{name} is {value!r}, not a number", name=name, value=getattr(self, name)),
            )
        _demand(0 <= self.overlap < 1, say("{name} is {value}, not in [0, 1)", name="overlap", value=self.overlap))
        _demand(
            0 < self.share <= 1,
            say("expected a number in (0, 1] for {name}, got {value}", name="share", value=self.share),
        )
        _demand(
            self.normalisation in NORMALISATIONS,
            say(
                "{name} is {value!r}, not {choices}",
                name="normalisation",
                value=self.normalisation,
                choices=NORMALISATIONS,
            ),
        )
        _demand(
            self.others in OTHERS,
            say("{name} is {value!r}, not {choices}", name="others", value=self.others, choices=OTHERS),
        )
        if self.reference is not None:
            object.__setattr__(self, "reference", _sound_reference(self.reference))

    @property
    def min_shared(self) -> int:
        """Minimum number of common keys, ``hits``."""
        return self.hits

    @property
    def step(self) -> int:
        """Number of characters from the start of one granule to the next."""
        return max(1, round(self.granule * (1 - self.overlap)))

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; a key for each distinct number of a granule."""
        return Fingerprints.from_buffers(self._granules().fingerprint(texts))

    def digits(self, text: str) -> NDArray[np.uint8]:
        """Return the digits of every granule of a text, (granules, 20), in the order of ``ALPHABET``."""
        return np.frombuffer(memoryview(self._granules().digits(text)), np.uint8).reshape(-1, len(ALPHABET))

    def numbers(self, text: str) -> list[int]:
        """Return the number of every granule of a text; each fits in ``number_bytes``."""
        places = [self.bins**place for place in reversed(range(len(ALPHABET)))]
        return [sum(map(mul, row, places)) for row in self.digits(text).tolist()]

    @property
    def number_bytes(self) -> int:
        """Number of bytes of a granule number: 9 in base 10; 8, 5 and 3 in base 8, 4 and 2."""
        largest: int = self.bins ** len(ALPHABET) - 1
        return (largest.bit_length() + 7) // 8

    def query(self, text: str, stride: int | None = None, pieces: int | None = None, probes: int = 0) -> frozenset[int]:
        """Return the keys to look up an excerpt among texts fingerprinted by this method.

        Args:
            text: the excerpt.
            stride: characters from the start of one granule to the next; None is ``step``. 1 finds an excerpt from
                any position, 5 most of them.
            pieces: number of granules, evenly spaced; None is all.
            probes: number of most uncertain digits of each granule that are also looked up with an offset of one.

        Raises:
            UsageError: a value is out of range.

        Cost: (1 + ``probes``) keys for each ``stride`` characters.
        """
        stride = self.step if stride is None else stride
        _demand(stride >= 1, say("{name} is {value}, not 1 or more", name="stride", value=stride))
        _demand(pieces is None or pieces >= 1, say("{name} is {value}, not 1 or more", name="pieces", value=pieces))
        _demand(probes >= 0, say("{name} is {value}, not 0 or more", name="probes", value=probes))
        granule_keys = self._granules().query(text, stride, pieces or 0, probes)
        return frozenset(np.frombuffer(memoryview(granule_keys), np.uint64).tolist())

    def sought(self, texts: Any) -> SoughtKeys:
        """Return the keys to look up texts that may be excerpts from any position of others.

        Args:
            texts: an iterable of str, or an Arrow string array.

        Returns:
            Their keys, and those of granules at every position (of 4,000 positions in longer texts), as by ``query``
            with ``probes`` = 1: about two more keys a character, 8,000 at most.
        """
        keys, counts = self._granules().sought(texts)
        return SoughtKeys(np.frombuffer(memoryview(keys), np.uint64), np.frombuffer(memoryview(counts), np.uint32))

    def similarity(self, a: str, b: str) -> float:
        """Return the Jaccard similarity of the keys of both texts."""
        first, second = keys(self, a), keys(self, b)
        return len(first & second) / max(1, len(first | second))

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: ``share`` of the keys, and a copied share of ``threshold``."""
        return Verdict("keys", self.share, copied=threshold)

    def _granules(self) -> _core.Granules:
        reference = REFERENCE if self.reference is None else self.reference
        keep = self.others == "keep"
        return _core.Granules(self.granule, self.step, self.bins, self.hits, self.normalisation, keep, reference)


def initial_shares(texts: Iterable[str]) -> tuple[float, ...]:
    """Return the share of each letter of ``ALPHABET`` among the initials of ``texts``, for use as ``reference``.

    A letter that does not occur is counted as half an occurrence. Linear.

    Raises:
        UsageError: no text has a Han character, or more than half of them have the same initial.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(initials(text, by_word=False))
    _demand(bool(counts), say("the texts of a reference have no Han character"))
    return _sound_reference([max(counts[letter], 0.5) / counts.total() for letter in ALPHABET])


def granule_for(length: int, granules: Sequence[int] = (50, 100, 200)) -> int:
    """Return the granule for looking up a text of ``length`` characters, of those used for fingerprints.

    Large granules tolerate more edits and small ones shorter excerpts, so it is the largest that fits into the text
    four times, or else the smallest one.
    """
    return max((granule for granule in granules if 4 * granule <= length), default=min(granules))


def _sound_reference(shares: Any) -> tuple[float, ...]:
    sound = isinstance(shares, Sequence) and len(shares) == len(ALPHABET)
    sound = sound and all(isinstance(share, int | float) and 0 < share <= _LARGEST_SHARE for share in shares)
    _demand(
        sound,
        say(
            "reference is not {count} shares above 0 and up to {most}",
            count=len(ALPHABET),
            most=_LARGEST_SHARE,
        ),
    )
    return tuple(float(share) for share in shares)


def _demand(condition: bool, message: str) -> None:
    if not condition:
        raise UsageError(
            say("{label}: {reason}", label="pinyin", reason=message), hint=say("see `whorl methods pinyin`")
        )
