"""Every engine gives the result of the definition, row for row, for every family, rule and set of references."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import jsonl, newsroom_articles, write_jsonl
from tests.compilations import Case, cases
from tests.contracts.slow_dedup import dedup_slowly
from tests.quality.corpora import available, load
from tests.runs import comparable

import whorl
from whorl.fingerprints import families
from whorl.matching.verify import Verification
from whorl.recipe import Recipe, recipe_of
from whorl.text import body, fold

RULE = Verification("none")
"""Parameters that turn other features off: boilerplate and passages have separate tests."""

SENTENCES = sorted({part for row in newsroom_articles() for part in row["text"].split("。") if len(part) > 9})
Removed = list[tuple[str, str, float]]

each_family = pytest.mark.parametrize("name", sorted(families()))


def spoiled(sentences: list[str], rng: random.Random) -> list[str]:
    """Return a copy: verbatim, reordered, an excerpt, embedded, or with characters replaced."""
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
    """Return a few articles of real sentences with their copies, and texts with little or no content."""
    bases = [rng.sample(SENTENCES, rng.randint(1, 8)) for _ in range(rng.randint(1, 3))]
    texts = ["。".join(spoiled(rng.choice(bases), rng)) + "。" for _ in range(size)]
    texts += rng.sample(["", "。", "天", "天地", "a", "天"], rng.randint(0, 3))
    rng.shuffle(texts)
    return texts


corpora = st.builds(made_corpus, st.integers(0, 2**32).map(random.Random), st.integers(0, 12))


def removed_slowly(texts: list[str], recipe: Recipe, references: Sequence[str] = ()) -> Removed:
    """Apply the definition to texts ranked by length and then by position, after the references."""
    order = sorted(range(len(texts)), key=lambda place: (-len(fold(body(texts[place]))), place))
    names = [f"r{place:02}" for place in range(len(references))] + [f"{place:03}" for place in order]
    ranked = [*references, *(texts[place] for place in order)]
    dropped = dedup_slowly(ranked, recipe.family(), recipe.threshold, len(references))
    return sorted((names[rank], names[kept], share) for rank, (kept, share) in dropped.items())


def documents(texts: list[str]) -> list[dict[str, str]]:
    return [{"id": f"{place:03}", "text": text} for place, text in enumerate(texts)]


LINK = ("id", "related_to", "relation", "direction", "copied", "copied_of_other")


class EngineResult(NamedTuple):
    """Result of an engine: the ids in each of its tables."""

    removed: Removed
    clusters: dict[str, tuple[str, str]]
    related: list[tuple[str, str, str, str | None, float, float]]
    kept: list[str]


Engine = Callable[[list[str], list[str], Recipe], EngineResult]


def ids_of(result: Any, kept: Iterable[Mapping[str, Any]]) -> EngineResult:
    duplicates, clusters = result.duplicates.to_pylist(), result.clusters.to_pylist()
    return EngineResult(
        sorted((row["id"], row["duplicate_of"], row["similarity"]) for row in duplicates),
        {row["id"]: (row["cluster_id"], row["role"]) for row in clusters},
        [tuple(row[column] for column in LINK) for row in result.related.to_pylist()],
        [row["id"] for row in kept],
    )


def in_memory(texts: list[str], references: list[str], recipe: Recipe) -> EngineResult:
    references_rows = [{"id": f"r{place:02}", "text": text} for place, text in enumerate(references)]
    result = whorl.dedup(documents(texts), against=references_rows or None, recipe=recipe)
    return ids_of(result, result.kept)


Run = Callable[[Path, list[Path], Recipe], Any]


def through_files(run: Run) -> Engine:
    """Write the input as two files, one of them compressed; ``run`` deduplicates the folder ``in`` below a location."""

    def engine(texts: list[str], references: list[str], recipe: Recipe) -> EngineResult:
        rows = documents(texts)
        half = len(rows) // 2
        with TemporaryDirectory() as folder:
            place = Path(folder)
            write_jsonl(place / "in" / "a.jsonl", rows[:half])
            (place / "in" / "b.jsonl.gz").write_bytes(gzip.compress(jsonl(rows[half:])))
            reference_rows = [{"id": f"r{number:02}", "text": text} for number, text in enumerate(references)]
            result = run(place, [write_jsonl(place / "known.jsonl", reference_rows)] if reference_rows else [], recipe)
            return ids_of(result, result.kept.to_pylist())

    return engine


def at_once(place: Path, against: list[Path], recipe: Recipe) -> Any:
    return whorl.dedup_files(place / "in", place / "out", against=against, recipe=recipe)


def in_shards(place: Path, against: list[Path], recipe: Recipe) -> Any:
    """Run two shards; the last one decides first."""
    for stage in ("sketch", "group", "decide", "write"):
        for number in (2, 1):
            done = whorl.runs.dedup_shard(
                place / "in",
                place / "out",
                stage=stage,
                shard=f"{number}/2",
                work=place / "work",
                against=against,
                recipe=recipe,
            )
    return done.cleaned


ENGINES: dict[str, Engine] = {
    "memory": in_memory,
    "local": through_files(at_once),
    "shards": through_files(in_shards),
}
each_engine = pytest.mark.parametrize("engine", ENGINES)


@each_engine
@each_family
@settings(max_examples=5)
@given(texts=corpora, threshold=st.sampled_from([0.2, 0.5, 0.8, 1.0]), references=st.integers(0, 3))
def test_it_equals_the_definition(name: str, engine: str, texts: list[str], threshold: float, references: int) -> None:
    recipe = Recipe(method=name, threshold=threshold, verify=RULE)
    reference_texts = texts[:references] if name != "pinyin" else []
    expected = removed_slowly(texts[len(reference_texts) :], recipe, reference_texts)
    assert ENGINES[engine](texts[len(reference_texts) :], reference_texts, recipe).removed == expected


@each_engine
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_compilations_are_those_of_the_definition(engine: str, case: Case) -> None:
    texts = list(case.documents.values())
    recipe = Recipe(method="winnowing", threshold=0.3, verify=RULE)
    result = ENGINES[engine](texts, [], recipe)
    assert result.removed == removed_slowly(texts, recipe)
    assert result == in_memory(texts, [], recipe)
    linked = {other for _, other, relation, *_ in result.related if relation == "compilation"}
    assert bool(linked) == bool(case.stories)
    last = ENGINES[engine](texts[:-1], texts[-1:], recipe)
    assert last.removed == removed_slowly(texts[:-1], recipe, texts[-1:])


@each_family
@settings(max_examples=4)
@given(texts=corpora, references=st.integers(0, 3), keep=st.sampled_from(["longest", "best"]))
def test_engines_agree_on_everything(name: str, texts: list[str], references: int, keep: str) -> None:
    recipe = Recipe(method=name, keep=keep)
    first, *others = (engine(texts[references:], texts[:references], recipe) for engine in ENGINES.values())
    assert all(other == first for other in others)


REAL = [
    *(("newsroom", method) for method in ("minhash", "news", "simhash")),
    *(("zh-news", "minhash"), ("mutated-zh", "simhash"), ("mutated-en", "news")),
]
"""Every corpus and every method, but not all pairs of them: engines depend on neither by the other."""


@pytest.mark.parametrize(("name", "method"), [(name, method) for name, method in REAL if name in available()])
def test_engines_agree_on_real_corpora(name: str, method: str) -> None:
    """Output files are equal byte for byte, and so is the report of the run."""
    texts = load(name).texts
    rows = [{"id": id_, "text": text} for id_, text in sorted(texts.items())]
    recipe = recipe_of(method)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for part in range(3):
            write_jsonl(place / "in" / f"{part}.jsonl", rows[part::3])
        at_once(place, [], recipe)
        (place / "out").rename(place / "local")
        in_shards(place, [], recipe)
        local, shards = comparable(place / "local"), comparable(place / "out")
        assert local["run"]["counts"]["duplicates"]
        assert shards == local


PROGRAM = """
import json, sys
import whorl

found = []
for path, method in json.load(sys.stdin):
    result = whorl.dedup_files(path, f"{path}-{method}", method=method, verify="none", workers=int(sys.argv[1]))
    found.append([(row["id"], row["duplicate_of"], row["similarity"]) for row in result.duplicates.to_pylist()])
json.dump(found, sys.stdout)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_with_any_number_of_workers(workers: int, tmp_path: Path) -> None:
    """One process for all families: the thread count of a process is chosen once."""
    rng = random.Random(workers)
    corpora = [made_corpus(rng, 60) for _ in range(2)]
    paths = [write_jsonl(tmp_path / f"{place}.jsonl", documents(texts)) for place, texts in enumerate(corpora)]
    cases = [(place, name) for name in sorted(families()) for place in range(len(corpora))]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(workers)],
        input=json.dumps([(str(paths[place]), name) for place, name in cases]),
        env=os.environ,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for (place, name), rows in zip(cases, json.loads(ended.stdout), strict=True):
        expected = removed_slowly(corpora[place], Recipe(method=name, verify=RULE))
        assert expected, f"{name} finds nothing to compare"
        assert sorted(map(tuple, rows)) == expected, name
