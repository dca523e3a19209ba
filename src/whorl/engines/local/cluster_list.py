"""Write the clusters as a spreadsheet-compatible list."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl.engines.arrow import chosen
from whorl.engines.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS = 1_000_000
"""Maximum number of rows, the limit of a spreadsheet."""

_COLUMNS = ("cluster_id", "size", "role", "id", "file", "row", "similarity")
_AT_ONCE = 65_536
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def write_cluster_list(tables: Tables, path: Path) -> None:
    """Write the articles of all clusters of two or more, largest cluster first, the kept article at its top.

    Cells that a spreadsheet would read as formulas begin with an apostrophe. Clusters beyond ``ROWS`` articles are only
    in the Parquet tables.
    """
    documents, sizes = _in_order(tables)
    temporary = path.with_name(f"{path.name}.part")
    with temporary.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for start in range(0, len(documents), _AT_ONCE):
            block = slice(start, start + _AT_ONCE)
            writer.writerows(_rows(tables, documents[block], sizes[block]))
    temporary.replace(path)


def _in_order(tables: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the clustered documents and the cluster size of each."""
    decisions = tables.decisions
    removed = np.flatnonzero(~decisions.kept)
    centres, sizes = np.unique(decisions.duplicate_of[removed], return_counts=True)
    documents = np.concatenate([centres.astype(np.int64), removed])
    cluster = np.concatenate([np.arange(len(centres)), np.searchsorted(centres, decisions.duplicate_of[removed])])
    by_id = np.empty(len(decisions.kept), np.int64)
    by_id[tables.by_id] = np.arange(len(by_id))
    order = np.lexsort((by_id[documents], ~decisions.kept[documents], by_id[centres][cluster], -sizes[cluster]))[:ROWS]
    return documents[order], sizes[cluster][order] + 1


def _rows(tables: Tables, documents: NDArray[np.int64], sizes: NDArray[np.int64]) -> Iterator[tuple[object, ...]]:
    corpus, decisions = tables.corpus, tables.decisions
    kept = decisions.kept[documents]
    centres = np.where(kept, documents, decisions.duplicate_of[documents])
    columns = (
        map(_harmless, chosen(tables.clusters_of, centres).to_pylist()),
        sizes.tolist(),
        np.select([documents < corpus.references, kept], ["reference", "kept"], "duplicate").tolist(),
        map(_harmless, chosen(tables.ids, documents).to_pylist()),
        (_harmless(corpus.files[file]) for file in corpus.file[documents].tolist()),
        corpus.row[documents].tolist(),
        (
            "" if is_kept else f"{similarity:.4f}"
            for is_kept, similarity in zip(kept, decisions.similarity[documents], strict=True)
        ),
    )
    return zip(*columns, strict=True)


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


__all__ = ["ROWS", "write_cluster_list"]
