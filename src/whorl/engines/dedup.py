"""``whorl.dedup``: one function for files and for what is in memory."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

import whorl
from whorl.corpus import Selection
from whorl.corpus.arrays import demand_sound, select_rows
from whorl.engines.against import recipe_against
from whorl.engines.local import summary
from whorl.engines.local.caveats import describe_caveats
from whorl.engines.local.changes import Compared, compare_removed
from whorl.engines.local.decide import Decisions
from whorl.engines.local.keeping import describe_keeping
from whorl.engines.local.memory import (
    Rows,
    decide_rows,
    gather,
    identifiers,
    rows_of_dicts,
    rows_of_table,
    rows_of_texts,
)
from whorl.engines.local.ranking import Traits
from whorl.engines.local.write import (
    Corpus,
    cluster_names,
    clusters_table,
    documents_by_id,
    duplicates_table,
    repeated_ids,
    shown_ids,
)
from whorl.engines.progress import Silent
from whorl.engines.workers import use_workers
from whorl.errors import InputError, UsageError
from whorl.fingerprints import Fingerprints
from whorl.matching.candidates import CandidateSource
from whorl.recipe import Recipe
from whorl.reports.dedup import render_dedup_report

if TYPE_CHECKING:
    import pyarrow as pa

OnError = Literal["skip", "stop"]


def dedup(
    source: Any,
    *,
    out: str | Path | None = None,
    text: str | Sequence[str] | None = None,
    id: str | None = None,
    date: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    keep: str | None = None,
    verify: str | Mapping[str, Any] | None = None,
    changes: bool | None = None,
    against: Any = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    on_error: OnError = "skip",
    workers: int | None = None,
    recipe: Recipe | None = None,
) -> DedupResult:
    """Drop the copies from a corpus; every removal is proved by the exact figure that stands beside it.

    Args:
        source: a path, folder or glob (str or Path) or a list of Paths; or, in memory: an iterable of str or of dicts,
            an Arrow table, a polars or pandas frame or series, a Hugging Face dataset.
        out: for files, the output folder; None uses a temporary one that goes with the result.
        text: the column or columns that make the text; default "text".
        id: the column that names a document; default "id" where there is one.
        date: the column of dates for ``keep="earliest"`` and ``"latest"``; with it ``run["keeping"]`` tells what each
            rule costs.
        method: a fingerprint family; default "minhash".
        threshold: from which similarity a document is a copy, inclusive; default 0.8.
        keep: "longest" (default), "best" (complete, clean, then long), "earliest", "latest", "first", or a column,
            highest first.
        verify: an exact figure that a copy must reach besides: "jaccard", "containment", "cosine", "euclidean" or
            "edit", or a mapping of the fields of ``whorl.matching.verify.Verification``.
        changes: whether every removed document is compared once more with the kept one, to tell ``kind`` and
            ``changes``; None does for methods that go by what is copied.
        against: documents that are never dropped: an open ``whorl.Library``, whose recipe is taken unless another is
            chosen; or of the same kind as ``source``: for files a path or a list of paths, among them output folders of
            earlier runs.
        include: for folders and globs, patterns of which the path of a file below them must match one.
        exclude: the same, of which it must match none.
        on_error: for files, "skip" sets bad rows and files aside, "stop" raises at the first.
        workers: threads, up to 1024; None takes all cores. Only the first call in a process counts.
        recipe: the rest; the arguments above override it.

    Raises:
        UsageError: the arguments contradict each other.
        InputError: the source cannot be read as asked; of ``kept``, that it fits no table.

    Cost: linear; memory about 300 bytes a document besides the source.
    """
    _demand_kinds(text, out, recipe)
    columns = (text,) if isinstance(text, str) else None if text is None else tuple(text)
    judgement = {"method": method, "threshold": threshold, "keep": keep, "verify": verify, "changes": changes}
    chosen = (recipe or Recipe()).changed(text=columns, id=id, date=date, **judgement)
    sources = (against.candidates(),) if isinstance(against, _Askable) else ()
    chosen = recipe_against(sources, chosen, is_chosen=method is not None or recipe is not None)
    use_workers(workers)
    paths = _paths(source)
    if paths is not None:
        references = [] if against is None or sources else _paths(against)
        if references is None:
            cure = "give a path or a list of paths, or a library"
            raise UsageError("files can only be cleaned against files", cure=cure)
        selection = Selection(_globs(include), _globs(exclude))
        return _dedup_files(paths, out, chosen, references, sources, on_error, selection)
    for name, given in (("out", out), ("include", include), ("exclude", exclude)):
        if given:
            raise UsageError(f"{name} is for files", cure="leave it away: the result holds everything")
    return _dedup_rows(source, against, sources, chosen)


def _demand_kinds(text: Any, out: Any, recipe: Any) -> None:
    names = [text] if isinstance(text, str) or text is None else text
    if not isinstance(names, Sequence) or not all(isinstance(name, str | None) for name in names):
        raise UsageError(f"text is {text!r:.60}, no column", cure="give the name of a column, or several")
    if out is not None and not isinstance(out, str | Path):
        raise UsageError(f"out is {out!r:.60}, no folder", cure="give a path")
    if recipe is not None and not isinstance(recipe, Recipe):
        raise UsageError(f"recipe is {recipe!r:.60}, no Recipe", cure="give a whorl.recipe.Recipe")


class DedupResult:
    """What ``whorl.dedup`` found.

    Attributes:
        run: counts, recipe, versions and timings, as ``run.json`` has them.
        out: the output folder of a run on files; None for documents in memory.
    """

    def __init__(self, run: dict[str, Any], outcome: _Outcome, out: Path | None = None) -> None:
        self.run = run
        self.out = out
        self._outcome = outcome

    @cached_property
    def kept(self) -> pa.Table:
        """The documents that stay: the source's own columns in its order, for files id, file, row and text."""
        return self._outcome.kept()

    @cached_property
    def duplicates(self) -> pa.Table:
        """A row for each removed document: id, file, row, duplicate_of, similarity, measure, cluster_id, kind, changes.

        ``kind`` and ``changes`` are those of ``whorl.compare(kept, removed)``, and null where ``run["recipe"]`` says
        that ``changes`` are not told. In memory, ``file`` is "memory", ``row`` counts from 0, and the id is the row
        where there is none.
        """
        return self._outcome.duplicates()

    @cached_property
    def clusters(self) -> pa.Table:
        """A row for each document: cluster_id, id, file, row, and its role: "kept", "duplicate" or "reference"."""
        return self._outcome.clusters()

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return self._outcome.report(self.run)

    def _repr_html_(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        counts = self.run["counts"]
        return f"<DedupResult: {counts['kept']} of {counts['rows']} kept, {counts['duplicates']} duplicates>"


@runtime_checkable
class _Askable(Protocol):
    """What can be asked for copies of documents, such as ``whorl.Library``."""

    def candidates(self) -> CandidateSource:
        """Return what is asked."""
        ...


class _Outcome(Protocol):
    def kept(self) -> pa.Table: ...
    def duplicates(self) -> pa.Table: ...
    def clusters(self) -> pa.Table: ...
    def report(self, run: dict[str, Any]) -> str: ...


def _paths(source: Any) -> list[str] | None:
    """The paths that ``source`` names, None when it holds documents."""
    if isinstance(source, str | Path):
        return [str(source)]
    if isinstance(source, Sequence) and source and all(isinstance(item, Path) for item in source):
        return [str(item) for item in source]
    return None


def _globs(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _dedup_files(
    paths: list[str],
    out: str | Path | None,
    recipe: Recipe,
    references: list[str],
    sources: tuple[CandidateSource, ...],
    on_error: OnError,
    selection: Selection,
) -> DedupResult:
    from whorl.engines.local.run import Job, dedup_files

    holder = tempfile.TemporaryDirectory(prefix="whorl-") if out is None else None
    folder = Path(holder.name) / "out" if holder is not None else Path(str(out))
    command = "whorl.dedup(...)"
    job = Job(
        inputs=tuple(paths),
        out=folder,
        recipe=recipe,
        against=tuple(references),
        on_error=on_error,
        command=command,
        selection=selection,
        sources=sources,
    )
    return DedupResult(dedup_files(job), _FileOutcome(folder, recipe, holder), folder)


@dataclass(frozen=True, slots=True)
class _FileOutcome:
    out: Path
    recipe: Recipe
    holder: Any
    """Keeps a temporary folder alive."""

    def kept(self) -> pa.Table:
        from whorl.engines.local.evidence import read_kept

        return read_kept(self.out)

    def duplicates(self) -> pa.Table:
        import pyarrow.parquet as pq

        return pq.read_table(self.out.absolute() / "duplicates.parquet")

    def clusters(self) -> pa.Table:
        import pyarrow.parquet as pq

        return pq.read_table(self.out.absolute() / "clusters.parquet")

    def report(self, run: dict[str, Any]) -> str:  # noqa: ARG002
        return (self.out / "report.html").read_text(encoding="utf-8")


def _dedup_rows(source: Any, against: Any, sources: Sequence[CandidateSource], recipe: Recipe) -> DedupResult:
    started = datetime.now(UTC)
    original, rows = _rows(source, recipe)
    references = rows_of_texts([]) if against is None or sources else _rows(against, recipe)[1]
    gathered = gather(rows, references, recipe, sources)
    everything, fingerprints = gathered.rows, gathered.fingerprints
    decisions, traits = decide_rows(gathered, recipe)
    compared = None
    if recipe.tells_changes:
        compared = compare_removed(decisions, fingerprints.lengths, everything.take, Silent())
    outcome = _MemoryOutcome(original, everything, gathered.references, decisions, compared, recipe)
    return DedupResult(outcome.describe(fingerprints, traits, started), outcome)


def _rows(source: Any, recipe: Recipe) -> tuple[Any, Rows]:
    """What the kept documents are taken from, and its documents."""
    if hasattr(source, "with_format"):
        source = source.with_format("arrow")[:]
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        table = _without_views(_table(source, recipe.text[0]))
        return table, rows_of_table(table, recipe)
    if isinstance(source, bytes | Mapping) or not isinstance(source, Iterable):
        raise UsageError(f"cannot read documents from {type(source).__name__}", cure="give texts, dicts or a table")
    items = list(source)
    if items and isinstance(items[0], Mapping):
        return items, rows_of_dicts(items, recipe)
    return items, rows_of_texts(items)


def _table(source: Any, name: str) -> pa.Table:
    """A frame as a table, and a column of texts as one with that column.

    Raises:
        InputError: it cannot be one.
    """
    import pyarrow as pa

    try:
        if isinstance(source, pa.Array | pa.ChunkedArray) or _is_column(source):
            column = source if isinstance(source, pa.Array | pa.ChunkedArray) else pa.chunked_array(source)
            return pa.table({name: column})
        return pa.table(source)
    except (pa.ArrowException, ValueError, TypeError) as error:
        reason = "; ".join(map(str, error.args))
        cure = "give each column one type and a name of its own"
        raise InputError(f"the {type(source).__name__} is no table: {reason}", cure=cure) from error


def _is_column(source: Any) -> bool:
    """Whether what exports Arrow is one column, such as a Series of pandas or polars."""
    return getattr(source, "ndim", None) == 1 or type(source).__name__ == "Series"


def _without_views(table: pa.Table) -> pa.Table:
    """Arrow cannot filter string views yet; polars exports them."""
    import pyarrow as pa

    for place, column in enumerate(table.schema):
        if column.type == pa.string_view():
            demand_sound(table.column(place), column.name)
            table = table.set_column(place, column.name, table.column(place).cast(pa.large_string()))
    return table


class _MemoryOutcome:
    def __init__(
        self,
        original: Any,
        rows: Rows,
        references: int,
        decisions: Decisions,
        compared: Compared | None,
        recipe: Recipe,
    ) -> None:
        self._original = original
        self._rows = rows
        self._references = references
        self._decisions = decisions
        self._compared = compared
        self._recipe = recipe
        self._measure = recipe.measure

    def kept(self) -> pa.Table:
        import pyarrow as pa

        kept = self._decisions.kept[self._references :]
        if isinstance(self._original, pa.Table):
            return pa.concat_tables([self._original.slice(0, 0), *select_rows(self._original, kept)])
        chosen = [item for item, stays in zip(self._original, kept.tolist(), strict=True) if stays]
        try:
            if chosen and isinstance(chosen[0], Mapping):
                return pa.Table.from_pylist(chosen)
            return pa.table({"text": pa.array(chosen, pa.large_string())})
        except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
            cure = "take them from the source by `duplicates`, or convert them first"
            raise InputError(f"the kept documents fit no table: {error}", cure=cure) from error

    def duplicates(self) -> pa.Table:
        names = self._by_id, self._ids, self._names
        return duplicates_table(self._corpus, self._decisions, self._compared, self._measure, *names)

    def clusters(self) -> pa.Table:
        return clusters_table(self._corpus, self._decisions, self._by_id, self._ids, self._names)

    def report(self, run: dict[str, Any]) -> str:
        samples = summary.sample_clusters(
            self._corpus, self._decisions, self._rows, self._ids, self._names, self._measure
        )
        return render_dedup_report(run, samples, [])

    def describe(self, fingerprints: Fingerprints, traits: Traits, started: datetime) -> dict[str, Any]:
        """The run, without touching Arrow."""
        removed = np.flatnonzero(~self._decisions.kept)
        originals = self._decisions.duplicate_of[removed]
        exact = (fingerprints.digests[removed] == fingerprints.digests[originals]).all(axis=1)
        named = [item for item in self._rows.ids if item]
        repeated = sum(count for count in Counter(named).values() if count > 1)
        counts = summary.describe_counts(
            self._corpus, self._decisions, exact, fingerprints.lengths, self._recipe, traits, repeated
        )
        return {
            "whorl": whorl.__version__,
            "started": started.isoformat(timespec="seconds"),
            "versions": summary.versions(),
            "recipe": summary.describe_recipe(self._recipe),
            "counts": counts,
            "keeping": describe_keeping(self._recipe, self._corpus, self._decisions, traits),
            "hot_keys": summary.describe_hot_keys(self._decisions, self._corpus_ids),
            "boilerplate": summary.describe_boilerplate(self._decisions, self._corpus_ids),
            "warnings": describe_caveats(self._decisions, fingerprints.digests, self._rows, self._references),
            **({} if self._compared is None else {"changes": self._compared.describe()}),
            **summary.describe_recall(self._recipe),
            "similarity": {"removed": self._decisions.removed, "near_misses": self._decisions.near_misses},
        }

    @cached_property
    def _corpus_ids(self) -> list[str]:
        own = [item or str(row) for row, item in enumerate(self._rows.ids[self._references :])]
        theirs = [item or f"reference:{row}" for row, item in enumerate(self._rows.ids[: self._references])]
        return theirs + own

    @cached_property
    def _corpus(self) -> Corpus:
        count, references = len(self._rows), self._references
        row = np.concatenate([np.arange(references), np.arange(count - references)]).astype(np.int64)
        file = np.zeros(count, np.uint32)
        file[references:] = 1
        ids = identifiers(self._corpus_ids)
        return Corpus((), references, file, row, ("reference", "memory"), ids, ())

    @cached_property
    def _ids(self) -> Any:
        return shown_ids(self._corpus)

    @cached_property
    def _names(self) -> Any:
        return cluster_names(self._corpus, self._ids, repeated_ids(self._corpus, self._by_id))

    @cached_property
    def _by_id(self) -> NDArray[np.uint32]:
        return documents_by_id(self._corpus)


__all__ = ["DedupResult", "dedup"]
