"""Accuracy of the passages of `whorl.compare` for every kind of copy; unrelated texts share no passages.

Unrelated news share no text. Shared text of documents on one topic is judged by `one_topic`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from tests.articles import NEWSROOM
from tests.quality.corpora import data_folder, lines, of_copies
from tests.quality.one_topic import HALVES, Planted, documents, meet, planted

import whorl
from whorl.evaluation import mutations
from whorl.evaluation.edits import Language
from whorl.evaluation.fragments import CopiedPassage
from whorl.evaluation.mutations import kinds_for, mutate, others_needed
from whorl.evaluation.passages import score_passages
from whorl.evaluation.plagdet import CopiedStretch, PlagdetScore, macro
from whorl.evaluation.scoring import Copy
from whorl.evaluation.truth import load_truth
from whorl.types.comparison import Passage

LANGUAGES: tuple[Language, ...] = ("zh", "en")
FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["passages"]
_STRANGERS = 1000


@dataclass(frozen=True)
class LabelledTexts:
    """Texts by name, and labeled copies with the copied passages."""

    texts: dict[str, str]
    copies: list[Copy]


@cache
def labelled_texts(name: str) -> LabelledTexts:
    folder = data_folder()
    return _generated() if folder is None else _real(folder / name)


def _real(folder: Path) -> LabelledTexts:
    texts = {row["id"]: row["text"] for row in lines(folder / "docs.jsonl.gz")}
    truth = load_truth(folder / "truth.jsonl.gz", texts.keys())
    return LabelledTexts(texts, list(truth.copies))


def _generated() -> LabelledTexts:
    originals = list(lines(NEWSROOM / "originals.jsonl"))
    texts = {original["id"]: original["text"] for original in originals}
    copies = []
    for place, original in enumerate(originals):
        language = "zh" if original["id"].startswith("zh") else "en"
        same = [other for other in originals if other["id"].startswith(language) and other is not original]
        for kind in kinds_for(language):
            others = [same[(place + step) % len(same)] for step in range(others_needed(kind))]
            mutation = mutate(original["text"], kind, place, others=[other["text"] for other in others])
            sources, name = [original["id"], *(other["id"] for other in others)], f"{original['id']}/{kind}"
            texts[name] = mutation.text
            copies.append(Copy(name, kind, tuple(sources), tuple(_stretches(name, sources, mutation))))
    return LabelledTexts(texts, copies)


def _stretches(name: str, sources: list[str], mutation: mutations.MutatedCopy) -> Iterator[CopiedStretch]:
    for part in mutation.passages:
        source = sources[part.source]
        yield CopiedStretch(name, part.copy_start, part.copy_end, source, part.source_start, part.source_end)


@cache
def scores(name: str) -> dict[str, PlagdetScore]:
    result = score_passages(labelled_texts(name).texts, labelled_texts(name).copies)
    return {kind: score for kind, (_, score) in result.items()}


@pytest.mark.parametrize("name", of_copies())
def test_passages_of_every_kind_are_found_exactly(name: str) -> None:
    floors = FLOORS[name]
    actual = {kind: score.plagdet for kind, score in scores(name).items()}
    floor = {kind: floors["kinds"].get(kind, floors["every_kind"]) for kind in actual}
    assert {kind: plagdet for kind, plagdet in actual.items() if plagdet < floor[kind]} == {}
    assert mean(actual.values()) >= floors["overall"]


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
    """Return pairs of different articles without copying: no source and copy, and no two sources of one copy."""
    folder = data_folder()
    if folder is None:
        texts = [row["text"] for row in lines(NEWSROOM / "originals.jsonl")]
        yield from combinations(texts, 2)
        return
    rows = lines(folder / name / "docs.jsonl.gz")
    texts = [row["text"] for row in rows if not row["source"].startswith("mutated")]
    rng = Random(1)
    for _ in range(_STRANGERS):
        first, other = rng.sample(texts, 2)
        yield first, other


@dataclass(frozen=True)
class OnOneTopic:
    """Accuracy of the passages of texts on one topic.

    Attributes:
        pooled: of all pairs together, including those without a planted passage.
        kinds: of each kind.
    """

    pooled: PlagdetScore
    kinds: dict[str, PlagdetScore]


@cache
def on_one_topic(language: Language, half: str) -> OnOneTopic:
    pairs = planted(language, half)
    compared = whorl.compare_many([(pair.source, pair.text) for pair in pairs])
    expected = {pair.name: [_stretch(pair, passage) for passage in pair.passages] for pair in pairs}
    actual = {
        pair.name: [
            _stretch(pair, passage)
            for passage in map(_copied, comparison.passages)
            if not _was_shared_before(pair, passage)
        ]
        for pair, comparison in zip(pairs, compared, strict=True)
    }
    kinds = {kind: [pair.name for pair in pairs if pair.kind == kind] for kind in {pair.kind for pair in pairs}}
    return OnOneTopic(
        macro([*chain(*expected.values())], [*chain(*actual.values())]),
        {
            kind: macro([*chain(*map(expected.get, names))], [*chain(*map(actual.get, names))])
            for kind, names in kinds.items()
            if any(expected[name] for name in names)
        },
    )


def _copied(passage: Passage) -> CopiedPassage:
    return CopiedPassage(0, passage.a_start, passage.a_end, passage.b_start, passage.b_end)


def _stretch(pair: Planted, passage: CopiedPassage) -> CopiedStretch:
    at = (passage.copy_start, passage.copy_end, pair.name, passage.source_start, passage.source_end)
    return CopiedStretch(pair.name, *at)


def _was_shared_before(pair: Planted, result_passage: CopiedPassage) -> bool:
    """Return True if most of a passage was shared before the planting."""
    if any(meet(result_passage, passage) for passage in pair.passages):
        return False
    shared = (stretch for stretch in pair.shared if meet(result_passage, stretch))
    common = max(
        (min(result_passage.copy_end, it.copy_end) - max(result_passage.copy_start, it.copy_start) for it in shared),
        default=0,
    )
    return 2 * common >= result_passage.copy_end - result_passage.copy_start


def _floors_on_one_topic(language: Language, half: str) -> dict[str, float]:
    floors = FLOORS["one-topic"]
    return floors["newsroom"] if data_folder() is None else floors[language][half]


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_topic_phrases_differ_from_passages(language: Language, half: str) -> None:
    floors, actual = _floors_on_one_topic(language, half), on_one_topic(language, half)
    assert actual.pooled.plagdet >= floors["pooled"]
    assert mean(score.plagdet for score in actual.kinds.values()) >= floors["kinds"]
    assert actual.kinds["quotation"].recall >= floors["quotations"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_on_one_topic_are_no_copies(language: Language) -> None:
    texts = [document.text for document in documents(language)]
    rng = Random(1)
    pairs = [rng.sample(texts, 2) for _ in range(_STRANGERS)]
    copied = [comparison.ratios.copied for comparison in whorl.compare_many([(first, other) for first, other in pairs])]
    assert mean(share >= FLOORS["copied_from"] for share in copied) <= FLOORS["related"]
