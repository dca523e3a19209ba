"""Boilerplate learned from many texts: sentences and token runs that occur in too many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Self

import numpy as np

from whorl import _core
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.text import fold
from whorl.text.structure import sentences

MANY, SAMPLE = _core.Boilerplate.MANY, _core.Boilerplate.SAMPLE
"""Minimum number of documents that contain boilerplate, and the number of them that are examined."""
_MIN_SENTENCE = 5
_RUN, _EVERY = 8, 2**31


def learn_boilerplate(texts: Iterable[str], *, texts_with: int = 5) -> list[str]:
    """Return the sentences that occur in at least ``texts_with`` texts, for use in `Comparing`.

    >>> import whorl
    >>> notice = "版权声明：本网站所有内容未经许可不得转载，违者必究。"
    >>> articles = [f"第{number}天的新闻，说的是第{number}件事。{notice}" for number in range(50)]
    >>> [sentence for sentence in whorl.words.learn_boilerplate(articles)]
    ['版权声明：本网站所有内容未经许可不得转载，违者必究。']

    Args:
        texts: texts of one source or kind, without duplicate articles.
        texts_with: minimum number of texts with a sentence, at least 2. Sentences are equal if their normalized forms
            are; those shorter than five code points are skipped.

    Returns:
        The sentences as they first occur, in that order.

    Raises:
        UsageError: ``texts_with`` is out of range.

    Cost: linear; memory for the distinct sentences.
    """
    if type(texts_with) is not int or texts_with < 2:
        raise UsageError(
            say("{name} is {value!r}", name="texts_with", value=texts_with),
            hint=say("boilerplate occurs in several texts: set 2 or more"),
        )
    counts: Counter[str] = Counter()
    seen_first: dict[str, str] = {}
    for text in texts:
        folded_sentences = {
            fold(sentence): sentence for sentence in (text[start:end] for start, end in sentences(text))
        }
        for folded, sentence in folded_sentences.items():
            if len(folded) >= _MIN_SENTENCE:
                counts[folded] += 1
                seen_first.setdefault(folded, sentence)
    return [sentence for folded, sentence in seen_first.items() if counts[folded] >= texts_with]


class Notices:
    """Immutable set of boilerplate runs of eight tokens; false if empty.

    Args:
        runs: hashes of the runs.

    Attributes:
        sought: the runs as a matcher of the core.
    """

    def __init__(self, runs: Iterable[int] = ()) -> None:
        self.sought = _core.Boilerplate(list(runs))

    @classmethod
    def of(cls, sought: _core.Boilerplate) -> Self:
        """Wrap a matcher of the core."""
        notices = cls.__new__(cls)
        notices.sought = sought
        return notices

    @classmethod
    def of_sample(cls, texts: Sequence[str]) -> Self:
        """Return the runs that most of the texts share, unless most texts are copies of each other. Linear."""
        learned, _ = _core.Boilerplate.of_sample(list(texts))
        return cls.of(learned)

    @classmethod
    def of_samples(
        cls, texts: Sequence[str], samples: Sequence[tuple[Sequence[int], bool]], existing: Self
    ) -> list[Self]:
        """Return for each sample the runs that it teaches besides existing ones and those of the samples before it.

        A sample whose first text contains a run of an earlier sample teaches nothing.

        Args:
            texts: the texts.
            samples: for each sample the places of its texts, that of the examined document first, and whether only runs
                that frame most of their texts are boilerplate: see ``framing``.
            existing: runs that are boilerplate already.

        Cost: linear in the texts; those of a sample are compared only if most have a new run in common.
        """
        return [cls.of(learned) for learned in _core.Boilerplate.of_samples(list(texts), samples, existing.sought)]

    @property
    def runs(self) -> list[int]:
        """The hashes in ascending order."""
        return self.sought.runs()

    @staticmethod
    def unpacked(runs: bytes) -> list[int]:
        """Return the hashes serialized by ``packed``."""
        unpacked: list[int] = np.frombuffer(runs, "<u8").tolist()
        return unpacked

    def packed(self) -> bytes:
        """Serialize the hashes in ascending order, eight bytes each."""
        return np.array(self.runs, "<u8").tobytes()

    @staticmethod
    def runs_in(texts: Sequence[str]) -> list[frozenset[int]]:
        """Return the hashes of all runs of each text. Linear."""
        _, _, keys, counts, _ = _core.shingles(texts, _RUN, _EVERY)
        ends = np.cumsum(np.frombuffer(memoryview(counts), "<u4")).tolist()
        hashes = np.frombuffer(memoryview(keys), "<u8").tolist()
        return [frozenset(hashes[start:end]) for start, end in pairwise([0, *ends])]

    def intersection(self, runs: Iterable[int]) -> frozenset[int]:
        """Return the hashes that belong to this set."""
        return frozenset(self.sought.intersection(list(runs)))

    def spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return the ranges of code points of each text that boilerplate covers. Linear."""
        return self.sought.ranges(list(texts))

    def framing(self, texts: Sequence[str]) -> Self:
        """Return the runs that frame most of the texts that contain them.

        A run frames a text if it belongs to lines that are mostly boilerplate, or lies within 40 code points of the
        beginning or end of the text, as notices, bylines and page frames do. Other runs, such as quotations, lie in the
        body. Linear.
        """
        return self.of(self.sought.framing(list(texts)))

    def longest_in(self, texts: Sequence[str]) -> str:
        """Return the longest boilerplate range of the first text that has any, or an empty string. Linear."""
        for text, spans in zip(texts, self.spans(texts), strict=True):
            if spans:
                start, end = max(spans, key=lambda span: span[1] - span[0])
                return text[start:end]
        return ""

    def __or__(self, other: Self) -> Self:
        """Return the union, at the cost of a copy of the larger set; self if the other set is empty."""
        if not other:
            return self
        return self.of(self.sought | other.sought) if self else other

    def __sub__(self, other: Self) -> Self:
        return self.of(self.sought - other.sought) if other else self

    def __bool__(self) -> bool:
        return bool(self.sought)


__all__ = ["MANY", "SAMPLE", "Notices", "learn_boilerplate"]
