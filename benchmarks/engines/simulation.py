"""What a run on Spark takes with other numbers of documents and executors, from what runs on this machine took.

A run is: what a run of one article takes; what tasks do, which executors share; what the driver does alone; and
deciding, which executors share but for the largest part, since what hangs together is decided one after the other. All
grow with the documents; deciding with the documents that share keys and the pairs that are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from whorl.engines.decide import POSTING
from whorl.engines.local.columns import read_column
from whorl.engines.spark.run import parts_of

Row = Mapping[str, Any]

LIMIT = 2**32
"""Documents are numbered below this."""
_SHARED_WORK = ("read", "group", "write")
_HANGS = 2  # times the part that would be the largest if parts could be made equal
_KEYS = {"one": (1, 1), "two": (2, 2), "3 to 64": (3, 64), "more": (65, LIMIT)}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a corpus is like, whatever its size.

    Attributes:
        members: the share of its documents that are in parts: they share enough keys with others.
        pairs: how many pairs of texts are compared, a document.
        hanging: the share of the time to decide that its largest part takes; 0 where parts can be made equal.
        in_largest: the share of its documents that are in that part; 0 likewise.
    """

    members: float
    pairs: float
    hanging: float
    in_largest: float

    @classmethod
    def of(cls, row: Row) -> Kind:
        """Return what a run shows of its corpus."""
        told, documents = row["stages"]["decide"], row["documents"]
        equal = told["documents"] / parts_of(documents)
        hangs = told["tasks"] > 1 and told["largest"] > _HANGS * equal
        return cls(
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
        shared: seconds a document of what executors share, deciding apart.
        alone: seconds a document of what the driver does alone.
        member: seconds to decide a document that shares keys, its pairs apart.
        pair: seconds to compare a pair of texts.
        shuffle: bytes a document through the shuffle.
        memory: bytes of the driver's Python when there is one document, and for each one more.
    """

    start: float
    shared: float
    alone: float
    member: float
    pair: float
    shuffle: float
    memory: tuple[float, float]

    @classmethod
    def of(cls, start: Row, strangers: Row, template: Row, slots: int) -> Costs:
        """Return what runs show.

        Args:
            start: of one article.
            strangers: of a corpus whose parts could be made equal.
            template: of one that compares many more pairs.
            slots: how many tasks ran at once.
        """
        documents = strangers["documents"]
        known = [(row["stages"]["decide"]["documents"], row["comparisons"]) for row in (strangers, template)]
        spent = [row["stages"]["decide"]["seconds"] for row in (strangers, template)]
        member, pair = np.maximum(np.linalg.lstsq(np.array(known, float), np.array(spent), rcond=None)[0], 0)
        shared = sum(strangers["stages"][stage]["seconds"] for stage in _SHARED_WORK)
        decided = _decided(strangers["stages"]["decide"], slots)
        alone = strangers["wall"] - start["wall"] - shared / slots - decided
        return cls(
            start=start["wall"],
            shared=shared / documents,
            alone=max(0.0, alone) / documents,
            member=float(member),
            pair=float(pair),
            shuffle=sum(told["shuffle_bytes"] for told in strangers["stages"].values()) / documents,
            memory=(start["own"], max(0.0, strangers["own"] - start["own"]) / documents),
        )


def _decided(told: Row, slots: int) -> float:
    return max(float(told["seconds"]) / slots, float(told["longest"]))


def foretold(costs: Costs, kind: Kind, documents: int, slots: int) -> dict[str, float]:
    """Return what a run will take.

    Args:
        costs: of the machine.
        kind: of the corpus.
        documents: how many.
        slots: how many tasks run at once.

    Returns:
        ``wall`` in seconds, ``core_hours`` that executors are held, ``shuffle`` in bytes, ``memory`` of the driver's
        Python in bytes, and ``largest``: how many documents its largest part has.
    """
    deciding = documents * (kind.members * costs.member + kind.pairs * costs.pair)
    parts = parts_of(documents)
    longest = deciding * max(kind.hanging, 1 / parts)
    wall = costs.start + documents * (costs.shared / slots + costs.alone) + max(deciding / slots, longest)
    return {
        "wall": wall,
        "core_hours": wall * slots / 3600,
        "shuffle": documents * costs.shuffle,
        "memory": costs.memory[0] + documents * costs.memory[1],
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


__all__ = ["LIMIT", "Costs", "Kind", "distribution", "foretold"]
