"""Find the items of benchmarks in files in stages and shards, on one machine or on several with a shared folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from whorl.engines.workers import bounded
from whorl.inside.contamination.sharding import ShardedContamination, run_contamination_shard
from whorl.tasks.corpus_input import CorpusInput
from whorl.tasks.decontaminate.benchmarks import Against, counted_reasons, item_index
from whorl.tasks.decontaminate.files import DecontaminateFilesOptions, DecontaminationRun, read_result
from whorl.tasks.library.arguments import Place, Places, demand_options
from whorl.tasks.shards import ShardDone, run_shards

if TYPE_CHECKING:
    from whorl.tasks import Progress


def decontaminate_shard(
    inputs: Places,
    out: Place,
    *,
    against: Against,
    stage: Literal["sketch", "write"],
    shard: str,
    work: Place,
    progress: Progress | None = None,
    **options: Unpack[DecontaminateFilesOptions],
) -> ShardDone[DecontaminationRun]:
    """Run one shard of one stage of ``decontaminate_files``; the last one publishes the same result.

    >>> import whorl
    >>> quiz, corpus = "examples/decontamination/quiz.jsonl", "examples/decontamination/corpus.jsonl"
    >>> for stage in ("sketch", "write"):
    ...     for shard in ("1/2", "2/2"):
    ...         done = whorl.runs.decontaminate_shard(
    ...             corpus, "no-quiz", against=quiz, action="drop", stage=stage, shard=shard, work="work"
    ...         )
    >>> done.cleaned.run["counts"]["dropped"] == done.cleaned.run["contaminated"]
    True

    Args:
        inputs: files, folders and globs that all shards see under the same names.
        out: output folder, as for ``decontaminate_files``.
        against: benchmarks, as for ``decontaminate_files``, the same for all shards.
        stage: "sketch", then "write", which starts when all shards of "sketch" are done.
        shard: number and count, as "3/8", or a range, as "1-4/8"; the count is the same in both stages.
        work: a folder for this run only that all shards see. Delete it after the run.
        progress: receives the progress.
        options: as for ``decontaminate_files``, the same for all shards.

    Raises:
        UsageError: the arguments contradict each other, the folder contains other work, or a shard of "sketch" is not
            done.
        InputError: a file or a benchmark cannot be read as requested, or has changed since the work began.
        ResourceError: the disk is full or not writable.

    Cost: all shards together cost as much as ``decontaminate_files``; each reads the benchmarks. A shard may be run
    twice, and again after a crash.
    """
    demand_options(options, DecontaminateFilesOptions)
    action = options.get("action", "report")
    counted = counted_reasons(action, options.get("count"))
    of_input: dict[str, Any] = {name: value for name, value in options.items() if name in _OF_INPUT}
    job = CorpusInput(inputs, **of_input).job(out, Path(out), None)
    with bounded(job.workers):
        index = item_index(against, options.get("against_text"), options.get("against_id"))
    contamination = ShardedContamination(
        index, action, counted, options.get("column", "contamination"), options.get("by")
    )
    return run_shards(
        stage,
        shard,
        work,
        lambda piece: run_contamination_shard(job, contamination, piece, progress),
        partial(read_result, job.out),
    )


_OF_INPUT = ("text", "id", "encoding", "include", "exclude", "on_error", "workers", "command")

__all__ = ["decontaminate_shard"]
