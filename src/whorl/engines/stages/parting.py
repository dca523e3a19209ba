"""Dividing the documents of a run into parts that are decided apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.decide import Candidates, Sought, Texts, prepared
from whorl.engines.stages.columns import packed, unpacked
from whorl.engines.stages.grouping import GROUP_COLUMNS, group_columns
from whorl.recipe import Recipe


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Documents that nothing outside of the part can be a copy of, or the other way round.

    Attributes:
        documents: uint32 (n,), their numbers, by rank.
        references: how many of the first are never dropped.
        counts: uint32 (fields, n), how many keys each has in each field, without those of boilerplate.
        keys: uint64 (g,), a key of each group of documents that share some.
        multiplicities: uint32 (g,), how many keys each group stands for.
        starts: uint64 (g + 1,), where the members of each group begin, and the last ones end.
        members: uint32 (m,), places in ``documents``.
        sizes: uint32 (g,), how many documents of the whole corpus have the keys of each group.
        sought: uint32 (s, 3), the place of a document, that of a reference which was found for it, keys of both.
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
        """Return the part as bytes."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return packed({**arrays, "references": np.array(self.references, np.uint32)})

    @classmethod
    def loads(cls, data: bytes | IO[bytes]) -> Self:
        """Return the part that ``dumps`` made.

        Raises:
            ValueError: the bytes are damaged.
        """
        arrays = unpacked(data)
        return cls(references=int(arrays["references"]), **{name: arrays[name] for name in _ARRAYS})


_ARRAYS = ("documents", "counts", *GROUP_COLUMNS, "sizes", "sought")


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What was learned from the whole corpus before anything was decided.

    Attributes:
        runs: uint64 (n,), the hashes of runs of tokens that are nobody's own.
        notices: boilerplate: its text, an example, documents that have it, its keys; the commonest first.
        phrases: how many keys stand for phrases.
    """

    runs: NDArray[np.uint64]
    notices: list[tuple[str, int, int, int]]
    phrases: int

    def dumps(self) -> bytes:
        """Return it as bytes."""
        notices = np.array(json.dumps(self.notices))
        return packed({"runs": self.runs, "notices": notices, "phrases": np.array(self.phrases)})

    @classmethod
    def loads(cls, data: bytes | IO[bytes]) -> Self:
        """Return what ``dumps`` made.

        Raises:
            ValueError: the bytes are damaged.
        """
        arrays = unpacked(data)
        notices = [tuple(notice) for notice in json.loads(str(arrays["notices"]))]
        return cls(arrays["runs"], notices, int(arrays["phrases"]))


@dataclass(frozen=True, slots=True, eq=False)
class Parted:
    """A corpus in parts.

    Attributes:
        parts: none is empty; a document in none of them is kept.
        learned: what all of them go by.
    """

    parts: list[Part]
    learned: Learned


def part_documents(
    recipe: Recipe, candidates: Candidates, groups: _core.Groups, texts: Texts, sought: Sought, most: int
) -> Parted:
    """Divide all documents into at most ``most`` parts that take about as long as each other.

    Args:
        recipe: how they are judged.
        candidates: all documents; without codes where ``needs_codes`` says so.
        groups: who shares keys, by rank.
        texts: where samples for boilerplate are read.
        sought: what was found elsewhere.
        most: how many parts.

    Raises:
        InputError: a text is no longer what it was when it was read.

    Cost: linear, and a sort; memory about 60 bytes a document and 12 for each group of keys of it that the same few
    others have. What hangs together by many keys, as the copies of one template do, is one part however large it is.
    """
    if not len(candidates.order):
        return Parted([], Learned(np.empty(0, np.uint64), [], 0))
    probe = prepared(recipe, candidates, groups, texts, sought)
    parts = [_part(columns, candidates.order) for columns in probe.parts(most)]
    return Parted(parts, Learned(_array(probe.boilerplate(), np.uint64), probe.notices(), probe.phrases()))


def needs_codes(recipe: Recipe) -> bool:
    """Whether documents are divided by their codes too, and not by their keys alone."""
    if recipe.fields is not None:
        return True
    [judgement] = recipe.judgements()
    return bool(judgement.family.verdict(judgement.threshold).measure == "hamming")


def _part(columns: tuple[Any, ...], order: NDArray[np.uint32]) -> Part:
    ranks, references, counts, groups, sizes, sought = columns
    return Part(
        documents=order[_array(ranks, np.uint32)],
        references=references,
        counts=np.stack([_array(of_field, np.uint32) for of_field in counts]),
        **group_columns(groups),
        sizes=_array(sizes, np.uint32),
        sought=_array(sought, np.uint32).reshape(-1, 3),
    )


def _array(buffer: Any, kind: type[np.generic]) -> NDArray[Any]:
    return np.frombuffer(memoryview(buffer), kind)


__all__ = ["Learned", "Part", "Parted", "needs_codes", "part_documents"]
