"""A whole run: from input files to the output folder."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import whorl
from whorl import _core
from whorl.corpus import EVERYTHING, ReadOptions, Selection, Skipped, Source, Survey, survey
from whorl.corpus.compression import standard_input
from whorl.engines.against import demand_texts
from whorl.engines.local import summary, write
from whorl.engines.local.against import Against, sought_of
from whorl.engines.local.caveats import describe_caveats
from whorl.engines.local.changes import Compared, compare_removed
from whorl.engines.local.decide import (
    Candidates,
    Decisions,
    Sought,
    decide,
    group_documents,
    load_decisions,
    save_decisions,
)
from whorl.engines.local.folder import OutputFolder
from whorl.engines.local.keeping import describe_keeping
from whorl.engines.local.ranking import Identifiers, Traits, rank_documents
from whorl.engines.local.read import REFERENCE, Segment, file_state, read_corpus
from whorl.engines.local.reference import read_references
from whorl.engines.local.seen import note_references
from whorl.engines.progress import Progress, Silent
from whorl.engines.workers import use_workers
from whorl.errors import UsageError
from whorl.matching.candidates import CandidateSource
from whorl.recipe import Recipe
from whorl.reports.dedup import render_dedup_report

STDIN = "-"
_COPY_BYTES = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Job:
    """What to deduplicate, and where the result goes.

    Attributes:
        inputs: files, folders and globs; "-" for JSON Lines on standard input.
        out: a folder that does not exist, is empty, or holds the work of the same job.
        recipe: what decides the result.
        against: references that are never dropped: corpora, or the output folders of earlier runs.
        sources: what is asked for candidates besides, such as a library; its family is that of the recipe.
        on_error: "skip" sets bad rows and files aside and counts them, "stop" ends the run at the first one.
        workers: threads; None takes all cores.
        command: how the run was started, for the report.
        selection: which files of folders and globs are read.
    """

    inputs: tuple[str, ...]
    out: Path
    recipe: Recipe = field(default_factory=Recipe)
    against: tuple[str, ...] = ()
    on_error: Literal["skip", "stop"] = "skip"
    workers: int | None = None
    command: str = ""
    selection: Selection = EVERYTHING
    sources: tuple[CandidateSource, ...] = ()


def dedup_files(job: Job, progress: Progress | None = None) -> dict[str, Any]:
    """Deduplicate files into the folder ``job.out`` and return the run as ``run.json`` has it.

    Raises:
        UsageError: the job contradicts itself, or the output folder holds something else.
        InputError: a file cannot be read as asked, changed during the run, or a bad row stops it.

    Cost: linear in the input; memory about 300 bytes a document, disk the texts that cannot be read again and
    about 400 bytes a document. The input is never written to.
    """
    use_workers(job.workers)
    demand_texts(job.sources, job.recipe)
    return _Run(job, progress or Silent()).run()


class _Run:
    def __init__(self, job: Job, progress: Progress) -> None:
        self._job = job
        self._recipe = job.recipe
        self._progress = progress
        self._started = datetime.now(UTC)
        self._timings: dict[str, float] = {}

    def run(self) -> dict[str, Any]:
        found = self._survey()
        sources = found.sources
        with OutputFolder(self._job.out, self._describe_job(sources)) as folder:
            if not folder.is_complete:
                segments, references, against = self._read(sources, folder)
                corpus = _join(segments, references)
                decisions = self._decide(corpus, folder, lambda: sought_of(segments, references, against))
                compared = self._compare(corpus, decisions)
                folder.complete(self._write(corpus, decisions, compared, folder, found.skipped))
            return folder.publish()

    def _survey(self) -> Survey:
        if STDIN in self._job.inputs and len(self._job.inputs) > 1:
            raise UsageError("standard input cannot be mixed with files", cure="give '-' alone")
        found = survey(self._job.inputs, forbid=self._job.out, selection=self._job.selection)
        if self._recipe.keep == "first":
            found.sources.sort(key=lambda source: (source.given, source.name))
        return found

    def _describe_job(self, sources: Sequence[Source]) -> dict[str, Any]:
        states = [[source.name, str(source.path), *file_state(source.path)] for source in sources if source.path]
        return {
            "whorl": whorl.__version__,
            "versions": summary.versions(),
            "recipe": self._recipe.as_dict(),
            "inputs": states or time.time_ns(),
            "against": [[path, *file_state(Path(path))] for path in self._job.against],
            "sources": [[source.address, source.state()] for source in self._job.sources],
            "on_error": self._job.on_error,
            "include": list(self._job.selection.include),
            "exclude": list(self._job.selection.exclude),
        }

    def _read(self, sources: list[Source], folder: OutputFolder) -> tuple[list[Segment], list[Segment], Against]:
        with self._timed("read"):
            if sources and sources[0].path is None:
                sources = [_spool(sources[0], folder.work)]
            recipe, on_error = self._recipe, self._job.on_error
            aside = folder.work / "reference"
            references = read_references(self._job.against, aside, recipe, on_error, self._progress)
            against = Against.of(recipe, references, self._job.sources)
            find = against.find if against.asks else None
            segments = read_corpus(sources, folder.segments, recipe, on_error, self._progress, find)
            references += against.borrow(segments, aside)
        return segments, references, against

    def _decide(self, corpus: write.Corpus, folder: OutputFolder, sought: Callable[[], Sought]) -> Decisions:
        saved = folder.work / "decisions.npz"
        decisions = load_decisions(corpus.segments, saved)
        if decisions is None:
            decisions = self._decide_afresh(corpus, sought)
            save_decisions(decisions, corpus.segments, saved)
        return decisions

    def _decide_afresh(self, corpus: write.Corpus, sought: Callable[[], Sought]) -> Decisions:
        lengths = _column(corpus, "length")
        with self._timed("rank"):
            order = self._rank(corpus)
        if not len(order):
            return Decisions.none()
        with self._timed("group"):
            rank_of = np.empty_like(order)
            rank_of[order] = np.arange(len(order), dtype=np.uint32)
            groups = group_documents(corpus.segments, rank_of, self._progress)
        with self._timed("probe"):
            codes = _column(corpus, "code").reshape(len(order), -1)
            digests, counts = _column(corpus, "digest"), _column(corpus, "key_count")
            candidates = Candidates(digests, lengths, codes, counts, order, corpus.references)
            return decide(self._recipe, candidates, groups, self._texts(corpus), self._progress, sought())

    def _compare(self, corpus: write.Corpus, decisions: Decisions) -> Compared | None:
        if not self._recipe.tells_changes:
            return None
        with self._timed("changes"):
            return compare_removed(decisions, _column(corpus, "length"), self._texts(corpus), self._progress)

    def _rank(self, corpus: write.Corpus) -> NDArray[np.uint32]:
        """References first, in their own order; then the input by the rule of the recipe."""
        first = corpus.references
        bounds = corpus.ids.bounds[first:]
        ids = Identifiers(corpus.ids.values[bounds[0] : bounds[-1]], bounds - bounds[0])
        ranked = rank_documents(self._recipe, self._traits(corpus), ids, self._progress)
        return np.concatenate([np.arange(first, dtype=np.uint32), ranked + np.uint32(first)])

    def _traits(self, corpus: write.Corpus) -> Traits:
        return Traits(*(_column(corpus, name, corpus.input_segments) for name in ("length", "blemishes", "order")))

    def _texts(self, corpus: write.Corpus) -> _core.FileTexts:
        files: list[tuple[str, str | None]] = []
        numbers = []
        for segment in corpus.segments:
            places = np.array([len(files) + number for number in range(len(segment.files))], np.uint32)
            files += [
                (str(segment.folder / "text"), None) if record.encoding is None else (str(record.path), record.encoding)
                for record in segment.files
            ]
            numbers.append(places[segment.column("file")] if segment.documents else np.empty(0, np.uint32))
        columns = _core.RowColumns(list(self._recipe.text))
        file_of = np.concatenate([np.empty(0, np.uint32), *numbers])
        return _core.FileTexts(files, columns, file_of, _column(corpus, "offset"), _column(corpus, "size"))

    def _write(
        self,
        corpus: write.Corpus,
        decisions: Decisions,
        compared: Compared | None,
        folder: OutputFolder,
        skipped: Sequence[Skipped],
    ) -> dict[str, Any]:
        staging, kept = folder.staging, decisions.kept
        with self._timed("write"):
            options = ReadOptions(self._recipe.encoding, self._recipe.max_row_bytes)
            folder.begin_staging()
            (staging / "kept").mkdir()
            write.write_kept(corpus, kept, staging / "kept", folder.scratch, options, self._progress)
            write.gather_rejected(corpus.input_segments, staging / "rejected")
            write.mark_kept(corpus, kept, staging / "kept")
            copied = np.unique(decisions.duplicate_of[~kept])
            note_references(corpus, copied[copied < corpus.references], staging / "sketches")
            ids = write.shown_ids(corpus)
            by_id = write.documents_by_id(corpus)
            repeated = write.repeated_ids(corpus, by_id)
            names = write.cluster_names(corpus, ids, repeated)
            measure = self._recipe.measure
            duplicates = write.duplicates_table(corpus, decisions, compared, measure, by_id, ids, names)
            write.write_table(duplicates, staging / "duplicates.parquet")
            clusters = write.clusters_table(corpus, decisions, by_id, ids, names)
            write.write_table(clusters, staging / "clusters.parquet")
        run = self._describe(corpus, decisions, ids, int(repeated.sum())) | summary.describe_skipped(skipped)
        run |= {} if compared is None else {"changes": compared.describe()}
        self._report(run, corpus, decisions, ids, names, measure, staging)
        return run

    def _report(
        self,
        run: dict[str, Any],
        corpus: write.Corpus,
        decisions: Decisions,
        ids: Any,
        names: Any,
        measure: str,
        staging: Path,
    ) -> None:
        clusters = summary.sample_clusters(corpus, decisions, self._texts(corpus), ids, names, measure)
        page = render_dedup_report(run, clusters, summary.sample_rejected(staging / "rejected"))
        (staging / "report.html").write_text(page, encoding="utf-8")

    def _describe(self, corpus: write.Corpus, decisions: Decisions, ids: Any, repeated: int) -> dict[str, Any]:
        own = np.arange(corpus.references, len(corpus.row))
        kept_files = np.bincount(corpus.file[own[decisions.kept[own]]], minlength=len(corpus.files))
        rows = Counter({name: int(count) for name, count in zip(corpus.files, kept_files, strict=True)})
        removed = np.flatnonzero(~decisions.kept)
        digests = _column(corpus, "digest")
        exact = (digests[removed] == digests[decisions.duplicate_of[removed]]).all(axis=1)
        reasons: Counter[str] = Counter()
        for segment in corpus.input_segments:
            reasons.update(segment.reasons)
        counts = summary.describe_counts(
            corpus, decisions, exact, _column(corpus, "length"), self._recipe, self._traits(corpus), repeated
        )
        return {
            "whorl": whorl.__version__,
            "command": self._job.command,
            "started": self._started.isoformat(timespec="seconds"),
            "versions": summary.versions(),
            "recipe": summary.describe_recipe(self._recipe),
            "inputs": summary.describe_inputs(corpus.input_segments, rows),
            "references": summary.describe_references(corpus),
            "counts": counts,
            "keeping": describe_keeping(self._recipe, corpus, decisions, self._traits(corpus)),
            "hot_keys": summary.describe_hot_keys(decisions, ids),
            "boilerplate": summary.describe_boilerplate(decisions, ids),
            "warnings": describe_caveats(decisions, digests, self._texts(corpus), corpus.references),
            "rejected_reasons": dict(reasons.most_common()),
            **summary.describe_recall(self._recipe),
            "similarity": {"removed": decisions.removed, "near_misses": decisions.near_misses},
            "timings": self._timings,
            "outputs": {
                name: str(self._job.out / name)
                for name in ("kept", "rejected", "duplicates.parquet", "clusters.parquet", "run.json", "report.html")
            },
        }

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self._timings[stage] = round(time.perf_counter() - begun, 3)


def _spool(source: Source, work: Path) -> Source:
    """Copy standard input aside: it cannot be read again."""
    path = work / source.name
    given = standard_input()
    with path.open("wb") as file:
        shutil.copyfileobj(given, file, _COPY_BYTES)
        os.fsync(file.fileno())
    return replace(source, path=path, named=True)


def _join(segments: Sequence[Segment], references: Sequence[Segment]) -> write.Corpus:
    everything = [*references, *segments]
    files: list[str] = []
    numbers = []
    for number, segment in enumerate(everything):
        prefix = REFERENCE if number < len(references) else ""
        numbers.append(segment.column("file") + np.uint32(len(files)))
        files += [f"{prefix}{record.name}" for record in segment.files]
    return write.Corpus(
        segments=everything,
        references=sum(segment.documents for segment in references),
        file=np.concatenate([np.empty(0, np.uint32), *numbers]),
        row=np.concatenate([np.empty(0, np.int64), *(segment.column("row") for segment in everything)]),
        files=files,
        ids=Identifiers.of(everything),
        input_segments=segments,
    )


def _column(corpus: write.Corpus, name: str, segments: Sequence[Segment] | None = None) -> NDArray[Any]:
    parts = [segment.column(name) for segment in (corpus.segments if segments is None else segments)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


__all__ = ["Job", "dedup_files"]
