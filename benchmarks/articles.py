"""The articles that the benchmarks use."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")

_NEWS = {"zh": "zh-news/articles.jsonl.zst", "en": "en-news/articles.jsonl.gz"}
_NEWSROOM = Path(__file__).parent.parent / "examples" / "newsroom" / "originals.jsonl"
_SENTENCE = re.compile(r"[^。！？.!?\n]*[。！？.!?\n]+|[^。！？.!?\n]+$")
_ROUNDS = 60


@dataclass(frozen=True, slots=True)
class Articles:
    """Articles that are no copies of each other.

    Attributes:
        texts: the articles.
        name: short enough for a file name.
        origin: one sentence about their source.
    """

    texts: list[str]
    name: str
    origin: str


def data_folder() -> Path | None:
    """Return the folder of real articles named by the variable WHORL_DATA, or None."""
    folder = os.environ.get("WHORL_DATA")
    return Path(folder) if folder else None


def load_articles(language: Language, seed: int) -> Articles:
    """Return the real articles of ``WHORL_DATA``, or else recombined articles of the example newsroom."""
    folder = data_folder()
    if folder is None:
        return _recombined(language, seed)
    rows = read_rows(folder / _NEWS[language])
    texts = [row["text"] for row in rows if not row["cluster"]]
    name = f"{language}-news"
    return Articles(texts, name, f"{len(texts):,} articles of {name} in WHORL_DATA that share little with any other")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON Lines file, compressed or not."""
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        for line in stream.read().splitlines():
            yield json.loads(line)


def newsroom(language: Language) -> list[str]:
    """Return the articles of the example newsroom in one language."""
    return [row["text"] for row in read_rows(_NEWSROOM) if row["id"].startswith(f"{language}-")]


def _recombined(language: Language, seed: int) -> Articles:
    originals = newsroom(language)
    sentences = [sentence for text in originals for sentence in _SENTENCE.findall(text)]
    generator = np.random.default_rng(seed)
    joiner = " " if language == "en" else ""
    texts = [joiner.join(sentences[index] for index in generator.permutation(len(sentences))) for _ in range(_ROUNDS)]
    return Articles(
        texts,
        f"{language}-newsroom",
        f"the sentences of {len(originals)} invented articles of examples/newsroom, in {_ROUNDS} random orders",
    )
