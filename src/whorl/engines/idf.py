"""Train an IDF table of word frequencies on a corpus of any size."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl._internal.overlap import read_ahead
from whorl.corpus import EVERYTHING, Columns, ReadOptions, Rejects, Selection, read_files
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.text.idf import TableKind, read_facts, schema
from whorl.text.words import load_dictionary

if TYPE_CHECKING:
    import pyarrow as pa

WORDS_HELD = 2_000_000
"""Words counted in memory, about 200 bytes each, before they are sorted and spilled to disk."""
_ROWS_MERGED = 65_536
_MOST_COMMON_SHOWN = 20


@frozen
class IdfJob:
    """The inputs, options and output of a training.

    Attributes:
        inputs: files, folders, globs, or ``-``.
        out: path of the table.
        columns: which columns make a text.
        options: how rows are parsed.
        hmm: let the model guess words that are not in the dictionary.
        user_dictionary: a file of words that extends the dictionary of jieba.
        stop_share: words of more than this share of the documents are stop words.
        update: add to an existing table.
        selection: which files of folders and globs are read.

    Raises:
        UsageError: ``stop_share`` is out of range.
    """

    inputs: tuple[str, ...]
    out: Path
    columns: Columns = field(default_factory=Columns)
    options: ReadOptions = field(default_factory=ReadOptions)
    hmm: bool = True
    user_dictionary: str | None = None
    stop_share: float = 0.5
    update: bool = False
    selection: Selection = EVERYTHING

    def __post_init__(self) -> None:
        if not 0 < self.stop_share <= 1:
            raise UsageError(
                say("the stop share is {stop_share}, expected a number in (0, 1]", stop_share=self.stop_share),
                hint=say("for example 0.5"),
            )


@frozen
class IdfSummary:
    """Statistics of a training.

    >>> import whorl
    >>> whorl.words.train_idf("examples/newsroom/articles.jsonl", "idf.parquet").summary.documents
    91

    Attributes:
        documents: number of documents with words, including those of an updated table.
        words: number of distinct words.
        rejected: number of unreadable rows by reason.
        most_common: the words of the most documents, each with its share.
        stop_words: number of words above the stop share.
    """

    documents: int
    words: int
    rejected: dict[str, int]
    most_common: list[tuple[str, float]]
    stop_words: int


def train_idf(job: IdfJob) -> IdfSummary:
    """Count the number of documents with each word and write the table.

    Raises:
        InputError: an input or the table to update cannot be read, or no document has a word.
        UsageError: the table already exists and ``update`` is False.

    Cost: segmentation of all texts; memory for ``WORDS_HELD`` words, whatever the size of the corpus.
    """
    dictionary = load_dictionary(job.user_dictionary)
    kind = TableKind.of(dictionary, job.hmm)
    earlier = _earlier(job, kind)
    counts = _core.WordCounts(dictionary, job.hmm)
    with TemporaryDirectory(prefix="whorl-", dir=job.out.absolute().parent) as folder:
        parts = [job.out] if earlier else []
        documents = earlier
        rejects = Rejects()
        batches = read_files(job.inputs, job.columns, rejects, job.options, selection=job.selection)
        for _, batch in read_ahead(batches):
            documents += counts.add(batch.texts)
            if len(counts) > WORDS_HELD:
                parts.append(_set_aside(counts, Path(folder, f"{len(parts)}.parquet"), kind))
        if not documents:
            raise InputError(say("no document contains a word"), hint=say("check the text column, `text`"))
        parts.append(_set_aside(counts, Path(folder, f"{len(parts)}.parquet"), kind))
        table_schema = schema(kind, documents, job.stop_share)
        return _write(job, parts, Path(folder, "table.parquet"), table_schema, documents, dict(rejects.reasons))


def _earlier(job: IdfJob, kind: TableKind) -> int:
    """Return the number of documents in the table to update."""
    if not job.out.exists():
        return 0
    if not job.update:
        raise UsageError(
            say("{out} already exists", out=job.out), hint=say("extend it with `update`, or choose another path")
        )
    documents: int = read_facts(job.out, kind)["documents"]
    return documents


def _set_aside(counts: _core.WordCounts, path: Path, kind: TableKind) -> Path:
    """Write the words counted so far, sorted, and clear the counts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    words, ends, numbers = (pa.py_buffer(buffer) for buffer in counts.take())
    length = len(numbers) // 8
    columns = [
        pa.LargeStringArray.from_buffers(length, ends, words),
        pa.UInt64Array.from_buffers(pa.uint64(), length, [None, numbers]),
    ]
    pq.write_table(pa.Table.from_arrays(columns, schema=schema(kind, 0, 1.0)), path)
    return path


def _write(
    job: IdfJob, parts: list[Path], path: Path, table_schema: pa.Schema, documents: int, rejected: dict[str, int]
) -> IdfSummary:
    """Merge the parts and write the table atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    words, stop_words = 0, 0
    most_common: list[tuple[int, str]] = []
    with pq.ParquetWriter(path, table_schema, compression="zstd") as writer:
        for batch in _merged(parts, table_schema):
            writer.write_batch(batch)
            words += len(batch)
            numbers = batch.column("documents").to_numpy()
            stop_words += int((numbers > job.stop_share * documents).sum())
            highest = numbers.argsort()[-_MOST_COMMON_SHOWN:]
            pairs = zip(
                numbers[highest].tolist(), batch.column("word").take(pa.array(highest)).to_pylist(), strict=True
            )
            most_common = sorted([*most_common, *pairs])[-_MOST_COMMON_SHOWN:]
    path.replace(job.out)
    shares = [(word, number / documents) for number, word in reversed(most_common)]
    return IdfSummary(documents, words, rejected, shares, stop_words)


def _merged(parts: list[Path], table_schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Merge the rows of sorted parts by word, adding up the counts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if len(parts) == 1:
        for batch in pq.ParquetFile(parts[0]).iter_batches(_ROWS_MERGED):
            yield pa.RecordBatch.from_arrays(batch.columns, schema=table_schema)
        return
    rows = heapq.merge(*(_rows(part) for part in parts))
    words: list[str] = []
    numbers: list[int] = []
    for word, same in groupby(rows, itemgetter(0)):
        words.append(word)
        numbers.append(sum(number for _, number in same))
        if len(words) == _ROWS_MERGED:
            yield _batch(words, numbers, table_schema)
            words, numbers = [], []
    if words:
        yield _batch(words, numbers, table_schema)


def _rows(part: Path) -> Iterable[tuple[str, int]]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(part).iter_batches(_ROWS_MERGED):
        yield from zip(batch.column("word").to_pylist(), batch.column("documents").to_pylist(), strict=True)


def _batch(words: list[str], numbers: list[int], table_schema: pa.Schema) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [pa.array(words, pa.large_string()), pa.array(numbers, pa.uint64())], schema=table_schema
    )


__all__ = ["WORDS_HELD", "IdfJob", "IdfSummary", "train_idf"]
