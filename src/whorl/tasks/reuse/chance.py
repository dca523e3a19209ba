"""Expected number of passages that are chance.

Decoys are texts of a bigram chain over the corpus: characters of dense scripts, words of others. They have its
vocabulary and its collocations, but quote nothing. The same search finds what they share with real documents; scaled to
the size of the corpus, that is the number of passages to expect from chance. Set phrases of three words or more do not
count as chance; they show as large clusters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from whorl._internal.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST = 20_000
"""Length of the smallest corpus that is modelled; in a smaller one, the chain would repeat the texts."""
_DECOYS = 200_000
_TRAINING = 2_000_000
_DOCUMENT = 2000
_FREQUENT = 5
"""Rarer tokens are followed by a random one: their followers would repeat the texts."""
_TOKENS = re.compile(r"[⺀-鿿가-힯豈-﫿\U00020000-\U0003ffff]|[^\W_]+|\s+|.", re.DOTALL)


@frozen
class Chance:
    """Passages to expect from chance.

    Attributes:
        decoy_characters: length of the decoys.
        decoy_hits: passages that decoys share with documents.
        expected: number of passages to expect in the corpus.
        upper: upper limit of the 95% confidence interval of this number.
    """

    decoy_characters: int
    decoy_hits: int
    expected: float
    upper: float

    @classmethod
    def of(cls, hits: int, decoy_characters: int, characters: int, share: float) -> Chance:
        """Scale the hits of decoys to the pairs of a corpus.

        Args:
            hits: passages that decoys share with documents.
            decoy_characters: length of the decoys.
            characters: length of the documents that decoys stand for.
            share: share of the pairs that are searched: half, if all are searched once.
        """
        scale = share * characters / decoy_characters
        upper = hits + 1.96 * np.sqrt(hits) + 3.0
        return cls(decoy_characters, hits, hits * scale, float(upper * scale))


def decoys(texts: pa.LargeStringArray, total: int) -> list[str]:
    """Return texts that share only words and pairs of words with ``texts``. Deterministic.

    Args:
        texts: the documents.
        total: their length in code points.
    """
    step = max(1, total // _TRAINING)
    tokens: list[str] = []
    for text in texts.take(pa.array(np.arange(0, len(texts), step))).to_pylist():
        tokens += _TOKENS.findall(text)
    encoded = pa.array(tokens).dictionary_encode()
    numbers, words = encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()
    chain = _chain(numbers, max(1, len(tokens) * min(_DECOYS, total) // max(1, sum(map(len, tokens)))))
    decoy_text = "".join(words[number] for number in chain)
    return [decoy_text[start : start + _DOCUMENT] for start in range(0, len(decoy_text), _DOCUMENT)]


def _chain(numbers: NDArray[np.int64], length: int) -> list[int]:
    """Return a walk in which each number follows another as often as in ``numbers``."""
    order = np.argsort(numbers[:-1], kind="stable")
    followers = numbers[1:][order]
    starts = np.searchsorted(numbers[:-1][order], np.arange(int(numbers.max()) + 2)).tolist()
    random = np.random.default_rng(0)
    draws = random.random(length).tolist()
    restarts = numbers[random.integers(0, len(numbers), length)].tolist()
    following = followers.tolist()
    at = int(restarts[0])
    walk = []
    for draw, restart in zip(draws, restarts, strict=True):
        walk.append(at)
        first, end = starts[at], starts[at + 1]
        at = following[first + int(draw * (end - first))] if end - first >= _FREQUENT else restart
    return walk


__all__ = ["SMALLEST", "Chance", "decoys"]
