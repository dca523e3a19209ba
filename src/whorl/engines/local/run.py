"""Run a deduplication of files on one machine."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl._internal.overlap import Behind
from whorl.corpus import ReadOptions, Skipped, Source
from whorl.engines.against import demand_texts
from whorl.engines.changes import ComparedRemovals, compare_removed
from whorl.engines.decide import Decisions, ProbeCandidates, Sought, decide
from whorl.engines.job import DedupJob
from whorl.engines.local import write
from whorl.engines.local.against import Against, sought_of
from whorl.engines.local.begin import describe_job, rank_corpus, spooled, survey_inputs
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.decided import load_decisions, save_decisions
from whorl.engines.local.finish import Course, write_report, write_tables
from whorl.engines.local.folder import OutputFolder, fetched_beside
from whorl.engines.local.grouping import group_documents
from whorl.engines.local.read import StoredSegment, read_corpus
from whorl.engines.local.reference import read_references
from whorl.engines.progress import Progress, Silent
from whorl.engines.ranking import times
from whorl.engines.tables import Tables
from whorl.engines.workers import bounded

_LOG = logging.getLogger("whorl.engines")
_COUNTED = ("rows", "kept", "exact", "near", "rejected")


def dedup_files(job: DedupJob, progress: Progress | None = None) -> dict[str, Any]:
    """Deduplicate files into the folder ``job.out`` and return the contents of ``run.json``.

    Raises:
        UsageError: the job contradicts itself, or the output folder contains unrelated files.
        InputError: a file cannot be read as requested or changed during the run, or a bad row stops it.

    Cost: linear in the input; memory about 320 bytes per document, disk for texts that cannot be read again and
    about 400 bytes per document. The input is never modified.
    """
    demand_texts(job.sources, job.recipe)
    with bounded(job.workers):
        return _LocalRun(job, progress or Silent()).run()


class _LocalRun:
    def __init__(self, job: DedupJob, progress: Progress) -> None:
        self._job = job
        self._recipe = job.recipe
        self._progress = progress
        self._started = datetime.now(UTC)
        self._timings: dict[str, float] = {}

    def run(self) -> dict[str, Any]:
        survey = survey_inputs(self._job, self._progress)
        sources = survey.sources
        with OutputFolder(self._job.out, describe_job(self._job, sources)) as folder:
            if folder.is_complete:
                _LOG.info("%s: continued, all was written before", self._job.out)
            else:
                segments, references, against = self._read(sources, folder)
                corpus = SegmentedCorpus.joined(segments, references)
                decisions = self._decide(corpus, folder, lambda: sought_of(segments, references, against))
                compared = self._compare(corpus, decisions)
                folder.complete(self._write(corpus, decisions, compared, folder, survey.skipped))
            run = folder.publish()
        shutil.rmtree(fetched_beside(self._job.out), ignore_errors=True)
        _LOG.info("%s: %s", self._job.out, ", ".join(f"{name} {run['counts'][name]}" for name in _COUNTED))
        return run

    def _read(
        self, sources: list[Source], folder: OutputFolder
    ) -> tuple[list[StoredSegment], list[StoredSegment], Against]:
        with self._timed("read"):
            sources = spooled(sources, folder.work)
            recipe, on_error = self._recipe, self._job.on_error
            aside = folder.work / "reference"
            references = read_references(self._job.against, aside, recipe, on_error, self._progress)
            against = Against.of(recipe, references, self._job.sources)
            find = against.find if against.asks else None
            segments = read_corpus(sources, folder.segments, recipe, on_error, self._progress, find)
            references += against.borrow(segments, aside)
        return segments, references, against

    def _decide(self, corpus: SegmentedCorpus, folder: OutputFolder, sought: Callable[[], Sought]) -> Decisions:
        saved = folder.work / "decisions.npz"
        decisions = load_decisions(corpus.segments, saved)
        if decisions is None:
            decisions = self._decide_afresh(corpus, sought)
            save_decisions(decisions, corpus.segments, saved)
        else:
            _LOG.info("%s: continued, decided before", self._job.out)
        return decisions

    def _decide_afresh(self, corpus: SegmentedCorpus, sought: Callable[[], Sought]) -> Decisions:
        with self._timed("rank"):
            order = rank_corpus(self._recipe, corpus, self._progress)
        if not len(order):
            return Decisions.none()
        with self._timed("group"):
            rank_of = np.empty_like(order)
            rank_of[order] = np.arange(len(order), dtype=np.uint32)
            groups = group_documents(corpus.segments, rank_of, self._progress)
        with self._timed("probe"):
            candidates = ProbeCandidates(corpus.prints(), order, corpus.references)
            return decide(self._recipe, candidates, groups, corpus.texts(self._recipe.text), self._progress, sought())

    def _compare(self, corpus: SegmentedCorpus, decisions: Decisions) -> ComparedRemovals | None:
        if not self._recipe.tells_changes:
            return None
        with self._timed("changes"):
            return compare_removed(decisions, corpus.column("length"), corpus.texts(self._recipe.text), self._progress)

    def _write(
        self,
        corpus: SegmentedCorpus,
        decisions: Decisions,
        compared: ComparedRemovals | None,
        folder: OutputFolder,
        skipped: Sequence[Skipped],
    ) -> dict[str, Any]:
        tables = Tables(corpus, decisions, compared, self._recipe.measure, times(self._recipe, corpus.traits))
        with self._timed("write"):
            folder.begin_staging()
            with Behind("whorl-tables") as behind:
                behind.do(write_tables, tables, corpus, folder.staging)
                if self._job.writes_rows:
                    self._write_kept(corpus, decisions.kept, folder)
                else:
                    write.demand_unchanged(corpus)
        course = Course(self._started, self._timings, skipped)
        return write_report(self._job, corpus, tables, course, folder.staging)

    def _write_kept(self, corpus: SegmentedCorpus, kept: NDArray[np.bool_], folder: OutputFolder) -> None:
        target = folder.staging / "kept"
        target.mkdir()
        options = ReadOptions.of(self._recipe, self._recipe.text)
        write.write_kept(corpus, kept, target, folder.stretches, folder.scratch, options, self._progress)
        write.mark_kept(corpus, kept, target)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self._timings[stage] = round(time.perf_counter() - begun, 3)
        _LOG.info("%s: %.3f s", stage, self._timings[stage])


__all__ = ["dedup_files"]
