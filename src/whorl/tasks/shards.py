"""Runs in stages and shards: which shards a process runs, and what remains to be done."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from whorl._internal.frozen import frozen
from whorl.engines.shards.run import Reached
from whorl.engines.shards.work import MAX_SHARDS, Shard, Stage
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.tasks.library.arguments import Place


class DescribedRun(Protocol):
    """The result of a run that may be in shards."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data for JSON."""
        ...


RunT = TypeVar("RunT", bound=DescribedRun)


@frozen
class ShardDone(Generic[RunT]):
    """State of a run in shards.

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
    cleaned: RunT | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON, including the whole run if it is done."""
        if self.cleaned is not None:
            return self.cleaned.to_dict()
        return {"stage": self.stage, "shard": self.shard, "missing": list(self.missing), "then": self.then}


def run_shards(
    stage: Stage,
    shard: str,
    work: Place,
    run: Callable[[Shard], Reached],
    result: Callable[[dict[str, Any]], RunT],
) -> ShardDone[RunT]:
    """Run one or several shards of a stage, one after the other.

    Args:
        stage: the stage.
        shard: number and count, as "3/8", or a range, as "1-4/8".
        work: the folder that all shards share.
        run: runs one shard.
        result: returns the result when everything is done, from the contents of ``run.json``.

    Raises:
        UsageError: the shard is not one, or out of range.
    """
    first, last, count = _parsed(shard)
    for number in range(first, last + 1):
        done = run(Shard(stage, number, count, Path(work)))
    return ShardDone(stage, shard, done.missing, done.then, None if done.run is None else result(done.run))


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

__all__ = ["ShardDone", "run_shards"]
