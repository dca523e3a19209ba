"""Strip repeated text from files, out of core."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from whorl.corpus import Skipped, Source
from whorl.engines.job import DedupJob
from whorl.engines.local.begin import survey_inputs
from whorl.engines.local.finish import Course
from whorl.engines.local.folder import OutputFolder, fetched_beside
from whorl.engines.progress import Progress, Silent
from whorl.engines.workers import bounded
from whorl.inside.edits import CorpusEdits, KeptFiles, write_files
from whorl.inside.finish import StripOutcome, describe_strip, write_report, write_tables
from whorl.inside.labels import read_labels
from whorl.inside.search import Strip
from whorl.inside.searching import describe_search, search_corpus

Finish = Callable[[Path, dict[str, Any]], None]
"""Adds to a staged result; receives its folder and the contents of ``run.json``."""

_LOG = logging.getLogger("whorl.inside")


def strip_files(
    job: DedupJob, strip: Strip, progress: Progress | None = None, finish: Finish | None = None
) -> dict[str, Any]:
    """Strip repeated text from files into the folder ``job.out`` and return the contents of ``run.json``.

    The recipe of the job says how documents are read and ranked. ``finish`` may add files to the staged result and
    change ``run.json``.

    Raises:
        UsageError: the output folder contains unrelated files.
        InputError: a file cannot be read as requested or changed during the run, or a bad row stops it.

    Cost: linear in the input; memory about 200 bytes per document, disk up to two bytes per byte of text. The input is
    never modified.
    """
    with bounded(job.workers):
        return _StripRun(job, strip, progress or Silent(), finish).run()


class _StripRun:
    def __init__(self, job: DedupJob, strip: Strip, progress: Progress, finish: Finish | None) -> None:
        self._finish = finish
        self._job = job
        self._strip = strip
        self._progress = progress
        self._started = datetime.now(UTC)
        self._timings: dict[str, float] = {}

    def run(self) -> dict[str, Any]:
        inputs = survey_inputs(self._job, self._progress)
        with OutputFolder(self._job.out, describe_search(self._job, self._strip, inputs.sources)) as folder:
            if not folder.is_complete:
                folder.complete(self._strip_into(folder, inputs.sources, inputs.skipped))
            run = folder.publish()
        shutil.rmtree(fetched_beside(self._job.out), ignore_errors=True)
        return run

    def _strip_into(self, folder: OutputFolder, sources: list[Source], skipped: Sequence[Skipped]) -> dict[str, Any]:
        job, strip, progress = self._job, self._strip, self._progress
        cuts, _ = search_corpus(job, strip, folder, sources, progress, self._timed)
        folder.begin_staging()
        with self._timed("write"):
            changes = CorpusEdits.of(cuts.blocks(), cuts.order, len(cuts.corpus.row), strip)
            files = KeptFiles(folder.staging / "kept", folder.stretches, folder.scratch)
            write_files(cuts.corpus.input_segments, 0, changes, job, strip, files, progress)
            tables = write_tables(cuts, strip, changes.dropped, folder.staging)
        labels = read_labels(cuts.corpus, job.recipe, strip.by) if strip.by else None
        outcome = StripOutcome(cuts, changes, tables, labels)
        run = describe_strip(job, strip, outcome, Course(self._started, self._timings, skipped))
        if self._finish is not None:
            self._finish(folder.staging, run)
        write_report(run, folder.staging)
        return run

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self._timings[stage] = round(time.perf_counter() - begun, 3)
        _LOG.info("%s: %.3f s", stage, self._timings[stage])


__all__ = ["strip_files"]
