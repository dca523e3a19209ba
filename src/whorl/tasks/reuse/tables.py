"""Tables of text reuse: documents, passages, pairs, clusters and their witnesses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from whorl import _core
from whorl.matching.reuse import EDITS, PairColumns, PassageColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.tasks.reuse.documents import OrderedDocuments

_DAY = 86_400


class TextSlices:
    """Ranges of texts as Arrow strings, and values of documents by number."""

    def __init__(self, documents: OrderedDocuments) -> None:
        self._documents = documents
        self.ids = pa.array(documents.ids, pa.string())
        self.groups = pa.array(documents.groups, pa.string())
        self.dates = pa.array([_date(value) for value in documents.dates.tolist()], pa.string())

    def texts(self, numbers: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any]) -> pa.Array:
        """Return ranges of texts, which count code points."""
        columns = (np.ascontiguousarray(column, np.uint32) for column in (numbers, starts, ends))
        values, bounds = _core.text_slices(self._documents.texts, *columns)
        return pa.LargeStringArray.from_buffers(len(numbers), pa.py_buffer(bounds), pa.py_buffer(values))


def _date(seconds: float) -> str | None:
    """Return a time in ISO 8601: only the day if it is a whole one."""
    if seconds != seconds:
        return None
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.date().isoformat() if seconds % _DAY == 0 else moment.isoformat()


def document_table(documents: OrderedDocuments, slices: TextSlices, commentary: NDArray[np.int64] | None) -> pa.Table:
    """Return the documents in order of time, with their characters of commentary, null if it was not sought."""
    return pa.table(
        {
            "id": slices.ids,
            "title": pa.array([title or None for title in documents.titles], pa.string()),
            "group": slices.groups,
            "date": slices.dates,
            "characters": pa.array(documents.lengths),
            "commentary": pa.array([None] * len(documents) if commentary is None else commentary, pa.int64()),
            "corpus": pa.array(np.where(documents.others, "other", "corpus")),
        }
    )


def _order(documents: OrderedDocuments, first: NDArray[Any], second: NDArray[Any]) -> pa.Array:
    """Return "earlier" where the first text is older, "same" for equal times, null where a date is missing."""
    a, b = documents.dates[first], documents.dates[second]
    return pa.array(np.where(a < b, "earlier", "same"), pa.string(), mask=np.isnan(a) | np.isnan(b))


def pair_table(
    documents: OrderedDocuments,
    slices: TextSlices,
    pairs: PairColumns,
    passages: PassageColumns,
    same_content: NDArray[np.float64] | None = None,
) -> pa.Table:
    """Return the pairs of documents, the earlier one first; the largest number of matched characters first.

    Args:
        documents: the documents.
        slices: their values.
        pairs: the pairs.
        passages: their passages.
        same_content: share of the second document of each pair with the same content; None adds no such column.
    """
    matched = np.bincount(passages.pair, passages.edits[:, 0], len(pairs.texts)).astype(np.int64)
    longest = np.zeros(len(matched), np.int64)
    lengths = np.where(passages.edits[:, 0] > 0, 0, passages.spans[:, 3] - passages.spans[:, 2])
    by_length = np.lexsort((lengths, passages.edits[:, 0], passages.pair))
    longest[passages.pair[by_length]] = by_length
    order = np.lexsort((pairs.texts[:, 1], pairs.texts[:, 0], -matched))
    a, b = pairs.texts[order, 0], pairs.texts[order, 1]
    spans = passages.spans[longest[order]] if len(order) else np.empty((0, 4), np.uint32)
    shares, direction = pairs.shares[order], pairs.direction[order]
    return pa.table(
        {
            "a_id": slices.ids.take(pa.array(a)),
            "b_id": slices.ids.take(pa.array(b)),
            "a_group": slices.groups.take(pa.array(a)),
            "b_group": slices.groups.take(pa.array(b)),
            "a_date": slices.dates.take(pa.array(a)),
            "b_date": slices.dates.take(pa.array(b)),
            "order": _order(documents, a, b),
            "relation": pa.array(pairs.relation[order], pa.string()),
            "direction": pa.array(direction, pa.string(), mask=direction == ""),
            "confidence": pa.array(shares[:, 4]),
            "copied_a": pa.array(shares[:, 0]),
            "copied_b": pa.array(shares[:, 2]),
            "reworded_a": pa.array(shares[:, 1]),
            "reworded_b": pa.array(shares[:, 3]),
            "passages": pa.array(pairs.passages[order].astype(np.int64)),
            "matched": pa.array(matched[order]),
            "longest": slices.texts(b, spans[:, 2], spans[:, 3]),
            **({} if same_content is None else {"same_content": pa.array(same_content[order])}),
        }
    )


def passage_table(
    documents: OrderedDocuments,
    slices: TextSlices,
    pairs: PairColumns,
    passages: PassageColumns,
    clusters: NDArray[np.uint32] | None,
) -> pa.Table:
    """Return the passages, ordered by the second text and the place in it; ``clusters`` is None if they have none."""
    a, b = pairs.texts[passages.pair].T
    order = np.lexsort((passages.spans[:, 2], a, b))
    a, b, pair = a[order], b[order], passages.pair[order]
    spans, edits = passages.spans[order].astype(np.int64), passages.edits[order].astype(np.int64)
    return pa.table(
        {
            "a_id": slices.ids.take(pa.array(a)),
            "a_start": pa.array(spans[:, 0]),
            "a_end": pa.array(spans[:, 1]),
            "b_id": slices.ids.take(pa.array(b)),
            "b_start": pa.array(spans[:, 2]),
            "b_end": pa.array(spans[:, 3]),
            "a_text": slices.texts(a, spans[:, 0], spans[:, 1]),
            "b_text": slices.texts(b, spans[:, 2], spans[:, 3]),
            "a_group": slices.groups.take(pa.array(a)),
            "b_group": slices.groups.take(pa.array(b)),
            "a_date": slices.dates.take(pa.array(a)),
            "b_date": slices.dates.take(pa.array(b)),
            "order": _order(documents, a, b),
            "relation": pa.array(pairs.relation, pa.string()).take(pa.array(pair)),
            "kind": pa.array(passages.kind[order], pa.string()),
            "similarity": pa.array(passages.similarity[order]),
            **{name: pa.array(edits[:, at]) for at, name in enumerate(EDITS)},
            "moved": pa.array(passages.moved[order]),
            "cluster": pa.nulls(len(order), pa.int64())
            if clusters is None
            else pa.array(clusters[order].astype(np.int64) + 1),
        }
    )


def cluster_tables(
    documents: OrderedDocuments,
    slices: TextSlices,
    places: NDArray[np.uint32],
    listed: NDArray[np.int64],
    hot: int,
) -> tuple[pa.Table, pa.Table]:
    """Return the clusters, the largest first, and their witnesses, the earliest first.

    Args:
        documents: the documents.
        slices: their values.
        places: text, start, end and cluster of each place, ordered by cluster and text.
        listed: number of passages of each cluster.
        hot: number of documents above which not all pairs are listed.
    """
    text, start, end, cluster = (column.astype(np.int64) for column in places.T)
    firsts = np.flatnonzero(np.diff(cluster, prepend=-1))
    count = len(firsts)
    sizes = np.diff(np.append(firsts, len(cluster)))
    distinct = np.diff(cluster * (len(documents) + 1) + text, prepend=-1) > 0
    number_of_documents = np.bincount(cluster[distinct], minlength=count)
    excerpts = slices.texts(text, start, end)
    dated = documents.dates[text]
    latest = np.full(count, -np.inf)
    np.maximum.at(latest, cluster, np.where(np.isnan(dated), -np.inf, dated))
    witnesses = pa.table(
        {
            "cluster": pa.array(cluster + 1),
            "witness": pa.array(np.arange(len(cluster)) - firsts[cluster] + 1),
            "id": slices.ids.take(pa.array(text)),
            "start": pa.array(start),
            "end": pa.array(end),
            "group": slices.groups.take(pa.array(text)),
            "date": slices.dates.take(pa.array(text)),
            "text": excerpts,
        }
    )
    clusters = pa.table(
        {
            "cluster": pa.array(np.arange(count) + 1),
            "documents": pa.array(number_of_documents),
            "places": pa.array(sizes),
            "first_id": slices.ids.take(pa.array(text[firsts])),
            "first_date": slices.dates.take(pa.array(text[firsts])),
            "last_date": pa.array(
                [_date(value) if value > -np.inf else None for value in latest.tolist()], pa.string()
            ),
            "characters": pa.array((end - start)[firsts]),
            "text": excerpts.take(pa.array(firsts)),
            "passages": pa.array(listed[:count]),
            "hot": pa.array(number_of_documents > hot),
        }
    )
    return clusters.sort_by(
        [("documents", "descending"), ("characters", "descending"), ("cluster", "ascending")]
    ), witnesses


__all__ = ["TextSlices", "cluster_tables", "document_table", "pair_table", "passage_table"]
