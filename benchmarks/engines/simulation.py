"""Prediction of a Spark run with other numbers of documents and executors, from runs on this machine.

The model of a run is a sum: a run of one article; the stages that such a run does not have; the start of tasks; the
work of tasks, which executors share; the work of the driver alone; and the decisions. Executors share the decisions
except for the largest component, whose pairs are decided one after the other. Deciding grows with the documents that
share keys and with the compared pairs; the rest grows with the documents or the tasks.
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
"""Upper bound of the document numbers."""
DRIVER_BYTES = 250
"""Memory of the driver's Python process per document, as documented."""
_DECIDE = "decide"
_ALONE = ("rank", "part")
_PASSES = 3  # read, emit keys, write: one task per segment each
_HANGS = 2  # times the largest component if all components had the same size
_KEYS = {"one": (1, 1), "two": (2, 2), "3 to 64": (3, 64), "more": (65, LIMIT)}


@dataclass(frozen=True, slots=True)
class Kind:
    """Properties of a corpus that do not depend on its size.

    Attributes:
        bytes: bytes of a document in its file.
        members: share of the documents that are in components, so share enough keys with others.
        pairs: compared pairs of texts per document.
        hanging: share of the decision time that the largest component takes; 0 if components can have equal sizes.
        in_largest: share of the documents in that component; 0 if components can have equal sizes.
    """

    bytes: float
    members: float
    pairs: float
    hanging: float
    in_largest: float

    @classmethod
    def of(cls, row: Row) -> Kind:
        """Return the properties of the corpus of a run."""
        stage, documents = row["stages"][_DECIDE], row["documents"]
        equal = stage["documents"] / parts_of(documents)
        hangs = stage["tasks"] > 1 and stage["largest"] > _HANGS * equal
        return cls(
            bytes=row["bytes"] / documents,
            members=stage["documents"] / documents,
            pairs=row["comparisons"] / documents,
            hanging=stage["longest"] / stage["seconds"] if hangs else 0.0,
            in_largest=stage["largest"] / documents if hangs else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Costs:
    """Cost of each part of a run.

    Attributes:
        start: seconds of a run of one article.
        stages: seconds of the stages that such a run does not have.
        task: slot seconds to start a task.
        shared: seconds per document of the work shared by executors, without decisions.
        alone: seconds per document of the work of the driver.
        member: seconds to decide a document that shares keys, without its pairs.
        pair: seconds to compare a pair of texts.
        shuffle: shuffled bytes per document.
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
        """Return the costs fitted to runs: one of a single article, and corpora of several sizes and kinds.

        ``task`` is the time of an empty task. It is measured apart: in small corpora the number of tasks grows with the
        documents, so these runs cannot separate the two costs.
        """
        largest = max(rows, key=lambda row: row["documents"])
        deciding = [row["stages"][_DECIDE] for row in rows]
        member, pair = _fit(
            [(stage["documents"], row["comparisons"]) for stage, row in zip(deciding, rows, strict=True)],
            [stage["seconds"] for stage in deciding],
        )
        stages, alone = _fit(
            [(1, row["documents"]) for row in rows], [_remaining_seconds(row, start, task, slots) for row in rows]
        )
        return cls(
            start=start["wall"],
            stages=stages,
            task=task,
            shared=_shared(largest) / largest["documents"],
            alone=alone + _driver_seconds(largest) / largest["documents"],
            member=member,
            pair=pair,
            shuffle=sum(stage["shuffle_bytes"] for stage in largest["stages"].values()) / largest["documents"],
        )


def _shared(row: Row) -> float:
    return sum(float(figures["seconds"]) for stage, figures in row["stages"].items() if stage != _DECIDE)


def _tasks(row: Row) -> int:
    """Return the number of tasks; runs report no tasks for emitting keys, which has one per task that reads."""
    return int(sum(stage["tasks"] for stage in row["stages"].values()) + row["stages"]["read"]["tasks"])


def _driver_seconds(row: Row) -> float:
    """Return the seconds of the stages that the driver reports for itself; its other work is part of the remainder."""
    return sum(float(row["timings"][stage]) for stage in _ALONE)


def _remaining_seconds(row: Row, start: Row, task: float, slots: int) -> float:
    """Return the seconds of a run without those of a run of one article and of tasks."""
    decide = row["stages"][_DECIDE]
    decided = max(float(decide["seconds"]) / slots, float(decide["longest"]))
    tasks = (_shared(row) + _tasks(row) * task) / slots
    return max(0.0, float(row["wall"]) - float(start["wall"]) - tasks - decided - _driver_seconds(row))


def _fit(features: Sequence[Sequence[float]], measured: Sequence[float]) -> tuple[float, ...]:
    """Return the non-negative factors that minimize the relative error of the prediction.

    Of all ways to set some factors to 0, the best one without negative factors is used.
    """
    scale = 1 / np.maximum(np.array(measured, np.float64), 1e-9)
    matrix, target = np.array(features, np.float64) * scale[:, None], np.ones(len(measured))
    best: tuple[float, NDArray[np.float64]] = np.inf, np.zeros(matrix.shape[1])
    for count in range(1, matrix.shape[1] + 1):
        for chosen in map(list, combinations(range(matrix.shape[1]), count)):
            factors = np.zeros(matrix.shape[1])
            factors[chosen] = np.linalg.lstsq(matrix[:, chosen], target, rcond=None)[0]
            off = float(((matrix @ factors - target) ** 2).sum())
            if (factors >= 0).all() and off < best[0]:
                best = off, factors
    return tuple(best[1].tolist())


def predict(costs: Costs, kind: Kind, documents: int, slots: int) -> dict[str, float]:
    """Return the prediction for a run.

    Args:
        costs: costs of the machine.
        kind: kind of the corpus, which is in many files, or in large ones that are divided.
        documents: number of documents.
        slots: number of tasks that run at the same time.

    Returns:
        ``wall`` in seconds, ``core_hours`` of the executors, ``shuffle`` in bytes, ``memory`` of the driver's Python
        process in bytes, and ``largest``: the number of documents in the largest component.
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
    """Return the share of the keys of a finished run by document frequency, and the postings per document."""
    segments = sorted(path for path in (out / "sketches").iterdir() if path.is_dir())
    postings = np.concatenate([np.empty(0, POSTING), *(read_column(segment, "posting") for segment in segments)])
    documents = sum(len(read_column(segment, "row")) for segment in segments)
    _, counts = np.unique(postings["key"], return_counts=True)
    shares = {name: float(((counts >= low) & (counts <= high)).mean()) for name, (low, high) in _KEYS.items()}
    return {"postings a document": len(postings) / documents} | shares


__all__ = ["DRIVER_BYTES", "LIMIT", "Costs", "Kind", "distribution", "predict"]
