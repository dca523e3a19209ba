"""Summarize hits: how many items of each benchmark are in the corpus, for which reasons, and in which sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whorl.inside.contamination.hits import REASONS, Hit

_SOURCES = 50


def summarize(
    benchmarks: Mapping[str, int], hits: Sequence[Hit], documents: int, by_source: Mapping[str, int]
) -> dict[str, Any]:
    """Return the figures of a run.

    Args:
        benchmarks: the number of items of each benchmark.
        hits: all hits.
        documents: the number of scanned documents.
        by_source: the number of documents of each source; empty if sources are not distinguished.
    """
    counted = [hit for hit in hits if hit.counted]
    return {
        "documents": documents,
        "contaminated": len({(hit.file, hit.row) for hit in counted}),
        "hits": len(hits),
        "counted_hits": len(counted),
        "reasons": {reason: count for reason in REASONS if (count := sum(hit.reason == reason for hit in hits))},
        "benchmarks": [
            _benchmark(name, count, [hit for hit in hits if hit.benchmark == name])
            for name, count in sorted(benchmarks.items())
        ],
        "sources": _sources(counted, by_source),
    }


def _benchmark(name: str, items: int, hits: Sequence[Hit]) -> dict[str, Any]:
    counted = [hit for hit in hits if hit.counted]
    return {
        "benchmark": name,
        "items": items,
        "seen": len({hit.item for hit in counted}),
        "seen_with_answer": len({hit.item for hit in counted if hit.answer_found}),
        "documents": len({(hit.file, hit.row) for hit in counted}),
        "reasons": {
            reason: len({hit.item for hit in hits if hit.reason == reason})
            for reason in REASONS
            if any(hit.reason == reason for hit in hits)
        },
        "sources": _top(Counter(hit.source for hit in _once(counted) if hit.source)),
    }


def _once(hits: Iterable[Hit]) -> list[Hit]:
    """Return one hit for each item and source."""
    return list({(hit.item, hit.source): hit for hit in hits}.values())


def _sources(counted: Sequence[Hit], by_source: Mapping[str, int]) -> list[dict[str, Any]]:
    contaminated = Counter(source for _, _, source in {(hit.file, hit.row, hit.source) for hit in counted})
    ordered = sorted(by_source, key=lambda source: (-contaminated[source], source))
    return [
        {"source": source, "documents": by_source[source], "contaminated": contaminated[source]}
        for source in ordered[:_SOURCES]
    ]


def _top(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:_SOURCES])


__all__ = ["summarize"]
