"""Counts of what was cut: by unit and source, the largest repeated texts, and what sources share."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.inside.approved import ApprovedTexts
from whorl.inside.cuts import NOWHERE, CutBlock
from whorl.inside.labels import Labels
from whorl.inside.tables import CutTables

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = 20
_MAX_EXAMPLE_LENGTH = 400
_SOURCES = 200
_CANDIDATES = 2000
_ABSENT = 1000


@dataclass(slots=True, eq=False)
class CutTally:
    """Counts of the cuts of a run.

    Attributes:
        tables: the names of the documents.
        labels: the source of each document.
    """

    tables: CutTables
    labels: Labels
    _units: Counter[str] = field(default_factory=Counter)
    _unit_characters: Counter[str] = field(default_factory=Counter)
    _unit_tokens: Counter[str] = field(default_factory=Counter)
    _letters: int = 0
    _sources: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    _shared: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)
    _largest: dict[str, list[Any]] = field(default_factory=dict)
    _lines: Counter[int] = field(default_factory=Counter)

    def add(self, block: CutBlock) -> None:
        """Count the cuts of a block."""
        columns = block.columns
        characters = (columns["end"] - columns["start"]).astype(np.int64)
        for unit, size, tokens in zip(
            self.tables.units(block).to_pylist(), characters.tolist(), columns["tokens"].tolist(), strict=True
        ):
            self._units[unit] += 1
            self._unit_characters[unit] += size
            self._unit_tokens[unit] += tokens
        self._letters += int(columns["letters"].sum(dtype=np.int64))
        lines, counts = np.unique(columns["approved"][columns["approved"] != NOWHERE], return_counts=True)
        self._lines.update(dict(zip(lines.tolist(), counts.tolist(), strict=True)))
        self._add_sources(block, characters)
        self._add_largest(block, characters)

    def _add_sources(self, block: CutBlock, characters: NDArray[np.int64]) -> None:
        documents, kept, has_kept = self.tables.documents(block)
        sources, owners = self.labels.numbers[documents], self.labels.numbers[kept]
        figures = np.column_stack([np.ones(len(characters), np.int64), characters, block.columns["tokens"]])
        for source in np.unique(sources).tolist():
            self._sources[source] = self._sources.get(source, 0) + figures[sources == source].sum(axis=0)
        pairs = np.column_stack([sources, owners])[has_kept]
        shared = figures[has_kept]
        different, places = np.unique(pairs, axis=0, return_inverse=True)
        sums = np.zeros((len(different), 3), np.int64)
        np.add.at(sums, places.ravel(), shared)
        for (source, owner), figure in zip(different.tolist(), sums, strict=True):
            self._shared[source, owner] = self._shared.get((source, owner), 0) + figure

    def _add_largest(self, block: CutBlock, characters: NDArray[np.int64]) -> None:
        weight = characters * block.columns["count"]
        documents, _, _ = self.tables.documents(block)
        top = np.sort(np.argsort(-weight, kind="stable")[:_CANDIDATES])
        texts = block.texts.take(top)
        for place, text in zip(top.tolist(), texts.to_pylist(), strict=True):
            count, size = int(block.columns["count"][place]), int(characters[place])
            entry = self._largest.setdefault(text, [0, 0, size, int(documents[place])])
            entry[0] = max(entry[0], count)
            entry[1] += 1
        if len(self._largest) > 2 * _CANDIDATES:
            self._largest = dict(self._ranked(_CANDIDATES))

    def _ranked(self, limit: int) -> list[tuple[str, list[Any]]]:
        return heapq.nsmallest(limit, self._largest.items(), key=lambda item: (-item[1][0] * item[1][2], item[0]))

    def approved(self, listed: ApprovedTexts) -> dict[str, Any]:
        """Return how many approved texts were found, and the lines of the others in the list."""
        absent = [line for line in listed.lines if line not in self._lines]
        return {
            "list": listed.path,
            "texts": len(listed.texts),
            "found": len(listed.texts) - len(absent),
            "absent_lines": absent[:_ABSENT],
        }

    def as_dict(self, total_letters: int) -> dict[str, Any]:
        """Return the counts as plain data."""
        names = self.labels.names
        by_size = sorted(self._sources.items(), key=lambda item: (-int(item[1][1]), names[item[0]]))
        shared = sorted(self._shared.items(), key=lambda item: (-int(item[1][1]), item[0]))
        ids = self.tables.ids
        return {
            "removed": {
                "cuts": sum(self._units.values()),
                "characters": sum(self._unit_characters.values()),
                "tokens": sum(self._unit_tokens.values()),
                "share": round(self._letters / total_letters, 6) if total_letters else 0.0,
                "by_unit": {
                    unit: {
                        "cuts": count,
                        "characters": self._unit_characters[unit],
                        "tokens": self._unit_tokens[unit],
                    }
                    for unit, count in sorted(self._units.items())
                },
                "by_source": [
                    {"source": names[source], "cuts": cuts, "characters": characters, "tokens": tokens}
                    for source, (cuts, characters, tokens) in ((place, row.tolist()) for place, row in by_size)
                ][:_SOURCES],
            },
            "largest": [
                {
                    "text": text if len(text) <= _MAX_EXAMPLE_LENGTH else f"{text[:_MAX_EXAMPLE_LENGTH]}…",
                    "characters": size,
                    "count": count,
                    "example": ids[document].as_py(),
                }
                for text, (count, _, size, document) in self._ranked(_LARGEST)
            ],
            "shared": [
                {
                    "source": names[source],
                    "kept_in": names[owner],
                    "cuts": int(row[0]),
                    "characters": int(row[1]),
                    "tokens": int(row[2]),
                }
                for (source, owner), row in shared
            ][: _SOURCES * 10],
        }


__all__ = ["CutTally"]
