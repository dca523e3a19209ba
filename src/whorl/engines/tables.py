"""The tables of a result: removed documents, links and clusters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.arrow import chosen, column, named, strings_of
from whorl.engines.changes import COUNTED, ComparedRemovals
from whorl.engines.corpus import Corpus
from whorl.engines.decide import Decisions
from whorl.engines.links import Links
from whorl.matching.fields import PARTS
from whorl.matching.relation import RELATIONS

if TYPE_CHECKING:
    import pyarrow as pa

_OTHER, _DOCUMENT = 1, 2
"""Values for the derived document of a link."""
_AT_ONCE = 1 << 17
"""Rows per block: file names take most of the memory of a block."""


@frozen(slots=False, eq=False)
class Tables:
    """The ids of the documents of a run and the tables of the decisions on them.

    Attributes:
        corpus: the documents.
        decisions: the decisions on them.
        compared: changes of removed documents, if they are reported.
        measure: name of the deciding similarity.
        times: float64 (n,), the time of each document of the input, NaN if unknown; (0,) if no times are known.
    """

    corpus: Corpus
    decisions: Decisions
    compared: ComparedRemovals | None
    measure: str
    times: NDArray[np.float64]

    @cached_property
    def ids(self) -> _core.Strings:
        """Return the label of each document: its id, or ``file:row``."""
        nameless = np.diff(self.corpus.ids.bounds) == 0
        return self._placed(nameless) if nameless.any() else self._identifiers

    @cached_property
    def by_id(self) -> NDArray[np.uint32]:
        """All documents sorted by id, then by file and row."""
        return documents_by_id(self.corpus)

    @cached_property
    def repeated(self) -> NDArray[np.bool_]:
        """Return True for each document whose id is not unique."""
        ids = self.corpus.ids
        return np.frombuffer(memoryview(_core.repeated(self.by_id, ids.values, ids.bounds)), np.bool_)

    @cached_property
    def clusters_of(self) -> _core.Strings:
        """Return the label of the cluster of each document: its id, or ``file:row`` if the id is not unique."""
        if not self.repeated.any():
            return self.ids
        return self._placed(self.repeated | (np.diff(self.corpus.ids.bounds) == 0))

    @cached_property
    def _identifiers(self) -> _core.Strings:
        return _core.Strings(self.corpus.ids.values, self.corpus.ids.bounds)

    @cached_property
    def _files(self) -> _core.Strings:
        return strings_of(self.corpus.files)

    def _placed(self, documents: NDArray[np.bool_]) -> _core.Strings:
        """Return the label of each document: ``file:row`` for those of a mask, the id for the others."""
        return self._identifiers.labels(documents.view(np.uint8), self._files, self.corpus.file, self.corpus.row)

    def label(self, document: int) -> str:
        """Return the label of a document."""
        return self.ids[document]

    def cluster_of(self, document: int) -> str:
        """Return the label of the cluster of a document."""
        return self.clusters_of[document]

    def duplicates(self) -> Iterator[pa.Table]:
        """Yield one or more blocks with a row for each removed document, sorted by id, file and row.

        The value is null for fields that did not decide, and for changes that are not reported.
        """
        return map(self._duplicates, _blocks(self.by_id[~self.decisions.kept[self.by_id]]))

    def _duplicates(self, documents: NDArray[np.uint32]) -> pa.Table:
        import pyarrow as pa

        decisions = self.decisions
        originals = decisions.duplicate_of[documents]
        fields = zip(PARTS, decisions.by_field[documents].T, strict=True) if len(decisions.by_field) else ()
        return pa.table(
            {
                "id": chosen(self.ids, documents),
                "file": chosen(self._files, self.corpus.file[documents]),
                "row": column(self.corpus.row[documents]),
                "duplicate_of": chosen(self.ids, originals),
                "relation": named(RELATIONS, decisions.relation[documents]),
                "similarity": column(decisions.similarity[documents]),
                "measure": pa.repeat(pa.scalar(self.measure, pa.string()), len(documents)),
                "cluster_id": chosen(self.clusters_of, originals),
                **_changes(self.compared, documents),
                **{f"similarity_{part}": column(figures, ~np.isnan(figures)) for part, figures in fields},
            }
        )

    def related(self) -> Iterator[pa.Table]:
        """Yield one or more blocks with a row for each link of a kept document, sorted by its id, file and row.

        The links of a document are consecutive, the strongest first. ``direction`` is the derived document: "id",
        "related_to", or null if neither is derived or it is unknown. Offsets of passages are code points.
        """
        place = np.empty(len(self.by_id), np.uint32)
        place[self.by_id] = np.arange(len(self.by_id), dtype=np.uint32)
        links = np.argsort(place[self.decisions.links.documents], kind="stable")
        return map(self._related, _blocks(links))

    def _related(self, rows: NDArray[Any]) -> pa.Table:
        import pyarrow as pa

        links = self.decisions.links
        documents, others = links.documents[rows], links.others[rows]
        derived = self._derived(rows)
        return pa.table(
            {
                "id": chosen(self.ids, documents),
                "file": chosen(self._files, self.corpus.file[documents]),
                "row": column(self.corpus.row[documents]),
                "related_to": chosen(self.ids, others),
                "related_file": chosen(self._files, self.corpus.file[others]),
                "related_row": column(self.corpus.row[others]),
                "relation": named(RELATIONS, links.relations[rows]),
                "direction": named(("", "related_to", "id"), derived, derived != 0),
                "confidence": column(links.confidence[rows]),
                "copied": column(links.copied[rows, 1]),
                "copied_of_other": column(links.copied[rows, 0]),
                "reworded": column(links.reworded[rows, 1]),
                "passages": _passages(links, rows),
            }
        )

    def _derived(self, rows: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the derived document of each link: for versions the later one, by their date columns."""
        links, first = self.decisions.links, self.corpus.references
        derived: NDArray[np.uint8] = links.derived[rows].copy()
        if not len(self.times):
            return derived
        times = np.concatenate([np.full(first, np.nan), self.times])
        document_times, other = times[links.documents[rows]], times[links.others[rows]]
        is_version = links.relations[rows] == RELATIONS.index("version")
        derived[is_version & (document_times > other)] = _DOCUMENT
        derived[is_version & (document_times < other)] = _OTHER
        return derived

    def clusters(self) -> Iterator[pa.Table]:
        """Yield one or more blocks with a row for each document of the input and each reference with a duplicate.

        They are sorted like those of :meth:`duplicates`.
        """
        kept = self.decisions.kept
        listed = np.ones(len(kept), np.bool_)
        listed[: self.corpus.references] = False
        listed[self.decisions.duplicate_of[~kept]] = True
        return map(self._clusters, _blocks(self.by_id[listed[self.by_id]]))

    def _clusters(self, documents: NDArray[np.uint32]) -> pa.Table:
        import pyarrow as pa

        kept = self.decisions.kept[documents]
        centres = np.where(kept, documents, self.decisions.duplicate_of[documents])
        role = np.where(documents < self.corpus.references, 2, np.where(kept, 0, 1))
        return pa.table(
            {
                "cluster_id": chosen(self.clusters_of, centres),
                "id": chosen(self.ids, documents),
                "file": chosen(self._files, self.corpus.file[documents]),
                "row": column(self.corpus.row[documents]),
                "role": named(("kept", "duplicate", "reference"), role),
            }
        )


def _passages(links: Links, rows: NDArray[Any]) -> pa.Array:
    """Return the passages of some links: for each a list of positions in the document and in the other one."""
    import pyarrow as pa

    starts, ends = links.bounds[:-1][rows].astype(np.int64), links.bounds[1:][rows].astype(np.int64)
    places = np.concatenate([np.empty(0, np.int64), *map(np.arange, starts.tolist(), ends.tolist())])
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(ends - starts)]).astype(np.int32)
    names = ("other_start", "other_end", "start", "end")
    columns = [column(links.passages[places, place]) for place in range(4)]
    return pa.ListArray.from_arrays(column(offsets), pa.StructArray.from_arrays(columns, names=list(names)))


def _blocks(documents: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (documents[start : start + _AT_ONCE] for start in range(0, max(len(documents), 1), _AT_ONCE))


def documents_by_id(corpus: Corpus) -> NDArray[np.uint32]:
    """Return all documents sorted by id, then by file and row."""
    ranked = _core.rank(np.zeros(len(corpus.row)), corpus.ids.values, corpus.ids.bounds)
    return np.frombuffer(memoryview(ranked), np.uint32)


def _changes(compared: ComparedRemovals | None, documents: NDArray[np.uint32]) -> dict[str, pa.Array]:
    """Return the column with the differences between each removed document and the kept one."""
    import pyarrow as pa

    flags = [pa.field("title", pa.bool_()), pa.field("byline", pa.bool_())]
    kind = pa.struct([*flags, *(pa.field(name, pa.uint32()) for name in COUNTED)])
    if compared is None:
        return {"changes": pa.nulls(len(documents), kind)}
    places = np.searchsorted(compared.removed, documents)
    title = column(compared.title[places], compared.titled[places])
    counts = [column(count) for count in compared.counts[places].T]
    columns = [title, column(compared.byline[places]), *counts]
    return {"changes": pa.StructArray.from_arrays(columns, fields=list(kind))}


__all__ = ["Tables", "documents_by_id"]
