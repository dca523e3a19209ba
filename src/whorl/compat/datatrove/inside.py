"""Steps that remove text inside documents: repeated text, and items of benchmarks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

from datatrove.pipeline.base import PipelineStep
from datatrove.utils.typeshelper import StatHints

from whorl.compat.datatrove.texts import KIND, DecidingStep, demand_decided, texts_of, verified
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.tasks.decontaminate.files import decontaminate_files
from whorl.tasks.library.arguments import Place
from whorl.tasks.strip import strip_files

_STRIPPED, _DECONTAMINATED = "stripped", "decontaminated"
_TAG = "contamination"


class Strip(DecidingStep):
    """Find repeated text; the only step of a pipeline with a single task.

    Args:
        folder: folder of `SaveTexts`; the run with its report is kept in ``folder/stripped``.
        **options: options of ``whorl.strip_files``: inside, least, repeats, keep, action, workers ...
    """

    name = "whorl: strip"

    def decide(self, texts: Path) -> tuple[int, int]:
        """Find the text that is repeated in the documents of all tasks."""
        counts = strip_files(texts, self.folder / _STRIPPED, text="text", id="id", **self.options).run["counts"]
        return counts["rows"], counts["dropped"]


class Decontaminate(DecidingStep):
    """Find items of benchmarks; the only step of a pipeline with a single task.

    Args:
        folder: folder of `SaveTexts`; the run with its report is kept in ``folder/decontaminated``.
        against: the benchmarks, as for ``whorl.decontaminate_files``.
        action: "drop" drops contaminated documents, "cut" removes the items from them, and "tag" writes them into the
            metadata "contamination".
        **options: further options of ``whorl.decontaminate_files``: count, against_text, workers ...

    Raises:
        UsageError: the action is "report".
    """

    name = "whorl: decontaminate"

    def __init__(self, folder: Place, against: Any, action: str = "drop", **options: Any) -> None:
        super().__init__(folder, **options, against=against, action=action)
        if action == "report":
            raise UsageError(
                say("a stream needs an action that changes documents"),
                hint=say("choose one of {names}", names="drop, cut, tag"),
            )

    def decide(self, texts: Path) -> tuple[int, int]:
        """Find the items in the documents of all tasks."""
        out = self.folder / _DECONTAMINATED
        counts = decontaminate_files(texts, out, text="text", id="id", column=_TAG, **self.options).run["counts"]
        return counts["rows"], counts["dropped"]


class _Apply(PipelineStep):  # type: ignore[misc]
    """Change the documents of a task as a run did in the file with its texts."""

    type = KIND

    def __init__(self, folder: Place, exclusion_writer: Any, run: str, step: str) -> None:
        super().__init__()
        self.folder = Path(folder)
        self.exclusion_writer = exclusion_writer
        self._run_folder, self._step = self.folder / run, step

    def run(self, data: Iterable[Any] | None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Pass on the documents that are left of one task, with their new texts.

        Raises:
            InputError: the step with a single task has not run, or the documents differ from the saved ones.
        """
        path = texts_of(self.folder, rank, world_size)
        demand_decided(self._run_folder, path, self._step)
        metadata = self._metadata(path)
        with ExitStack() as stack:
            writer = stack.enter_context(self.exclusion_writer or nullcontext())
            kept = _rows(stack, self._run_folder / "kept" / path.name)
            following = next(kept, None)
            for row, document in verified(data, path):
                self.stat_update(StatHints.total)
                if following is None or following["row"] != row:
                    self.stat_update(StatHints.dropped)
                    if writer is not None:
                        writer.write(document, rank)
                    continue
                document.text = following["text"]
                document.metadata.update(metadata.get(row, {}))
                if following.get(_TAG):
                    document.metadata[_TAG] = following[_TAG]
                self.stat_update(StatHints.forwarded)
                yield document
                following = next(kept, None)

    def _metadata(self, path: Path) -> Mapping[int, Mapping[str, Any]]:  # noqa: ARG002
        """Return what is added to the metadata of the documents of a file, by row."""
        return {}


class ApplyStrip(_Apply):
    """Remove the text that `Strip` found, and drop documents of which too little is left.

    Args:
        folder: folder of `SaveTexts`.
        exclusion_writer: datatrove writer for dropped documents.

    The metadata "whorl_cuts" of a document with cuts has the range of each in the original text, in code points.
    """

    name = "whorl: apply strip"

    def __init__(self, folder: Place, exclusion_writer: Any = None) -> None:
        super().__init__(folder, exclusion_writer, _STRIPPED, "Strip")

    def _metadata(self, path: Path) -> Mapping[int, Mapping[str, Any]]:
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        columns = ["row", "start", "end"]
        table = pq.read_table(self._run_folder / "cuts.parquet", columns=columns, filters=pc.field("file") == path.name)
        cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for row, start, end in zip(*(table[name].to_pylist() for name in columns), strict=True):
            cuts[row].append((start, end))
        return {row: {"whorl_cuts": ranges} for row, ranges in cuts.items()}


class ApplyDecontaminate(_Apply):
    """Drop, cut or tag the documents in which `Decontaminate` found items of benchmarks.

    Args:
        folder: folder of `SaveTexts`.
        exclusion_writer: datatrove writer for dropped documents.
    """

    name = "whorl: apply decontaminate"

    def __init__(self, folder: Place, exclusion_writer: Any = None) -> None:
        super().__init__(folder, exclusion_writer, _DECONTAMINATED, "Decontaminate")


def _rows(stack: ExitStack, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file that a run has kept; none if it kept no row."""
    if path.exists():
        yield from map(json.loads, stack.enter_context(path.open(encoding="utf-8")))


__all__ = ["ApplyDecontaminate", "ApplyStrip", "Decontaminate", "Strip"]
