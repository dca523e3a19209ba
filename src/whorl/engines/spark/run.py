"""Run a deduplication of files on Spark."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.overlap import Behind
from whorl.corpus import ReadOptions, Skipped, Source
from whorl.corpus.cutting import LineCounts, Stretch
from whorl.engines.against import demand_texts
from whorl.engines.changes import ComparedRemovals
from whorl.engines.corpus import file_state
from whorl.engines.decide import Decisions, ProbeCandidates
from whorl.engines.job import DedupJob
from whorl.engines.local.against import Against, sought_of
from whorl.engines.local.begin import describe_job, rank_corpus, spooled, survey_inputs
from whorl.engines.local.corpus import SegmentedCorpus, stretched
from whorl.engines.local.finish import Course, write_report, write_tables
from whorl.engines.local.folder import OutputFolder, fetched_beside
from whorl.engines.local.read import (
    StoredSegment,
    demand_documents,
    groups_of,
    known_segment,
    read_corpus,
    told_bytes,
)
from whorl.engines.local.reference import read_references
from whorl.engines.local.write import demand_unchanged
from whorl.engines.progress import Progress, Silent
from whorl.engines.ranking import times
from whorl.engines.spark import work
from whorl.engines.spark.cluster import SparkCluster, cluster_at
from whorl.engines.spark.sizes import partition_bits, parts_of, segment_bytes
from whorl.engines.stages.columns import unpacked
from whorl.engines.stages.cutting import in_stretches
from whorl.engines.stages.deciding import Decided
from whorl.engines.stages.grouping import joined_groups
from whorl.engines.stages.joining import join_decided
from whorl.engines.stages.parting import Learned, needs_codes, part_documents
from whorl.engines.tables import Tables
from whorl.engines.workers import bounded
from whorl.recipe import Recipe

_LOG = logging.getLogger("whorl.engines")


def dedup_files(job: DedupJob, progress: Progress | None = None, *, master: str | None = None) -> dict[str, Any]:
    """Deduplicate files on a cluster into the folder ``job.out`` and return the contents of ``run.json``.

    Args:
        job: the deduplication. The driver and all executors must see its files and its output folder.
        progress: receives the progress.
        master: the address of the cluster's master; None uses that of the session, of `spark-submit`, or this machine.

    Raises:
        UsageError: the job contradicts itself, the output folder contains unrelated files, or PySpark is not installed.
        InputError: a file cannot be read as requested or changed during the run, or a bad row stops it.
        ResourceError: Spark cannot be started or fails.

    Cost: linear in the input; memory of the driver about 200 bytes per document, of an executor about 320 bytes for
        each
    document of its part.
    """
    with cluster_at(master) as cluster:
        return dedup_on(cluster, job, progress)


def dedup_on(cluster: SparkCluster, job: DedupJob, progress: Progress | None = None) -> dict[str, Any]:
    """Deduplicate files on a cluster, as ``dedup_files`` does."""
    demand_texts(job.sources, job.recipe)
    with bounded(job.workers):
        return _SparkRun(job, cluster, progress or Silent()).run()


class _SparkRun:
    def __init__(self, job: DedupJob, cluster: SparkCluster, progress: Progress) -> None:
        self._job = job
        self._recipe = job.recipe
        self._cluster = cluster
        self._progress = progress
        self._started = datetime.now(UTC)
        self._timings: dict[str, float] = {}

    def run(self) -> dict[str, Any]:
        survey = survey_inputs(self._job, self._progress)
        with OutputFolder(self._job.out, describe_job(self._job, survey.sources) | {"engine": "spark"}) as folder:
            if not folder.is_complete:
                corpus, against = self._read(survey.sources, folder)
                decisions, compared = self._decide(corpus, against, folder)
                folder.complete(self._write(corpus, decisions, compared, folder, survey.skipped))
            run = folder.publish()
        shutil.rmtree(fetched_beside(self._job.out), ignore_errors=True)
        return run

    def _read(self, sources: list[Source], folder: OutputFolder) -> tuple[SegmentedCorpus, Against]:
        """Return the segments of references and input; the driver reads the input if it must query other sources."""
        with self._timed("read"):
            sources = spooled(sources, folder.work)
            recipe, on_error = self._recipe, self._job.on_error
            aside = folder.work / "reference"
            shutil.rmtree(folder.scratch, ignore_errors=True)
            apart = partial(self._read_apart, folder.scratch)
            references = read_references(self._job.against, aside, recipe, on_error, self._progress, apart)
            against = Against.of(recipe, references, self._job.sources)
            read = partial(read_corpus, find=against.find) if against.asks else apart
            segments = read(sources, folder.segments, recipe, on_error, self._progress)
            references += against.borrow(segments, aside)
        return SegmentedCorpus.joined(segments, references), against

    def _read_apart(
        self, scratch: Path, sources: Sequence[Source], folder: Path, recipe: Recipe, on_error: str, progress: Progress
    ) -> list[StoredSegment]:
        """Read a corpus into segments below ``folder``, one task per segment."""
        told_bytes(sources, progress)
        size = segment_bytes(sum(source.size for source in sources))
        sources = in_stretches(sources, size, recipe, partial(self._count, folder))
        groups = list(groups_of(sources, folder, size))
        existing = {place: known_segment(place, group) for group, place in groups}
        tasks = [
            work.SegmentFiles(group, place, scratch, recipe, on_error) for group, place in groups if not existing[place]
        ]
        for task in tasks:
            shutil.rmtree(task.place, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        self._cluster.run("read", work.read, tasks)
        segments = [existing[place] or work.segment_at(place) for _, place in groups]
        progress.advance(sum(source.size for source in sources))
        demand_documents(segments, recipe, on_error, progress)
        return segments

    def _count(self, folder: Path, stretches: Sequence[Stretch]) -> list[LineCounts]:
        """Count the lines of file parts, one task per part, or reuse the counts of an earlier attempt."""
        described = [
            (str(stretch.path), *file_state(stretch.path), stretch.start, stretch.end) for stretch in stretches
        ]
        place = folder.with_name(f"{folder.name}.{blake2b(repr(described).encode(), digest_size=8).hexdigest()}")
        if not place.exists():
            work.write_whole(json.dumps(self._cluster.run("count", work.count, stretches)).encode(), place)
        return [LineCounts(**counts) for counts in json.loads(place.read_bytes())]

    def _decide(
        self, corpus: SegmentedCorpus, against: Against, folder: OutputFolder
    ) -> tuple[Decisions, ComparedRemovals | None]:
        """Decide the documents that share keys in parts; the results of each step are in a folder named by segments."""
        with self._timed("rank"):
            order = rank_corpus(self._recipe, corpus, self._progress)
        stages = folder.work / "stages" / _name_of(corpus.segments)
        with self._timed("group"):
            groups = self._group(corpus, stages / "groups")
        with self._timed("part"):
            learned, parts = self._part(corpus, order, groups, against, stages)
        with self._timed("decide"):
            decided = self._decide_parts(corpus, stages, parts)
        return join_decided(self._recipe, decided, len(order), learned)

    def _group(self, corpus: SegmentedCorpus, folder: Path) -> list[Path]:
        """Return the group files, one for each partition of the keys."""
        keys = sum(segment.sums["posting"][0] for segment in corpus.segments if "posting" in segment.sums)
        bits = partition_bits(keys)
        places = [work.place_of(folder / str(bits), number) for number in range(1 << bits)]
        missing = frozenset(number for number, place in enumerate(places) if not place.exists())
        bases = _bases(corpus.segments)
        tasks = [
            work.SegmentKeys(segment.folder, int(base), bits, missing)
            for segment, base in zip(corpus.segments, bases, strict=False)
            if "posting" in segment.sums
        ]
        self._progress.stage("group", len(missing), "partitions")
        if missing and tasks:
            self._cluster.exchange("group", work.emit, tasks, work.Grouping(folder / str(bits)))
        self._progress.advance(len(missing))
        return [place for place in places if place.exists()]

    def _part(
        self, corpus: SegmentedCorpus, order: NDArray[np.uint32], groups: Sequence[Path], against: Against, stages: Path
    ) -> tuple[Learned, list[Path]]:
        """Return the common settings of all parts and the part files, reusing a complete set of an earlier attempt."""
        done, folder = stages / "learned", stages / "parts"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(stages / "decided", ignore_errors=True)
            parted = part_documents(
                self._recipe,
                ProbeCandidates(corpus.prints(codes=needs_codes(self._recipe)), order, corpus.references),
                _joined(groups, order),
                corpus.texts(self._recipe.text),
                sought_of(corpus.input_segments, _references(corpus), against),
                parts_of(len(order)),
            )
            for number, part in enumerate(parted.parts):
                work.write_whole(part.dumps(), work.place_of(folder, number))
            work.write_whole(parted.learned.dumps(), done)
        return Learned.loads(done.read_bytes()), sorted(folder.glob("[0-9]*"), key=_largest_first)

    def _decide_parts(self, corpus: SegmentedCorpus, stages: Path, parts: Sequence[Path]) -> list[Decided]:
        targets = [stages / "decided" / part.name for part in parts]
        everything = work.RunDocuments([segment.folder for segment in corpus.segments], self._recipe)
        tasks = [
            work.Deciding(everything, part, stages / "learned", target)
            for part, target in zip(parts, targets, strict=True)
            if not target.exists()
        ]
        self._progress.stage("probe", len(tasks), "parts")
        self._cluster.run("decide", work.decide, tasks, here=_outsized(tasks), workers=self._job.workers)
        self._progress.advance(len(tasks))
        return [Decided.loads(target.read_bytes()) for target in targets]

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
                    demand_unchanged(corpus)
        run = write_report(self._job, corpus, tables, Course(self._started, self._timings, skipped), folder.staging)
        return run | {"engine": self._cluster.describe()}

    def _write_kept(self, corpus: SegmentedCorpus, kept: NDArray[np.bool_], folder: OutputFolder) -> None:
        (folder.staging / "kept").mkdir()
        mask = folder.scratch / "kept"
        work.write_whole(kept.tobytes(), mask)
        options = ReadOptions.of(self._recipe, self._recipe.text)
        bases = corpus.references + _bases(corpus.input_segments)
        tasks = [
            work.Writing(
                segment.folder, mask, int(base), folder.staging / "kept", folder.stretches, folder.scratch, options
            )
            for segment, base in zip(corpus.input_segments, bases, strict=False)
        ]
        self._progress.stage("write", len(tasks), "segments")
        self._cluster.run("write", work.write, tasks)
        joined = [work.Joining([tasks[place] for place in places]) for places in stretched(corpus.input_segments)]
        self._cluster.run("join", work.join, joined)
        self._progress.advance(len(tasks))

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self._timings[stage] = round(time.perf_counter() - begun, 3)
        _LOG.info("%s: %.3f s", stage, self._timings[stage])


def _bases(segments: Sequence[StoredSegment]) -> NDArray[np.int64]:
    """Return the number of the first document of each segment, followed by the total."""
    return np.cumsum([0, *(segment.documents for segment in segments)])


def _largest_first(part: Path) -> tuple[int, str]:
    """Sort key that puts the longest tasks first, so that none of them runs alone at the end."""
    return -part.stat().st_size, part.name


def _outsized(tasks: Sequence[work.Deciding]) -> int:
    """Return the number of leading tasks with a part that takes longer than all others together: at most one.

    Executors would wait for a single thread of one of them, while the driver has several threads.
    """
    sizes = [task.part.stat().st_size for task in tasks]
    return int(len(sizes) > 1 and 2 * sizes[0] > sum(sizes))


def _references(corpus: SegmentedCorpus) -> Sequence[StoredSegment]:
    return corpus.segments[: len(corpus.segments) - len(corpus.input_segments)]


def _name_of(segments: Sequence[StoredSegment]) -> str:
    """Return a name that identifies the segments."""
    return blake2b(repr([segment.identity for segment in segments]).encode(), digest_size=8).hexdigest()


def _joined(places: Sequence[Path], order: NDArray[np.uint32]) -> _core.Groups:
    return joined_groups((unpacked(place.read_bytes()) for place in places), order)


__all__ = ["dedup_files", "dedup_on"]
