"""The contents of ``run.json``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.reports.comparison.summary import versions
from whorl.tasks.reuse.methods_text import methods_paragraph

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from whorl.matching.reuse import PassageColumns
    from whorl.recipe import Recipe
    from whorl.tasks.reuse.documents import OrderedDocuments, ReuseCorpus
    from whorl.tasks.reuse.search import SearchResult
    from whorl.tasks.reuse.settings import ReuseSettings


def run_of(
    corpus: ReuseCorpus,
    documents: OrderedDocuments,
    commentary: NDArray[np.int64] | None,
    settings: ReuseSettings,
    recipe: Recipe,
    result: SearchResult,
    clusters: pa.Table,
    pairs_not_listed: int,
) -> dict[str, Any]:
    """Return settings, inputs, counts, chance hits, versions and the methods paragraph."""
    run: dict[str, Any] = {
        "command": "reuse",
        "settings": asdict(settings)
        | {
            "meaning": None if settings.encoder is None else settings.encoder.name,
            "against": bool(documents.others.any()),
            "text": list(recipe.text),
            "id": recipe.id,
        },
        "inputs": corpus.inputs,
        "digest": documents.digest,
        "counts": {
            "documents": len(documents),
            "dated": int((~np.isnan(documents.dates)).sum()),
            "groups": len({group for group in documents.groups if group is not None}),
            "characters": int(documents.lengths.sum()),
            "rejected": len(corpus.rejected),
            "candidates": result.candidates,
            "pairs": len(result.pairs.texts),
            "passages": len(result.passages.pair),
            "clusters": clusters.num_rows,
            "hot_clusters": int(np.asarray(clusters["hot"]).sum()),
            "pairs_not_listed": pairs_not_listed,
            "same_content": None if result.same_content is None else len(result.same_content.shares),
            "annotated": None if commentary is None else int((commentary > 0).sum()),
            "commentary": None if commentary is None else int(commentary.sum()),
        },
        "chance": None if result.chance is None else asdict(result.chance),
        "rejected": [f"{item.file}:{item.row}: {item.reason}" for item in corpus.rejected],
        "versions": versions(),
    }
    run["methods"] = methods_paragraph(run)
    return run


def count_pairs_not_listed(
    groups: NDArray[np.uint32],
    passages: PassageColumns,
    of_passages: NDArray[np.uint32],
    found_places: NDArray[np.uint32],
    hot: int,
) -> int:
    """Count the pairs of documents of hot clusters that have no passage of the cluster of their own."""
    cluster, text = found_places[:, 3].astype(np.int64), found_places[:, 0].astype(np.int64)
    count = int(cluster.max(initial=-1)) + 1
    members = np.unique(np.stack([cluster, text], axis=1), axis=0)
    sizes = np.bincount(members[:, 0], minlength=count)
    in_groups = np.unique(
        np.stack([members[:, 0], groups[members[:, 1]].astype(np.int64)], axis=1), axis=0, return_counts=True
    )
    same = np.bincount(in_groups[0][:, 0], in_groups[1] * (in_groups[1] - 1) / 2, count)
    possible = sizes * (sizes - 1) / 2 - same
    listed = np.unique(np.stack([of_passages.astype(np.int64), passages.pair], axis=1), axis=0)
    missing = possible - np.bincount(listed[:, 0], minlength=count)
    return int(np.maximum(missing, 0)[sizes > hot].sum())


__all__ = ["count_pairs_not_listed", "run_of"]
