"""All words of medium rarity, hashed together, in several random lexicons.

Is
    Words whose inverse document frequency lies in a band are hashed together to one key; a word that the table lacks
    has the table's median. The default band excludes frequent words; a lower upper bound, with a custom table, also
    excludes rare ones.
    Each of ``lexicons`` random lexicons omits a third of all words and gives a further key of the others: an edit that
    only concerns omitted words does not change its key. Two texts that share any key are copies.

Survives
    What ``exact`` survives, reordered words and sentences, edits of frequent or very rare words, and with probability
    1 − (1 − (1/3)^e)^lexicons the change of e words in the band.

Blind to
    More than a few changed words in the band, excerpts, and texts with fewer than ``least`` words in the band, which
    have no keys.

Cost
    Word segmentation, about 0.1 µs a character; ``lexicons`` + 1 keys.

Source
    Chowdhury, Frieder, Grossman, McCabe: Collection statistics for fast duplicate document detection, TOIS 2002.
    Kołcz, Chowdhury, Alspector: Improved robustness of signature-based near-replica detection via lexicon
    randomization, KDD 2004.
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, keys
from whorl.i18n import say
from whorl.text.terms import TermChoice

_MOST_LEXICONS = 100
_MOST_TERMS = 1000
_HIGHEST_RARITY = 50
_HINT = say("see `whorl methods imatch`")


@frozen(slots=False)
class IMatch(TermChoice):
    """The method ``imatch``. It also has the parameters of ``TermChoice``; ``weights`` must be "tf-idf".

    Args:
        lowest: minimum inverse document frequency of the band, as a natural logarithm, inclusive.
        highest: maximum inverse document frequency of the band, inclusive.
        lexicons: number of random lexicons, 0 to 100.
        least: minimum number of words in the band; a text with fewer has no key.

    Raises:
        UsageError: a value is out of range.
        InputError: a dictionary or idf table cannot be read or does not fit.
    """

    lowest: float = 5.0
    highest: float = 14.0
    lexicons: int = 10
    least: int = 3

    name: ClassVar[str] = "imatch"
    usual_threshold: ClassVar[float] = A_SIXTH
    min_shared: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.demand_whole("lexicons", 0, _MOST_LEXICONS)
        self.demand_whole("least", 1, _MOST_TERMS)
        for name in ("lowest", "highest"):
            if type(getattr(self, name)) not in (int, float):
                raise UsageError(
                    say(
                        "{label}: {name} is {value!r}, not a number",
                        label="imatch",
                        name=name,
                        value=getattr(self, name),
                    ),
                    hint=_HINT,
                )
        if not 0 <= self.lowest <= self.highest <= _HIGHEST_RARITY:
            band = say("from lowest = {lowest} to highest = {highest}", lowest=self.lowest, highest=self.highest)
            raise UsageError(
                say(
                    "imatch: the band {band} is not within 0 to {most}",
                    band=band,
                    most=_HIGHEST_RARITY,
                ),
                hint=_HINT,
            )
        if self.weights != "tf-idf":
            raise UsageError(say("imatch chooses words by rarity"), hint=say('leave weights at "tf-idf"'))

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; at most ``lexicons`` + 1 keys each."""
        band = round(self.lowest * _core.IDF_STEPS), round(self.highest * _core.IDF_STEPS)
        return Fingerprints.from_buffers(self.reader().imatch(texts, band, self.lexicons, self.least))

    def similarity(self, a: str, b: str) -> float:
        """Return the share of the lexicons in which both texts have the same words."""
        keys_a, keys_b = keys(self, a), keys(self, b)
        return len(keys_a & keys_b) / max(len(keys_a), len(keys_b), 1)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: equal words in any lexicon, and a copied share of ``threshold``."""
        return Verdict("keys", 1 / (self.lexicons + 1), copied=threshold)
