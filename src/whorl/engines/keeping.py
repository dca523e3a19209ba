"""Compare the keep rules: how often each would drop the earliest article of a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.engines.corpus import Corpus
from whorl.engines.decide import Decisions
from whorl.engines.ranking import Traits, keep_rule, preference
from whorl.engines.tables import documents_by_id
from whorl.recipe import AUTO, KEEP_RULES, Recipe
from whorl.reports.figures import KEEPING_NOTE, keep_reason

_COLUMNS_SHOWN = 10


def describe_keeping(recipe: Recipe, corpus: Corpus, decisions: Decisions, traits: Traits) -> dict[str, Any]:
    """Return the keep rule of a run and, if a date column was read, the cost of each rule; ready for JSON.

    ``asked`` is the rule of the recipe. For "auto", ``documents`` and ``dated`` count all and dated documents,
    ``columns`` the dated documents per date column; ``reason`` explains the choice in a sentence.

    ``earliest_dropped`` counts for each rule the clusters whose earliest article it would drop, out of
    ``timed_clusters`` with a known time. Clusters kept for a reference leave no choice and are not counted.

    Cost: a sort of the clustered documents for each rule.
    """
    described: dict[str, Any] = {"rule": keep_rule(recipe, traits), "asked": recipe.keep, "note": str(KEEPING_NOTE)}
    if recipe.keep == AUTO:
        columns = {recipe.date: traits.dated} if recipe.date is not None and traits.dated else traits.date_columns
        commonest = sorted(columns.items(), key=lambda item: (-item[1], item[0]))[:_COLUMNS_SHOWN]
        described |= {"documents": len(traits.lengths), "dated": traits.dated, "columns": dict(commonest)}
        described["reason"] = str(keep_reason(described))
    if not recipe.reads_times or not len(traits.order) or (recipe.finds_dates and not traits.dated):
        return described
    first = corpus.references
    by_id = documents_by_id(corpus)
    by_id = by_id[by_id >= first] - np.uint32(first)
    place = np.empty(len(by_id), np.int64)
    place[by_id] = np.arange(len(by_id))
    members, clusters = _clusters(decisions, first)
    times, cluster_of = traits.order[members], np.unique(clusters, return_inverse=True)[1]
    earliest = np.full(int(cluster_of.max(initial=-1)) + 1, np.inf)
    np.fmin.at(earliest, cluster_of, times)
    timed = np.isfinite(earliest)
    dropped = {}
    # "best" needs the form of the texts, which is read only if it ranks them or a date column was named.
    rules = [rule for rule in KEEP_RULES if rule != "best" or len(traits.blemishes)]
    for rule in rules:
        order = np.lexsort((place[members], preference(rule, traits)[members], cluster_of))
        kept = order[np.flatnonzero(np.diff(cluster_of[order], prepend=-1))]
        dropped[rule] = int((timed & (times[kept] != earliest)).sum())
    return described | {"timed_clusters": int(timed.sum()), "earliest_dropped": dropped}


def _clusters(decisions: Decisions, references: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the documents in clusters of two or more, without references, and the cluster of each."""
    numbers = np.arange(len(decisions.kept))
    centres = np.where(decisions.kept, numbers, decisions.duplicate_of)
    sizes = np.bincount(centres, minlength=len(centres))
    members = np.flatnonzero((sizes[centres] > 1) & (centres >= references))
    return members - references, centres[members]


__all__ = ["describe_keeping"]
