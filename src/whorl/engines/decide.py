"""Decide which documents are duplicates, for any engine that has grouped the documents by shared key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.links import Links
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.fingerprints import Fingerprints
from whorl.i18n import say
from whorl.matching.fields import Fields
from whorl.matching.relation import RELATIONS
from whorl.matching.verify import demands
from whorl.recipe import Recipe

KEPT = np.uint32(0xFFFF_FFFF)
"""Value of ``duplicate_of`` for a kept document."""
POSTING = np.dtype([("key", "<u8"), ("document", "<u4")])
"""A key and its document, numbered from 0 within the documents that are grouped together."""

Texts = _core.FileTexts | Callable[[list[int]], Any]
"""How the probe reads texts again: from files, or through a function from documents to texts."""


class DecidedChanges(NamedTuple):
    """How some removed documents differ from the kept ones, as determined while they were compared.

    Attributes:
        documents: uint32 (n,).
        title: uint8 (n,), 1 where the titles differ, 2 where one is missing.
        byline: uint8 (n,), 1 where the bylines differ.
        counts: uint32 (n, 8), the changes of ``engines.changes.COUNTED``.
    """

    documents: NDArray[np.uint32]
    title: NDArray[np.uint8]
    byline: NDArray[np.uint8]
    counts: NDArray[np.uint32]


class Decisions(NamedTuple):
    """The decision on every document, by number; references come first.

    Attributes:
        duplicate_of: uint32, the number of the kept document, or ``KEPT``.
        shared: uint32, amount shared with it in the units of the measure; 1 where the folded texts are equal.
        united: uint32, denominator of that share; 1 where the folded texts are equal.
        relation: uint8, relation to the kept document, a number of ``relation.RELATIONS``; 0 for a kept document.
        similarity: float64, the deciding similarity; 0 for a kept document.
        by_field: float64 (n, 2), the similarity of titles and texts, NaN where that field did not decide; (0, 2) if
            documents are judged as a whole.
        removed: counts of removed documents by similarity in hundredths, 101 numbers.
        near_misses: the same for kept documents and their most similar candidates.
        hot_keys: key, number of its documents, kept documents not listed under it, an example; largest first.
        notices: learned boilerplate: its text, an example, number of documents with it, its keys; most common first.
        phrases: number of keys of phrases that many documents share without sharing other keys; they were not used to
            find candidates for documents with other keys.
        comparisons: number of compared pairs of texts.
        links: relations between kept documents.
        changes: changes of removed documents that need not be determined from their texts again, or None.
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
    changes: DecidedChanges | None = None

    @classmethod
    def none(cls) -> Decisions:
        """Return the decisions on an empty corpus."""
        nothing = np.empty(0, np.uint32)
        columns = (nothing, nothing, nothing, np.empty(0, np.uint8), np.empty(0), np.empty((0, 2)))
        return cls(*columns, [0] * 101, [0] * 101, [], [], 0, 0, Links.none())

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Return True for each document that is kept."""
        return np.equal(self.duplicate_of, KEPT)

    def removed_relations(self) -> dict[str, int]:
        """Return the number of removed documents by relation, the closest relation first."""
        counted = np.bincount(self.relation[~self.kept], minlength=len(RELATIONS)).tolist()
        return {RELATIONS[place]: counted[place] for place in reversed(range(len(RELATIONS))) if counted[place]}


class ProbeCandidates(NamedTuple):
    """Document data for the probe.

    Attributes:
        prints: fingerprints of the documents in the order of their numbers, in blocks that are read once and then
            released, since the probe keeps a copy; the keys themselves are not needed.
        order: uint32 (n,), the documents by rank.
        references: number of leading ranks that are never dropped.
    """

    prints: Iterable[Fingerprints]
    order: NDArray[np.uint32]
    references: int


class Sought(NamedTuple):
    """Candidates from indexes other than the groups, by document number.

    Attributes:
        documents: uint32 (m,).
        references: uint32 (m,), the reference found for each document.
        hits: uint32 (m,), the number of keys they share.
        boilerplate: hashes of token runs that are known boilerplate.
    """

    documents: NDArray[np.uint32]
    references: NDArray[np.uint32]
    hits: NDArray[np.uint32]
    boilerplate: Sequence[int]


def decide(
    recipe: Recipe,
    candidates: ProbeCandidates,
    groups: _core.Groups,
    texts: Texts,
    progress: Progress,
    sought: Sought | None = None,
) -> Decisions:
    """Decide every document in rank order.

    Raises:
        InputError: a text has changed since it was read.
    """
    progress.stage("probe", len(candidates.order), "documents")
    probe = prepared(recipe, candidates, groups, texts, sought)
    return decided(recipe, probe, candidates.order, texts, progress)


def prepared(
    recipe: Recipe, candidates: ProbeCandidates, groups: _core.Groups, texts: Texts, sought: Sought | None = None
) -> _core.Probe:
    """Return a probe with all documents loaded and boilerplate learned, before any decision.

    Raises:
        InputError: a text has changed since it was read.
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
    """Decide the documents of a probe in rank order and link the related ones.

    Raises:
        InputError: a text has changed since it was read.
    """
    done = 0
    probe.direct(recipe.remove, recipe.links, recipe.tells_changes)
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
        raise InputError(str(error), hint=say("do not change the input while whorl runs, and start again")) from error


def by_field(recipe: Recipe, prints: Fingerprints) -> list[Fingerprints]:
    """Return the fingerprints field by field if a recipe judges the fields separately."""
    maker = recipe.fingerprinter()
    return list(maker.unpacked(prints.codes)) if isinstance(maker, Fields) else [prints]


def fields_of(recipe: Recipe, count: int, blocks: Iterable[Sequence[Fingerprints]]) -> list[_core.Field]:
    """Return the documents field by field, with the settings that judge each field.

    Args:
        recipe: recipe of the run.
        count: number of documents.
        blocks: fingerprints of the documents per field, in the order of their numbers.
    """
    fields = []
    for judgement in recipe.judgements():
        verdict = judgement.family.verdict(judgement.threshold)
        rule = (verdict.measure, verdict.threshold, verdict.least_agreement, list(verdict.limits))
        demanded = demands(verdict, judgement.verification, judgement.part)
        fields.append(_core.Field(rule, demanded, judgement.family.min_shared, count))
    for block in blocks:
        for field, prints in zip(fields, block, strict=True):
            field.add(prints.digests.ravel(), prints.lengths, prints.codes.ravel(), prints.counts)
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
        _changes(probe, order),
    )


def _changes(probe: _core.Probe, order: NDArray[np.uint32]) -> DecidedChanges:
    ranks, title, byline, counts = probe.changes()
    return DecidedChanges(
        order[np.frombuffer(memoryview(ranks), np.uint32)],
        np.frombuffer(memoryview(title), np.uint8),
        np.frombuffer(memoryview(byline), np.uint8),
        np.frombuffer(memoryview(counts), np.uint32).reshape(-1, 8),
    )


__all__ = [
    "KEPT",
    "POSTING",
    "DecidedChanges",
    "Decisions",
    "ProbeCandidates",
    "Sought",
    "Texts",
    "by_field",
    "decide",
    "decided",
    "fields_of",
    "prepared",
]
