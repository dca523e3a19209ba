"""``whorl.dedup``: remove the duplicates from documents in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, overload, runtime_checkable

import numpy as np

from whorl.engines.against import recipe_against
from whorl.engines.changes import compare_removed
from whorl.engines.corpus import Corpus, Identifiers
from whorl.engines.memory.rows import Gathered, decide_rows, gather, rows_of_texts
from whorl.engines.memory.sources import SourceDocuments, hold, is_spark
from whorl.engines.progress import Silent
from whorl.engines.ranking import times
from whorl.engines.samples import sample_evidence
from whorl.engines.summary import RunOutcome, describe_run
from whorl.engines.tables import Tables
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.matching.candidates import CandidateSource
from whorl.recipe import Recipe
from whorl.reports.dedup import render_dedup_report
from whorl.types.frames import KeptT

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa
    from numpy.typing import NDArray

    from whorl.engines.options import MemoryOptions
    from whorl.engines.spark.frames import FrameResult
    from whorl.types.frames import FrameT_co, ItemT, LazyQuery, SourceT, SparkFrame


@overload
def dedup(source: SparkFrame, **options: Unpack[MemoryOptions]) -> FrameResult: ...


@overload
def dedup(source: SourceT, **options: Unpack[MemoryOptions]) -> DedupResult[SourceT]: ...


@overload
def dedup(source: LazyQuery[FrameT_co], **options: Unpack[MemoryOptions]) -> DedupResult[FrameT_co]: ...


@overload
def dedup(source: Iterable[ItemT], **options: Unpack[MemoryOptions]) -> DedupResult[list[ItemT]]: ...


@overload
def dedup(source: Any, **options: Unpack[MemoryOptions]) -> DedupResult[Any]: ...


def dedup(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    id: str | None = None,
    date: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    keep: str | None = None,
    verify: str | Mapping[str, Any] | None = None,
    changes: bool | None = None,
    remove: Sequence[str] | None = None,
    links: int | None = None,
    against: Any = None,
    workers: int | None = None,
    recipe: Recipe | None = None,
) -> DedupResult[Any] | FrameResult:
    """Remove the duplicates from documents in memory; the result proves every removal with an exact similarity.

    >>> import whorl
    >>> whorl.dedup(["the ice house burned down", "The ice house burned down!", "rain tomorrow"])
    <DedupResult: 2 of 3 kept, 1 duplicates>

    Args:
        source: an iterable of str, of dicts or of Arrow batches; a polars frame, lazy frame or series; a pandas frame
            or series; an Arrow table, array, stream or dataset; a DuckDB relation; a Hugging Face dataset, also a
            streaming one, which is read to its end; or a Spark DataFrame, which stays on its cluster and gives a result
            with a DataFrame. For files use ``whorl.dedup_files``.
        text: the column or columns that make up the text; default "text". A row where they are null is ``rejected``. In
            all column arguments "article.body" is the field "body" of a column of structs or dicts "article", unless a
            column has the whole name.
        id: the column of document ids; default "id" if it exists.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``; with it ``run["keeping"]`` reports the cost
            of each rule.
        method: a fingerprint family; default "minhash".
        threshold: minimum similarity of a duplicate, inclusive; default 0.8.
        keep: which duplicate to keep: "auto" (default: "earliest" if at least half of the documents have a date, else
            "longest"), "longest", "best" (complete, clean, then long), "earliest", "latest", "first", or a column,
            highest first.
        verify: additional exact measure that a duplicate must reach: "jaccard", "containment", "cosine", "euclidean" or
            "edit", or a mapping of the fields of ``whorl.matching.verify.Verification``.
        changes: compare every removed document with the kept one to report ``changes``; None enables it for methods
            that measure copied text.
        remove: relations whose documents are removed; default "exact", "near_duplicate" and "excerpt". Other related
            documents stay and are linked in ``related``.
        links: maximum number of links from a kept document to related documents; default 8.
        against: reference documents that are never dropped: an open ``whorl.Library``, whose recipe is used unless
            another is chosen, or anything accepted as ``source``.
        workers: threads of this call, up to 1024; None uses all cores.
        recipe: further settings; the arguments above override it.

    Raises:
        UsageError: the arguments contradict each other, or the source names files.
        InputError: the source cannot be read as requested.

    Cost: linear; memory about 320 bytes per document in addition to the source.
    """
    _demand_kinds(text, recipe)
    columns = (text,) if isinstance(text, str) else None if text is None else tuple(text)
    judgement = {"method": method, "threshold": threshold, "keep": keep, "verify": verify, "changes": changes}
    directing = {"remove": None if remove is None else tuple(remove), "links": links}
    chosen = (recipe or Recipe()).changed(text=columns, id=id, date=date, **judgement, **directing)
    if is_spark(source):
        from whorl.engines.spark.frames import dedup_frame

        return dedup_frame(source, against, chosen, workers)
    sources = (against.candidates(),) if isinstance(against, _Askable) else ()
    chosen = recipe_against(sources, chosen, is_chosen=method is not None or recipe is not None)
    started = datetime.now(UTC)
    with bounded(workers):
        documents = hold(source, chosen)
        references = rows_of_texts([]) if against is None or sources else hold(against, chosen).rows
        readable = documents.rows.readable()
        rows = documents.rows if readable.all() else documents.rows.where(readable)
        return DedupResult(documents, gather(rows, references, chosen, sources), chosen, started, readable)


def _demand_kinds(text: Any, recipe: Any) -> None:
    names = [text] if isinstance(text, str) or text is None else text
    if not isinstance(names, Sequence) or not all(isinstance(name, str | None) for name in names):
        raise UsageError(
            say("{name} is {value!r:.60}, expected a column name", name="text", value=text),
            hint=say("use one or more column names"),
        )
    if recipe is not None and not isinstance(recipe, Recipe):
        raise UsageError(
            say("{name} is {value!r:.60}, expected a Recipe", name="recipe", value=recipe),
            hint=say("use a whorl.recipe.Recipe"),
        )


@runtime_checkable
class _Askable(Protocol):
    """An object that can be searched for candidates, such as ``whorl.Library``."""

    def candidates(self) -> CandidateSource:
        """Return the candidate source."""
        ...


class DedupResult(Generic[KeptT]):
    """Result of ``whorl.dedup``.

    >>> import whorl
    >>> result = whorl.dedup(["今天天气很好，适合出门散步。", "今天天气很好,適合出門散步!", "明天有雨，记得带伞。"])
    >>> result.run["counts"]["kept"]
    2

    Attributes:
        run: counts, recipe, versions and warnings, as ``run.json`` has them.
    """

    def __init__(
        self,
        documents: SourceDocuments,
        gathered: Gathered,
        recipe: Recipe,
        started: datetime,
        readable: NDArray[np.bool_],
    ) -> None:
        self._select = documents.select
        self._readable = readable
        self._rows, self._references = gathered.rows, gathered.references
        self._decisions, traits = decide_rows(gathered, recipe)
        lengths, compared = gathered.fingerprints.lengths, None
        if recipe.tells_changes:
            compared = compare_removed(self._decisions, lengths, self._rows.take, Silent())
        named = [item for item in self._rows.ids if item]
        self._outcome = RunOutcome(
            recipe=recipe,
            corpus=self._corpus,
            decisions=self._decisions,
            compared=compared,
            digests=gathered.fingerprints.digests,
            lengths=lengths,
            traits=traits,
            texts=self._rows,
            id_of=self._ids.__getitem__,
            repeated_ids=sum(count for count in Counter(named).values() if count > 1),
            rejected=int((~readable).sum()),
        )
        self._tables = Tables(self._corpus, self._decisions, compared, recipe.measure, times(recipe, traits))
        self.run: dict[str, Any] = describe_run(self._outcome, started)

    @cached_property
    def kept(self) -> KeptT:
        """The kept documents, in the order and the type of the source.

        >>> result.kept
        ['今天天气很好，适合出门散步。', '明天有雨，记得带伞。']

        For a polars frame, lazy or not, a ``polars.DataFrame``; for a pandas frame a ``pandas.DataFrame`` with its
        index; for a series or an Arrow array the same type; for a Hugging Face dataset a dataset, for a streaming one a
        list of dicts; for an Arrow table, stream or dataset, a DuckDB relation and any other exporter of Arrow data a
        ``pyarrow.Table``; for dicts or strings a list of them.
        """
        mask = self._readable.copy()
        mask[self._readable] = self._decisions.kept[self._references :]
        return self._select(mask)  # type: ignore[no-any-return]

    @cached_property
    def rejected(self) -> KeptT:
        """The documents whose text is null, in the type of the source; they are neither kept nor duplicates.

        >>> whorl.dedup(["今天天气很好，适合出门散步。", None]).rejected
        [None]
        """
        return self._select(~self._readable)  # type: ignore[no-any-return]

    @cached_property
    def duplicates(self) -> pa.Table:
        """A row for each removed document.

        >>> result.duplicates.select(["id", "duplicate_of", "similarity"]).to_pylist()
        [{'id': '1', 'duplicate_of': '0', 'similarity': 1.0}]

        Columns: id, file, row, duplicate_of, relation, similarity, measure, cluster_id, changes. The changes are those
        of ``whorl.compare(kept, removed)``, and null if ``run["recipe"]`` disables them. ``file`` is "memory", ``row``
        counts from 0, and the row is the id of documents without one.
        """
        import pyarrow as pa

        return pa.concat_tables(self._tables.duplicates()).combine_chunks()

    @cached_property
    def related(self) -> pa.Table:
        """A row for each link between kept documents: relations that were found without a removal.

        >>> result.related.num_rows
        0

        Columns: id, file, row, related_to, related_file, related_row, relation, direction ("id" or "related_to" for the
        derived document, or null), confidence, copied (the share of ``id``), copied_of_other, reworded, and passages, a
        list of start, end, other_start and other_end in code points.
        """
        import pyarrow as pa

        return pa.concat_tables(self._tables.related()).combine_chunks()

    @cached_property
    def clusters(self) -> pa.Table:
        """A row for each document: cluster_id, id, file, row, and its role: "kept", "duplicate" or "reference".

        >>> result.clusters["role"].to_pylist()
        ['kept', 'duplicate', 'kept']
        """
        import pyarrow as pa

        return pa.concat_tables(self._tables.clusters()).combine_chunks()

    def report(self) -> str:
        """Return the report as one self-contained HTML page.

        >>> result.report()[:15]
        '<!doctype html>'
        """
        return render_dedup_report(self.run, sample_evidence(self._outcome, self._tables), [])

    def _repr_html_(self) -> str:
        from whorl.reports.notebook import run_card

        return run_card(self.run, self.duplicates)

    def __repr__(self) -> str:
        counts = self.run["counts"]
        documents = counts["kept"] + counts["duplicates"]
        return f"<DedupResult: {counts['kept']} of {documents} kept, {counts['duplicates']} duplicates>"

    @cached_property
    def _ids(self) -> list[str]:
        numbers = np.flatnonzero(self._readable).tolist()
        ids = [item or str(row) for row, item in zip(numbers, self._rows.ids[self._references :], strict=True)]
        theirs = [item or f"reference:{row}" for row, item in enumerate(self._rows.ids[: self._references])]
        return theirs + ids

    @cached_property
    def _corpus(self) -> Corpus:
        count, references = len(self._rows), self._references
        row = np.concatenate([np.arange(references), np.flatnonzero(self._readable)]).astype(np.int64)
        file = np.zeros(count, np.uint32)
        file[references:] = 1
        return Corpus(references, file, row, ("reference", "memory"), Identifiers.of(self._ids))


__all__ = ["DedupResult", "dedup"]
