"""Steps that find and drop duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from datatrove.pipeline.base import PipelineStep
from datatrove.utils.typeshelper import StatHints

from whorl.compat.datatrove.texts import KIND, DecidingStep, demand_decided, texts_of, verified
from whorl.tasks.dedup.run import dedup_files
from whorl.tasks.library.arguments import Place

_CLEAN = "clean"
_EVIDENCE = ("duplicate_of", "similarity", "measure", "cluster_id")


class Decide(DecidingStep):
    """Find the duplicates; the only step of a pipeline with a single task.

    Args:
        folder: folder of `SaveTexts`; the run with its report is kept in ``folder/clean``.
        **options: options of ``whorl.dedup_files``: method, threshold, keep, against, workers ...

    Cost: see ``whorl.dedup_files``: linear, on all cores; about 320 bytes of memory for each document.
    """

    name = "whorl: decide"

    def decide(self, texts: Path) -> tuple[int, int]:
        """Find the duplicates among the documents of all tasks."""
        counts = dedup_files(texts, self.folder / _CLEAN, text="text", id="id", **self.options).run["counts"]
        return counts["rows"], counts["duplicates"]


class DropCopies(PipelineStep):  # type: ignore[misc]
    """Drop the duplicates that `Decide` found.

    Args:
        folder: folder of `SaveTexts`.
        exclusion_writer: datatrove writer for dropped documents; their metadata "whorl" has the evidence:
            ``duplicate_of``, ``similarity``, ``measure`` and ``cluster_id``.
    """

    type = KIND
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
        path = texts_of(self.folder, rank, world_size)
        demand_decided(self.folder / _CLEAN, path, "Decide")
        removed = _removed(self.folder / _CLEAN, path)
        with self.exclusion_writer or nullcontext() as writer:
            for row, document in verified(data, path):
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


def _removed(clean: Path, path: Path) -> Mapping[int, Mapping[str, Any]]:
    """Return the dropped rows of a file with their evidence."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(clean / "duplicates.parquet", filters=pc.field("file") == path.name)
    return {row["row"]: {name: row[name] for name in _EVIDENCE} for row in table.to_pylist()}


__all__ = ["Decide", "DropCopies"]
