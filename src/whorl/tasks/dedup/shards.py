"""Run a deduplication in stages and shards, on one machine or on several with a shared folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from whorl.engines.shards.run import run_shard
from whorl.engines.shards.work import Stage
from whorl.tasks.dedup.job import DedupOptions, lent_job
from whorl.tasks.library.arguments import Place, Places
from whorl.tasks.shards import ShardDone, run_shards

if TYPE_CHECKING:
    from whorl.tasks import Progress
    from whorl.tasks.dedup.run import DedupRun


def dedup_shard(
    inputs: Places,
    out: Place,
    *,
    stage: Stage,
    shard: str,
    work: Place,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> ShardDone[DedupRun]:
    """Run one shard of one stage of ``dedup_files``; the last one publishes the same result.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> for stage in ("sketch", "group", "decide", "write"):
    ...     for shard in ("1/2", "2/2"):
    ...         done = whorl.runs.dedup_shard(news, "clean", stage=stage, shard=shard, work="work")
    >>> done.cleaned.kept.num_rows
    77

    Args:
        inputs: files, folders and globs that all shards see under the same names.
        out: output folder, as for ``dedup_files``.
        stage: "sketch", "group", "decide" or "write", in this order; a stage starts when the previous one is done.
        shard: number and count, as "3/8", or a range, as "1-4/8"; the count is the same in all stages.
        work: a folder for this run only that all shards see. Delete it after the run.
        progress: receives the progress.
        options: as for ``dedup_files``, the same for all shards.

    Raises:
        UsageError: the arguments contradict each other, the folder contains other work, or an earlier stage is not
            done.
        InputError: a file cannot be read as requested, or has changed since the work began.
        ResourceError: the disk is full or not writable.

    Cost: all shards together cost as much as ``dedup_files``, plus about a second each. A shard may be run twice, and
    again after a crash.
    """
    with lent_job(inputs, out, options) as job:

        def result(run: dict[str, Any]) -> DedupRun:
            from whorl.tasks.dedup.run import DedupRun  # imports everything for reports, which shards do not need

            return DedupRun(job.out, run)

        return run_shards(stage, shard, work, lambda piece: run_shard(job, piece, progress), result)


__all__ = ["dedup_shard"]
