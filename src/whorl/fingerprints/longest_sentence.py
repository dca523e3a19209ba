"""The longest sentences, hashed.

Is
    The ``sentences`` longest different sentences of at least ``min_length`` folded code points, or of any length where
    none has so many, each hashed after folding: a key each, or one key for all of them together when ``per_sentence``
    is false. The earlier of two equally long ones goes first. With ``run`` above 1 it is not single sentences that are
    taken but that many consecutive ones. Texts that share ``min_shared`` keys are copies. A text with fewer keys is
    known by its folded text as a whole.

Survives
    What ``exact`` survives, other punctuation within a sentence, another order of sentences, and any change, even most
    of the text cut away, that leaves ``min_shared`` of the longest sentences as they were.

Blind to
    One changed character in each of the longest sentences; sentences joined or split. It takes texts for copies that
    share nothing but a long notice; a key that more than 64 kept documents have is cut, and raising ``min_shared``
    to 2 helps.

Cost
    One pass over the text, and sorting its sentences by length; ``sentences`` keys a document, or one.

Source
    One sentence is the method ascribed to the Baidu search engine, three its variant (presets ``baidu1``, ``baidu3``);
    five are nshash, by veelion, 2019 (preset ``nshash``; whorl cuts sentences by its own rules).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from whorl import _core
from whorl.errors import UsageError, demand_whole
from whorl.fingerprints import A_SIXTH, Fingerprints, Verdict, shared_keys
from whorl.language import say


@dataclass(frozen=True)
class LongestSentence:
    """The family ``longest_sentence``.

    Args:
        sentences: how many sentences, or runs of them, are taken, 1 to 64.
        min_length: folded code points that one has at least, 1 to 10,000; where no sentence of a text has so many, its
            sentences count whatever their length.
        run: consecutive sentences that are taken as one, 1 to 64.
        per_sentence: a key for each; otherwise one key for all of them, whatever their order.
        min_shared: how many keys two copies share, up to the number of keys.

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
                cure=say("set it to true or false"),
            )
        demand_whole(self, "min_shared", 1, self._keys)

    @property
    def _keys(self) -> int:
        return self.sentences if self.per_sentence else 1

    def fingerprint(self, texts: Any) -> Fingerprints:
        """Fingerprint many texts; up to ``sentences`` keys each."""
        return Fingerprints.from_buffers(
            _core.longest_sentence(texts, self.sentences, self.run, self.min_length, self.per_sentence, self.min_shared)
        )

    def similarity(self, a: str, b: str) -> float:
        """Return the share of the keys of both texts that they have in common."""
        return shared_keys(self, a, b)

    def verdict(self, threshold: float) -> Verdict:
        """``min_shared`` equal keys, and the share ``threshold`` of the article copied."""
        return Verdict("keys", self.min_shared / self._keys, copied=threshold, local=True)
