"""The files of a corpus, and how their documents are read."""

from __future__ import annotations

from os import fspath
from pathlib import Path
from typing import Literal

from whorl._internal.frozen import frozen
from whorl.engines.job import DedupJob
from whorl.recipe import Recipe
from whorl.tasks.dedup.job import without_secrets
from whorl.tasks.library.arguments import Place, Places, Texts, places, selected, strings


@frozen
class CorpusInput:
    """The arguments of ``whorl.strip_files`` about its input; see there."""

    inputs: Places
    text: Texts | None = None
    id: str | None = None
    date: str | None = None
    encoding: str | None = None
    include: Texts | None = None
    exclude: Texts | None = None
    on_error: Literal["auto", "skip", "stop"] = "auto"
    workers: int | None = None
    command: str = ""

    def job(self, out: Place, folder: Path, keep: str | None) -> DedupJob:
        """Return the job that reads the files.

        Args:
            out: the result, whose address is masked in the command line.
            folder: the folder of the job.
            keep: the rule that ranks the documents.

        Raises:
            UsageError: an argument is invalid.
        """
        paths = places(self.inputs)
        recipe = Recipe().changed(
            method="exact", text=strings(self.text), id=self.id, date=self.date, encoding=self.encoding, keep=keep
        )
        return DedupJob(
            inputs=paths,
            out=folder,
            recipe=recipe,
            on_error=self.on_error,
            workers=self.workers,
            command=without_secrets(self.command, (*paths, fspath(out))),
            selection=selected(self.include, self.exclude),
        )


__all__ = ["CorpusInput"]
