"""Decisions in parts equal those of a single probe, for any division of a corpus."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article
from tests.contracts.test_engines import SENTENCES, each_family, made_corpus

from whorl import _core
from whorl.engines.changes import compare_removed
from whorl.engines.decide import POSTING, Decisions, ProbeCandidates, decide
from whorl.engines.memory.rows import Gathered, gather, rows_of_texts
from whorl.engines.progress import Silent
from whorl.engines.stages.deciding import Decided, Prints, decide_part
from whorl.engines.stages.grouping import group_columns, joined_groups
from whorl.engines.stages.joining import join_decided
from whorl.engines.stages.parting import DocumentPart, Learned, needs_codes, part_documents
from whorl.fingerprints import Fingerprints
from whorl.matching.verify import Verification
from whorl.recipe import Recipe

NOTICE = "凡本网注明来源的作品均转载自其它媒体，转载目的在于传递更多信息，并不代表本网赞同其观点，如有侵权请联系删除。"


def grouped(prints: Fingerprints, order: np.ndarray[Any, np.dtype[np.uint32]]) -> _core.Groups:
    """Return documents that share keys, by rank, through the columns that one process writes for another."""
    postings = np.empty(len(prints.keys), POSTING)
    postings["key"] = prints.keys
    postings["document"] = np.repeat(np.arange(len(order), dtype=np.uint32), prints.counts)
    by_document = _core.Groups()
    by_document.add_partition([(postings.tobytes(), 0)], len(postings), 0, np.arange(len(order), dtype=np.uint32))
    return joined_groups([group_columns(by_document.columns())], order)


def rows_of(prints: Fingerprints, rows: slice) -> Fingerprints:
    """Return some fingerprints without their keys."""
    none = np.empty(0, np.uint64)
    return Fingerprints(prints.digests[rows], prints.lengths[rows], none, prints.counts[rows], prints.codes[rows])


def both(texts: list[str], references: list[str], recipe: Recipe, limit: int) -> tuple[Decisions, int]:
    """Decide in one pass and in parts, assert equality, and return the result with the number of parts."""
    gathered = gather(rows_of_texts(texts), rows_of_texts(references), recipe)
    prints, first = gathered.fingerprints, gathered.references
    value = np.argsort(-prints.lengths[first:].astype(np.int64), kind="stable") + first
    order = np.concatenate([np.arange(first), value]).astype(np.uint32)
    codes = prints.codes if needs_codes(recipe) else prints.codes[:, :0]
    middle = len(order) // 2
    candidates = ProbeCandidates([replace(prints, codes=codes)], order, first)
    whole = ProbeCandidates([rows_of(prints, slice(middle)), rows_of(prints, slice(middle, None))], order, first)
    expected = decide(recipe, whole, grouped(prints, order), gathered.rows.take, Silent(), gathered.sought)
    parted = part_documents(recipe, candidates, grouped(prints, order), gathered.rows.take, gathered.sought, limit)
    learned = Learned.loads(parted.learned.dumps())
    parts = [DocumentPart.loads(part.dumps()) for part in parted.parts]
    decided = [Decided.loads(decided_apart(gathered, part, recipe, learned).dumps()) for part in reversed(parts)]
    joined, compared = join_decided(recipe, decided, len(order), learned)
    for name in ("duplicate_of", "shared", "united", "relation", "similarity", "by_field"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(expected, name), name)
    for name in ("removed", "near_misses", "hot_keys", "notices"):
        assert getattr(joined, name) == getattr(expected, name), name
    if compared is not None:
        # Changes that were determined with the decisions equal those from the texts.
        report = compare_removed(expected._replace(changes=None), prints.lengths, gathered.rows.take, Silent())
        assert compared.counts.tolist() == report.counts.tolist()
        assert compared.describe() == report.describe()
    assert links_of(joined) == links_of(expected)
    return expected, len(parts)


def links_of(decisions: Decisions) -> list[tuple[Any, ...]]:
    """Return every link with its scores and passages, independent of the order of documents."""
    links = decisions.links
    columns = [links.documents, links.others, links.relations, links.derived, links.confidence]
    columns += [links.copied[:, 0], links.copied[:, 1], links.reworded[:, 0], links.reworded[:, 1]]
    bounds = links.bounds.tolist()
    places = [links.passages[start:end].tolist() for start, end in pairwise(bounds)]
    return sorted(zip(*(column.tolist() for column in columns), places, strict=True))


def decided_apart(gathered: Gathered, part: DocumentPart, recipe: Recipe, learned: Learned) -> Decided:
    prints, documents = gathered.fingerprints, part.documents
    value = Prints(prints.digests[documents], prints.lengths[documents], prints.codes[documents])

    def texts(places: list[int]) -> Any:
        return gathered.rows.take(documents[places].tolist())

    return decide_part(recipe, part, value, texts, learned, Silent())


@each_family
@settings(max_examples=6)
@given(
    seed=st.integers(0, 2**32),
    references=st.integers(0, 4),
    limit=st.integers(1, 5),
    verification=st.sampled_from([None, Verification("none")]),
)
def test_parts_decide_what_the_whole_decides(
    name: str, seed: int, references: int, limit: int, verification: Verification | None
) -> None:
    rng = random.Random(seed)
    texts = [text + rng.choice(["", NOTICE]) for _ in range(3) for text in made_corpus(rng, 12)]
    recipe = Recipe(method=name, changes=True) if verification is None else Recipe(method=name, verify=verification)
    both(texts[references:], texts[:references], recipe, limit)


def test_notices_take_keys_from_documents_that_then_hang_together_no_more() -> None:
    rng = random.Random(3)
    texts = ["。".join(rng.sample(SENTENCES, 6)) + NOTICE for _ in range(40)]
    decisions, parts = both(texts, [], Recipe(method="winnowing"), 4)
    assert decisions.notices
    assert parts != 1


def test_hot_keys_know_the_whole_corpus() -> None:
    """More than 64 kept documents share a key."""
    rng = random.Random(2)
    base = SENTENCES[0] + SENTENCES[1]
    texts = [base + "".join(rng.choices(SENTENCES[3], k=40)) for _ in range(300)]
    parameters = {"shingle": 2, "threshold": 0.2, "target_recall": 0.9}
    decisions, _ = both(texts + SENTENCES, [], Recipe(threshold=0.9, parameters=parameters), 3)
    assert decisions.hot_keys


def test_codes_are_near_whose_keys_are_cut() -> None:
    """More than 64 documents share a block of the code, and copies are still found."""
    rng = random.Random(4)
    texts = ["".join(rng.sample(SENTENCES, 3)) for _ in range(9000)]
    texts += [text[:-2] + "完" for text in texts[:40]]
    recipe = Recipe(method="simhash", parameters={"bits": 32}, verify=Verification("none"))
    _, shared = np.unique(recipe.fingerprinter().fingerprint(texts).keys, return_counts=True)
    assert shared.max() > 64
    decisions, parts = both(texts, [], recipe, 3)
    assert not decisions.kept.all()
    assert parts


@pytest.mark.parametrize("combine", ["and", "or"])
def test_fields_are_judged_apart(combine: str) -> None:
    rng = random.Random(5)
    texts = [f"{article(rng.randrange(3), 60)}\n{article(number % 12, 150 + number // 12)}" for number in range(60)]
    fields = {part: {"threshold": 0.5, "parameters": {"shingle": 2}} for part in ("title", "text")}
    decisions, _ = both(texts, [], Recipe(fields=fields, combine=combine), 3)
    assert not decisions.kept.all()


def test_isolated_documents_are_in_no_part() -> None:
    decisions, parts = both([article(number) for number in range(20)], [], Recipe(), 3)
    assert decisions.kept.all()
    assert parts == 0


def test_damage_is_reported() -> None:
    data = Learned(np.arange(100, dtype=np.uint64), [], 3).dumps()
    with pytest.raises(ValueError, match=r".+"):
        Learned.loads(data[:-30])
    torn = bytearray(data)
    torn[200] ^= 1
    with pytest.raises(ValueError, match=r".+"):
        Learned.loads(bytes(torn))
