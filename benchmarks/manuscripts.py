"""Manuscripts of any number and length into which passages of earlier ones are planted, half of them edited."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.articles import Language, load_articles
from benchmarks.corpora import Strangers
from benchmarks.edits import edit
from benchmarks.units import Units, alphabet_for

_ARTICLE = 1_000
"""Mean length of an article in code points."""
_PASSAGE = {"zh": (40, 400), "en": (20, 200)}
"""Length of a planted passage in units: characters or words."""
_COVERED = 0.8


@dataclass(frozen=True, slots=True)
class PlantedPassage:
    """A passage of an earlier manuscript.

    Attributes:
        source: number of the manuscript that it was taken from.
        target: number of the manuscript that it was put into.
        start: its first code point there.
        end: the end of its code points there.
        is_edited: whether 2 to 10% of it were edited.
    """

    source: int
    target: int
    start: int
    end: int
    is_edited: bool


@dataclass(frozen=True, slots=True)
class Manuscripts:
    """Manuscripts with planted passages.

    Attributes:
        text_bytes: UTF-8 bytes of all texts.
        planted: the planted passages.
        origin: the source of the text.
    """

    text_bytes: int
    planted: list[PlantedPassage]
    origin: str


def write_manuscripts(path: Path, language: Language, count: int, length: int, share: float, seed: int) -> Manuscripts:
    """Write manuscripts as JSON Lines of ``id``, the number, and ``text``, reproducible for the same arguments.

    Args:
        path: file to write.
        language: language of the articles that they are made of.
        count: number of manuscripts.
        length: approximate code points of a manuscript.
        share: share of the manuscripts with a passage of an earlier one.
        seed: seed of the articles, their permutations and the planted passages.
    """
    articles = load_articles(language, seed)
    per_text = max(1, length // _ARTICLE)
    strangers = Strangers.of(articles.texts, alphabet_for(language, articles.texts), count * per_text, seed)
    decode, joiner = strangers.alphabet.decode, " " if language == "en" else ""
    generator = np.random.default_rng([seed, count, length])
    planted: list[PlantedPassage] = []
    text_bytes = 0

    def units_of(number: int) -> Units:
        return np.concatenate([strangers[number * per_text + place] for place in range(per_text)])

    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            units = units_of(number)
            text = decode(units)
            if number and generator.random() < share:
                source = int(generator.integers(number))
                passage = _passage(units_of(source), language, generator)
                is_edited = bool(generator.random() < 0.5)
                copy = edit(passage, strangers.stream, generator)[0] if is_edited else passage
                place = int(generator.integers(len(units)))
                head, middle = decode(units[:place]), decode(copy)
                start = len(head) + len(joiner)
                planted.append(PlantedPassage(source, number, start, start + len(middle), is_edited))
                text = joiner.join((head, middle, decode(units[place:])))
            text_bytes += len(text.encode())
            file.write(f"{json.dumps({'id': str(number), 'text': text}, ensure_ascii=False)}\n")
    return Manuscripts(text_bytes, planted, f"{articles.origin}; {strangers.repetitions()}")


def recalled(planted: Sequence[PlantedPassage], passages: Sequence[tuple[int, int, int, int]]) -> list[PlantedPassage]:
    """Return the planted passages of which four fifths lie in passages that were found.

    Args:
        planted: the planted passages.
        passages: for each passage the number of the other manuscript, that of this one, and its range in this one.
    """
    ranges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for other, number, start, end in passages:
        ranges.setdefault((other, number), []).append((start, end))

    def is_found(passage: PlantedPassage) -> bool:
        covered = np.zeros(passage.end - passage.start, np.bool_)
        for start, end in ranges.get((passage.source, passage.target), ()):
            covered[max(0, start - passage.start) : max(0, end - passage.start)] = True
        return bool(covered.mean() >= _COVERED)

    return [passage for passage in planted if is_found(passage)]


def _passage(units: Units, language: Language, generator: np.random.Generator) -> Units:
    shortest, longest = _PASSAGE[language]
    length = min(len(units), int(generator.integers(shortest, longest + 1)))
    start = int(generator.integers(len(units) - length + 1))
    return units[start : start + length]
