"""Texts that begin and end anywhere are read like others: an excerpt may begin with 第二节 or end inside a number."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.quality.corpora import data_folder, lines
from tests.rounds import rounds

import whorl

CASES = Path(__file__).parents[1] / "cases"
REAL = ("families/laws-zh", "foreign/mail-en", "foreign/command-pages", "foreign/templates", "foreign/poems-zh")
SEEDS = range(rounds(2))
TEXTS, LONGEST = 400, 600


def written(value: Any) -> Iterator[str]:
    """Return the texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from written(part)


def sources() -> Iterator[str]:
    for path in sorted(CASES.glob("*.toml")):
        yield from written(tomllib.loads(path.read_text(encoding="utf-8")))
    folder = data_folder()
    for name in REAL if folder else ():
        yield from written(list(lines(folder / f"{name}.jsonl.gz")))


def cut(texts: Iterable[str], rng: random.Random) -> list[str]:
    """Return parts of texts: from the beginning of a line, or from anywhere, on."""
    long = [text for text in texts if len(text) > 40]
    parts = []
    for _ in range(TEXTS):
        text = rng.choice(long)
        begins = [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n"), rng.randrange(len(text))]
        start = rng.choice(begins)
        parts.append(text[start : start + rng.choice((10, 40, 120, LONGEST))])
    return parts


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_may_begin_and_end_anywhere(seed: int) -> None:
    texts = cut(sources(), random.Random(seed))
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    for method in ("minhash", "news", "content", "segment"):
        assert whorl.dedup(rows, method=method).run["counts"]["rows"] == TEXTS
    assert whorl.strip(rows).run["counts"]["rows"] == TEXTS
    pairs = list(zip(texts, [*texts[1:], *texts[:1]], strict=True))
    assert len(whorl.compare_many(pairs)) == TEXTS
