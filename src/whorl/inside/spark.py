"""Strip repeated text on a cluster of Spark: the stages of a run in shards, each shard as a task."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whorl.engines.job import DedupJob
from whorl.engines.local.begin import survey_inputs
from whorl.engines.local.folder import OutputFolder, load_run
from whorl.engines.progress import Progress, Silent
from whorl.engines.shards.run import demand_shared, describe_shards
from whorl.engines.shards.work import MAX_SHARDS, STAGES, Shard
from whorl.engines.spark.cluster import SparkCluster, cluster_at
from whorl.engines.spark.sizes import segment_bytes
from whorl.inside.search import Strip
from whorl.inside.shards.run import run_strip_shard


@dataclass(frozen=True, slots=True)
class StripTask:
    """A shard as the task of an executor."""

    job: DedupJob
    strip: Strip
    shard: Shard


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
    course = progress or Silent()
    work = job.out.absolute().with_name(f".{job.out.name}.shards")
    demand_shared(job, work)
    inputs = tuple(str(Path(path).absolute()) for path in job.inputs)  # executors work in other folders
    job = replace(job, inputs=inputs, out=job.out.absolute(), workers=cluster.cores)
    sources = survey_inputs(job, course).sources
    total = sum(source.size for source in sources)
    count = min(max(total // segment_bytes(total), 1), MAX_SHARDS)
    described = describe_shards(job, sources, count) | {"strip": strip.as_dict()}
    with OutputFolder(job.out, described) as folder:
        if folder.is_complete:
            return folder.publish()
    for stage in STAGES:
        course.stage(stage, count, "parts")
        tasks = [StripTask(job, strip, Shard(stage, number, count, work)) for number in range(1, count + 1)]
        cluster.run(stage, _run_task, tasks)
        course.advance(count)
    shutil.rmtree(work, ignore_errors=True)
    return load_run(job.out)


def _run_task(task: StripTask) -> None:
    run_strip_shard(task.job, task.strip, task.shard)


__all__ = ["strip_files", "strip_on"]
