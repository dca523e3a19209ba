"""Evidence samples for the report: the largest clusters and the removals with the lowest similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whorl.engines.changes import compare_texts
from whorl.engines.summary import RunOutcome
from whorl.engines.tables import Tables
from whorl.reports.evidence import ClusterSample, Member, Pair, RemovalEvidence, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CLUSTERS_LISTED = 1_000
_CLUSTERS_SHOWN = 12
_MEMBERS_LISTED = 24
_PAIRS_SHOWN = 2
_BORDERLINE_SHOWN = 8


def sample_evidence(outcome: RunOutcome, tables: Tables) -> RemovalEvidence:
    """Return the largest clusters, the first of them with pairs, and the removals with the lowest similarity.

    Cost: a sort of the removed documents, and some dozens of comparisons.
    """
    return RemovalEvidence(tuple(_clusters(outcome, tables)), tuple(_borderline(outcome, tables)))


def _clusters(outcome: RunOutcome, tables: Tables) -> list[ClusterSample]:
    """Return clusters with the removed documents that differ most from their kept document."""
    decisions = outcome.decisions
    removed = np.flatnonzero(~decisions.kept)
    removed = removed[np.lexsort((decisions.similarity[removed], decisions.duplicate_of[removed]))]
    centres, first, sizes = np.unique(decisions.duplicate_of[removed], return_index=True, return_counts=True)
    samples: list[ClusterSample] = []
    for place in np.argsort(-sizes, kind="stable")[:_CLUSTERS_LISTED].tolist():
        centre, size = int(centres[place]), int(sizes[place])
        members = removed[first[place] : first[place] + min(size, _MEMBERS_LISTED)].tolist()
        sampled = members[:_PAIRS_SHOWN] if len(samples) < _CLUSTERS_SHOWN else []
        samples.append(
            ClusterSample(
                tables.cluster_of(centre),
                size + 1,
                tuple(_pair(outcome, tables, member) for member in sampled),
                _member(outcome, tables, centre),
                tuple(_member(outcome, tables, member) for member in members),
            )
        )
    return samples


def _borderline(outcome: RunOutcome, tables: Tables) -> list[Pair]:
    decisions = outcome.decisions
    removed = _near(outcome)
    nearest = removed[np.argsort(decisions.similarity[removed], kind="stable")[:_BORDERLINE_SHOWN]]
    return [_pair(outcome, tables, document) for document in nearest.tolist()]


def _near(outcome: RunOutcome) -> NDArray[np.int64]:
    """Return the removed documents that are not identical to their kept document."""
    decisions = outcome.decisions
    return np.flatnonzero(~decisions.kept & (decisions.similarity < 1))


def _member(outcome: RunOutcome, tables: Tables, document: int) -> Member:
    corpus, decisions = outcome.corpus, outcome.decisions
    similarity = 1.0 if decisions.kept[document] else float(decisions.similarity[document])
    file, row = corpus.files[corpus.file[document]], int(corpus.row[document])
    return Member(tables.label(document), file, row, similarity)


def _pair(outcome: RunOutcome, tables: Tables, document: int) -> Pair:
    centre = int(outcome.decisions.duplicate_of[document])
    removed_text, kept_text = outcome.texts.text(document), outcome.texts.text(centre)

    def side(member: Member, text: str) -> Side:
        return Side(member.id, member.file, member.row, None, text)

    return Pair(
        side(_member(outcome, tables, document), removed_text),
        side(_member(outcome, tables, centre), kept_text),
        float(outcome.decisions.similarity[document]),
        tables.measure,
        compare_texts(kept_text, removed_text),
    )


__all__ = ["sample_evidence"]
