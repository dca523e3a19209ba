"""Deciding which documents are copies, whatever engine has grouped those that share keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.links import Links
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.fingerprints import Fingerprints
from whorl.language import say
from whorl.matching.fields import Fields
from whorl.matching.relation import RELATIONS
from whorl.matching.verify import demands
from whorl.recipe import Recipe

KEPT = np.uint32(0xFFFF_FFFF)
"""What ``duplicate_of`` says of a document that is kept."""
POSTING = np.dtype([("key", "<u8"), ("document", "<u4")])
"""A key and the document that has it, numbered from 0 within what is grouped together, or a part of it."""

Texts = _core.FileTexts | Callable[[list[int]], Any]
"""Where the probe reads texts again: files, or a function from documents to their texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What became of every document, by its number; references come first.

    Attributes:
        duplicate_of: uint32, the number of the kept document that each copies, or ``KEPT``.
        shared: uint32, what each shares with it, as the measure counts; 1 where the folded texts are equal.
        united: uint32, what that is a share of; 1 where the folded texts are equal.
        relation: uint8, what each is to the kept document, a number of ``relation.RELATIONS``; 0 for a kept document.
        similarity: float64, the figure that decided; 0 for a document that is kept.
        by_field: float64 (n, 2), the similarity of the titles and that of the texts, NaN where that field did not judge
            a copy; (0, 2) where documents are judged as a whole.
        removed: counts of removed documents by similarity in hundredths, 101 numbers.
        near_misses: the same for kept documents and their most similar candidate.
        hot_keys: key, documents that have it, kept documents not listed under it, an example; the largest first.
        notices: boilerplate that was learned: its text, an example, documents that have it, its keys; the commonest
            first.
        phrases: how many keys stand for phrases that many documents have and share nothing else: they led no document
            that has others to any.
        comparisons: how many pairs of texts were compared.
        links: what kept documents are to each other.
    """

    duplicate_of: NDArray[np.uint32]
    shared: NDArray[np.uint32]
    united: NDArray[np.uint32]
    relation: NDArray[np.uint8]
    similarity: NDArray[np.float64]
    by_field: NDArray[np.float64]
    removed: list[int]
    near_misses: list[int]
    hot_keys: list[tuple[int, int, int, int]]
    notices: list[tuple[str, int, int, int]]
    phrases: int
    comparisons: int
    links: Links

    @classmethod
    def none(cls) -> Decisions:
        """Those of no documents."""
        nothing = np.empty(0, np.uint32)
        columns = (nothing, nothing, nothing, np.empty(0, np.uint8), np.empty(0), np.empty((0, 2)))
        return cls(*columns, [0] * 101, [0] * 101, [], [], 0, 0, Links.none())

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents stay."""
        return np.equal(self.duplicate_of, KEPT)

    def removed_relations(self) -> dict[str, int]:
        """Return for how many documents of each relation another one was kept, the closest relation first."""
        counted = np.bincount(self.relation[~self.kept], minlength=len(RELATIONS)).tolist()
        return {RELATIONS[place]: counted[place] for place in reversed(range(len(RELATIONS))) if counted[place]}


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What the probe needs of every document.

    Attributes:
        prints: fingerprints of the documents by their numbers, in blocks that are gone through once and then let go,
            since the probe keeps its own; the keys themselves are not needed.
        order: uint32 (n,), the documents by rank.
        references: how many of the first ranks are never dropped.
    """

    prints: Iterable[Fingerprints]
    order: NDArray[np.uint32]
    references: int


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What other indexes than the groups tell of documents and references, by their numbers.

    Attributes:
        documents: uint32 (m,).
        references: uint32 (m,), each found for a document.
        hits: uint32 (m,), the keys that both have.
        boilerplate: the hashes of runs of tokens that are known to be nobody's own.
    """

    documents: NDArray[np.uint32]
    references: NDArray[np.uint32]
    hits: NDArray[np.uint32]
    boilerplate: Sequence[int]


def decide(
    recipe: Recipe,
    candidates: Candidates,
    groups: _core.Groups,
    texts: Texts,
    progress: Progress,
    sought: Sought | None = None,
) -> Decisions:
    """Decide every document in rank order.

    Raises:
        InputError: a text is no longer what it was when it was read.
    """
    progress.stage("probe", len(candidates.order), "documents")
    probe = prepared(recipe, candidates, groups, texts, sought)
    return decided(recipe, probe, candidates.order, texts, progress)


def prepared(
    recipe: Recipe, candidates: Candidates, groups: _core.Groups, texts: Texts, sought: Sought | None = None
) -> _core.Probe:
    """Return a probe that knows the documents and has learned what is boilerplate, before anything is decided.

    Raises:
        InputError: a text is no longer what it was when it was read.
    """
    blocks = (by_field(recipe, block) for block in candidates.prints)
    fields = fields_of(recipe, len(candidates.order), blocks)
    probe = _core.Probe(fields, recipe.combine == "and", candidates.references, candidates.order, groups)
    if sought is not None:
        rank_of = np.argsort(candidates.order).astype(np.uint32)
        probe.add_sought(rank_of[sought.documents], rank_of[sought.references], sought.hits)
    judgements = recipe.judgements()
    if any(judgement.goes_by_passages for judgement in judgements):
        local = [judgement.family.verdict(judgement.threshold).local for judgement in judgements]
        with _texts_stay():
            probe.learn(texts, local, [] if sought is None else sought.boilerplate)
    return probe


def decided(
    recipe: Recipe, probe: _core.Probe, order: NDArray[np.uint32], texts: Texts, progress: Progress
) -> Decisions:
    """Let a probe decide its documents, of which ``order`` has the numbers by rank, and find what they are linked by.

    Raises:
        InputError: a text is no longer what it was when it was read.
    """
    done = 0
    probe.direct(recipe.remove, recipe.links)
    with _texts_stay():
        while done < len(order):
            reached = probe.step(texts)
            progress.advance(reached - done)
            done = reached
        links = Links.of(probe, order, texts)
    return _by_document(probe, order, links)


@contextmanager
def _texts_stay() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise InputError(str(error), cure=say("leave the input alone while whorl runs, and start again")) from error


def by_field(recipe: Recipe, prints: Fingerprints) -> list[Fingerprints]:
    """Return the fingerprints of documents field by field, where a recipe judges the fields apart."""
    maker = recipe.fingerprinter()
    return list(maker.unpacked(prints.codes)) if isinstance(maker, Fields) else [prints]


def fields_of(recipe: Recipe, count: int, blocks: Iterable[Sequence[Fingerprints]]) -> list[_core.Field]:
    """Return the documents field by field, with how each field is judged.

    Args:
        recipe: how.
        count: of documents.
        blocks: documents, of which each field has its fingerprints; in the order of their numbers.
    """
    fields = []
    for judgement in recipe.judgements():
        verdict = judgement.family.verdict(judgement.threshold)
        rule = (verdict.measure, verdict.threshold, verdict.least_agreement, list(verdict.limits))
        asked = demands(verdict, judgement.verification, judgement.part)
        fields.append(_core.Field(rule, asked, judgement.family.min_shared, count))
    for block in blocks:
        for field, own in zip(fields, block, strict=True):
            field.add(own.digests.ravel(), own.lengths, own.codes.ravel(), own.counts)
    return fields


def _by_document(probe: _core.Probe, order: NDArray[np.uint32], links: Links) -> Decisions:
    *columns, relation, similarity = probe.decisions()
    by_rank, shared, united = (np.frombuffer(memoryview(column), np.uint32) for column in columns)
    by_rank = by_rank.copy()
    copies = by_rank != KEPT
    by_rank[copies] = order[by_rank[copies]]

    def arranged(column: NDArray[Any]) -> NDArray[Any]:
        by_document = np.empty_like(column)
        by_document[order] = column
        return by_document

    by_field = np.frombuffer(memoryview(probe.by_field()), np.float64).reshape(-1, 2)
    removed, near_misses = probe.histograms()
    return Decisions(
        arranged(by_rank),
        arranged(shared),
        arranged(united),
        arranged(np.frombuffer(memoryview(relation), np.uint8)),
        arranged(np.frombuffer(memoryview(similarity), np.float64)),
        arranged(by_field) if len(by_field) else by_field,
        removed,
        near_misses,
        probe.hot_keys(),
        probe.notices(),
        probe.phrases(),
        probe.comparisons(),
        links,
    )


__all__ = [
    "KEPT",
    "POSTING",
    "Candidates",
    "Decisions",
    "Sought",
    "Texts",
    "by_field",
    "decide",
    "decided",
    "fields_of",
    "prepared",
]
