"""Strip repeated text, and find items of benchmarks, on a cluster of Spark: the shards of a run as tasks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.engines.job import DedupJob
from whorl.engines.local.begin import survey_inputs
from whorl.engines.local.folder import OutputFolder, read_run
from whorl.engines.progress import Progress, Silent
from whorl.engines.shards.run import demand_shared, describe_shards
from whorl.engines.shards.work import MAX_SHARDS, STAGES, Shard, Stage
from whorl.engines.spark.cluster import SparkCluster, cluster_at
from whorl.engines.spark.sizes import segment_bytes
from whorl.inside.contamination.index import ItemIndex, load_items
from whorl.inside.contamination.sharding import ShardedContamination, run_contamination_shard
from whorl.inside.search import Strip
from whorl.inside.shards.run import run_strip_shard


@frozen
class ShardTask:
    """A shard as the task of an executor.

    Attributes:
        job: the job.
        shard: the shard.
        run: runs a shard of the job; an importable function or a partial of it.
    """

    job: DedupJob
    shard: Shard
    run: Callable[[DedupJob, Shard], Any]


def strip_files(
    job: DedupJob, strip: Strip, progress: Progress | None = None, *, master: str | None = None
) -> dict[str, Any]:
    """Strip repeated text from files on a cluster into the folder ``job.out``; return the contents of ``run.json``.

    Args:
        job: how documents are read and ranked. The driver and all executors must see its files and its output folder.
        strip: what is stripped.
        progress: receives the progress.
        master: the address of the cluster's master; None uses that of the session, of `spark-submit`, or this machine.

    Raises:
        UsageError: the output folder contains unrelated files, or PySpark is not installed.
        InputError: a file cannot be read as requested or changed during the run, or a bad row stops it.
        ResourceError: Spark cannot be started or fails.
    """
    with cluster_at(master) as cluster:
        return strip_on(cluster, job, strip, progress)


def strip_on(cluster: SparkCluster, job: DedupJob, strip: Strip, progress: Progress | None = None) -> dict[str, Any]:
    """Strip repeated text from files on a cluster, as ``strip_files`` does."""
    run = partial(_strip_shard, strip=strip)
    return _run_stages(cluster, job, run, STAGES, {"strip": strip.as_dict()}, progress)


def decontaminate_files(
    job: DedupJob, contamination: ShardedContamination, progress: Progress | None = None, *, master: str | None = None
) -> dict[str, Any]:
    """Find items of benchmarks in files on a cluster; return the contents of ``run.json``.

    Args:
        job: how documents are read. The driver and all executors must see its files and its output folder.
        contamination: the items, and what is done with documents that contain them. The items are saved next to the
            output folder during the run, where every task loads them.
        progress: receives the progress.
        master: as for ``strip_files``.

    Raises:
        UsageError: the output folder contains unrelated files, or PySpark is not installed.
        InputError: a file cannot be read as requested or changed during the run, or a bad row stops it.
        ResourceError: Spark cannot be started or fails.
    """
    with cluster_at(master) as cluster:
        demand_shared(job, _beside(job.out, "shards"))
        items = _beside(job.out, "items")
        contamination.index.save(items)
        run = partial(
            _contamination_shard,
            items=items,
            action=contamination.action,
            counted=contamination.counted,
            column=contamination.column,
            by=contamination.by,
        )
        try:
            return _run_stages(cluster, job, run, tuple(contamination.stages), contamination.as_dict(), progress)
        finally:
            shutil.rmtree(items, ignore_errors=True)


def _run_stages(
    cluster: SparkCluster,
    job: DedupJob,
    run: Callable[[DedupJob, Shard], Any],
    stages: Sequence[Stage],
    details: Mapping[str, Any],
    progress: Progress | None,
) -> dict[str, Any]:
    """Run all shards of all stages on a cluster; ``details`` determine the result besides the job."""
    course = progress or Silent()
    work = _beside(job.out, "shards")
    demand_shared(job, work)
    inputs = tuple(str(Path(path).absolute()) for path in job.inputs)  # executors work in other folders
    job = replace(job, inputs=inputs, out=job.out.absolute(), workers=cluster.cores)
    sources = survey_inputs(job, course).sources
    total = sum(source.size for source in sources)
    count = min(max(total // segment_bytes(total), 1), MAX_SHARDS)
    with OutputFolder(job.out, describe_shards(job, sources, count) | dict(details)) as folder:
        if folder.is_complete:
            return folder.publish()
    for stage in stages:
        course.stage(stage, count, "parts")
        tasks = [ShardTask(job, Shard(stage, number, count, work), run) for number in range(1, count + 1)]
        cluster.run(stage, _run_task, tasks)
        course.advance(count)
    shutil.rmtree(work, ignore_errors=True)
    return read_run(job.out)


def _beside(out: Path, suffix: str) -> Path:
    return out.absolute().with_name(f".{out.name}.{suffix}")


def _run_task(task: ShardTask) -> None:
    task.run(task.job, task.shard)


def _strip_shard(job: DedupJob, shard: Shard, strip: Strip) -> None:
    run_strip_shard(job, strip, shard)


def _contamination_shard(job: DedupJob, shard: Shard, items: Path, **settings: Any) -> None:
    run_contamination_shard(job, ShardedContamination(ItemIndex(load_items(items)), **settings), shard)


__all__ = ["decontaminate_files", "strip_files", "strip_on"]
