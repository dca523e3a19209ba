"""Every family, run by the engine in every way it can be, gives the result of the definition, row for row."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import newsroom_articles, write_jsonl
from tests.unit.engines.slow_twin import dedup_slowly

import whorl
from whorl.fingerprints import families
from whorl.matching.verify import Verification
from whorl.recipe import Recipe
from whorl.text import body, fold

RULE = Verification("none")
"""What a family goes by, alone: boilerplate and passages have tests of their own."""

SENTENCES = sorted({part for row in newsroom_articles() for part in row["text"].split("。") if len(part) > 9})
Removed = list[tuple[str, str, float]]

each_family = pytest.mark.parametrize("name", sorted(families()))


def spoiled(sentences: list[str], rng: random.Random) -> list[str]:
    """A copy of some kind: verbatim, out of order, an excerpt, embedded, or with characters exchanged."""
    kind = rng.choice(["verbatim", "shuffled", "excerpt", "embedded", "typos"])
    copy = list(sentences)
    if kind == "shuffled":
        rng.shuffle(copy)
    elif kind == "excerpt":
        copy = copy[: rng.randint(1, len(copy))]
    elif kind == "embedded":
        copy = rng.sample(SENTENCES, 2) + copy
    elif kind == "typos":
        for _ in range(rng.randint(1, 6)):
            place = rng.randrange(len(copy))
            at = rng.randrange(len(copy[place]))
            copy[place] = copy[place][:at] + rng.choice("的了一，x") + copy[place][at + 1 :]
    return copy


def made_corpus(rng: random.Random, size: int) -> list[str]:
    """A few articles of real sentences with their copies, and texts with little or nothing in them."""
    bases = [rng.sample(SENTENCES, rng.randint(1, 8)) for _ in range(rng.randint(1, 3))]
    texts = ["。".join(spoiled(rng.choice(bases), rng)) + "。" for _ in range(size)]
    texts += rng.sample(["", "。", "天", "天地", "a", "天"], rng.randint(0, 3))
    rng.shuffle(texts)
    return texts


corpora = st.builds(made_corpus, st.integers(0, 2**32).map(random.Random), st.integers(0, 12))


def removed_slowly(texts: list[str], recipe: Recipe) -> Removed:
    """The definition, on texts that are ranked by length and then by their place."""
    order = sorted(range(len(texts)), key=lambda place: (-len(fold(body(texts[place]))), place))
    dropped = dedup_slowly([texts[place] for place in order], recipe.family(), recipe.threshold)
    found = [(f"{order[rank]:03}", f"{order[kept]:03}", share) for rank, (kept, share) in dropped.items()]
    return sorted(found)


def removed(result: whorl.DedupResult) -> Removed:
    return sorted((row["id"], row["duplicate_of"], row["similarity"]) for row in result.duplicates.to_pylist())


def documents(texts: list[str]) -> list[dict[str, str]]:
    return [{"id": f"{place:03}", "text": text} for place, text in enumerate(texts)]


@each_family
@settings(max_examples=20, deadline=None)
@given(texts=corpora, threshold=st.sampled_from([0.2, 0.5, 0.8, 1.0]))
def test_in_memory(name: str, texts: list[str], threshold: float) -> None:
    recipe = Recipe(method=name, threshold=threshold, verify=RULE)
    assert removed(whorl.dedup(documents(texts), recipe=recipe)) == removed_slowly(texts, recipe)


@each_family
@settings(max_examples=4, deadline=None)
@given(texts=corpora, threshold=st.sampled_from([0.2, 0.8]))
def test_through_files(name: str, texts: list[str], threshold: float) -> None:
    recipe = Recipe(method=name, threshold=threshold, verify=RULE)
    with TemporaryDirectory() as folder:
        path = write_jsonl(Path(folder, "a.jsonl"), documents(texts))
        assert removed(whorl.dedup(path, out=Path(folder, "out"), recipe=recipe)) == removed_slowly(texts, recipe)


PROGRAM = """
import json, sys
from pathlib import Path
import whorl

found = []
for path, method in json.load(sys.stdin):
    result = whorl.dedup(Path(path), method=method, verify="none", workers=int(sys.argv[1]))
    found.append([(row["id"], row["duplicate_of"], row["similarity"]) for row in result.duplicates.to_pylist()])
json.dump(found, sys.stdout)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_with_any_number_of_workers(workers: int, tmp_path: Path) -> None:
    """One process for all families: the threads of a process are chosen once."""
    rng = random.Random(workers)
    corpora = [made_corpus(rng, 60) for _ in range(2)]
    paths = [write_jsonl(tmp_path / f"{place}.jsonl", documents(texts)) for place, texts in enumerate(corpora)]
    asked = [(place, name) for name in sorted(families()) for place in range(len(corpora))]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(workers)],
        input=json.dumps([(str(paths[place]), name) for place, name in asked]),
        env=os.environ,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for (place, name), rows in zip(asked, json.loads(ended.stdout), strict=True):
        expected = removed_slowly(corpora[place], Recipe(method=name, verify=RULE))
        assert expected, f"{name} finds nothing to compare"
        assert sorted(map(tuple, rows)) == expected, name
