"""Remove duplicates, repeated text and items of benchmarks from Hugging Face datasets.

A dataset is processed in memory, a streaming one through files.

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

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from whorl._internal.frozen import frozen
from whorl.engines.memory.dedup import DedupResult
from whorl.engines.memory.dedup import dedup as dedup_in_memory
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.inside.memory import StripResult
from whorl.inside.memory import strip as strip_in_memory
from whorl.release import missing_program
from whorl.tasks.decontaminate.files import DecontaminationRun, decontaminate_files
from whorl.tasks.decontaminate.memory import Decontamination
from whorl.tasks.decontaminate.memory import decontaminate as decontaminate_in_memory
from whorl.tasks.dedup.run import DedupRun, dedup_files
from whorl.tasks.library.arguments import Place
from whorl.tasks.strip import StripRun, strip_files

try:
    import datasets
except ModuleNotFoundError:
    raise missing_program(__name__, "datasets") from None

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa

    from whorl.inside.contamination.rewriting import Action
    from whorl.tasks.decontaminate.benchmarks import Against
    from whorl.tasks.dedup.job import DedupOptions

_ROWS_AT_ONCE = 1000
_FILE_BYTES = 256 * 2**20

RunT = TypeVar("RunT", DedupRun, StripRun, DecontaminationRun)


@frozen(slots=False)
class _Stream(Generic[RunT]):
    """Result of a run over a streaming dataset.

    Attributes:
        files: the run over the files of the dataset: its folder, counts, tables and report.
        features: features of the kept rows; None if the dataset does not declare them.
    """

    files: RunT
    features: Any = field(repr=False)

    @cached_property
    def kept(self) -> Any:
        """The kept rows in order, as a ``datasets.IterableDataset`` with the same features."""
        paths = sorted(str(path) for path in (self._out / "kept").glob("*.parquet"))
        return datasets.load_dataset("parquet", data_files=paths, split="train", streaming=True, features=self.features)

    @property
    def run(self) -> Mapping[str, Any]:
        """Counts, settings, versions and timings."""
        return self.files.run

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        return self.files.report()

    @property
    def _out(self) -> Path:
        assert self.files.out is not None
        return self.files.out


class CleanedStream(_Stream[DedupRun]):
    """Result of deduplicating a streaming dataset.

    Attributes:
        files: the run over the files of the dataset: its folder, counts, tables and report.
        features: features of the dataset; None if it does not declare them.
    """

    @property
    def duplicates(self) -> pa.Table:
        """A row for each removed document, with its evidence."""
        return self.files.duplicates

    @property
    def clusters(self) -> pa.Table:
        """A row for each clustered document, with its cluster and role."""
        return self.files.clusters

    def _repr_html_(self) -> str:
        return self.files._repr_html_()


class StrippedStream(_Stream[StripRun]):
    """Result of stripping a streaming dataset.

    Attributes:
        files: the run over the files of the dataset: its folder, counts, tables and report.
        features: features of the dataset; None if it does not declare them.
    """

    @property
    def cuts(self) -> pa.Table:
        """A row for each cut, with the place where its text is kept."""
        return self.files.cuts

    @property
    def dropped(self) -> pa.Table:
        """A row for each dropped document."""
        return self.files.dropped


class DecontaminatedStream(_Stream[DecontaminationRun]):
    """Result of decontaminating a streaming dataset.

    Attributes:
        files: the run over the files of the dataset: its folder, counts, hits and report.
        features: features of the kept rows; None if the dataset does not declare them, or tags were added.
    """

    @property
    def hits(self) -> pa.Table:
        """A row for each hit."""
        return self.files.hits


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
    if not _is_stream(dataset, out):
        return cast(DedupResult, dedup_in_memory(dataset, **cast(dict[str, Any], options)))
    files, run = _written(dataset, out)
    return CleanedStream(dedup_files(files, run, **options), dataset.features)


def strip(dataset: Any, out: Place | None = None, **options: Any) -> StripResult[Any] | StrippedStream:
    r"""Remove repeated text from the documents of a dataset; the rows have the features of the dataset.

    >>> import datasets
    >>> from whorl.compat.datasets import strip
    >>> texts = ["The ice house burned down.\nAll rights reserved.", "Rain.\nAll rights reserved."]
    >>> list(strip(datasets.Dataset.from_dict({"text": texts}), inside="lines", least=10).kept["text"])[1]
    'Rain.'

    Args:
        dataset: as for ``dedup``.
        out: as for ``dedup``.
        **options: options of ``whorl.strip``, or of ``whorl.strip_files`` for a streaming dataset.

    Returns:
        A ``whorl.results.StripResult`` whose ``kept`` is a ``datasets.Dataset``, or a ``StrippedStream``.

    Raises:
        UsageError: as for ``dedup``.
        InputError: as for ``dedup``.
    """
    if not _is_stream(dataset, out):
        return strip_in_memory(dataset, **options)
    files, run = _written(dataset, out)
    return StrippedStream(strip_files(files, run, **options), dataset.features)


def decontaminate(
    dataset: Any, out: Place | None = None, *, against: Against, action: Action = "drop", **options: Any
) -> Decontamination[Any] | DecontaminatedStream:
    """Remove items of benchmarks from a dataset.

    >>> import datasets
    >>> from whorl.compat.datasets import decontaminate
    >>> item = {"question": "Which river flows through the old town of Vesterholm?", "answer": "the Aln"}
    >>> texts = ["Which river flows through the old town of Vesterholm? The Aln.", "Rain tomorrow."]
    >>> quiz = datasets.Dataset.from_dict({"text": texts})
    >>> list(decontaminate(quiz, against={"quiz": [item]}).documents["text"])
    ['Rain tomorrow.']

    Args:
        dataset: as for ``dedup``.
        out: as for ``dedup``.
        against: the benchmarks, as for ``whorl.decontaminate``.
        action: "drop" drops contaminated documents, "cut" removes the items from them, "tag" adds a column.
        **options: further options of ``whorl.decontaminate``, or of ``whorl.decontaminate_files`` for a streaming
            dataset.

    Returns:
        A ``whorl.results.Decontamination`` whose ``documents`` are a ``datasets.Dataset``, or a
        ``DecontaminatedStream``.

    Raises:
        UsageError: as for ``dedup``.
        InputError: as for ``dedup``; or a benchmark cannot be read.
    """
    if not _is_stream(dataset, out):
        return decontaminate_in_memory(dataset, against=against, action=action, **options)
    if action == "report":
        raise UsageError(
            say("a stream needs an action that changes documents"),
            hint=say("choose one of {names}", names="drop, cut, tag"),
        )
    files, run = _written(dataset, out)
    scanned = decontaminate_files(files, run, against=against, action=action, **options)
    return DecontaminatedStream(scanned, None if action == "tag" else dataset.features)


def _is_stream(dataset: Any, out: Place | None) -> bool:
    """Return True for a streaming dataset.

    Raises:
        UsageError: the dataset has several splits or another type, or ``out`` does not fit it.
    """
    if isinstance(dataset, datasets.IterableDataset):
        if out is None:
            raise UsageError(
                say("a streaming dataset needs an output folder"), hint=say("pass a new folder: `out=...`")
            )
        return True
    if isinstance(dataset, datasets.Dataset):
        if out is not None:
            raise UsageError(say("a dataset that does not stream is processed in memory"), hint=say("omit `out`"))
        return False
    if isinstance(dataset, dict):
        names = ", ".join(map(str, dataset))
        raise UsageError(
            say("expected one split, got {names}", names=names),
            hint=say("pass one of them; pass a reference split as `against`"),
        )
    raise UsageError(
        say("expected a dataset, got {kind}", kind=type(dataset).__name__),
        hint=say("use the functions of `whorl` for other types"),
    )


def _written(dataset: Any, out: Place | None) -> tuple[Path, Path]:
    """Write a streaming dataset to files; return their folder and that of the run."""
    folder = Path(out or "")
    _write(dataset, folder / "input")
    return folder / "input", folder / "clean"


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


__all__ = [
    "CleanedStream",
    "DecontaminatedStream",
    "StrippedStream",
    "decontaminate",
    "dedup",
    "strip",
]
