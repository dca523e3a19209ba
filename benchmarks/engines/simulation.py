"""What a run on Spark takes with other numbers of documents and executors, from what runs on this machine took.

A run is: what a run of one article takes, and what stages take that it does not have; what it takes to begin tasks;
what tasks do, which executors share; what the driver does alone; and deciding, which executors share but for the
largest part, since what hangs together is decided one after the other. Deciding grows with the documents that share
keys and the pairs that are compared, the rest with the documents or the tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.engines.decide import POSTING
from whorl.engines.local.columns import read_column
from whorl.engines.spark.sizes import partition_bits, parts_of, segment_bytes

Row = Mapping[str, Any]

LIMIT = 2**32
"""Documents are numbered below this."""
DRIVER_BYTES = 250
"""Memory of the driver's Python for each document, as its page has it."""
_DECIDE = "decide"
_ALONE = ("rank", "part")
_PASSES = 3  # read, emit keys, write: of each segment one task
_HANGS = 2  # times the part that would be the largest if parts could be made equal
_KEYS = {"one": (1, 1), "two": (2, 2), "3 to 64": (3, 64), "more": (65, LIMIT)}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a corpus is like, whatever its size.

    Attributes:
        bytes: of a document in its file.
        members: the share of its documents that are in parts: they share enough keys with others.
        pairs: how many pairs of texts are compared, a document.
        hanging: the share of the time to decide that its largest part takes; 0 where parts can be made equal.
        in_largest: the share of its documents that are in that part; 0 likewise.
    """

    bytes: float
    members: float
    pairs: float
    hanging: float
    in_largest: float

    @classmethod
    def of(cls, row: Row) -> Kind:
        """Return what a run shows of its corpus."""
        told, documents = row["stages"][_DECIDE], row["documents"]
        equal = told["documents"] / parts_of(documents)
        hangs = told["tasks"] > 1 and told["largest"] > _HANGS * equal
        return cls(
            bytes=row["bytes"] / documents,
            members=told["documents"] / documents,
            pairs=row["comparisons"] / documents,
            hanging=told["longest"] / told["seconds"] if hangs else 0.0,
            in_largest=told["largest"] / documents if hangs else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Costs:
    """What each thing costs.

    Attributes:
        start: seconds of a run of one article.
        stages: seconds of the stages that such a run does not have.
        task: seconds of a slot to begin a task.
        shared: seconds a document of what executors share, deciding apart.
        alone: seconds a document of what the driver does alone.
        member: seconds to decide a document that shares keys, its pairs apart.
        pair: seconds to compare a pair of texts.
        shuffle: bytes a document through the shuffle.
    """

    start: float
    stages: float
    task: float
    shared: float
    alone: float
    member: float
    pair: float
    shuffle: float

    @classmethod
    def of(cls, start: Row, task: float, rows: Sequence[Row], slots: int) -> Costs:
        """Return what runs show: of one article, and of corpora of several sizes and kinds, on so many slots.

        ``task`` is what a task takes that has nothing to do: tasks are as many as documents allow in small corpora, so
        that these runs do not tell the two apart.
        """
        largest = max(rows, key=lambda row: row["documents"])
        deciding = [row["stages"][_DECIDE] for row in rows]
        member, pair = _fitted(
            [(told["documents"], row["comparisons"]) for told, row in zip(deciding, rows, strict=True)],
            [told["seconds"] for told in deciding],
        )
        stages, alone = _fitted(
            [(1, row["documents"]) for row in rows], [_left(row, start, task, slots) for row in rows]
        )
        return cls(
            start=start["wall"],
            stages=stages,
            task=task,
            shared=_shared(largest) / largest["documents"],
            alone=alone + _told_alone(largest) / largest["documents"],
            member=member,
            pair=pair,
            shuffle=sum(told["shuffle_bytes"] for told in largest["stages"].values()) / largest["documents"],
        )


def _shared(row: Row) -> float:
    return sum(float(told["seconds"]) for stage, told in row["stages"].items() if stage != _DECIDE)


def _tasks(row: Row) -> int:
    """All tasks; those that emit keys, one for each that reads, answer nothing and are not told of."""
    return int(sum(told["tasks"] for told in row["stages"].values()) + row["stages"]["read"]["tasks"])


def _told_alone(row: Row) -> float:
    """The seconds of the stages that the driver takes alone; what else it does is part of what is left."""
    return sum(float(row["timings"][stage]) for stage in _ALONE)


def _left(row: Row, start: Row, task: float, slots: int) -> float:
    """The seconds of a run that are neither those of a run of one article nor of tasks."""
    told = row["stages"][_DECIDE]
    decided = max(float(told["seconds"]) / slots, float(told["longest"]))
    tasks = (_shared(row) + _tasks(row) * task) / slots
    return max(0.0, float(row["wall"]) - float(start["wall"]) - tasks - decided - _told_alone(row))


def _fitted(given: Sequence[Sequence[float]], found: Sequence[float]) -> tuple[float, ...]:
    """The factors, none below 0, by which what is given comes nearest to what was found, in shares of it.

    Of the ways to set some of them to 0, the best one that leaves no other below it.
    """
    scale = 1 / np.maximum(np.array(found, np.float64), 1e-9)
    matrix, target = np.array(given, np.float64) * scale[:, None], np.ones(len(found))
    best: tuple[float, NDArray[np.float64]] = np.inf, np.zeros(matrix.shape[1])
    for count in range(1, matrix.shape[1] + 1):
        for chosen in map(list, combinations(range(matrix.shape[1]), count)):
            factors = np.zeros(matrix.shape[1])
            factors[chosen] = np.linalg.lstsq(matrix[:, chosen], target, rcond=None)[0]
            off = float(((matrix @ factors - target) ** 2).sum())
            if (factors >= 0).all() and off < best[0]:
                best = off, factors
    return tuple(best[1].tolist())


def foretold(costs: Costs, kind: Kind, documents: int, slots: int) -> dict[str, float]:
    """Return what a run will take.

    Args:
        costs: of the machine.
        kind: of the corpus, which is in many files, or in large ones that are divided.
        documents: how many.
        slots: how many tasks run at once.

    Returns:
        ``wall`` in seconds, ``core_hours`` that executors are held, ``shuffle`` in bytes, ``memory`` of the driver's
        Python in bytes, and ``largest``: how many documents its largest part has.
    """
    deciding = documents * (kind.members * costs.member + kind.pairs * costs.pair)
    parts = parts_of(documents)
    size = int(documents * kind.bytes)
    tasks = _PASSES * -(-size // segment_bytes(size)) + (1 << partition_bits(int(documents * costs.shuffle))) + parts
    shared = (tasks * costs.task + documents * costs.shared) / slots
    longest = deciding * max(kind.hanging, 1 / parts)
    wall = costs.start + costs.stages + shared + documents * costs.alone + max(deciding / slots, longest)
    return {
        "wall": wall,
        "core_hours": wall * slots / 3600,
        "shuffle": documents * costs.shuffle,
        "memory": documents * DRIVER_BYTES,
        "largest": documents * max(kind.in_largest, kind.members / parts),
    }


def distribution(out: Path) -> dict[str, float]:
    """Return the share of the keys of a finished run that so many documents have, and the postings a document."""
    segments = sorted(path for path in (out / "sketches").iterdir() if path.is_dir())
    postings = np.concatenate([np.empty(0, POSTING), *(read_column(segment, "posting") for segment in segments)])
    documents = sum(len(read_column(segment, "row")) for segment in segments)
    _, counts = np.unique(postings["key"], return_counts=True)
    shares = {name: float(((counts >= least) & (counts <= most)).mean()) for name, (least, most) in _KEYS.items()}
    return {"postings a document": len(postings) / documents} | shares


__all__ = ["DRIVER_BYTES", "LIMIT", "Costs", "Kind", "distribution", "foretold"]
