"""Articles of a scenario: real news where they are available, else generated ones."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tests.articles import CHARACTERS
from tests.quality.corpora import data_folder, lines

_LENGTHS = range(450, 1000)
_POOL = 3000
_SIGNED = re.compile("记者|通讯员|编辑|作者|[文图]/")
_LONG_LINE = 40


class Texts:
    """A supply of unrelated articles, and of further articles on the topic of one of them."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        folder = data_folder()
        self._real = [] if folder is None else _real(folder / "zh-news" / "articles.jsonl.zst", self._rng)
        self._topics: dict[str, list[str]] = {}

    def article(self, *, is_signed: bool = True) -> str:
        """Return an article; with False one that names none of its authors."""
        if not self._real:
            return self._generated(self._words())
        places = reversed(range(len(self._real)))
        return self._real.pop(next(place for place in places if is_signed or not _SIGNED.search(self._real[place])))

    def on_topic(self, text: str) -> str:
        """Return another article on the topic of an article."""
        if not self._real:
            return self._generated(self._topics[text])
        words = _pairs(text)
        nearest = max(range(len(self._real)), key=lambda place: len(words & _pairs(self._real[place])))
        return self._real.pop(nearest)

    def passage(self, length: int) -> str:
        """Return a single paragraph, such as a notice."""
        return self._generated(self._words(), length).replace("\n", "")

    def _words(self) -> list[str]:
        return ["".join(self._rng.choices(CHARACTERS, k=self._rng.randint(2, 5))) for _ in range(12)]

    def _generated(self, words: list[str], length: int = 700) -> str:
        """Return random sentences that contain words, in paragraphs."""
        sentences: list[str] = []
        while sum(map(len, sentences)) < length:
            signs = self._rng.choices(CHARACTERS, k=self._rng.randint(8, 16))
            signs.insert(self._rng.randrange(len(signs)), self._rng.choice(words))
            sentences.append(f"{''.join(signs)}。")
        text = "\n".join("".join(sentences[place : place + 5]) for place in range(0, len(sentences), 5))
        self._topics[text] = words
        return text


def _real(path: object, rng: random.Random) -> list[str]:
    """Return real articles without headings above them, which the page has already."""
    rows = [row["text"] for row in lines(path) if not row["cluster"] and len(row["text"]) in _LENGTHS]  # type: ignore[arg-type]
    rows = [text for text in rows if len(text.partition("\n")[0]) >= _LONG_LINE]
    return rng.sample(rows, min(_POOL, len(rows)))


def _pairs(text: str) -> set[str]:
    return set(_windows(text, 2))


def _windows(text: str, width: int) -> Iterator[str]:
    return (text[place : place + width] for place in range(len(text) - width + 1))


__all__ = ["Texts"]
