"""The saved texts of a pipeline: what the step with a single task reads, and what later documents are verified with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from datatrove.pipeline.base import PipelineStep
from datatrove.utils.typeshelper import StatHints

from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.tasks.library.arguments import Place

KIND = "🫂 - DEDUP"
_TEXTS = "texts"


class SaveTexts(PipelineStep):  # type: ignore[misc]
    """Save id and text of each document for a step with a single task, and pass it on.

    Args:
        folder: folder that all tasks can access.

    Disk: one copy of the texts.
    """

    type = KIND
    name = "whorl: save texts"

    def __init__(self, folder: Place) -> None:
        super().__init__()
        self.folder = Path(folder)

    def run(self, data: Iterable[Any] | None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Write the documents of one task."""
        path = texts_of(self.folder, rank, world_size)
        unfinished = path.with_suffix(".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            for row, document in enumerate(data or (), 1):
                with self.track_time():
                    file.write(_line(row, document) + "\n")
                    self.stat_update(StatHints.total, StatHints.forwarded)
                yield document
        unfinished.replace(path)


def texts_of(folder: Path, rank: int, world_size: int) -> Path:
    """Return the file with the texts of a task."""
    return folder / _TEXTS / f"{rank:05d}-of-{world_size:05d}.jsonl"


class DecidingStep(PipelineStep):  # type: ignore[misc]
    """The only step of a pipeline with a single task, which sees the documents of all tasks.

    Args:
        folder: folder of `SaveTexts`.
        **options: options of the run.
    """

    type = KIND

    def __init__(self, folder: Place, **options: Any) -> None:
        super().__init__()
        self.folder = Path(folder)
        self.options = options

    def run(self, data: Iterable[Any] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:  # noqa: ARG002
        """Decide on the documents of all tasks.

        Raises:
            UsageError: the pipeline has several tasks, or a step before this one.
            InputError: the texts of a task are missing, or an input of the run cannot be read.
        """
        if world_size != 1 or data is not None:
            raise UsageError(
                say("the decision needs the documents of all tasks"),
                hint=say("run it in a separate pipeline with one task"),
            )
        with self.track_time():
            rows, dropped = self.decide(_all_texts(self.folder))
        self.stat_update(StatHints.total, value=rows)
        self.stat_update(StatHints.dropped, value=dropped)
        yield from ()

    def decide(self, texts: Path) -> tuple[int, int]:
        """Run over a folder of texts; return the number of rows, and of dropped ones."""
        raise NotImplementedError


def _all_texts(folder: Path) -> Path:
    """Return the folder of texts after checking that exactly the tasks of one pipeline wrote it."""
    texts = folder / _TEXTS
    files = sorted(texts.glob("*"))
    if not files or files != [texts_of(folder, rank, len(files)) for rank in range(len(files))]:
        raise InputError(
            say("{folder} does not contain the texts of all tasks of one pipeline", folder=texts),
            hint=say("empty it, and run the pipeline with SaveTexts to completion"),
        )
    return texts


def demand_decided(run: Path, path: Path, step: str) -> None:
    """Refuse to change documents without a finished run over them.

    Raises:
        InputError: the step with a single task has not run, or had other tasks.
    """
    if not (run / "run.json").exists() or not path.exists():
        raise InputError(
            say("{folder} contains no decisions for {file}", folder=run.parent, file=path.name),
            hint=say("first run the pipelines with SaveTexts and {step}, with the same number of tasks", step=step),
        )


def verified(data: Iterable[Any] | None, path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the documents of a task with their rows in the file of saved texts.

    Raises:
        InputError: the documents differ from the saved ones.
    """
    with path.open(encoding="utf-8") as saved:
        for row, document in enumerate(data or (), 1):
            if saved.readline().removesuffix("\n") != _line(row, document):
                raise _other(path, row)
            yield row, document
        if saved.readline():
            raise _other(path, None)


def _line(row: int, document: Any) -> str:
    return json.dumps({"id": document.id, "text": document.text, "row": row})


def _other(path: Path, row: int | None) -> InputError:
    problem = (
        say("document {row} differs from the one saved in {file}", row=row, file=path)
        if row is not None
        else say("fewer documents than saved in {file}", file=path)
    )
    return InputError(problem, hint=say("read the same documents in the same order, with the same number of tasks"))


__all__ = ["KIND", "DecidingStep", "SaveTexts", "demand_decided", "texts_of", "verified"]
