"""How exactly `whorl.compare` finds the passages of copies of every kind, and that strangers share none."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from tests.articles import NEWSROOM
from tests.quality.corpora import data_folder, lines, of_copies

import whorl
from whorl.evaluation import mutations
from whorl.evaluation.mutations import kinds_for, mutate, others_needed
from whorl.evaluation.passages import score_passages
from whorl.evaluation.plagdet import CopiedStretch, Score
from whorl.evaluation.scoring import Copy
from whorl.evaluation.truth import load_truth

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["passages"]
_STRANGERS = 1000


@dataclass(frozen=True)
class Known:
    """Texts by name, and the copies among them with what was copied."""

    texts: dict[str, str]
    copies: list[Copy]


@cache
def known(name: str) -> Known:
    folder = data_folder()
    return _generated() if folder is None else _real(folder / name)


def _real(folder: Path) -> Known:
    texts = {row["id"]: row["text"] for row in lines(folder / "docs.jsonl.gz")}
    truth = load_truth(folder / "truth.jsonl.gz", texts.keys())
    return Known(texts, list(truth.copies))


def _generated() -> Known:
    originals = list(lines(NEWSROOM / "originals.jsonl"))
    texts = {original["id"]: original["text"] for original in originals}
    copies = []
    for place, original in enumerate(originals):
        language = "zh" if original["id"].startswith("zh") else "en"
        same = [other for other in originals if other["id"].startswith(language) and other is not original]
        for kind in kinds_for(language):
            others = [same[(place + step) % len(same)] for step in range(others_needed(kind))]
            made = mutate(original["text"], kind, place, others=[other["text"] for other in others])
            sources, name = [original["id"], *(other["id"] for other in others)], f"{original['id']}/{kind}"
            texts[name] = made.text
            copies.append(Copy(name, kind, tuple(sources), tuple(_stretches(name, sources, made))))
    return Known(texts, copies)


def _stretches(name: str, sources: list[str], made: mutations.Copy) -> Iterator[CopiedStretch]:
    for part in made.passages:
        source = sources[part.source]
        yield CopiedStretch(name, part.copy_start, part.copy_end, source, part.source_start, part.source_end)


@cache
def scores(name: str) -> dict[str, Score]:
    found = score_passages(known(name).texts, known(name).copies)
    return {kind: score for kind, (_, score) in found.items()}


@pytest.mark.parametrize("name", of_copies())
def test_passages_of_every_kind_are_found_exactly(name: str) -> None:
    floors = FLOORS[name]
    found = {kind: score.plagdet for kind, score in scores(name).items()}
    floor = {kind: floors["kinds"].get(kind, floors["every_kind"]) for kind in found}
    assert {kind: plagdet for kind, plagdet in found.items() if plagdet < floor[kind]} == {}
    assert mean(found.values()) >= floors["overall"]


@pytest.mark.parametrize("name", of_copies())
def test_a_copied_stretch_is_one_passage(name: str) -> None:
    assert max(score.granularity for score in scores(name).values()) <= FLOORS["granularity"]


@pytest.mark.parametrize("name", of_copies())
def test_strangers_share_no_passage(name: str) -> None:
    pairs = list(_strangers(name))
    related = sum(bool(compared.passages) for compared in whorl.compare_many(pairs))
    assert len(pairs) >= 100, "enough pairs to tell"
    assert related / len(pairs) <= FLOORS["strangers"]


def _strangers(name: str) -> Iterator[tuple[str, str]]:
    """Pairs of different articles that nobody copied: of a source by one copy, and none of the same copy."""
    folder = data_folder()
    if folder is None:
        texts = [row["text"] for row in lines(NEWSROOM / "originals.jsonl")]
        yield from combinations(texts, 2)
        return
    rows = lines(folder / name / "docs.jsonl.gz")
    texts = [row["text"] for row in rows if not row["source"].startswith("mutated")]
    rng = Random(1)
    for _ in range(_STRANGERS):
        one, other = rng.sample(texts, 2)
        yield one, other
