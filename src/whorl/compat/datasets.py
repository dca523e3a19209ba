"""Deduplication of Hugging Face datasets, in memory, or through files for streaming datasets.

>>> import datasets
>>> from whorl.compat.datasets import dedup
>>> texts = ["今天天气很好，适合出门散步。", "今天天气很好,适合出门散步!", "明天有雨，记得带伞。"]
>>> result = dedup(datasets.Dataset.from_dict({"text": texts, "label": [0, 0, 1]}))
>>> list(result.kept["label"])
[0, 1]
>>> result.duplicates["duplicate_of"].to_pylist()
['0']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from whorl.engines.memory.dedup import DedupResult
from whorl.engines.memory.dedup import dedup as dedup_in_memory
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.release import missing_program
from whorl.tasks.dedup.run import DedupRun, dedup_files
from whorl.tasks.library.arguments import Place

try:
    import datasets
except ModuleNotFoundError:
    raise missing_program(__name__, "datasets") from None

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa

    from whorl.tasks.dedup.job import DedupOptions

_ROWS_AT_ONCE = 1000
_FILE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class CleanedStream:
    """Result of deduplicating a streaming dataset.

    Attributes:
        files: the dedup run: its folder, counts, warnings, tables and report.
        features: features of the dataset; None if it does not declare them.
    """

    files: DedupRun
    features: Any = field(repr=False)

    @cached_property
    def kept(self) -> Any:
        """The kept rows in order, as a ``datasets.IterableDataset`` with the same features."""
        paths = sorted(str(path) for path in (self.files.out / "kept").glob("*.parquet"))
        return datasets.load_dataset("parquet", data_files=paths, split="train", streaming=True, features=self.features)

    @property
    def duplicates(self) -> pa.Table:
        """A row for each removed document, with its evidence."""
        return self.files.duplicates

    @property
    def clusters(self) -> pa.Table:
        """A row for each clustered document, with its cluster and role."""
        return self.files.clusters

    @property
    def run(self) -> Any:
        """Counts, recipe, versions, warnings and timings."""
        return self.files.run

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return self.files.report()

    def _repr_html_(self) -> str:
        return self.files._repr_html_()


def dedup(dataset: Any, out: Place | None = None, **options: Unpack[DedupOptions]) -> DedupResult | CleanedStream:
    """Remove duplicates from a dataset; the kept rows have the features of the dataset.

    Args:
        dataset: a ``datasets.Dataset``, or a ``datasets.IterableDataset``, which is first written to Parquet files.
        out: only for a streaming dataset: a new folder for these files, ``out/input``, and the run, ``out/clean``.
            The result is read from ``out/clean``; ``out/input`` may be deleted.
        **options: options of ``whorl.dedup``, or of ``whorl.dedup_files`` for a streaming dataset.

    Returns:
        A ``whorl.results.DedupResult`` whose ``kept`` is a ``datasets.Dataset``, or a ``CleanedStream`` whose ``kept``
        is a ``datasets.IterableDataset``.

    Raises:
        UsageError: the dataset has several splits; or ``out`` is missing, already exists, or was passed for a dataset
            that does not stream.
        InputError: the dataset cannot be read with these options, or its rows have different schemas.

    Cost: linear. Memory: about 320 bytes a row, plus the text columns of a dataset in memory, or some blocks of text of
    a streaming one. Disk: twice the rows of a streaming dataset.
    """
    if isinstance(dataset, datasets.IterableDataset):
        if out is None:
            raise UsageError(
                say("a streaming dataset needs an output folder"), hint=say("pass a new folder: `out=...`")
            )
        features, folder = dataset.features, Path(out)
        _write(dataset, folder / "input")
        return CleanedStream(dedup_files(folder / "input", folder / "clean", **options), features)
    if isinstance(dataset, datasets.Dataset):
        if out is not None:
            raise UsageError(say("a dataset that does not stream is deduplicated in memory"), hint=say("omit `out`"))
        return cast(DedupResult, dedup_in_memory(dataset, **cast(dict[str, Any], options)))
    if isinstance(dataset, dict):
        names = ", ".join(map(str, dataset))
        raise UsageError(
            say("expected one split, got {names}", names=names),
            hint=say("pass one of them; pass a reference split as `against`"),
        )
    raise UsageError(
        say("expected a dataset, got {kind}", kind=type(dataset).__name__),
        hint=say("use `whorl.dedup` for other types"),
    )


def _write(stream: Any, folder: Path) -> None:
    """Write the rows to Parquet files of bounded size, in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if folder.parent.exists() and (not folder.parent.is_dir() or any(folder.parent.iterdir())):
        raise UsageError(say("{folder} is not empty", folder=folder.parent), hint=say("pass a new folder: `out=...`"))
    tables = iter(stream.with_format("arrow").iter(batch_size=_ROWS_AT_ONCE))
    first = next(tables, None)
    if first is None:
        raise InputError(say("the dataset has no rows"), hint=say("check how it was built"))
    schema = first.schema if stream.features is None else stream.features.arrow_schema
    folder.mkdir(parents=True)
    remaining = chain([first], tables)
    for number, group in enumerate(_groups(remaining)):
        with pq.ParquetWriter(folder / f"part-{number:05d}.parquet", schema) as writer:
            for table in group:
                try:
                    writer.write_table(table.select(schema.names).cast(schema))
                except (pa.ArrowException, ValueError, KeyError) as error:
                    raise InputError(
                        say("the rows of the dataset have different schemas: {error}", error=error),
                        hint=say("set the features: `dataset.cast(datasets.Features(...))`"),
                    ) from error


def _groups(tables: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Yield groups of tables of bounded size; each group must be consumed before the next."""
    for first in tables:
        yield _group(first, tables)


def _group(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    size = first.nbytes
    while size < _FILE_BYTES and (table := next(rest, None)) is not None:
        size += table.nbytes
        yield table


__all__ = ["CleanedStream", "dedup"]
