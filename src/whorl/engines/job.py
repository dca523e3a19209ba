"""Description of a deduplication, for any engine."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Literal, get_args

from whorl._internal.frozen import frozen
from whorl.corpus import EVERYTHING, Selection
from whorl.engines.options import Output
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.matching.candidates import CandidateSource
from whorl.recipe import Recipe

STDIN = "-"


@frozen
class DedupJob:
    """The inputs, recipe and output of a deduplication.

    Attributes:
        inputs: files, folders and globs; "-" for JSON Lines on standard input.
        out: output folder that does not exist, is empty, or contains the work of the same job.
        recipe: determines the result.
        against: references that are never dropped: corpora, or the output folders of earlier runs.
        sources: further sources of candidates, such as a library; their family must be that of the recipe.
        output: "rows" writes the kept rows, "ids" only tables: ``clusters.parquet`` says which documents are kept.
        on_error: "skip" counts bad rows and files and continues, "stop" ends the run at the first one, "auto" skips
            unless no file can be read.
        workers: threads of the run; None uses all cores.
        command: the command line, for the report.
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
    output: Output = "rows"

    def __post_init__(self) -> None:
        if self.output not in get_args(Output):
            raise UsageError(
                say("{name} is '{value}'", name="output", value=self.output),
                hint=say("choose one of: {known}", known=", ".join(get_args(Output))),
            )

    @property
    def writes_rows(self) -> bool:
        """True if the kept rows are written."""
        return self.output == "rows"


__all__ = ["STDIN", "DedupJob"]
