"""The tables of a result: cuts, and dropped documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
from whorl.engines.corpus import Corpus
from whorl.inside.cuts import FORMS, NOWHERE, CutBlock
from whorl.inside.repetition import Repetitions

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

UNITS = {"lines": "line", "sentences": "sentence", "paragraphs": "paragraph", "passages": "passage"}
"""Names of the units by the kind of search."""


@frozen(slots=False, eq=False)
class CutTables:
    """The ids of documents, and tables about them.

    Attributes:
        corpus: the documents.
        order: uint32 (n,), the document of each rank.
        unit: what is cut: "line", "sentence", "paragraph" or "passage".
        is_listed: True if cuts have a line of a list that approves them.
    """

    corpus: Corpus
    order: NDArray[np.uint32]
    unit: str
    is_listed: bool = False

    @cached_property
    def ids(self) -> pa.Array:
        """The id of each document, or ``file:row``."""
        import pyarrow as pa
        import pyarrow.compute as pc

        corpus = self.corpus
        bounds, values = pa.py_buffer(corpus.ids.bounds), pa.py_buffer(corpus.ids.values)
        ids = pa.LargeStringArray.from_buffers(len(corpus.row), bounds, values)
        nameless = pc.equal(ids, "")
        if not pc.any(nameless).as_py():
            return ids
        rows = pa.array(corpus.row).cast(pa.large_string())
        files = self._files(np.arange(len(corpus.row)))
        places = pc.binary_join_element_wise(files, rows, pa.scalar(":", pa.large_string()))
        return pc.if_else(nameless, places, ids)

    def _files(self, documents: NDArray[Any]) -> pa.Array:
        import pyarrow as pa

        return pa.array(self.corpus.files, pa.large_string()).take(pa.array(self.corpus.file[documents]))

    def documents(self, block: CutBlock) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.bool_]]:
        """Return the document of each cut, the one that keeps the text, and whether there is one."""
        kept = block.columns["kept"]
        has_kept = kept != NOWHERE
        return self.order[block.columns["rank"]], self.order[np.where(has_kept, kept, 0)], has_kept

    def units(self, block: CutBlock) -> pa.Array:
        """Return the kind of each cut."""
        import pyarrow as pa

        return pa.array([self.unit, *FORMS[1:]]).take(pa.array(block.columns["form"]))

    def cuts(self, blocks: Iterator[CutBlock]) -> Iterator[pa.Table]:
        """Yield a table for each block, or an empty one; sorted by the rank of the document and by place.

        Columns: document, file, row, start, end, the same of the kept text with ``kept_``, unit, count (places with
        the text), tokens, text; with a list also approved_line. The columns of the kept text are null if none is
        kept. Offsets are code points.
        """
        yield self._cuts(next(blocks, _no_cuts()))
        yield from map(self._cuts, blocks)

    def _cuts(self, block: CutBlock) -> pa.Table:
        import pyarrow as pa

        documents, kept, has_kept = self.documents(block)
        columns = block.columns

        def of_kept(values: NDArray[Any]) -> pa.Array:
            return pa.array(values, mask=~has_kept)

        none = pa.scalar(None, pa.large_string())
        lines = columns["approved"]
        listed = {"approved_line": pa.array(lines, mask=lines == NOWHERE)} if self.is_listed else {}
        present = pa.array(has_kept)
        return pa.table(
            {
                "document": self.ids.take(pa.array(documents)),
                "file": self._files(documents),
                "row": self.corpus.row[documents],
                "start": columns["start"],
                "end": columns["end"],
                "kept_document": _chosen(present, self.ids.take(pa.array(kept)), none),
                "kept_file": _chosen(present, self._files(kept), none),
                "kept_row": of_kept(self.corpus.row[kept]),
                "kept_start": of_kept(columns["kept_start"]),
                "kept_end": of_kept(columns["kept_end"]),
                "unit": self.units(block),
                "count": columns["count"],
                "tokens": columns["tokens"],
                "text": block.texts,
                **listed,
            }
        )

    def dropped(self, dropped: DroppedDocuments) -> pa.Table:
        """Return the dropped documents: the length that would remain of each, and the reason."""
        import pyarrow as pa

        return pa.table(
            {
                **self._names(dropped.documents),
                "remaining": pa.array(dropped.remaining, mask=dropped.is_repetitive),
                "reason": pa.array(["too short", "repetition"]).take(pa.array(dropped.is_repetitive.astype(np.uint8))),
            }
        )

    def repetition(self, repetitions: Repetitions) -> pa.Table:
        """Return the measures of repetition within each document."""
        import pyarrow as pa

        return pa.table({**self._names(np.arange(len(self.corpus.row))), **repetitions.columns()})

    def _names(self, documents: NDArray[Any]) -> dict[str, Any]:
        import pyarrow as pa

        return {
            "document": self.ids.take(pa.array(documents)),
            "file": self._files(documents),
            "row": self.corpus.row[documents],
        }


@frozen(eq=False)
class DroppedDocuments:
    """Dropped documents, by number.

    Attributes:
        documents: uint32 (n,), ascending.
        remaining: uint32 (n,), the length that would remain of each.
        is_repetitive: True for each document that was dropped because of the repetition within it.
    """

    documents: NDArray[np.uint32]
    remaining: NDArray[np.uint32]
    is_repetitive: NDArray[np.bool_]

    @classmethod
    def of(
        cls, short: NDArray[np.uint32], remaining: NDArray[np.uint32], repetitive: NDArray[np.uint32]
    ) -> DroppedDocuments:
        """Join documents that became too short and repetitive ones."""
        documents = np.concatenate([short, repetitive])
        sequence = np.argsort(documents)
        of_all = np.concatenate([remaining, np.zeros(len(repetitive), np.uint32)])
        return cls(documents[sequence], of_all[sequence], np.isin(documents[sequence], repetitive))

    @property
    def short(self) -> int:
        """Number of documents that became too short."""
        return int((~self.is_repetitive).sum())


def _chosen(mask: pa.Array, values: pa.Array, other: pa.Scalar) -> pa.Array:
    import pyarrow.compute as pc

    return pc.if_else(mask, values, other)


def _no_cuts() -> CutBlock:
    nothing = np.empty(0, np.uint32)
    names: Sequence[str] = (
        "rank",
        "start",
        "end",
        "kept",
        "kept_start",
        "kept_end",
        "form",
        "count",
        "letters",
        "tokens",
        "approved",
    )
    columns: dict[str, NDArray[Any]] = dict.fromkeys(names, nothing)
    columns |= {"text": np.empty(0, np.uint8), "text_bounds": np.zeros(1, np.int64)}
    return CutBlock(columns, nothing, nothing, np.zeros(1, np.uint64), nothing.reshape(0, 2))


__all__ = ["UNITS", "CutTables", "DroppedDocuments"]
