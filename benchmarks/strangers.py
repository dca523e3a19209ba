"""Any number of unrelated articles with planted copies, in memory.

The articles are those of `corpora`: real news, cut and joined. Their characters are permuted within bands of similar
frequency, so that articles share no text but keep the statistics of the language.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.articles import load_articles
from benchmarks.corpora import Strangers
from benchmarks.edits import edit
from benchmarks.units import Units, alphabet_for

BATCH = 10_000
_EXCERPTS = 0.5


def strangers(count: int, seed: int, copies: float = 0.2) -> Iterator[list[dict[str, Any]]]:
    """Yield Chinese articles of 700 to 1,300 characters in batches, reproducible for the same arguments.

    Args:
        count: total number.
        seed: seed of the articles, their permutations and the copies.
        copies: share of the documents that are copies of a random earlier article: half of them with 2 to 10% of the
            characters edited, half of them an excerpt of one half of it.

    Returns:
        Batches of ``BATCH`` documents: ``id``, the number from 0 as a string; ``text``; ``copy_of``, the id of the
            source
        or None; and ``kind``: "edited", "excerpt" or None.

    Cost: about 30 µs per article; 256 KiB per permutation, one for some tens of thousands of articles.
    """
    texts = load_articles("zh", seed).texts
    source = Strangers.of(texts, alphabet_for("zh", texts), count, seed)
    generator = np.random.default_rng([seed, count])
    originals = array("q")
    for start in range(0, count, BATCH):
        numbers = range(start, min(count, start + BATCH))
        yield [_document(number, source, originals, copies, generator) for number in numbers]


def _document(
    number: int, source: Strangers, originals: array[int], copies: float, generator: np.random.Generator
) -> dict[str, Any]:
    """Return a copy of one of ``originals``, the original articles so far, or the next original."""
    if originals and generator.random() < copies:
        place = int(generator.integers(len(originals)))
        units, kind = _copy(source, place, generator)
        return _row(number, source, units, str(originals[place]), kind)
    originals.append(number)
    return _row(number, source, source[len(originals) - 1], None, None)


def _copy(source: Strangers, place: int, generator: np.random.Generator) -> tuple[Units, str]:
    units = source[place]
    if generator.random() >= _EXCERPTS:
        return edit(units, source.stream, generator)[0], "edited"
    half = len(units) // 2
    start = int(generator.integers(len(units) - half + 1))
    return units[start : start + half], "excerpt"


def _row(number: int, source: Strangers, units: Units, copy_of: str | None, kind: str | None) -> dict[str, Any]:
    return {"id": str(number), "text": source.alphabet.decode(units).strip(), "copy_of": copy_of, "kind": kind}
