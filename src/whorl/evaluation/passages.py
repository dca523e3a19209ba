"""Accuracy of the passages that ``whorl.compare`` finds between copies and their sources, by kind of copy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

from whorl.evaluation.plagdet import CopiedStretch, PlagdetScore, macro
from whorl.evaluation.scoring import Copy
from whorl.matching.compare import compare_many

_BATCH = 500


def score_passages(texts: Mapping[Any, str], copies: Iterable[Copy]) -> dict[str, tuple[int, PlagdetScore]]:
    """Compare each copy with each of its sources, and score the detected passages with the PAN measures.

    Args:
        texts: texts of the documents by id.
        copies: copies with known passages; copies without passages and sources without text are skipped.

    Returns:
        For each kind, the number of pairs of copy and source, and their score.

    Cost: one comparison for each pair.
    """
    of_kind: dict[str, list[Copy]] = defaultdict(list)
    for copy in copies:
        if copy.passages:
            of_kind[copy.kind].append(copy)
    return {kind: _score(texts, of_kind[kind]) for kind in sorted(of_kind)}


def _score(texts: Mapping[Any, str], copies: Sequence[Copy]) -> tuple[int, PlagdetScore]:
    pairs = [(copy.document, source) for copy in copies for source in copy.sources if source in texts]
    detections: list[CopiedStretch] = []
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        compared = compare_many((texts[source], texts[copy]) for copy, source in batch)
        for (copy, source), comparison in zip(batch, compared, strict=True):
            detections += [
                CopiedStretch(copy, passage.b_start, passage.b_end, source, passage.a_start, passage.a_end)
                for passage in comparison.passages
            ]
    truth = [passage for copy in copies for passage in copy.passages if passage.source in texts]
    return len(pairs), macro(truth, detections)


def describe_passages(scores: Mapping[str, tuple[int, PlagdetScore]]) -> dict[str, Any]:
    """Return the scores ready for JSON: by kind, and ``overall``, the mean plagdet of the kinds."""
    kinds = {
        kind: {
            "pairs": pairs,
            "precision": score.precision,
            "recall": score.recall,
            "granularity": score.granularity,
            "plagdet": score.plagdet,
        }
        for kind, (pairs, score) in scores.items()
    }
    return (
        {"overall": mean(scores_of_kind["plagdet"] for scores_of_kind in kinds.values()), "kinds": kinds}
        if kinds
        else {}
    )


__all__ = ["describe_passages", "score_passages"]
