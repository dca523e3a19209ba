"""The longest sentences, hashed.

Is
    The ``sentences`` longest distinct sentences of at least ``min_length`` folded code points (or of any length if no
    sentence is that long), each hashed after folding: a key each, or one key for all of them if ``per_sentence`` is
    false. Of equally long sentences, the earlier one is preferred. If ``run`` is above 1, runs of that many consecutive
    sentences take the place of sentences. Texts that share ``min_shared`` keys are copies. A text with fewer keys is
    represented by its folded text as a whole.

Survives
    What ``exact`` survives, other punctuation within a sentence, reordered sentences, and any change, even removing
    most of the text, that keeps ``min_shared`` of the longest sentences.

Blind to
    One changed character in each of the longest sentences; joined or split sentences. Texts that only share a long
    notice are reported as copies. A key of more than 64 kept documents is therefore ignored, and raising ``min_shared``
    to 2 helps.

Cost
    One pass over the text, and sorting its sentences by length; ``sentences`` keys a document, or one.

Source
    One sentence is the method ascribed to the Baidu search engine, three its variant (presets ``baidu1``, ``baidu3``);
    five are nshash, by veelion, 2019 (preset ``nshash``; whorl splits sentences by its own rules).
"""

from __future__ import annotations

from typing import Any, ClassVar

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError, demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys
from whorl.i18n import say


@frozen(slots=False)
class LongestSentence:
    """The method ``longest_sentence``.

    Args:
        sentences: number of sentences, or runs of them, 1 to 64.
        min_length: minimum length in folded code points, 1 to 10,000; ignored for a text without such a sentence.
        run: number of consecutive sentences that are hashed as one, 1 to 64.
        per_sentence: a key for each sentence; otherwise one key for all of them, in any order.
        min_shared: minimum number of common keys of two copies, up to the number of keys.

    Raises:
        UsageError: a value is out of range.
    """

    sentences: int = 5
    min_length: int = 20
    run: int = 1
    per_sentence: bool = True
    min_shared: int = 1

    name: ClassVar[str] = "longest_sentence"
    usual_threshold: ClassVar[float] = A_SIXTH

    def __post_init__(self) -> None:
        demand_whole(self, "sentences", 1, 64)
        demand_whole(self, "min_length", 1, 10_000)
        demand_whole(self, "run", 1, 64)
        if type(self.per_sentence) is not bool:
            raise UsageError(
                say("{label}: {name} is {value!r}", label=self.name, name="per_sentence", value=self.per_sentence),
                hint=say("set it to true or false"),
            )
        demand_whole(self, "min_shared", 1, self._keys)

    @property
    def _keys(self) -> int:
        return self.sentences if self.per_sentence else 1

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint texts; up to ``sentences`` keys each."""
        return Fingerprints.from_buffers(
            _core.longest_sentence(texts, self.sentences, self.run, self.min_length, self.per_sentence, self.min_shared)
        )

    def similarity(self, a: str, b: str) -> float:
        """Return the Jaccard similarity of the keys of both texts."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """Return the rule: ``min_shared`` equal keys, and a copied share of ``threshold``."""
        return Verdict("keys", self.min_shared / self._keys, copied=threshold, local=True)
