"""Divide the documents of a run into independent parts."""

from __future__ import annotations

import json
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.decide import ProbeCandidates, Sought, Texts, prepared
from whorl.engines.stages.columns import packed, unpacked
from whorl.engines.stages.grouping import GROUP_COLUMNS, group_columns
from whorl.recipe import Recipe


@frozen(eq=False)
class DocumentPart:
    """Documents that can be duplicates only of each other.

    Attributes:
        documents: uint32 (n,), their numbers by rank.
        references: number of leading documents that are never dropped.
        counts: uint32 (fields, n), number of keys of each document in each field, without those of boilerplate.
        keys: uint64 (g,), a key of each group of documents that share keys.
        multiplicities: uint32 (g,), number of keys that each group represents.
        starts: uint64 (g + 1,), the start of the members of each group, followed by the end of the last.
        members: uint32 (m,), indexes into ``documents``.
        sizes: uint32 (g,), number of documents in the whole corpus with the keys of each group.
        sought: uint32 (s, 3), index of a document, index of a candidate reference, number of common keys.
    """

    documents: NDArray[np.uint32]
    references: int
    counts: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    multiplicities: NDArray[np.uint32]
    starts: NDArray[np.uint64]
    members: NDArray[np.uint32]
    sizes: NDArray[np.uint32]
    sought: NDArray[np.uint32]

    def dumps(self) -> bytes:
        """Serialize the part."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return packed({**arrays, "references": np.array(self.references, np.uint32)})

    @classmethod
    def loads(cls, data: bytes | IO[bytes]) -> Self:
        """Load a part from the result of ``dumps``.

        Raises:
            ValueError: the bytes are damaged.
        """
        arrays = unpacked(data)
        return cls(references=int(arrays["references"]), **{name: arrays[name] for name in _ARRAYS})


_ARRAYS = ("documents", "counts", *GROUP_COLUMNS, "sizes", "sought")


@frozen(eq=False)
class Learned:
    """Boilerplate learned from the whole corpus before any decision.

    Attributes:
        runs: uint64 (n,), the hashes of boilerplate token runs.
        notices: boilerplate: its text, an example, number of documents with it, its keys; most common first.
        phrases: number of keys of phrases.
    """

    runs: NDArray[np.uint64]
    notices: list[tuple[str, int, int, int]]
    phrases: int

    def dumps(self) -> bytes:
        """Serialize it."""
        notices = np.array(json.dumps(self.notices))
        return packed({"runs": self.runs, "notices": notices, "phrases": np.array(self.phrases)})

    @classmethod
    def loads(cls, data: bytes | IO[bytes]) -> Self:
        """Load the result of ``dumps``.

        Raises:
            ValueError: the bytes are damaged.
        """
        arrays = unpacked(data)
        notices = [tuple(notice) for notice in json.loads(str(arrays["notices"]))]
        return cls(arrays["runs"], notices, int(arrays["phrases"]))


@frozen(eq=False)
class Parted:
    """A corpus divided into parts.

    Attributes:
        parts: non-empty parts; a document in no part is kept.
        learned: boilerplate of the whole corpus.
    """

    parts: list[DocumentPart]
    learned: Learned


def part_documents(
    recipe: Recipe, candidates: ProbeCandidates, groups: _core.Groups, texts: Texts, sought: Sought, max_parts: int
) -> Parted:
    """Divide all documents into at most ``max_parts`` parts with similar run times.

    Args:
        recipe: how documents are compared.
        candidates: all documents; without codes unless ``needs_codes`` is True.
        groups: groups of documents that share keys, by rank.
        texts: source of the samples for boilerplate.
        sought: candidates from other indexes.
        max_parts: maximum number of parts.

    Raises:
        InputError: a text has changed since it was read.

    Cost: linear, and a sort; memory about 60 bytes per document and 12 for each group of its keys with the same few
    other documents. Documents connected by many keys, such as copies of a template, form one part of any size.
    """
    if not len(candidates.order):
        return Parted([], Learned(np.empty(0, np.uint64), [], 0))
    probe = prepared(recipe, candidates, groups, texts, sought)
    parts = [_part(columns, candidates.order) for columns in probe.parts(max_parts)]
    return Parted(parts, Learned(_array(probe.boilerplate(), np.uint64), probe.notices(), probe.phrases()))


def needs_codes(recipe: Recipe) -> bool:
    """Return True if documents are divided by their codes as well as by their keys."""
    if recipe.fields is not None:
        return True
    [judgement] = recipe.judgements()
    return bool(judgement.family.verdict(judgement.threshold).measure == "hamming")


def _part(columns: tuple[Any, ...], order: NDArray[np.uint32]) -> DocumentPart:
    ranks, references, counts, groups, sizes, sought = columns
    return DocumentPart(
        documents=order[_array(ranks, np.uint32)],
        references=references,
        counts=np.stack([_array(of_field, np.uint32) for of_field in counts]),
        **group_columns(groups),
        sizes=_array(sizes, np.uint32),
        sought=_array(sought, np.uint32).reshape(-1, 3),
    )


def _array(buffer: Any, kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(memoryview(buffer), kind)


__all__ = ["DocumentPart", "Learned", "Parted", "needs_codes", "part_documents"]
