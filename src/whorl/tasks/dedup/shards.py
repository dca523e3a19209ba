"""Run a deduplication in stages and shards, on one machine or on several with a shared folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from whorl.engines.shards.run import run_shard
from whorl.engines.shards.work import MAX_SHARDS, Shard, Stage
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.tasks.dedup.job import DedupOptions, lent_job
from whorl.tasks.library.arguments import Place, Places

if TYPE_CHECKING:
    from whorl.tasks import Progress
    from whorl.tasks.dedup.run import DedupRun


@dataclass(frozen=True, slots=True)
class ShardDone:
    """State of a deduplication in shards.

    Attributes:
        stage: the completed stage.
        shard: the completed shard, as "3/8", or several, as "1-4/8".
        missing: the incomplete shards of this stage.
        then: the next stage, None after the last.
        cleaned: the result when everything is done; else None.
    """

    stage: str
    shard: str
    missing: tuple[int, ...]
    then: str | None
    cleaned: DedupRun | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON, including the whole run if it is done."""
        if self.cleaned is not None:
            return self.cleaned.to_dict()
        return {"stage": self.stage, "shard": self.shard, "missing": list(self.missing), "then": self.then}


def dedup_shard(
    inputs: Places,
    out: Place,
    *,
    stage: Stage,
    shard: str,
    work: Place,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> ShardDone:
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
    first, last, count = _parsed(shard)
    with lent_job(inputs, out, options) as job:
        for number in range(first, last + 1):
            done = run_shard(job, Shard(stage, number, count, Path(work)), progress)
    return ShardDone(stage, shard, done.missing, done.then, _cleaned(job.out, done.run))


def _cleaned(out: Path, run: dict[str, Any] | None) -> DedupRun | None:
    if run is None:
        return None
    from whorl.tasks.dedup.run import DedupRun  # imports everything for reports, which shards do not need

    return DedupRun(out, run)


def _parsed(shard: str) -> tuple[int, int, int]:
    """Return the first and the last number, and the count."""
    match = _SHARD.fullmatch(str(shard))
    if match is None:
        raise UsageError(
            say("expected a shard such as 3/8, got {shard!r:.40}", shard=shard),
            hint=say("use NUMBER/COUNT, such as 3/8, or a range, such as 1-4/8"),
        )
    first, last, count = int(match[1]), int(match[2] or match[1]), int(match[3])
    if not 1 <= first <= last <= count <= MAX_SHARDS:
        raise UsageError(
            say("shard {shard} is out of range", shard=shard),
            hint=say("use a number from 1 to the number of shards, which is at most {most}", most=MAX_SHARDS),
        )
    return first, last, count


_SHARD = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?/([0-9]{1,9})", re.ASCII)

__all__ = ["ShardDone", "dedup_shard"]
