"""Degrees of rewording: from light edits to free retelling."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import whorl
from benchmarks.judging import (
    Figures,
    Judgment,
    Row,
    compare_pairs,
    counts_of,
    data_rows,
    digest_of,
    run_dedup,
    share_of,
)
from benchmarks.similarity import jaccard

_FOUND_FROM = 0.4
_RISE = 0.02
_OTHER_ARTICLES = 2_000


def degrees() -> Figures:
    """Texts with a rising share of replaced words: half verbatim is found, and no score rises."""
    rows = data_rows("foreign/degrees.jsonl.gz")
    return judge_degrees(rows) if rows else {}


def judge_degrees(rows: Sequence[Row]) -> Figures:
    """Return the figures of pairs that have ``lang``, ``base``, ``kind``, ``a`` and ``b``, by language.

    A kind is "0.3 edited", or "verbatim 0.5 then 0.3 edited": the share of replaced words is the second to last word.
    """
    judgments = compare_pairs((row["a"], row["b"]) for row in rows)
    figures: Figures = {}
    for language in dict.fromkeys(row["lang"] for row in rows):
        judged = [(row, judgment) for row, judgment in zip(rows, judgments, strict=True) if row["lang"] == language]
        half = [(row, judgment) for row, judgment in judged if row["kind"].startswith("verbatim")]
        missed = [(row, judgment) for row, judgment in half if not _is_found(judgment)]
        by_news = sum(_is_found_by_news(row) for row, _ in half)
        series: dict[tuple[Any, str], list[_Step]] = defaultdict(list)
        for row, judgment in judged:
            *first, share, _ = row["kind"].split()
            series[row["base"], " ".join(first)].append(_Step(float(share), jaccard(row["a"], row["b"]), judgment))
        figures[language] = {
            "half_verbatim": len(half),
            "found": len(half) - len(missed),
            "found_share": share_of(len(half) - len(missed), len(half)),
            "found_by_news": by_news,
            "found_by_news_share": share_of(by_news, len(half)),
            "missed": counts_of(f"{row['kind']}: {judgment.relation}" for row, judgment in missed),
            "steps": sum(len(steps) - 1 for steps in series.values()),
            **{f"{name}_rises": _rises(series.values(), name) for name in ("similarity", "copied")},
            "copied_by_kind": {
                kind: round(sum(values) / len(values), 3) for kind, values in sorted(_copied_by_kind(judged).items())
            },
            "relations_by_kind": {
                kind: counts_of(judgment.relation for row, judgment in judged if row["kind"] == kind)
                for kind in sorted({row["kind"] for row, _ in judged})
            },
        }
    return figures


def _is_found(judgment: Judgment) -> bool:
    return judgment.copied >= _FOUND_FROM and judgment.relation not in ("unrelated", "reworded")


def _is_found_by_news(row: Row) -> bool:
    return run_dedup([{"id": name, "text": row[name]} for name in ("a", "b")], "news").finds("a", "b")


@dataclass(frozen=True, slots=True)
class _Step:
    """A pair of texts with a share of replaced words."""

    replaced: float
    exact: float
    judgment: Judgment


def _rises(series: Iterable[list[_Step]], name: str) -> int:
    """Return how often a score is higher although more words are replaced.

    If the words of each step are drawn anew, the exact similarity may rise too. A rise by the same amount is right.
    """
    rises = 0
    for steps in series:
        for before, after in pairwise(sorted(steps, key=lambda step: step.replaced)):
            rise = getattr(after.judgment, name) - getattr(before.judgment, name)
            rises += rise - max(0.0, after.exact - before.exact) > _RISE
    return rises


def _copied_by_kind(rows: Iterable[tuple[Row, Judgment]]) -> dict[str, list[float]]:
    values = defaultdict(list)
    for row, judgment in rows:
        values[row["kind"]].append(judgment.copied)
    return values


def rewrites() -> Figures:
    """Rewritten news, from light edits (degree 1) to free retelling (5): recall of a library, and the relations."""
    rows = data_rows("foreign/rewrites.jsonl.gz")
    if not rows:
        return {}
    figures: Figures = {}
    for language, file in (("zh", "zh-news/articles.jsonl.zst"), ("en", "en-news/articles.jsonl.gz")):
        rewritten = [row for row in rows if row["lang"] == language]
        source_ids = {row["source_id"] for row in rewritten}
        articles = data_rows(file)
        sources = {row["id"]: row["text"] for row in articles if row["id"] in source_ids}
        others = sorted((row for row in articles if row["id"] not in source_ids), key=lambda row: digest_of(row["id"]))
        figures[language] = judge_rewrites(rewritten, sources, [row["text"] for row in others[:_OTHER_ARTICLES]])
    return figures


def judge_rewrites(rows: Sequence[Row], sources: Mapping[str, str], others: Sequence[str]) -> Figures:
    """Return by degree the recall of rewritten texts in a library, and their relations to the source.

    Args:
        rows: ``degree``, ``source_id`` and ``text``.
        sources: texts by id.
        others: unrelated articles.
    """
    with tempfile.TemporaryDirectory() as folder, whorl.open(Path(folder) / "library") as library:
        documents = [{"id": source, "text": text} for source, text in sources.items()]
        library.add(documents + [{"id": f"other-{number}", "text": text} for number, text in enumerate(others)])
        matched = [row["source_id"] in {match.id for match in library.check(row["text"]).matches} for row in rows]
    judgments = compare_pairs((sources[row["source_id"]], row["text"]) for row in rows)
    figures: Figures = {}
    for degree in sorted({row["degree"] for row in rows}):
        numbers = [number for number, row in enumerate(rows) if row["degree"] == degree]
        figures[f"degree_{degree}"] = {
            "texts": len(numbers),
            "checked": sum(matched[number] for number in numbers),
            "relations": counts_of(judgments[number].relation for number in numbers),
            "copied": [round(judgments[number].copied, 3) for number in numbers],
            "reworded": [judgments[number].reworded for number in numbers],
        }
    return figures
