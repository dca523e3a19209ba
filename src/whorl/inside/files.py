"""Strip repeated text from files, out of core."""

from __future__ import annotations

import logging
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.corpus import TEXT_COLUMN, Columns, ReadOptions, Skipped, Source, format_of
from whorl.corpus.rewriting import EXTRACTED, Edits, is_in_place, rewrite
from whorl.engines.corpus import FileRecord
from whorl.engines.job import DedupJob
from whorl.engines.local.begin import describe_job, survey_inputs
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.engines.local.folder import OutputFolder, fetched_beside
from whorl.engines.local.summary import describe_inputs, describe_skipped, describe_unread
from whorl.engines.local.write import gather_rejected, write_table
from whorl.engines.progress import Progress, Silent
from whorl.engines.ranking import keep_rule
from whorl.engines.summary import versions
from whorl.engines.workers import bounded
from whorl.errors import InputError
from whorl.i18n import say
from whorl.inside.cuts import CutBlock
from whorl.inside.index import UNRANKED, RankedTexts
from whorl.inside.labels import Labels, read_labels
from whorl.inside.search import Strip
from whorl.inside.searching import CorpusSearch, search_corpus
from whorl.inside.tables import UNITS, CutTables, DroppedDocuments
from whorl.inside.tally import CutTally
from whorl.release import __version__
from whorl.reports.strip import render_strip_report

if TYPE_CHECKING:
    from numpy.typing import NDArray

Finish = Callable[[Path, dict[str, Any]], None]
"""Adds to a staged result; receives its folder and the contents of ``run.json``."""

_LOG = logging.getLogger("whorl.inside")
_FILES = ("cuts.parquet", "dropped.parquet", "run.json", "report.html")
_FOLDERS = ("kept", "rejected")


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
        described = {**describe_job(self._job, inputs.sources), "strip": self._strip.as_dict()}
        with OutputFolder(self._job.out, described) as folder:
            if not folder.is_complete:
                folder.complete(self._strip_into(folder, inputs.sources, inputs.skipped))
            run = folder.publish()
        shutil.rmtree(fetched_beside(self._job.out), ignore_errors=True)
        return run

    def _strip_into(self, folder: OutputFolder, sources: list[Source], skipped: Sequence[Skipped]) -> dict[str, Any]:
        recipe = self._job.recipe
        search = search_corpus(self._job, self._strip, folder, sources, self._progress, self._timed)
        corpus, ranked, cuts, repetitions = search.corpus, search.ranked, search.cuts, search.repetitions
        folder.begin_staging()
        with self._timed("write"):
            changes = CorpusEdits.of(cuts.blocks(), ranked, self._strip)
            write_files(corpus, changes, self._job, self._strip, folder, self._progress)
            tables = CutTables(
                corpus, ranked.order, UNITS[self._strip.inside], is_listed=self._strip.approved is not None
            )
            write_table(tables.cuts(cuts.blocks()), folder.staging / "cuts.parquet")
            write_table(iter([tables.dropped(changes.dropped)]), folder.staging / "dropped.parquet")
            if repetitions is not None:
                write_table(iter([tables.repetition(repetitions)]), folder.staging / "repetition.parquet")
            gather_rejected(corpus.input_segments, folder.staging / "rejected")
        labels = read_labels(corpus, recipe, self._strip.by) if self._strip.by else _by_file(corpus)
        tally = CutTally(tables, labels)
        for block in cuts.blocks():
            tally.add(block)
        run = self._describe(search, changes, tally, skipped)
        if self._finish is not None:
            self._finish(folder.staging, run)
        (folder.staging / "report.html").write_text(render_strip_report(run), encoding="utf-8")
        return run

    def _describe(
        self,
        search: CorpusSearch,
        changes: CorpusEdits,
        tally: CutTally,
        skipped: Sequence[Skipped],
    ) -> dict[str, Any]:
        job, corpus = self._job, search.corpus
        dropped = np.zeros(len(corpus.row), np.bool_)
        dropped[changes.dropped.documents] = True
        rows = Counter(dict(zip(corpus.files, _by_number(corpus.file[~dropped], len(corpus.files)), strict=True)))
        rejected = sum(record.rejected for record in corpus.inputs)
        letters = int(corpus.column("length").sum(dtype=np.int64))
        reasons: Counter[str] = Counter()
        for segment in corpus.input_segments:
            reasons.update(segment.reasons)
        return {
            "whorl": __version__,
            "started": self._started.isoformat(timespec="seconds"),
            "versions": versions(),
            "command": job.command,
            "strip": self._strip.as_dict(),
            "keep": keep_rule(job.recipe, corpus.traits) if self._strip.keeps else "none",
            "text": list(job.recipe.text),
            "counts": {
                "files": len(corpus.inputs),
                "rows": len(corpus.row) + rejected,
                "kept": len(corpus.row) - int(dropped.sum()),
                "changed": len(changes.documents) - changes.dropped.short,
                "dropped": len(changes.dropped.documents),
                "repetitive": len(changes.dropped.documents) - changes.dropped.short,
                "rejected": rejected,
                "letters": letters,
            },
            **tally.as_dict(letters),
            **({} if self._strip.approved is None else {"approved": tally.approved(self._strip.approved)}),
            "hot_keys": {"count": search.hot.keys, "places": search.hot.places},
            "refuted": search.refuted,
            "warnings": [],
            "hint": None,
            "inputs": describe_inputs(corpus.inputs, rows),
            "rejected_reasons": dict(reasons.most_common()),
            "unread": describe_unread(job.inputs, corpus.inputs),
            **describe_skipped(skipped),
            "timings": self._timings,
            "outputs": {name: str(job.out / name) for name in (*_FOLDERS, *self._files())},
        }

    def _files(self) -> tuple[str, ...]:
        return _FILES if self._strip.repetition is None else (*_FILES, "repetition.parquet")

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self._timings[stage] = round(time.perf_counter() - begun, 3)
        _LOG.info("%s: %.3f s", stage, self._timings[stage])


def _by_file(corpus: SegmentedCorpus) -> Labels:
    """Return the file of each document as its source."""
    return Labels(corpus.file.astype(np.uint32) + np.uint32(1), ("", *corpus.files))


def _by_number(numbers: NDArray[np.uint32], count: int) -> list[int]:
    counted: list[int] = np.bincount(numbers, minlength=count).tolist()
    return counted


class CorpusEdits:
    """What is changed in which document, sorted by document.

    Attributes:
        documents: uint32 (n,), the numbers of the documents with cuts, ascending.
        bounds: int64 (n + 1,), the ranges of each.
        ranges: uint32 (m, 2), the ranges that are deleted or masked.
        dropped: the dropped documents.
    """

    def __init__(
        self,
        documents: NDArray[np.uint32],
        bounds: NDArray[np.int64],
        ranges: NDArray[np.uint32],
        dropped: DroppedDocuments,
    ) -> None:
        self.documents = documents
        self.bounds = bounds
        self.ranges = ranges
        self.dropped = dropped

    @classmethod
    def of(cls, blocks: Iterator[CutBlock], ranked: RankedTexts, strip: Strip) -> CorpusEdits:
        """Collect the changes of all blocks. Memory: 20 bytes for each document with cuts, 8 for each range."""
        nothing = np.empty(0, np.uint32)
        parts = [(block.documents, block.remaining, np.diff(block.bounds), block.ranges) for block in blocks]
        ranks, remaining, counts, ranges = (
            np.concatenate([empty, *(part[place] for part in parts)])
            for place, empty in enumerate((nothing, nothing, np.empty(0, np.uint64), nothing.reshape(0, 2)))
        )
        numbers = ranked.order[ranks]
        sequence = np.argsort(numbers, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts.astype(np.int64))])[:-1]
        sizes = counts.astype(np.int64)[sequence]
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        chosen = np.repeat(starts[sequence] - bounds[:-1], sizes) + np.arange(bounds[-1])
        documents, remaining = numbers[sequence], remaining[sequence]
        drops = remaining < strip.drop_below if strip.action == "cut" else np.zeros(len(remaining), np.bool_)
        left_out = np.flatnonzero(ranked.ranks == UNRANKED).astype(np.uint32)
        dropped = DroppedDocuments.of(documents[drops], remaining[drops], left_out)
        return cls(documents, bounds, ranges[chosen], dropped)

    def edits(self, first: int, rows: NDArray[np.int64], last_row: int, mask: str) -> Edits:
        """Return the changes of a file.

        Args:
            first: the number of its first document.
            rows: the row of each of its documents.
            last_row: the number of its last row.
            mask: what replaces the ranges.
        """
        keep = np.zeros(last_row, np.bool_)
        keep[rows - 1] = True
        start, stop = np.searchsorted(self.documents, (first, first + len(rows))).tolist()
        begin, end = np.searchsorted(self.dropped.documents, (first, first + len(rows))).tolist()
        dropped = rows[self.dropped.documents[begin:end] - first]
        keep[dropped - 1] = False
        changed = rows[self.documents[start:stop] - first]
        stays = keep[changed - 1]
        bounds = self.bounds[start : stop + 1]
        sizes = np.diff(bounds)[stays]
        new_bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        chosen = np.repeat(bounds[:-1][stays] - new_bounds[:-1], sizes) + np.arange(new_bounds[-1])
        return Edits(keep, changed[stays], new_bounds, self.ranges[chosen], mask)


def write_files(
    corpus: SegmentedCorpus, changes: CorpusEdits, job: DedupJob, strip: Strip, folder: OutputFolder, progress: Progress
) -> None:
    """Write every input file with its changes below ``kept``.

    Raises:
        InputError: a file changed since it was read.
    """
    progress.stage("write", sum(record.bytes for record in corpus.inputs), "bytes")
    options = ReadOptions(job.recipe.encoding, job.recipe.max_row_bytes, text=job.recipe.text)
    first = 0
    for segment in corpus.input_segments:
        rows = segment.column("row")
        begun = 0
        for record in segment.files:
            file_rows = rows[begun : begun + record.documents]
            if record.fault is None:
                edits = changes.edits(
                    first + begun, file_rows, record.last_row, strip.mask if strip.action == "mask" else ""
                )
                _write_file(record, edits, strip, job, folder, options)
            progress.advance(record.bytes)
            begun += record.documents
        first += segment.documents


def _write_file(
    record: FileRecord, edits: Edits, strip: Strip, job: DedupJob, folder: OutputFolder, options: ReadOptions
) -> None:
    source = record.source
    name = record.name
    temporary = folder.scratch / "kept"
    temporary.unlink(missing_ok=True)
    _demand_unchanged(record)
    if strip.action == "tag":
        written = format_of(source).write(source, temporary, edits.keep, options)
    else:
        written = rewrite(source, temporary, edits, _text_columns(record, job), options)
        name = name if is_in_place(source) else f"{name}{EXTRACTED}"
    _demand_unchanged(record)
    if written != int(edits.keep.sum()):
        raise _changed(record)
    if temporary.exists():
        target = folder.staging / "kept" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.replace(target)


def _text_columns(record: FileRecord, job: DedupJob) -> tuple[str, ...]:
    """Return the columns that the text of a file was read from."""
    if TEXT_COLUMN in record.notices:
        return (record.notices[TEXT_COLUMN],)
    return Columns(job.recipe.text).texts_of(record.name).text


def _demand_unchanged(record: FileRecord) -> None:
    if not record.is_unchanged():
        raise _changed(record)


def _changed(record: FileRecord) -> InputError:
    return InputError(
        say("{path} changed during the run", path=record.path),
        hint=say("do not change the input during a run; run again"),
    )


__all__ = ["CorpusEdits", "strip_files", "write_files"]
