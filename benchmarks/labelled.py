"""Articles with labeled copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.articles import LANGUAGES, data_folder, newsroom, read_rows

_COPIES_PER_KIND = 3


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Articles, and pairs of them that may be copies.

    Attributes:
        name: name of the set.
        origin: one sentence about its source.
        texts: the articles.
        pairs: int64 (n, 2), row numbers.
    """

    name: str
    origin: str
    texts: list[str]
    pairs: NDArray[np.int64]


def labelled_sets(names: Iterable[str], seed: int) -> Iterator[Labelled]:
    """Yield the sets of ``WHORL_DATA`` by name, or else one set generated from the example's articles."""
    folder = data_folder()
    if folder is None:
        yield _from_example(seed)
        return
    for name in names:
        yield _exhaustive(folder) if name == "zh-news" else _mutated(folder, name)


def _exhaustive(folder: Path) -> Labelled:
    """Return 2,000 real news articles with every neighbor that shares 30% with one of them."""
    articles = list(read_rows(folder / "zh-news" / "articles.jsonl.zst"))
    rows = {article["id"]: row for row, article in enumerate(articles)}
    neighbours = (
        (rows[entry["query"]], rows[neighbour])
        for entry in read_rows(folder / "zh-labelled" / "exhaustive-2000.jsonl.gz")
        for neighbour, _, _ in entry["neighbours"]
    )
    pairs = sorted({(min(pair), max(pair)) for pair in neighbours})
    origin = "zh-news in WHORL_DATA: 2,000 real Chinese news articles with every neighbour of theirs among all others"
    return Labelled("zh-news", origin, [article["text"] for article in articles], _array(pairs))


def _mutated(folder: Path, name: str) -> Labelled:
    """Return real articles and many kinds of copies of them, without their ids, which name the kind."""
    articles = list(read_rows(folder / name / "docs.jsonl.gz"))
    rows = {article["id"]: row for row, article in enumerate(articles)}
    truth = read_rows(folder / name / "truth.jsonl.gz")
    pairs = [(rows[entry["copy_id"]], rows[source]) for entry in truth for source in entry["sources"]]
    origin = f"{name} in WHORL_DATA: real articles and copies of them, of many kinds"
    return Labelled(name, origin, [article["text"] for article in articles], _array(pairs))


def _from_example(seed: int) -> Labelled:
    """Return the articles of the example, and copies of every kind that needs no second article."""
    from whorl.evaluation.mutations import kinds_for, mutate, others_needed

    texts: list[str] = []
    pairs: list[tuple[int, int]] = []
    for language in LANGUAGES:
        kinds = [kind for kind in kinds_for(language) if not others_needed(kind)]
        for text in newsroom(language):
            original = len(texts)
            texts.append(text)
            for kind in kinds:
                copies = [mutate(text, kind, seed + number).text for number in range(_COPIES_PER_KIND)]
                pairs += [(len(texts) + number, original) for number in range(len(copies))]
                texts += copies
    origin = "the invented articles of examples/newsroom and copies of them, made by whorl.evaluation"
    return Labelled("newsroom", origin, texts, _array(pairs))


def _array(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(pairs, np.int64).reshape(-1, 2)
