"""Strip repeated text in stages and shards, on one machine or on several with a shared folder."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from whorl.engines.shards.work import Stage
from whorl.inside.memory import StripOptions
from whorl.inside.search import Strip
from whorl.inside.shards.run import run_strip_shard
from whorl.tasks.corpus_input import CorpusInput
from whorl.tasks.library.arguments import Place, Places, Texts, demand_options
from whorl.tasks.shards import ShardDone, run_shards

if TYPE_CHECKING:
    from whorl.tasks import Progress
    from whorl.tasks.strip import StripRun


class StripFilesOptions(StripOptions, total=False):
    """Options of ``strip_files`` other than input, output and engine."""

    encoding: str | None
    include: Texts | None
    exclude: Texts | None
    on_error: Literal["auto", "skip", "stop"]
    command: str


def strip_shard(
    inputs: Places,
    out: Place,
    *,
    stage: Stage,
    shard: str,
    work: Place,
    progress: Progress | None = None,
    **options: Unpack[StripFilesOptions],
) -> ShardDone[StripRun]:
    """Run one shard of one stage of ``strip_files``; the last one publishes the same result.

    >>> import whorl
    >>> news = "examples/newsroom/articles.jsonl"
    >>> for stage in ("sketch", "group", "decide", "write"):
    ...     for shard in ("1/2", "2/2"):
    ...         done = whorl.runs.strip_shard(news, "stripped", stage=stage, shard=shard, work="work", inside="lines")
    >>> done.cleaned.run["counts"]["rows"]
    91

    Args:
        inputs: files, folders and globs that all shards see under the same names.
        out: output folder, as for ``strip_files``.
        stage: "sketch", "group", "decide" or "write", in this order; a stage starts when the previous one is done.
        shard: number and count, as "3/8", or a range, as "1-4/8"; the count is the same in all stages.
        work: a folder for this run only that all shards see. Delete it after the run.
        progress: receives the progress.
        options: as for ``strip_files``, the same for all shards.

    Raises:
        UsageError: the arguments contradict each other, the folder contains other work, or an earlier stage is not
            done.
        InputError: a file or the list cannot be read as requested, or has changed since the work began.
        ResourceError: the disk is full or not writable.

    Cost: all shards together cost as much as ``strip_files``, plus about a second each. A shard may be run twice, and
    again after a crash.
    """
    demand_options(options, StripFilesOptions)
    names = {field.name for field in fields(CorpusInput)}
    of_input: dict[str, Any] = {name: value for name, value in options.items() if name in names}
    of_strip: dict[str, Any] = {name: value for name, value in options.items() if name not in names}
    strip = Strip.of(of_strip.pop("inside", None), of_strip.pop("approved", None), **of_strip)
    return strip_corpus_shard(CorpusInput(inputs, **of_input), out, strip, stage, shard, work, progress)


def strip_corpus_shard(
    corpus: CorpusInput,
    out: Place,
    strip: Strip,
    stage: Stage,
    shard: str,
    work: Place,
    progress: Progress | None = None,
) -> ShardDone[StripRun]:
    """Run shards of a stage; ``strip_shard`` with its arguments as objects."""
    job = corpus.job(out, Path(out), strip.rule)

    def result(run: dict[str, Any]) -> StripRun:
        from whorl.tasks.strip import StripRun  # imports everything for reports, which shards do not need

        return StripRun(job.out, run)

    return run_shards(stage, shard, work, lambda piece: run_strip_shard(job, strip, piece, progress), result)


__all__ = ["strip_corpus_shard", "strip_shard"]
