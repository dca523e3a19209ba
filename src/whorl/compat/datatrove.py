"""Pipeline steps for datatrove that remove duplicates, with evidence.

Each task of a pipeline sees only a part of the documents, but duplicates depend on all of them. As with datatrove's own
deduplication, there are three pipelines, and the second has a single task:

    >>> from whorl.compat.datatrove import Decide, DropCopies, SaveTexts
    >>> save = [JsonlReader("in"), SaveTexts("work")]  # doctest: +SKIP
    >>> decide = [Decide("work", method="news")]  # doctest: +SKIP
    >>> drop = [JsonlReader("in"), DropCopies("work"), JsonlWriter("out")]  # doctest: +SKIP

The first and the third must read the same documents in the same order and with the same number of tasks. Every document
is verified, so that a different order raises an error and never drops the wrong document. The result does not depend on
the number of tasks or workers, except with ``keep="first"``, which keeps the copy of the first task. ``work`` is a
folder that all tasks can access.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.release import missing_program
from whorl.tasks.dedup.run import dedup_files
from whorl.tasks.library.arguments import Place

try:
    from datatrove.pipeline.base import PipelineStep
    from datatrove.utils.typeshelper import StatHints
except ModuleNotFoundError:
    raise missing_program(__name__, "datatrove") from None

_TEXTS, _CLEAN = "texts", "clean"
_KIND = "🫂 - DEDUP"
_EVIDENCE = ("duplicate_of", "similarity", "measure", "cluster_id")


class SaveTexts(PipelineStep):  # type: ignore[misc]
    """Save id and text of each document for `Decide`, and pass it on.

    Args:
        folder: folder that all tasks can access.

    Disk: one copy of the texts.
    """

    type = _KIND
    name = "whorl: save texts"

    def __init__(self, folder: Place) -> None:
        super().__init__()
        self.folder = Path(folder)

    def run(self, data: Iterable[Any] | None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Write the documents of one task."""
        path = _texts_of(self.folder, rank, world_size)
        unfinished = path.with_suffix(".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            for document in data or ():
                with self.track_time():
                    file.write(_line(document) + "\n")
                    self.stat_update(StatHints.total, StatHints.forwarded)
                yield document
        unfinished.replace(path)


class Decide(PipelineStep):  # type: ignore[misc]
    """Find the duplicates; the only step of a pipeline with a single task.

    Args:
        folder: folder of `SaveTexts`; the run with its report is kept in ``folder/clean``.
        **options: options of ``whorl.dedup_files``: method, threshold, keep, against, workers ...

    Cost: see ``whorl.dedup_files``: linear, on all cores; about 320 bytes of memory for each document.
    """

    type = _KIND
    name = "whorl: decide"

    def __init__(self, folder: Place, **options: Any) -> None:
        super().__init__()
        self.folder = Path(folder)
        self.options = options

    def run(self, data: Iterable[Any] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:  # noqa: ARG002
        """Find the duplicates among the documents of all tasks.

        Raises:
            UsageError: the pipeline has several tasks, or a step before this one.
            InputError: the texts of a task are missing.
        """
        if world_size != 1 or data is not None:
            raise UsageError(
                say("the decision needs the documents of all tasks"),
                hint=say("run it in a separate pipeline with one task"),
            )
        with self.track_time():
            cleaned = dedup_files(_whole(self.folder), self.folder / _CLEAN, text="text", id="id", **self.options)
        self.stat_update(StatHints.total, value=cleaned.run["counts"]["rows"])
        self.stat_update(StatHints.dropped, value=cleaned.run["counts"]["duplicates"])
        yield from ()


class DropCopies(PipelineStep):  # type: ignore[misc]
    """Drop the duplicates that `Decide` found.

    Args:
        folder: folder of `SaveTexts`.
        exclusion_writer: datatrove writer for dropped documents; their metadata "whorl" has the evidence:
            ``duplicate_of``, ``similarity``, ``measure`` and ``cluster_id``.
    """

    type = _KIND
    name = "whorl: drop copies"

    def __init__(self, folder: Place, exclusion_writer: Any = None) -> None:
        super().__init__()
        self.folder = Path(folder)
        self.exclusion_writer = exclusion_writer

    def run(self, data: Iterable[Any] | None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Pass on the kept documents of one task.

        Raises:
            InputError: `Decide` has not run, or the documents differ from the saved ones.
        """
        path = _texts_of(self.folder, rank, world_size)
        removed = _removed(self.folder / _CLEAN, path)
        with ExitStack() as stack:
            writer = None if self.exclusion_writer is None else stack.enter_context(self.exclusion_writer)
            saved = stack.enter_context(path.open(encoding="utf-8"))
            for row, document in enumerate(data or (), 1):
                if saved.readline().removesuffix("\n") != _line(document):
                    raise _other(path, row)
                self.stat_update(StatHints.total)
                evidence = removed.get(row)
                if evidence is None:
                    self.stat_update(StatHints.forwarded)
                    yield document
                    continue
                self.stat_update(StatHints.dropped)
                if writer is not None:
                    document.metadata["whorl"] = evidence
                    writer.write(document, rank)
            if saved.readline():
                raise _other(path, None)


def _line(document: Any) -> str:
    return json.dumps({"id": document.id, "text": document.text})


def _texts_of(folder: Path, rank: int, world_size: int) -> Path:
    return folder / _TEXTS / f"{rank:05d}-of-{world_size:05d}.jsonl"


def _whole(folder: Path) -> Path:
    """Return the folder of texts after checking that exactly the tasks of one pipeline wrote it."""
    texts = folder / _TEXTS
    files = sorted(texts.glob("*"))
    if not files or files != [_texts_of(folder, rank, len(files)) for rank in range(len(files))]:
        raise InputError(
            say("{folder} does not contain the texts of all tasks of one pipeline", folder=texts),
            hint=say("empty it, and run the pipeline with SaveTexts to completion"),
        )
    return texts


def _removed(clean: Path, path: Path) -> Mapping[int, Mapping[str, Any]]:
    """Return the dropped rows of a file with their evidence."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if not (clean / "run.json").exists() or not path.exists():
        raise InputError(
            say("{folder} contains no decisions for {file}", folder=clean.parent, file=path.name),
            hint=say("first run the pipelines with SaveTexts and Decide, with the same number of tasks"),
        )
    table = pq.read_table(clean / "duplicates.parquet", filters=pc.field("file") == path.name)
    return {row["row"]: {name: row[name] for name in _EVIDENCE} for row in table.to_pylist()}


def _other(path: Path, row: int | None) -> InputError:
    problem = (
        say("document {row} differs from the one saved in {file}", row=row, file=path)
        if row is not None
        else say("fewer documents than saved in {file}", file=path)
    )
    return InputError(problem, hint=say("read the same documents in the same order, with the same number of tasks"))


__all__ = ["Decide", "DropCopies", "SaveTexts"]
