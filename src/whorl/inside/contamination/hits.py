"""Hits: what of a benchmark is in which document, and why it is or is not contamination."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.inside.contamination.index import ItemIndex

if TYPE_CHECKING:
    import pyarrow as pa

REASONS = ("verbatim", "edited", "passage_only", "template", "quotation")
"""Reasons of hits: the part of an item that a document contains."""

COUNTED = ("verbatim", "edited")
"""Reasons that count as contamination by default."""

THERE = 0.75
"""Minimum share of an answer that is present."""

_EXCERPT = 400


@frozen
class Hit:
    """An item, or a part of it, in a document.

    Attributes:
        benchmark: the benchmark of the item.
        item: the id of the item.
        field: the column of the part that was core_hit.
        id: the id of the document; empty if it has none.
        file: the file of the document; empty for documents in memory.
        row: the row of the document, from 1.
        source: the value that ``by`` names; empty without one.
        reason: one of ``REASONS``.
        counted: whether it counts as contamination.
        start: the first code point in the document.
        end: the code point after the last one.
        item_start: the first code point in the part.
        item_end: the code point after the last one.
        question_share: the share of the question that is there, weighted by what its words say.
        choices_share: the share of the choices near it; None if the item has none.
        answer_share: the share of the answer near it; None if the item has none.
        passage_share: the share of the passage; None if the item has none.
        answer_found: whether the answer is near it; None if the item has none.
        text: the text in the document, at most 400 characters of it.
        item_text: the part of the item, at most 400 characters of it.
        extent: where the question, its choices and its answer are in the document.
        trace: details for the judgment over all documents; not in the tables.
    """

    benchmark: str
    item: str
    field: str
    id: str
    file: str
    row: int
    source: str
    reason: str
    counted: bool
    start: int
    end: int
    item_start: int
    item_end: int
    question_share: float
    choices_share: float | None
    answer_share: float | None
    passage_share: float | None
    answer_found: bool | None
    text: str
    item_text: str
    extent: tuple[int, int]
    trace: HitTrace

    def judged(self, reason: str, counted: Iterable[str]) -> Hit:
        """Return the hit with a reason, counted if the reason is."""
        return replace(self, reason=reason, counted=reason in counted)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the tables."""
        row = asdict(self)
        del row["trace"], row["extent"]
        return row


@frozen
class HitTrace:
    """Details of a hit for the judgment over all documents.

    Attributes:
        part: the number of the part.
        asks: whether the item asks or instructs.
        units: length of the part: five for a word, two for a Han character.
        gaps: identifies the words of the part that are missing; 0 if none is.
        fillers: identifies what the document has in their place.
    """

    part: int
    asks: bool
    units: int
    gaps: int
    fillers: int


@frozen
class DocumentPlace:
    """Where a document comes from: its id, file, row and source."""

    id: str
    file: str
    row: int
    source: str = ""


def hit_of(index: ItemIndex, core_hit: _core.ContaminationHit, text: str, place: DocumentPlace) -> Hit:
    """Return a hit of the core with its texts."""
    item, part = index.items[core_hit.item], index.parts[core_hit.part]
    start, end = core_hit.span
    answer = core_hit.answer
    return Hit(
        benchmark=item.benchmark,
        item=item.id,
        field=part.column,
        id=place.id,
        file=place.file,
        row=place.row,
        source=place.source,
        reason=core_hit.reason,
        counted=core_hit.reason in COUNTED,
        start=start,
        end=end,
        item_start=core_hit.part_span[0],
        item_end=core_hit.part_span[1],
        question_share=round(core_hit.question, 4),
        choices_share=None if core_hit.choices is None else round(core_hit.choices, 4),
        answer_share=None if answer is None else round(answer, 4),
        passage_share=None if core_hit.passage is None else round(core_hit.passage, 4),
        answer_found=None if answer is None else answer >= THERE,
        text=text[start : min(end, start + _EXCERPT)],
        item_text=part.text[:_EXCERPT],
        extent=core_hit.extent,
        trace=HitTrace(core_hit.part, core_hit.asks, core_hit.units, core_hit.gaps, core_hit.fillers),
    )


def hit_table(hits: Iterable[Hit]) -> pa.Table:
    """Return a table of hits, a row for each."""
    import pyarrow as pa

    rows = [hit.to_dict() for hit in hits]
    for row in rows:
        for name in ("text", "item_text", "id"):
            row[name] = row[name].encode("utf-8", "replace").decode()
    return pa.Table.from_pylist(rows, schema=_schema())


def _schema() -> pa.Schema:
    import pyarrow as pa

    texts = ("benchmark", "item", "field", "id", "file")
    numbers = ("start", "end", "item_start", "item_end")
    shares = ("question_share", "choices_share", "answer_share", "passage_share")
    return pa.schema(
        [
            *((name, pa.string()) for name in texts),
            ("row", pa.int64()),
            ("source", pa.string()),
            ("reason", pa.string()),
            ("counted", pa.bool_()),
            *((name, pa.int64()) for name in numbers),
            *((name, pa.float64()) for name in shares),
            ("answer_found", pa.bool_()),
            ("text", pa.string()),
            ("item_text", pa.string()),
        ]
    )


__all__ = ["COUNTED", "REASONS", "DocumentPlace", "Hit", "HitTrace", "hit_of", "hit_table"]
