"""What to deduplicate, whatever engine does it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from whorl.corpus import EVERYTHING, Selection
from whorl.matching.candidates import CandidateSource
from whorl.recipe import Recipe

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Job:
    """What to deduplicate, and where the result goes.

    Attributes:
        inputs: files, folders and globs; "-" for JSON Lines on standard input.
        out: a folder that does not exist, is empty, or holds the work of the same job.
        recipe: what decides the result.
        against: references that are never dropped: corpora, or the output folders of earlier runs.
        sources: what is asked for candidates besides, such as a library; its family is that of the recipe.
        on_error: "skip" sets bad rows and files aside and counts them, "stop" ends the run at the first one, "auto"
            skips unless none of the files can be read.
        workers: threads of the run; None takes all cores.
        command: how the run was started, for the report.
        selection: which files of folders and globs are read.
    """

    inputs: tuple[str, ...]
    out: Path
    recipe: Recipe = field(default_factory=Recipe)
    against: tuple[str, ...] = ()
    on_error: Literal["auto", "skip", "stop"] = "auto"
    workers: int | None = None
    command: str = ""
    selection: Selection = EVERYTHING
    sources: tuple[CandidateSource, ...] = ()


__all__ = ["STDIN", "Job"]
