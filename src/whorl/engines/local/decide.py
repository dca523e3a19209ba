"""The middle passes: group the documents that share keys, and decide which are copies."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.local.columns import POSTING
from whorl.engines.local.read import PARTITIONS, Segment
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.fingerprints import Fingerprints
from whorl.matching.fields import Fields
from whorl.matching.verify import demands
from whorl.recipe import Recipe

KEPT = np.uint32(0xFFFF_FFFF)
"""What ``duplicate_of`` says of a document that is kept."""
_PARTITIONS_AT_ONCE = 4

Texts = _core.FileTexts | Callable[[list[int]], Any]
"""Where the probe reads texts again: files, or a function from documents to their texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What became of every document, by its number; references come first.

    Attributes:
        duplicate_of: uint32, the number of the kept document that each copies, or ``KEPT``.
        shared: uint32, what each shares with it, as the measure counts; 1 where the folded texts are equal.
        united: uint32, what that is a share of; 1 where the folded texts are equal.
        similarity: float64, the figure that decided; 0 for a document that is kept.
        by_field: float64 (n, 2), the similarity of the titles and that of the texts, NaN where that field did not judge
            a copy; (0, 2) where documents are judged as a whole.
        removed: counts of removed documents by similarity in hundredths, 101 numbers.
        near_misses: the same for kept documents and their most similar candidate.
        hot_keys: key, documents that have it, kept documents not listed under it, an example; the largest first.
        notices: boilerplate that was learned: its text, an example, documents that have it, its keys; the commonest
            first.
    """

    duplicate_of: NDArray[np.uint32]
    shared: NDArray[np.uint32]
    united: NDArray[np.uint32]
    similarity: NDArray[np.float64]
    by_field: NDArray[np.float64]
    removed: list[int]
    near_misses: list[int]
    hot_keys: list[tuple[int, int, int, int]]
    notices: list[tuple[str, int, int, int]]

    @classmethod
    def none(cls) -> Decisions:
        """Those of no documents."""
        nothing = np.empty(0, np.uint32)
        return cls(nothing, nothing, nothing, np.empty(0), np.empty((0, 2)), [0] * 101, [0] * 101, [], [])

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents stay."""
        return np.equal(self.duplicate_of, KEPT)


def group_documents(segments: Sequence[Segment], rank_of: NDArray[np.uint32], progress: Progress) -> _core.Groups:
    """Find the keys that two or more documents share. Memory: a few partitions, and the groups."""
    progress.stage("group", PARTITIONS, "partitions")
    groups = _core.Groups()
    files = [_Postings(segment) for segment in segments]
    bases = np.cumsum([0, *(segment.documents for segment in segments)])
    for first in range(0, PARTITIONS, _PARTITIONS_AT_ONCE):
        partitions = range(first, first + _PARTITIONS_AT_ONCE)
        pieces = [
            [(piece, int(base)) for file, base in zip(files, bases, strict=False) for piece in file.partition(number)]
            for number in partitions
        ]
        groups.add_partitions(pieces, rank_of)
        progress.advance(len(partitions))
    return groups


class _Postings:
    """The postings of one segment, readable by partition."""

    def __init__(self, segment: Segment) -> None:
        self._path = segment.folder / "posting"
        ends = segment.column("partition_end").reshape(-1, PARTITIONS)
        self._ends = ends.astype(np.int64)
        starts = np.concatenate([[0], self._ends.ravel()[:-1]]) if ends.size else np.empty(0, np.int64)
        self._starts = starts.reshape(-1, PARTITIONS)

    def partition(self, number: int) -> Iterator[bytes]:
        if not self._path.exists():
            return
        with self._path.open("rb", buffering=0) as file:
            for start, end in zip(self._starts[:, number], self._ends[:, number], strict=True):
                file.seek(int(start) * POSTING.itemsize)
                yield file.read(int(end - start) * POSTING.itemsize)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What the probe needs of every document.

    Attributes:
        digests: uint64 (n, 2).
        lengths: uint32 (n,).
        codes: uint8 (n, width).
        counts: uint32 (n,), how many keys each has.
        order: uint32 (n,), the documents by rank.
        references: how many of the first ranks are never dropped.
    """

    digests: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    codes: NDArray[np.uint8]
    counts: NDArray[np.uint32]
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
    count = len(candidates.order)
    progress.stage("probe", count, "documents")
    probe = _core.Probe(
        list(_fields(recipe, candidates)), recipe.combine == "and", candidates.references, candidates.order, groups
    )
    done = 0
    if sought is not None:
        rank_of = np.argsort(candidates.order).astype(np.uint32)
        probe.add_sought(rank_of[sought.documents], rank_of[sought.references], sought.hits)
    try:
        judgements = recipe.judgements()
        if any(judgement.goes_by_passages for judgement in judgements):
            local = [judgement.family.verdict(judgement.threshold).local for judgement in judgements]
            probe.learn(texts, local, [] if sought is None else sought.boilerplate)
        while done < count:
            reached = probe.step(texts)
            progress.advance(reached - done)
            done = reached
    except ValueError as error:
        raise InputError(str(error), cure="leave the input alone while whorl runs, and start again") from error
    return _by_document(probe, candidates.order)


def _fields(recipe: Recipe, candidates: Candidates) -> Iterator[_core.Field]:
    """The documents as a whole, or field by field, with how they are judged."""
    maker, judgements = recipe.fingerprinter(), recipe.judgements()
    parts: Iterable[Candidates | Fingerprints] = (
        maker.unpacked(candidates.codes) if isinstance(maker, Fields) else [candidates]
    )
    for judgement, part in zip(judgements, parts, strict=True):
        verdict = judgement.family.verdict(judgement.threshold)
        yield _core.Field(
            (verdict.measure, verdict.threshold, verdict.least_agreement, list(verdict.limits)),
            demands(verdict, judgement.verification, judgement.part),
            judgement.family.min_shared,
            part.digests.ravel(),
            part.lengths,
            part.codes.ravel(),
            part.counts,
        )


def _by_document(probe: _core.Probe, order: NDArray[np.uint32]) -> Decisions:
    *columns, similarity = probe.decisions()
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
        arranged(np.frombuffer(memoryview(similarity), np.float64)),
        arranged(by_field) if len(by_field) else by_field,
        removed,
        near_misses,
        probe.hot_keys(),
        probe.notices(),
    )


def save_decisions(decisions: Decisions, segments: Sequence[Segment], path: Path) -> None:
    """Write the decisions on the documents of ``segments``; the file appears when it is whole and on the disk."""
    temporary = path.with_suffix(".part")
    with temporary.open("wb") as file:
        np.savez(
            file,
            duplicate_of=decisions.duplicate_of,
            shared=decisions.shared,
            united=decisions.united,
            similarity=decisions.similarity,
            by_field=decisions.by_field,
            removed=np.array(decisions.removed),
            near_misses=np.array(decisions.near_misses),
            hot_keys=np.array(decisions.hot_keys, np.uint64).reshape(-1, 4),
            notices=np.array(json.dumps(decisions.notices)),
            segments=_identities(segments),
        )
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _identities(segments: Sequence[Segment]) -> NDArray[np.int64]:
    return np.array([segment.identity for segment in segments], np.int64).reshape(-1, 2)


def load_decisions(segments: Sequence[Segment], path: Path) -> Decisions | None:
    """Read what ``save_decisions`` wrote; None where there is nothing, or nothing whole, about these segments."""
    try:
        return _load_decisions(segments, path)
    except (OSError, ValueError, LookupError, EOFError, zipfile.BadZipFile, zlib.error):
        return None


def _load_decisions(segments: Sequence[Segment], path: Path) -> Decisions | None:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
        if not np.array_equal(data["segments"], _identities(segments)):
            return None
        hot = [
            (int(key), int(documents), int(unlisted), int(example))
            for key, documents, unlisted, example in data["hot_keys"]
        ]
        return Decisions(
            data["duplicate_of"],
            data["shared"],
            data["united"],
            data["similarity"],
            data["by_field"],
            data["removed"].tolist(),
            data["near_misses"].tolist(),
            hot,
            [(text, example, documents, keys) for text, example, documents, keys in json.loads(str(data["notices"]))],
        )


__all__ = [
    "KEPT",
    "Candidates",
    "Decisions",
    "Sought",
    "decide",
    "group_documents",
    "load_decisions",
    "save_decisions",
]
