"""Find the items of benchmarks in documents in memory, and tag, cut or drop the documents that contain them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, Required, TypedDict, overload

import numpy as np

from whorl._internal.frozen import frozen
from whorl.engines.memory.sources import hold, is_spark
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.inside.contamination.finish import describe_run, render_report
from whorl.inside.contamination.hits import DocumentPlace, Hit, hit_of, hit_table
from whorl.inside.contamination.index import ItemIndex
from whorl.inside.contamination.judgment import Judgment
from whorl.inside.contamination.memory import cut_documents, item_ranges, tagged_documents
from whorl.inside.contamination.rewriting import Action, WrittenRows
from whorl.inside.contamination.scanning import source_of
from whorl.inside.contamination.summary import summarize
from whorl.recipe import Recipe
from whorl.tasks.decontaminate.benchmarks import Against, counted_reasons, item_index
from whorl.tasks.library.arguments import Texts, strings
from whorl.types.frames import KeptT

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa

    from whorl.types.frames import FrameT_co, LazyQuery, SourceT


class DecontaminationOptions(TypedDict, total=False):
    """The options of ``whorl.decontaminate``."""

    against: Required[Against]
    against_text: Texts | None
    against_id: str | None
    action: Action
    text: Texts | None
    id: str | None
    by: str | None
    count: Sequence[str] | None
    column: str
    workers: int | None


@frozen
class Decontamination(Generic[KeptT]):
    """Result of ``whorl.decontaminate``.

    >>> import whorl
    >>> items = [{"question": "Which river flows through the old town of Vesterholm?", "answer": "the Aln"}]
    >>> texts = ["Quiz: which river flows through the old town of Vesterholm? It is the Aln.", "Rain tomorrow."]
    >>> result = whorl.decontaminate(texts, against={"quiz": items}, action="drop")
    >>> result.documents
    ['Rain tomorrow.']
    >>> result.hits.select(["item", "reason", "answer_found"]).to_pylist()
    [{'item': '1', 'reason': 'verbatim', 'answer_found': True}]

    Attributes:
        documents: the documents in the type of the source: all of them, those that are left, or with changes.
        hits: a row for each hit.
        run: the figures, as ``run.json`` of a run has them.
    """

    documents: KeptT
    hits: pa.Table
    run: Mapping[str, Any]

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return render_report(self.run, self.hits)


@overload
def decontaminate(source: SourceT, **options: Unpack[DecontaminationOptions]) -> Decontamination[SourceT]: ...


@overload
def decontaminate(
    source: LazyQuery[FrameT_co], **options: Unpack[DecontaminationOptions]
) -> Decontamination[FrameT_co]: ...


@overload
def decontaminate(
    source: Iterable[str | Mapping[str, Any]], **options: Unpack[DecontaminationOptions]
) -> Decontamination[list[Any]]: ...


@overload
def decontaminate(source: Any, **options: Unpack[DecontaminationOptions]) -> Decontamination[Any]: ...


def decontaminate(
    source: Any,
    *,
    against: Against,
    against_text: Texts | None = None,
    against_id: str | None = None,
    action: Action = "report",
    text: Texts | None = None,
    id: str | None = None,
    by: str | None = None,
    count: Sequence[str] | None = None,
    column: str = "contamination",
    workers: int | None = None,
) -> Decontamination[Any]:
    """Find the items of benchmarks in documents in memory, and tag, cut or drop the documents that contain them.

    >>> import whorl
    >>> item = {"id": "q1", "question": "How many machines did the ice house of the harbour buy this summer?"}
    >>> texts = ["How many machines did the ice house of the harbour buy this summer? Two.", "Rain tomorrow."]
    >>> whorl.decontaminate(texts, against={"quiz": [item]}, against_text=["question"]).run["contaminated"]
    1

    Args:
        source: as for ``whorl.dedup``. For files use ``whorl.decontaminate_files``.
        against: benchmarks: paths or ``NAME=PATH``, a mapping of names to paths or to rows, or an index.
        against_text: the fields of the items, such as ``["question", "choices=opts", "answer"]``; default: columns with
            usual names.
        against_id: the column of item ids; default: a usual name, else the row number.
        action: "report" leaves the documents as they are, "tag" adds a column, "cut" removes the sentences with the
            item, and documents of which nothing is left, "drop" the documents.
        text: the column or columns that make up the text; default "text".
        id: the column of document ids; default "id" if it exists.
        by: a column that names the source, such as "meta.source"; only for dicts.
        count: the reasons that count as contamination; default "verbatim" and "edited".
        column: the name of the column that "tag" adds.
        workers: threads of this call; None uses all cores.

    Raises:
        UsageError: the arguments contradict each other.
        InputError: the documents or a benchmark cannot be read as requested.
    """
    started = datetime.now(UTC)
    counted = counted_reasons(action, count)
    if is_spark(source):
        raise UsageError(
            say("a Spark DataFrame is not supported"), hint=say("write it to Parquet and use decontaminate_files")
        )
    columns = strings(text) or ("text",)
    source = list(source) if isinstance(source, Iterator) else source
    with bounded(workers):
        index = item_index(against, against_text, against_id)
        recipe = Recipe().changed(text=columns, id=id)
        documents_read = hold(source, recipe)
        rows = documents_read.rows
        sources = [""] * len(rows)
        if by is not None and isinstance(source, list | tuple):
            sources = [source_of(row, by) if isinstance(row, Mapping) else "" for row in source]
        hits = _memory_hits(index, rows, sources)
        hits = Judgment.of(hits).judged(hits, counted)
    by_row: dict[int, list[Hit]] = defaultdict(list)
    for hit in hits:
        if hit.counted:
            by_row[hit.row].append(hit)
    is_left = np.ones(len(rows), np.bool_)
    documents, dropped, written = source, list[int](), WrittenRows()
    if action == "drop":
        dropped = list(by_row)
    elif action == "cut":
        ranges, dropped = item_ranges(rows.texts, by_row)
        documents = cut_documents(documents_read.select(is_left), ranges, columns)
        written.removed = sum(end - start for row in ranges.keys() - set(dropped) for start, end in ranges[row])
    elif action == "tag":
        documents = tagged_documents(documents_read.select(is_left), by_row, len(rows), column)
    written.kept, written.dropped = len(rows) - len(dropped), len(dropped)
    written.changed = len(by_row) - len(dropped) if action in ("tag", "cut") else 0
    if dropped:
        is_left[dropped] = False
        documents = hold(documents, recipe).select(is_left)
    documents_of = Counter(sources) if by is not None else Counter[str]()
    figures = summarize(index.benchmarks, hits, len(rows), documents_of)
    run = describe_run(figures, index, action, started, written, rejected=0, counted=counted)
    return Decontamination(documents, hit_table(hits), run)


def _memory_hits(index: ItemIndex, rows: Any, sources: Sequence[str]) -> list[Hit]:
    hits: list[Hit] = []
    for core_hit in index.scan(rows.texts):
        document = core_hit.document
        place = DocumentPlace(rows.ids[document] or str(document), "memory", document, sources[document])
        hits.append(hit_of(index, core_hit, rows.text(document), place))
    return hits


__all__ = ["Decontamination", "DecontaminationOptions", "decontaminate"]
