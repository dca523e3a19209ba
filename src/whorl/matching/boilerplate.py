"""Boilerplate learned from many texts: sentences and runs that too many of them have to be anybody's own."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
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
_EDGE = 40
"""So near to the beginning or the end of a text stands what frames it."""


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

    def framing(self, texts: Sequence[str]) -> Self:
        """Return those of these runs that frame most of the texts that have them.

        A run frames a text where it belongs to a line most of which is boilerplate, or stands within ``_EDGE`` code
        points of the beginning or the end of the text, as notices, bylines and the frames of pages do. Other runs stand
        in running text, as quotations do. Linear.
        """
        bearers: Counter[int] = Counter()
        framed: Counter[int] = Counter()
        for text, spans in zip(texts, self.spans(texts), strict=True):
            frames = _frames(text, spans)
            parts = ["\n".join(text[start:end] for start, end in some) for some in (spans, frames)]
            of_text, of_frames = (self.among(runs) for runs in self.runs_in(parts))
            bearers.update(of_text)
            framed.update(of_frames)
        return self._of(_core.Boilerplate([run for run, count in bearers.items() if 2 * framed[run] > count]))

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


def _frames(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of some stretches of a text that are most of their lines or stand at its beginning or end."""
    covered = [0] * (text.count("\n") + 1)
    length = [len(line) for line in text.split("\n")]
    starts = list(accumulate(length, lambda start, own: start + own + 1, initial=0))[:-1]
    lines = [(bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1) for start, end in spans]
    for (start, end), (first, last) in zip(spans, lines, strict=True):
        for line in range(first, last + 1):
            covered[line] += min(end, starts[line] + length[line]) - max(start, starts[line])
    return [
        (start, end)
        for (start, end), (first, last) in zip(spans, lines, strict=True)
        if start <= _EDGE
        or end >= len(text) - _EDGE
        or 2 * sum(covered[first : last + 1]) > sum(length[first : last + 1])
    ]


__all__ = ["MANY", "SAMPLE", "Notices", "learn_boilerplate"]
