"""How exactly `whorl.compare` finds the passages of copies of every kind, and that strangers share none."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from tests.articles import NEWSROOM
from tests.quality.corpora import data_folder, lines, of_copies

import whorl
from whorl.evaluation.mutations import kinds_for, mutate, others_needed
from whorl.evaluation.plagdet import CopiedStretch, Score, macro

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["passages"]
_STRANGERS = 1000


@dataclass
class Known:
    """Pairs of a source and a copy of one kind, and what was copied."""

    pairs: list[tuple[str, str]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    cases: list[CopiedStretch] = field(default_factory=list)

    def score(self) -> Score:
        """PAN's macro figures of all passages that are found."""
        found = [
            CopiedStretch(copy, passage.b_start, passage.b_end, source, passage.a_start, passage.a_end)
            for (source, copy), compared in zip(self.names, whorl.compare_many(self.pairs), strict=True)
            for passage in compared.passages
        ]
        return macro(self.cases, found)


@cache
def known(name: str) -> dict[str, Known]:
    """By kind."""
    folder = data_folder()
    return _generated() if folder is None else _real(folder / name)


def _real(folder: Path) -> dict[str, Known]:
    texts = {row["id"]: row["text"] for row in lines(folder / "docs.jsonl.gz")}
    kinds: dict[str, Known] = {}
    for row in lines(folder / "truth.jsonl.gz"):
        of_kind = kinds.setdefault(row["kind"], Known())
        for source in set(row["sources"]) & texts.keys():
            of_kind.pairs.append((texts[source], texts[row["copy_id"]]))
            of_kind.names.append((source, row["copy_id"]))
        of_kind.cases += [
            CopiedStretch(row["copy_id"], part["c0"], part["c1"], part["source"], part["s0"], part["s1"])
            for part in row["passages"]
            if part["source"] in texts and part["c0"] < part["c1"] and part["s0"] < part["s1"]
        ]
    return kinds


def _generated() -> dict[str, Known]:
    originals = list(lines(NEWSROOM / "originals.jsonl"))
    kinds: dict[str, Known] = {}
    for place, original in enumerate(originals):
        language = "zh" if original["id"].startswith("zh") else "en"
        same = [other for other in originals if other["id"].startswith(language) and other is not original]
        for kind in kinds_for(language):
            others = [same[(place + step) % len(same)] for step in range(others_needed(kind))]
            copy = mutate(original["text"], kind, place, others=[other["text"] for other in others])
            of_kind, made_of, name = kinds.setdefault(kind, Known()), [original, *others], f"{original['id']}/{kind}"
            of_kind.pairs += [(source["text"], copy.text) for source in made_of]
            of_kind.names += [(source["id"], name) for source in made_of]
            of_kind.cases += [
                CopiedStretch(
                    name,
                    part.copy_start,
                    part.copy_end,
                    made_of[part.source]["id"],
                    part.source_start,
                    part.source_end,
                )
                for part in copy.passages
            ]
    return kinds


@cache
def scores(name: str) -> dict[str, Score]:
    return {kind: of_kind.score() for kind, of_kind in known(name).items()}


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
