"""Articles as arrays of units, so that whole corpora can be permuted and edited at once.

The unit of Chinese is the character and its number the code point; that of English the word, numbered by a vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.articles import Language

Units = NDArray[np.uint32]

_BASIC_PLANE = 0x10000
_BAND = 64


class Alphabet(Protocol):
    """Conversion between a text and its units."""

    def size(self) -> int:
        """Number of different units."""
        ...

    def encode(self, text: str) -> Units:
        """Return the units of a text that the alphabet was made from."""
        ...

    def decode(self, units: Units) -> str:
        """Return the text of units."""
        ...

    def lengths(self, units: Units) -> NDArray[np.int64]:
        """Return the length of each unit in code points."""
        ...

    def exchangeable(self, units: Units) -> NDArray[np.bool_]:
        """Return which units may replace each other: Han characters, or words with a letter."""
        ...


class Characters:
    """Code points of the basic plane; others are dropped."""

    def size(self) -> int:
        """Number of different units."""
        return _BASIC_PLANE

    def encode(self, text: str) -> Units:
        """Return the code points of a text and a line break."""
        points = np.frombuffer(f"{text}\n".encode("utf-32-le"), np.uint32)
        return points[points < _BASIC_PLANE]

    def decode(self, units: Units) -> str:
        """Return the text of code points."""
        return units.tobytes().decode("utf-32-le")

    def lengths(self, units: Units) -> NDArray[np.int64]:
        """Return ones, the length of every character."""
        return np.ones(len(units), np.int64)

    def exchangeable(self, units: Units) -> NDArray[np.bool_]:
        """Return which are Han characters."""
        return ((units >= 0x4E00) & (units <= 0x9FFF)) | ((units >= 0x3400) & (units <= 0x4DBF))


class Words:
    """The words of ``texts``, split at white space."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = sorted({word for text in texts for word in text.split()})
        self._numbers = {word: number for number, word in enumerate(self._words)}

    def size(self) -> int:
        """Number of different units."""
        return len(self._words)

    def encode(self, text: str) -> Units:
        """Return the numbers of the words of a text."""
        return np.array([self._numbers[word] for word in text.split()], np.uint32)

    def decode(self, units: Units) -> str:
        """Return the words, joined by spaces."""
        words = self._words
        return " ".join([words[number] for number in units.tolist()])

    def lengths(self, units: Units) -> NDArray[np.int64]:
        """Return the length of each word and the space after it."""
        return np.array([len(word) + 1 for word in self._words], np.int64)[units]

    def exchangeable(self, units: Units) -> NDArray[np.bool_]:
        """Return which words have a letter."""
        return np.array([any(map(str.isalpha, word)) for word in self._words], np.bool_)[units]


def alphabet_for(language: Language, texts: Sequence[str]) -> Alphabet:
    """Return the alphabet of a language that covers ``texts``."""
    return Characters() if language == "zh" else Words(texts)


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Exchangeable units from the most to the least frequent, in bands of similar frequency."""

    ranked: Units
    size: int

    @classmethod
    def of(cls, stream: Units, alphabet: Alphabet) -> Bands:
        """Rank the units of ``stream``."""
        counts = np.bincount(stream, minlength=alphabet.size())
        used = np.flatnonzero(counts).astype(np.uint32)
        candidates = used[alphabet.exchangeable(used)]
        return cls(candidates[np.argsort(-counts[candidates], kind="stable")], alphabet.size())

    def permutation(self, generator: np.random.Generator) -> Units:
        """Return a table that maps each unit to another of its band, and the rest to themselves."""
        table = np.arange(self.size, dtype=np.uint32)
        whole = len(self.ranked) // _BAND * _BAND
        banded: NDArray[Any] = generator.permuted(self.ranked[:whole].reshape(-1, _BAND), axis=1).ravel()
        table[self.ranked[:whole]] = banded
        table[self.ranked[whole:]] = generator.permutation(self.ranked[whole:])
        return table
