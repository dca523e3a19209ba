"""The last stage: each shard writes the kept rows of its files, and the last one publishes the result."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.corpus import ReadOptions
from whorl.engines.corpus import file_state
from whorl.engines.local import write
from whorl.engines.local.columns import PASSING
from whorl.engines.local.corpus import SegmentedCorpus, stretched
from whorl.engines.local.durable import sync
from whorl.engines.local.folder import RUN, WORK, OutputFolder, read_run
from whorl.engines.local.read import StoredSegment
from whorl.engines.ranking import times
from whorl.engines.shards.deciding import decided_state, learned_by, part_sizes
from whorl.engines.shards.sketching import ShardedRun, Sketched, own_segments, shard_bounds, sketched
from whorl.engines.shards.work import STAGES
from whorl.engines.stages.columns import unpacked
from whorl.engines.stages.deciding import Decided
from whorl.engines.tables import Tables

_FINISHED = "finished.json"
_OUT = "out"
_STAGES = {"sketch": "read", "group": "group", "decide": "probe", "write": "write"}
"""Name of the timing of each stage in the run summary."""


SketchesT = TypeVar("SketchesT")


class ShardedResult(Protocol[SketchesT]):
    """What the last stage of a sharded run writes."""

    def read(self, run: ShardedRun) -> SketchesT:
        """Return the results of reading, of all shards.

        Raises:
            UsageError: a shard is missing.
            InputError: the result of a shard is damaged.
        """
        ...

    def state(self, run: ShardedRun, sketches: SketchesT) -> str:
        """Return a value that identifies the decisions.

        Raises:
            UsageError: a shard is missing.
        """
        ...

    def write_files(self, run: ShardedRun, sketches: SketchesT, folder: OutputFolder, scratch: Path) -> WrittenFiles:
        """Write the files of this shard; ``scratch`` is a temporary folder."""
        ...

    def finish(self, run: ShardedRun, sketches: SketchesT, folder: OutputFolder) -> dict[str, Any]:
        """Stage everything else, once all files are there, and return the contents of ``run.json``."""
        ...


class WrittenFiles(NamedTuple):
    """Files of a shard in the last stage.

    Attributes:
        kept: files of the result, by the paths that they have if they were written.
        sums: the checksums of files in the work folder.
    """

    kept: Iterable[Path]
    sums: Mapping[str, Sequence[int]]


def write_shard(run: ShardedRun, result: ShardedResult[SketchesT]) -> dict[str, Any] | None:
    """Write the files of this shard; the last shard also writes the rest and returns the run."""
    work, out = run.work, run.job.out
    with work.claim(_OUT):
        if _is_finished(run):
            return _drop_work(out)
    sketches = result.read(run)
    of = result.state(run, sketches)
    with work.claim(_OUT):
        if _is_finished(run):
            return _drop_work(out)
        with OutputFolder(out, work.job) as folder:
            if folder.is_complete:
                return _publish(run, folder)
            folder.staging.mkdir(exist_ok=True)
            folder.scratch.mkdir(exist_ok=True)
        # Checked under the lock for publishing: if final names are missing now, no other process creates them before
        # these rows are written.
        is_written = _is_written(run, folder, run.shard.number, of)
    if not is_written:
        _write_files(run, result, sketches, folder, of)
    with work.claim(_OUT):
        return _drop_work(out) if _is_finished(run) else _finish_if_last(run, result, sketches, of)


def _finish_if_last(
    run: ShardedRun, result: ShardedResult[SketchesT], sketches: SketchesT, of: str
) -> dict[str, Any] | None:
    with OutputFolder(run.job.out, run.work.job) as folder:
        numbers = range(1, run.shard.count + 1)
        if run.work.missing("write", of) or not all(_is_written(run, folder, number, of) for number in numbers):
            return None
        for name in ("rejected", "sketches"):
            shutil.rmtree(folder.staging / name, ignore_errors=True)
        folder.complete(result.finish(run, sketches, folder))
        return _publish(run, folder)


def join_kept(sketches: Sketched, folder: OutputFolder) -> None:
    """Join the kept rows of files that several shards have read."""
    kept = folder.staging / "kept"
    kept.mkdir(exist_ok=True)
    for places in stretched(sketches.segments):
        records = [sketches.segments[place].files[0] for place in places]
        write.join_kept(records, kept, folder.stretches, folder.scratch)


def _is_finished(run: ShardedRun) -> bool:
    return (run.work.path / _FINISHED).exists() and (run.job.out / RUN).exists()


def _drop_work(out: Path) -> dict[str, Any]:
    """Delete the work of a process that crashed after publishing the result, and return the run."""
    shutil.rmtree(out / WORK, ignore_errors=True)
    return read_run(out)


def _publish(run: ShardedRun, folder: OutputFolder) -> dict[str, Any]:
    run.work.save(_FINISHED, b"{}\n")
    return folder.publish()


def _is_written(run: ShardedRun, folder: OutputFolder, number: int, of: str) -> bool:
    """Return True if the kept rows of a shard are in the folder."""
    work = run.work
    return work.is_done("write", number, of) and all(
        file_state(folder.work / name)[0] == size for name, size in work.manifest("write", number)["kept"].items()
    )


def _write_files(
    run: ShardedRun, result: ShardedResult[SketchesT], sketches: SketchesT, folder: OutputFolder, of: str
) -> None:
    scratch = Path(mkdtemp(dir=folder.scratch))
    try:
        files = result.write_files(run, sketches, folder, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    written = [place for place in files.kept if place.exists()]
    sync(written)
    kept = {place.relative_to(folder.work).as_posix(): file_state(place)[0] for place in written}
    run.work.record("write", run.shard.number, of, files.sums, kept=kept)


class ShardedDedup:
    """The result of a deduplication."""

    def read(self, run: ShardedRun) -> Sketched:
        """Return all documents after reading."""
        return sketched(run)

    def state(self, run: ShardedRun, sketches: Sketched) -> str:
        """Return a value that identifies the decisions."""
        return decided_state(run, sketches)

    def write_files(self, run: ShardedRun, sketches: Sketched, folder: OutputFolder, scratch: Path) -> WrittenFiles:
        """Write the kept rows of the files of this shard."""
        job, segments = run.job, own_segments(run)
        corpus = SegmentedCorpus.joined(segments, [])
        if not job.writes_rows:
            write.demand_unchanged(corpus)
            return WrittenFiles((), {})
        target = folder.staging / "kept"
        options = ReadOptions.of(job.recipe, job.recipe.text)
        write.write_kept(corpus, _kept(run, sketches), target, folder.stretches, scratch, options, run.progress)
        records = (record for segment in segments for record in segment.files)
        return WrittenFiles((write.kept_place(record, target, folder.stretches) for record in records), {})

    def finish(self, run: ShardedRun, sketches: Sketched, folder: OutputFolder) -> dict[str, Any]:
        """Write tables, report and sketches."""
        if run.job.writes_rows:
            join_kept(sketches, folder)
        return _finish(run, sketches, folder.staging)


def _kept(run: ShardedRun, sketches: Sketched) -> NDArray[np.bool_]:
    """Return True for each kept document of this shard."""
    work = run.work
    first = shard_bounds(run, sketches)[run.shard.number - 1]
    kept = np.ones(sum(segment.documents for segment in own_segments(run)), np.bool_)
    for number in _deciding(run):
        removed = work.load("decide", number, lambda file: unpacked(file, "removed"))["removed"].astype(np.int64)
        removed -= first
        kept[removed[(removed >= 0) & (removed < len(kept))]] = False
    return kept


def _deciding(run: ShardedRun) -> list[int]:
    """Return the shards with documents to decide."""
    return [number for number in range(1, run.shard.count + 1) if run.work.manifest("decide", number)["sums"]]


def _finish(run: ShardedRun, sketches: Sketched, staging: Path) -> dict[str, Any]:
    from whorl.engines.local.finish import Course, write_report, write_tables
    from whorl.engines.stages.joining import join_decided

    work, recipe, corpus = run.work, run.job.recipe, sketches.corpus
    decided = [work.load("decide", number, Decided.loads) for number in _deciding(run)]
    decisions, compared = join_decided(recipe, decided, len(corpus.row), learned_by(work))
    staged = [_stage(segment, staging / "sketches" / f"{n:05d}") for n, segment in enumerate(sketches.segments)]
    if run.job.writes_rows:
        write.mark_kept(SegmentedCorpus.joined(staged, sketches.references), decisions.kept, staging / "kept")
    tables = Tables(corpus, decisions, compared, recipe.measure, times(recipe, corpus.traits))
    write_tables(tables, corpus, staging)
    course = Course(work.began, stage_seconds(run, _STAGES), run.survey.skipped)
    described = write_report(run.job, corpus, tables, course, staging)
    return described | {"shards": {"count": run.shard.count, "documents_by_part": part_sizes(work)}}


def _stage(segment: StoredSegment, folder: Path) -> StoredSegment:
    """Publish what later runs need of a segment, without a copy on the same file system."""
    folder.mkdir(parents=True)
    for name in ("segment.json", *segment.sums):
        if name in PASSING or "/" in name:
            continue
        try:
            os.link(segment.folder / name, folder / name)
        except OSError:
            shutil.copyfile(segment.folder / name, folder / name)
    return segment._replace(folder=folder)


def stage_seconds(run: ShardedRun, names: Mapping[str, str]) -> dict[str, float]:
    """Return the seconds of all shards by stage; ``names`` are those of the stages in the run summary."""
    numbers = range(1, run.shard.count + 1)
    seconds = {stage: sum(run.work.manifest(stage, number)["seconds"] for number in numbers) for stage in STAGES}
    return {names[stage]: round(spent, 3) for stage, spent in seconds.items()}


__all__ = ["ShardedDedup", "ShardedResult", "WrittenFiles", "join_kept", "stage_seconds", "write_shard"]
