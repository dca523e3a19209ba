"""Corpora with text repeated inside documents.

The documents are the unlimited articles of `corpora`, without whole copies. Into a share of them, three to five
consecutive sentences of an earlier document are inserted between two sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.articles import Language, load_articles
from benchmarks.corpora import Strangers
from benchmarks.units import alphabet_for

_SENTENCE = re.compile(r"(?:[。！？]+[”’」』）]*|[.!?]+[\"”’)]*(?=\s)|(?=\n))\s*")
"""The end of a sentence, and the white space behind it."""
_MARKS = re.compile(r"\W+")
_SENTENCES = (3, 5)
_SHORTEST = {"zh": 60, "en": 180}
"""Minimum length of the planted text in code points."""
_PER_DOCUMENT = {"zh": 2_800, "en": 1_000}
"""Approximate UTF-8 bytes of a document."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """A corpus with planted text.

    Attributes:
        documents: number of documents.
        text_bytes: UTF-8 bytes of all texts.
        sentences: the distinct planted sentences.
        origin: the source of the articles.
    """

    documents: int
    text_bytes: int
    sentences: list[str]
    origin: str


def write_repeats(path: Path, language: Language, size: int, share: float, seed: int) -> Repeats:
    """Write a corpus as JSON Lines of ``id`` and ``text``, reproducible for the same arguments.

    Args:
        path: file to write.
        language: language of the articles.
        size: approximate UTF-8 bytes of the texts.
        share: share of the documents with text of an earlier one.
        seed: seed of the articles, their permutations and the planted text.

    Cost: about 50 µs per document; the memory of one repetition and of the planted text.
    """
    articles = load_articles(language, seed)
    count = size // _PER_DOCUMENT[language]
    strangers = Strangers.of(articles.texts, alphabet_for(language, articles.texts), count, seed)
    generator = np.random.default_rng([seed, size])
    planted: dict[str, None] = {}
    text_bytes = 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            sentences = sentences_of(strangers.alphabet.decode(strangers[number]))
            if number and generator.random() < share:
                other = sentences_of(strangers.alphabet.decode(strangers[int(generator.integers(number))]))
                chosen = _chosen(other, _SHORTEST[language], generator)
                place = int(generator.integers(1, max(2, len(sentences))))
                sentences[place:place] = chosen
                planted |= dict.fromkeys(sentence.strip() for sentence in chosen)
            text = "".join(sentences)
            text_bytes += len(text.encode())
            file.write(f"{json.dumps({'id': str(number), 'text': text}, ensure_ascii=False)}\n")
    return Repeats(count, text_bytes, list(planted), f"{articles.origin}; {strangers.repetitions()}")


def occurrences(paths: Iterable[Path], sentences: Sequence[str]) -> list[int]:
    """Return for each sentence how often it occurs in the texts of JSON Lines files. Linear in the files."""
    counts = dict.fromkeys(sentences, 0)
    for path in paths:
        with path.open(encoding="utf-8") as file:
            for line in file:
                for sentence in sentences_of(json.loads(line)["text"]):
                    if (content := sentence.strip()) in counts:
                        counts[content] += 1
    return list(counts.values())


def lost(paths: Iterable[Path], sentences: Iterable[str]) -> list[str]:
    """Return the sentences whose letters occur in no text of JSON Lines files. Linear in the files per sentence."""
    letters = {sentence: _MARKS.sub("", sentence) for sentence in sentences}
    for path in paths if letters else ():
        with path.open(encoding="utf-8") as file:
            for line in file:
                text = _MARKS.sub("", json.loads(line)["text"])
                letters = {sentence: content for sentence, content in letters.items() if content not in text}
    return list(letters)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, each with the white space behind it."""
    ends = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends) if start < end]


def _chosen(sentences: Sequence[str], shortest: int, generator: np.random.Generator) -> Sequence[str]:
    """Return random consecutive sentences, without the first and last; empty if they are too short."""
    count = int(generator.integers(_SENTENCES[0], _SENTENCES[1] + 1))
    start = int(generator.integers(1, max(2, len(sentences) - count)))
    chosen = sentences[start : min(start + count, len(sentences) - 1)]
    return chosen if sum(map(len, chosen)) >= shortest else []
