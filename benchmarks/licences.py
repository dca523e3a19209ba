"""Licence texts: cost of a deduplication as their number grows, and removals for another licence."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable, Iterable
from queue import Empty
from typing import Any

from benchmarks.judging import (
    Figures,
    Row,
    containment,
    counts_of,
    data_rows,
    digest_of,
    rows_by_id,
    run_dedup,
    texts_of,
)

_LITTLE_SHARED = 0.3
_LICENCE_COUNTS = (1_000, 2_000, 4_000, 7_000)
_LICENCE_SECONDS = 300


def licences() -> Figures:
    """Licence texts: processor time and comparisons as their number grows, and removals for another licence."""
    return licences_of(_LICENCE_COUNTS)


def licences_of(counts: Iterable[int], limit_s: float = _LICENCE_SECONDS) -> Figures:
    """Return the figures of the first texts for each count, or of all texts, and the growth of comparisons.

    Args:
        counts: ascending.
        limit_s: time limit per count.
    """
    available = len(_licence_rows())
    if not available:
        return {}
    sizes = dict.fromkeys(min(count, available) for count in counts)
    figures: Figures = {str(size): measure_apart(_dedup_licences, size, limit_s) for size in sizes}
    per_document = [row.get("comparisons_per_document") for row in figures.values()]
    growth = per_document[-1] / per_document[0] if all(per_document) else None
    return figures | {"growth": growth and round(growth, 3)}


def _licence_rows() -> list[Row]:
    """Return all licence texts in an order that does not depend on their content.

    The two sets name licences differently, so names are comparable within a set only.
    """
    rows = [
        {"id": f"{folder}/{row['id']}", "set": folder, "licence": row[name], "text": row["text"]}
        for folder, name in (("families", "expression"), ("foreign", "name"))
        for row in data_rows(f"{folder}/licences.jsonl.gz")
    ]
    return sorted(rows, key=lambda row: digest_of(row["id"]))


def _dedup_licences(count: int) -> Figures:
    rows = _licence_rows()[:count]
    begun = _cpu_seconds()
    outcome = run_dedup(texts_of(rows), "news")
    cpu_s = _cpu_seconds() - begun
    by_id = rows_by_id(rows)
    removals = [(by_id[removed], by_id[kept]) for removed, kept in outcome.removals.items()]
    other = [
        (removed, kept)
        for removed, kept in removals
        if removed["set"] == kept["set"] and removed["licence"] != kept["licence"]
    ]
    little = [texts for texts in removals if containment(texts[0]["text"], texts[1]["text"]) < _LITTLE_SHARED]
    comparisons = outcome.run["comparisons"]
    return {
        "cpu_s": round(cpu_s, 1),
        "comparisons_per_document": comparisons["count"] / len(rows),
        "removed": len(removals),
        "other_licence": len(other),
        "under_30%": len(little),
        "links": counts_of(outcome.links.values()),
        "warnings": [warning["kind"] for warning in outcome.run["warnings"]],
    }


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure_apart(measure: Callable[[int], Figures], count: int, limit_s: float = _LICENCE_SECONDS) -> Figures:
    """Run a measurement in a separate process, and return its result or that it took longer than ``limit_s``."""
    context = multiprocessing.get_context("spawn")
    answers_of_process = context.Queue()
    process = context.Process(target=_answer, args=(measure, count, answers_of_process), daemon=True)
    process.start()
    try:
        return dict(answers_of_process.get(timeout=limit_s))
    except Empty:
        return {"over_s": limit_s}
    finally:
        process.kill()
        process.join()


def _answer(measure: Callable[[int], Figures], count: int, answers_of_process: Any) -> None:
    answers_of_process.put(measure(count))
