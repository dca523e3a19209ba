"""How well the copied share orders texts by the amount of copying.

The texts are the answers of Clough and Stevenson (Developing a corpus of plagiarised short answers, 2011), or else
copies of the examples.
"""

from __future__ import annotations

import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from tests.articles import NEWSROOM
from tests.quality.corpora import data_folder, lines

import whorl
from whorl.evaluation.mutations import mutate

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["degrees"]
_DEGREES = {"non": 0, "heavy": 1, "light": 2, "cut": 3}
_MADE_AS = {"heavy": "combo", "light": "typo10", "cut": "truncated"}


@cache
def judged() -> tuple[str, np.ndarray, np.ndarray]:
    """Return the origin of the texts, the degree of each, and its copied or reworded share."""
    folder = data_folder()
    if folder is None:
        name, answers = "newsroom", _generated()
    else:
        name = "clough-stevenson"
        rows = lines(folder / "en-alignment" / f"{name}.jsonl.gz")
        answers = [(row["b"], row["a"], _DEGREES[row["label"]]) for row in rows]
    comparisons = whorl.compare_many([(source, answer) for source, answer, _ in answers])
    return (
        name,
        np.array([degree for *_, degree in answers]),
        np.array([pair.ratios.copied + pair.ratios.reworded for pair in comparisons]),
    )


def _generated() -> list[tuple[str, str, int]]:
    texts = [row["text"] for row in lines(NEWSROOM / "originals.jsonl")]
    answers = [(text, other, 0) for text, other in pairwise(texts)]
    for name, kind in _MADE_AS.items():
        answers += [(text, mutate(text, kind, place).text, _DEGREES[name]) for place, text in enumerate(texts)]
    return answers


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks; equal values get their mean rank."""
    smaller = (values[:, None] > values[None, :]).sum(axis=1)
    return smaller + ((values[:, None] == values[None, :]).sum(axis=1) - 1) / 2


def test_the_related_share_rises_with_the_degree() -> None:
    name, degrees, copied = judged()
    correlation = np.corrcoef(_ranks(degrees), _ranks(copied))[0, 1]
    assert correlation >= FLOORS[name]["correlation"]


def test_copies_differ_from_independent_answers() -> None:
    name, degrees, copied = judged()
    right = ((copied >= FLOORS["copied_from"]) == (degrees > 0)).mean()
    assert right >= FLOORS[name]["right"]
