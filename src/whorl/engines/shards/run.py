"""Run one stage of a sharded deduplication.

====== ============================ ==================================================== ================
stage  input of a shard             output                                               needs
====== ============================ ==================================================== ================
sketch part of the files            segments, as the local engine writes them            the input
group  part of the keys             groups of documents that share a key                 all sketches
decide connected documents          decisions                                            all groups
write  the files that it sketched   their kept rows; the last shard, tables and report   all decisions
====== ============================ ==================================================== ================

The first shard that decides also divides the documents into parts, while the others wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus import Source
from whorl.corpus.remote.address import place_of
from whorl.engines.against import demand_texts
from whorl.engines.job import STDIN, DedupJob
from whorl.engines.local.begin import describe_job, survey_inputs
from whorl.engines.progress import Progress, Silent
from whorl.engines.shards.deciding import decide, group
from whorl.engines.shards.sketching import ShardedRun, sketch
from whorl.engines.shards.work import Shard, Stage, WorkFolder
from whorl.engines.shards.writing import ShardedDedup, write_shard
from whorl.engines.workers import bounded
from whorl.errors import UsageError
from whorl.i18n import say

Stages = Mapping[Stage, Callable[[ShardedRun], dict[str, Any] | None]]
"""What a shard does in each stage, in their order; the last stage returns the run when everything is done."""


@frozen
class Reached:
    """State of a sharded run.

    Attributes:
        shard: the shard that was completed.
        missing: the incomplete shards of its stage.
        then: the next stage, None after the last.
        run: the whole run, as in ``run.json``, if everything is done; else None.
    """

    shard: Shard
    missing: tuple[int, ...]
    then: Stage | None
    run: dict[str, Any] | None


def run_shard(
    job: DedupJob,
    shard: Shard,
    progress: Progress | None = None,
    *,
    stages: Stages | None = None,
    details: Mapping[str, Any] | None = None,
) -> Reached:
    """Run one shard of one stage; the process that completes the last stage publishes the result.

    Args:
        job: the job, the same for all shards.
        shard: the piece to run.
        progress: receives the progress.
        stages: what each stage does; None is a deduplication.
        details: what determines the result besides the job, as JSON values.

    A shard may be run twice, even concurrently, and again after a crash.

    Raises:
        UsageError: the job contradicts itself, the folder contains other work, or an earlier stage is not done.
        InputError: a file cannot be read as requested, or has changed since the work began.

    Cost: all shards together cost as much as the local engine, plus the columns that each reads again. Memory of a
    sketch: some blocks of text; of a group: its part of the shared keys; of the first that decides: about 100
    bytes per document of the whole corpus; of the others their parts; of the last that writes: 100 bytes per document.
    """
    stages = _STAGES if stages is None else stages
    names = list(stages)
    if shard.stage not in names:
        raise UsageError(
            say("unknown stage {name}", name=shard.stage), hint=say("choose one of: {names}", names=", ".join(names))
        )
    demand_shared(job, shard.work)
    demand_texts(job.sources, job.recipe)
    course = progress or Silent()
    with bounded(job.workers):
        survey = survey_inputs(job, course)
        _demand_apart(shard.work, [source.path for source in survey.sources if source.path])
        described = describe_shards(job, survey.sources, shard.count) | dict(details or {})
        run = ShardedRun(job, WorkFolder(shard, described), survey, course)
        with run.work.claim(f"{shard.stage}-{shard.number}"):
            finished = stages[shard.stage](run)
    then = next(iter(names[names.index(shard.stage) + 1 :]), None)
    return Reached(shard, tuple(run.work.undone(shard.stage)), then, finished)


def describe_shards(job: DedupJob, sources: Sequence[Source], count: int) -> dict[str, Any]:
    """Return everything that determines the result of a run in ``count`` shards, as JSON values."""
    return describe_job(job, sources) | {"shards": count, "out": str(job.out.absolute())}


def demand_shared(job: DedupJob, work: Path) -> None:
    """Refuse inputs that other processes cannot read identically, such as standard input.

    Raises:
        UsageError: an input is refused, or contains the work folder.
    """
    if STDIN in job.inputs:
        raise UsageError(say("standard input cannot be read in shards"), hint=say("save it to a file first"))
    for address in (*job.inputs, *job.against, str(job.out), str(work)):
        if place_of(address) is not None:
            raise UsageError(
                say("{place} is not in a folder that all shards share", place=address),
                hint=say("copy it to a shared folder, or run on one machine"),
            )
    _demand_apart(work, [Path(address) for address in job.inputs])


def _demand_apart(work: Path, inputs: list[Path]) -> None:
    """Refuse a work folder inside the input, or the reverse."""
    work_path = work.absolute()
    for path in inputs:
        with suppress(OSError):
            input_path = path.absolute()
            if work_path == input_path or input_path in work_path.parents or work_path in input_path.parents:
                raise UsageError(
                    say("the work folder {work} and the input {path} contain each other", work=work, path=path),
                    hint=say("choose a folder outside the input with --work"),
                )


_STAGES: Stages = {
    "sketch": sketch,
    "group": group,
    "decide": decide,
    "write": partial(write_shard, result=ShardedDedup()),
}

__all__ = ["Reached", "Stages", "demand_shared", "describe_shards", "run_shard"]
