"""Options and output of runs beyond one process: on Spark, and in stages and shards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl._internal.lean_imports import bring_back_pandas
from whorl.cli.ui.options import RUNNING
from whorl.errors import UsageError
from whorl.i18n import say, translated

if TYPE_CHECKING:
    from whorl.tasks.shards import ShardDone

SHARDS = "Shards, on machines with a shared folder"
_LISTED = 10

Engine = Annotated[
    Literal["local", "spark"],
    typer.Option(
        metavar="local|spark",
        rich_help_panel=RUNNING,
        help="Run on this machine, or on a Spark cluster that can access INPUT and OUT.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        rich_help_panel=RUNNING,
        help="Master of the cluster. (default: from spark-submit, or this machine)",
    ),
]
StageName = Literal["sketch", "group", "decide", "write"]
Stage = Annotated[
    StageName | None,
    typer.Option(
        metavar="STAGE",
        rich_help_panel=SHARDS,
        help="Run one stage: sketch, group, decide or write; a stage starts when all shards of the "
        "previous one are done.",
    ),
]
ShardOption = Annotated[
    str | None,
    typer.Option(
        metavar="I/N",
        rich_help_panel=SHARDS,
        help="The shard of the stage, such as 3/8, or several, such as 1-4/8.",
    ),
]
Work = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", rich_help_panel=SHARDS, help="The folder that all shards of this run share."),
]


def piece_of(
    stage: StageName | None, shard: str | None, work: Path | None, engine: str
) -> tuple[StageName, str, Path] | None:
    """Return the stage and shards to run, or None for a complete run, which is prepared for its engine.

    Raises:
        UsageError: the options contradict each other.
    """
    if engine == "spark":
        bring_back_pandas()
    if stage is None and shard is None and work is None:
        return None
    if stage is None or shard is None or work is None:
        raise UsageError(
            say("--stage, --shard and --work go together"),
            hint=say("set all three, or none to run everything on this machine"),
        )
    if engine != "local":
        raise UsageError(
            say("a run in shards needs no engine"), hint=say("omit --engine, or omit --stage, --shard and --work")
        )
    return stage, shard, work


def print_shard(done: ShardDone[Any], *, quiet: bool, json: bool) -> None:
    """Print what remains to be done after a shard."""
    from whorl.cli.ui.output import print_json, print_view

    if json:
        print_json(done.to_dict())
    elif not quiet:
        print_view(_progress_of(done))


def _progress_of(done: ShardDone[Any]) -> str:
    """Return what remains to be done after a shard."""
    if done.missing:
        missing = ", ".join(map(str, done.missing[:_LISTED])) + (" ..." if len(done.missing) > _LISTED else "")
        message = say(
            "{stage} {shard} is done; missing: {missing}", stage=done.stage, shard=done.shard, missing=missing
        )
        return str(translated(message))
    if done.then is None:
        message = say("{stage} {shard} is done; another shard publishes the result", stage=done.stage, shard=done.shard)
        return str(translated(message))
    return str(translated(say("{stage} is done; next: --stage {then}", stage=done.stage, then=done.then)))


__all__ = ["SHARDS", "Engine", "Master", "ShardOption", "Stage", "Work", "piece_of", "print_shard"]
