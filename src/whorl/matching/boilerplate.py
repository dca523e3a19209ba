"""Boilerplate learned from many texts: sentences and runs that too many of them have to be anybody's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Self

import numpy as np

from whorl import _core
from whorl.errors import UsageError
from whorl.language import say
from whorl.text import fold
from whorl.text.structure import sentences

MANY, SAMPLE = _core.Boilerplate.MANY, _core.Boilerplate.SAMPLE
"""How many documents have something before it may be boilerplate, and how many of them are looked at."""
_LEAST = 5
_RUN, _EVERY = 8, 2**31


def learn_boilerplate(texts: Iterable[str], *, texts_with: int = 5) -> list[str]:
    """Return the sentences that at least so many texts have, as `Comparing` takes them.

    >>> import whorl
    >>> notice = "版权声明：本网站所有内容未经许可不得转载，违者必究。"
    >>> articles = [f"第{number}天的新闻，说的是第{number}件事。{notice}" for number in range(50)]
    >>> [sentence for sentence in whorl.learn_boilerplate(articles)]
    ['版权声明：本网站所有内容未经许可不得转载，违者必究。']

    Args:
        texts: texts of one source or of one kind, of which no article comes twice.
        texts_with: how many of them must have a sentence, 2 or more; sentences are the same where they fold to the same
            code points, and those of fewer than five are passed over.

    Returns:
        Each as it stands where it was seen first, in that order.

    Raises:
        UsageError: ``texts_with`` is out of range.

    Cost: linear; memory for the different sentences.
    """
    if type(texts_with) is not int or texts_with < 2:
        raise UsageError(
            say("{name} is {value!r}", name="texts_with", value=texts_with),
            cure=say("what one text has is no boilerplate: give 2 or more"),
        )
    counts: Counter[str] = Counter()
    seen_first: dict[str, str] = {}
    for text in texts:
        own = {fold(sentence): sentence for sentence in (text[start:end] for start, end in sentences(text))}
        for folded, sentence in own.items():
            if len(folded) >= _LEAST:
                counts[folded] += 1
                seen_first.setdefault(folded, sentence)
    return [sentence for folded, sentence in seen_first.items() if counts[folded] >= texts_with]


class Notices:
    """Runs of eight tokens that are nobody's own. Never changed; true if there are any.

    Args:
        runs: their hashes.

    Attributes:
        sought: these as the core seeks them in texts.
    """

    def __init__(self, runs: Iterable[int] = ()) -> None:
        self.sought = _core.Boilerplate(list(runs))

    @classmethod
    def _of(cls, sought: _core.Boilerplate) -> Self:
        made = cls.__new__(cls)
        made.sought = sought
        return made

    @classmethod
    def of_sample(cls, texts: Sequence[str]) -> Self:
        """Return what most of some texts have, unless most of them are copies of each other. Linear in the texts."""
        found, _ = _core.Boilerplate.of_sample(list(texts))
        return cls._of(found)

    @property
    def runs(self) -> list[int]:
        """The hashes, ascending."""
        return self.sought.runs()

    @staticmethod
    def unpacked(runs: bytes) -> list[int]:
        """Return the hashes that ``packed`` gave."""
        unpacked: list[int] = np.frombuffer(runs, "<u8").tolist()
        return unpacked

    def packed(self) -> bytes:
        """Return the hashes, ascending, in eight bytes each."""
        return np.array(self.runs, "<u8").tobytes()

    @staticmethod
    def runs_in(texts: Sequence[str]) -> list[frozenset[int]]:
        """Return the hashes of all runs that each text has. Linear."""
        _, _, keys, counts, _ = _core.shingles(texts, _RUN, _EVERY)
        ends = np.cumsum(np.frombuffer(memoryview(counts), "<u4")).tolist()
        hashes = np.frombuffer(memoryview(keys), "<u8").tolist()
        return [frozenset(hashes[start:end]) for start, end in pairwise([0, *ends])]

    def among(self, runs: Iterable[int]) -> frozenset[int]:
        """Return those of some hashes that are of these runs."""
        return frozenset(self.sought.among(list(runs)))

    def spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return the stretches of each text that such runs cover, as ranges of code points. Linear."""
        return self.sought.ranges(list(texts))

    def longest_in(self, texts: Sequence[str]) -> str:
        """Return the longest stretch of the first text that has any of such runs; empty where none has. Linear."""
        for text, spans in zip(texts, self.spans(texts), strict=True):
            if spans:
                start, end = max(spans, key=lambda span: span[1] - span[0])
                return text[start:end]
        return ""

    def __or__(self, other: Self) -> Self:
        """These and others, at the cost of a copy of the more numerous ones; where there are no others, these."""
        if not other:
            return self
        return self._of(self.sought | other.sought) if self else other

    def __sub__(self, other: Self) -> Self:
        return self._of(self.sought - other.sought) if other else self

    def __bool__(self) -> bool:
        return bool(self.sought)


__all__ = ["MANY", "SAMPLE", "Notices", "learn_boilerplate"]
