"""``whorl.dedup``: the copies out of what is in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from whorl.engines.against import recipe_against
from whorl.engines.changes import compare_removed
from whorl.engines.corpus import Corpus, Identifiers
from whorl.engines.memory.rows import Gathered, decide_rows, gather, rows_of_texts
from whorl.engines.memory.sources import Held, hold, is_spark
from whorl.engines.progress import Silent
from whorl.engines.ranking import times
from whorl.engines.samples import sample_evidence
from whorl.engines.summary import Outcome, describe_run
from whorl.engines.tables import Tables
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.language import say
from whorl.matching.candidates import CandidateSource
from whorl.recipe import Recipe
from whorl.reports.dedup import render_dedup_report

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from whorl.engines.spark.frames import FrameResult


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
) -> DedupResult | FrameResult:
    """Drop the copies from documents in memory; every removal is proved by the exact figure that stands beside it.

    >>> import whorl
    >>> whorl.dedup(["the ice house burned down", "The ice house burned down!", "rain tomorrow"])
    <DedupResult: 2 of 3 kept, 1 duplicates>

    Args:
        source: an iterable of str, of dicts or of Arrow batches; a polars frame, lazy frame or series; a pandas frame
            or series; an Arrow table, array, stream or dataset; a DuckDB relation; a Hugging Face dataset, also one
            that streams, which is read to its end; a DataFrame of Spark, which stays on its cluster, and whose result
            has a DataFrame. Files are for ``whorl.dedup_files``.
        text: the column or columns that make the text; default "text". A row where they are null is
            ``rejected``. Here and in all that names a column,
            "article.body" is the field "body" of a column of structs, or of a dict, "article", where no column has the
            whole name.
        id: the column that names a document; default "id" where there is one.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``; with it ``run["keeping"]`` tells what each
            rule costs.
        method: a fingerprint family; default "minhash".
        threshold: from which similarity a document is a copy, inclusive; default 0.8.
        keep: "auto" (default: "earliest" if at least half of the documents have a date, else "longest"), "longest",
            "best" (complete, clean, then long), "earliest", "latest", "first", or a column, highest first.
        verify: an exact figure that a copy must reach besides: "jaccard", "containment", "cosine", "euclidean" or
            "edit", or a mapping of the fields of ``whorl.matching.verify.Verification``.
        changes: whether every removed document is compared once more with the kept one, to tell ``changes``; None does
            for methods that go by what is copied.
        remove: for which relations documents are removed; default "exact", "near_duplicate" and "excerpt". Whatever
            else is related stays, and is linked in ``related``.
        links: how many links to related documents a kept document has at most; default 8.
        against: documents that are never dropped: an open ``whorl.Library``, whose recipe is taken unless another is
            chosen, or whatever may be a ``source``.
        workers: threads of this call, up to 1024; None takes all cores.
        recipe: the rest; the arguments above override it.

    Raises:
        UsageError: the arguments contradict each other, or the source names files.
        InputError: the source cannot be read as asked.

    Cost: linear; memory about 320 bytes a document besides the source.
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
        held = hold(source, chosen)
        references = rows_of_texts([]) if against is None or sources else hold(against, chosen).rows
        readable = held.rows.readable()
        rows = held.rows if readable.all() else held.rows.where(readable)
        return DedupResult(held, gather(rows, references, chosen, sources), chosen, started, readable)


def _demand_kinds(text: Any, recipe: Any) -> None:
    names = [text] if isinstance(text, str) or text is None else text
    if not isinstance(names, Sequence) or not all(isinstance(name, str | None) for name in names):
        raise UsageError(
            say("{name} is {value!r:.60}, no column", name="text", value=text),
            cure=say("give the name of a column, or several"),
        )
    if recipe is not None and not isinstance(recipe, Recipe):
        raise UsageError(
            say("{name} is {value!r:.60}, no Recipe", name="recipe", value=recipe),
            cure=say("give a whorl.recipe.Recipe"),
        )


@runtime_checkable
class _Askable(Protocol):
    """What can be asked for copies of documents, such as ``whorl.Library``."""

    def candidates(self) -> CandidateSource:
        """Return what is asked."""
        ...


class DedupResult:
    """What ``whorl.dedup`` found.

    >>> import whorl
    >>> result = whorl.dedup(["今天天气很好，适合出门散步。", "今天天气很好,適合出門散步!", "明天有雨，记得带伞。"])
    >>> result.run["counts"]["kept"]
    2

    Attributes:
        run: counts, recipe, versions and warnings, as ``run.json`` has them.
    """

    def __init__(
        self, held: Held, gathered: Gathered, recipe: Recipe, started: datetime, readable: NDArray[np.bool_]
    ) -> None:
        self._select = held.select
        self._readable = readable
        self._rows, self._references = gathered.rows, gathered.references
        self._decisions, traits = decide_rows(gathered, recipe)
        lengths, compared = gathered.fingerprints.lengths, None
        if recipe.tells_changes:
            compared = compare_removed(self._decisions, lengths, self._rows.take, Silent())
        named = [item for item in self._rows.ids if item]
        self._outcome = Outcome(
            recipe=recipe,
            corpus=self._corpus,
            decisions=self._decisions,
            compared=compared,
            digests=gathered.fingerprints.digests,
            lengths=lengths,
            traits=traits,
            texts=self._rows,
            ids=self._ids,
            repeated_ids=sum(count for count in Counter(named).values() if count > 1),
            rejected=int((~readable).sum()),
        )
        self._tables = Tables(self._corpus, self._decisions, compared, recipe.measure, times(recipe, traits))
        self.run: dict[str, Any] = describe_run(self._outcome, started)

    @cached_property
    def kept(self) -> Any:
        """The documents that stay, in the order and the kind of the source.

        >>> result.kept
        ['今天天气很好，适合出门散步。', '明天有雨，记得带伞。']

        Of a polars frame, lazy or not, a ``polars.DataFrame``; of a pandas frame a ``pandas.DataFrame`` with its index;
        of a series or an Arrow array one of its kind; of a Hugging Face dataset a dataset, of one that streams a list
        of dicts; of an Arrow table, stream or dataset, of a DuckDB relation and of whatever else exports Arrow a
        ``pyarrow.Table``; of dicts or strings a list of them.
        """
        mask = self._readable.copy()
        mask[self._readable] = self._decisions.kept[self._references :]
        return self._select(mask)

    @cached_property
    def rejected(self) -> Any:
        """The documents whose text is null, in the kind of the source; they are neither kept nor duplicates.

        >>> whorl.dedup(["今天天气很好，适合出门散步。", None]).rejected
        [None]
        """
        return self._select(~self._readable)

    @cached_property
    def duplicates(self) -> pa.Table:
        """A row for each removed document.

        >>> result.duplicates.select(["id", "duplicate_of", "similarity"]).to_pylist()
        [{'id': '1', 'duplicate_of': '0', 'similarity': 1.0}]

        Columns: id, file, row, duplicate_of, relation, similarity, measure, cluster_id, changes. The last are those of
        ``whorl.compare(kept, removed)``, and null where ``run["recipe"]`` says that they are not told. ``file`` is
        "memory", ``row`` counts from 0, and the id is the row where there is none.
        """
        import pyarrow as pa

        return pa.concat_tables(self._tables.duplicates()).combine_chunks()

    @cached_property
    def related(self) -> pa.Table:
        """A row for each link of a kept document to another kept one: what was found and not removed.

        >>> result.related.num_rows
        0

        Columns: id, file, row, related_to, related_file, related_row, relation, direction ("id" or "related_to" for
        the one that derives from the other, or null), confidence, copied (the share of ``id``), copied_of_other,
        reworded, and passages, a list of start, end, other_start and other_end in code points.
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
        own = [item or str(row) for row, item in zip(numbers, self._rows.ids[self._references :], strict=True)]
        theirs = [item or f"reference:{row}" for row, item in enumerate(self._rows.ids[: self._references])]
        return theirs + own

    @cached_property
    def _corpus(self) -> Corpus:
        count, references = len(self._rows), self._references
        row = np.concatenate([np.arange(references), np.flatnonzero(self._readable)]).astype(np.int64)
        file = np.zeros(count, np.uint32)
        file[references:] = 1
        return Corpus(references, file, row, ("reference", "memory"), Identifiers.of(self._ids))


__all__ = ["DedupResult", "dedup"]
