"""Segment texts into words, and train IDF tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from itertools import islice
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from whorl._internal.frozen import frozen
from whorl.corpus import Columns, ReadOptions, Rejects, Selection, read_files
from whorl.corpus.compression import standard_input
from whorl.engines.idf import IdfJob, IdfSummary
from whorl.engines.idf import train_idf as train
from whorl.errors import InputError
from whorl.i18n import say
from whorl.tasks.library.arguments import Place, Places, Texts, places, selected, strings
from whorl.text.words import Cutting, cut, load_dictionary
from whorl.types.cards import NotebookCard
from whorl.types.comparison import Plain, plain

if TYPE_CHECKING:
    from collections.abc import Generator

    from whorl import _core

STDIN = "-"
_LINES_A_BATCH = 1000


class WordOrigin(NamedTuple):
    """Location of a text: its file, its row from 1, and its id, if any."""

    file: str
    row: int
    id: str | None


@frozen
class Segmented:
    """Some segmented texts.

    Attributes:
        origins: location of each text.
        texts: the texts, as a list or an Arrow column.
        cutting: segmentation options.
    """

    origins: Sequence[WordOrigin]
    texts: Any = field(repr=False)
    cutting: Cutting
    dictionary: _core.Words = field(repr=False)

    def lines(self) -> bytes:
        """Return a line for each text, its words separated by spaces, in UTF-8."""
        return bytes(memoryview(self.dictionary.lines(self.texts, self.cutting)))

    def json_lines(self) -> bytes:
        """Return a line of JSON for each text, in UTF-8; a lone surrogate stays a JSON escape."""
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self.to_dicts())
        return "".join(lines).encode("utf-8", "backslashreplace")

    def to_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield each text as plain data for JSON: its location, and its words with offsets in code points."""
        texts = self.texts if isinstance(self.texts, list) else pa.array(self.texts).to_pylist()
        segmented = cut(texts, self.dictionary, self.cutting)
        names = ("text", "start", "end") + (() if segmented.tags is None else ("tag",))
        columns = [segmented.texts, segmented.starts, segmented.ends] + (
            [] if segmented.tags is None else [segmented.tags]
        )
        words = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
        for (file, row, id_), count in zip(self.origins, segmented.counts, strict=True):
            named = {"file": file, "row": row} | ({} if id_ is None else {"id": id_})
            yield named | {"words": list(islice(words, count))}


@frozen
class SegmentedFiles(Plain):
    """Result of segmenting files.

    >>> import whorl
    >>> whorl.words.segment_files("examples/newsroom/articles.jsonl", on_batch=lambda batch: None).texts
    91

    Attributes:
        texts: number of texts.
        rejected: number of unreadable rows by reason.
    """

    texts: int
    rejected: Mapping[str, int]


def segment_files(
    inputs: Places,
    *,
    on_batch: Callable[[Segmented], None],
    mode: str = "precise",
    hmm: bool = True,
    user_dictionary: str | Path | None = None,
    fold: bool = False,
    tags: bool = False,
    stem: str | None = None,
    chunks: bool = False,
    text: Texts | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
) -> SegmentedFiles:
    """Segment the texts of files into words, batch by batch.

    >>> import whorl
    >>> whorl.words.segment_files("examples/newsroom/articles.jsonl", on_batch=lambda batch: None).texts
    91

    Args:
        inputs: files, folders and globs; ``-`` alone is standard input with one text per line.
        on_batch: receives each batch of texts.
        mode: as for ``whorl.words.segment``, like the next six.
        hmm: use the model of jieba to guess unknown words.
        user_dictionary: a file of words that extends the dictionary of jieba.
        fold: fold the text first.
        tags: tag parts of speech.
        stem: a language whose words are stemmed.
        chunks: runs of content words instead of words.
        text: the columns that make up the text.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.

    Raises:
        UsageError: a mode or language is unknown, or they cannot be combined.
        InputError: a file or the dictionary cannot be read as requested.

    Cost: less than a microsecond per character and core; memory for one batch.
    """
    cutting = Cutting(mode, hmm, fold or stem is not None, tags, stem, chunks)
    dictionary = load_dictionary(user_dictionary)
    corpora, files = places(inputs), selected(include, exclude)
    rejected: dict[str, int] = {}
    count = 0
    columns = Columns(strings(text) or ("text",))
    batches = _lines() if corpora == (STDIN,) else _rows(corpora, columns, ReadOptions(encoding), files, rejected)
    with closing(batches):
        for origins, texts in batches:
            on_batch(Segmented(origins, texts, cutting, dictionary))
            count += len(origins)
    return SegmentedFiles(count, rejected)


def _rows(
    inputs: Sequence[str], columns: Columns, options: ReadOptions, files: Selection, rejected: dict[str, int]
) -> Generator[tuple[list[WordOrigin], Any], None, None]:
    rejects = Rejects()
    for source, batch in read_files(inputs, columns, rejects, options, selection=files):
        ids = pa.array(batch.ids).to_pylist()
        named = zip(batch.rows.tolist(), ids, strict=True)
        yield [WordOrigin(source.name, row, id_) for row, id_ in named], batch.texts
    rejected.update(rejects.reasons)


def _lines() -> Generator[tuple[list[WordOrigin], list[str]], None, None]:
    origins: list[WordOrigin] = []
    texts: list[str] = []
    for number, line in enumerate(standard_input(), 1):
        try:
            texts.append(line.decode("utf-8").rstrip("\r\n"))
        except UnicodeDecodeError as error:
            raise InputError(
                say("line {number} of stdin is not UTF-8", number=number),
                hint=say("convert it to UTF-8, or read a file"),
            ) from error
        origins.append(WordOrigin(STDIN, number, None))
        if len(texts) == _LINES_A_BATCH:
            yield origins, texts
            origins, texts = [], []
    if texts:
        yield origins, texts


@frozen
class TrainedTable(NotebookCard):
    """A trained IDF table.

    >>> import whorl
    >>> table = whorl.words.train_idf("examples/newsroom/articles.jsonl", "idf.parquet")
    >>> table.summary.documents
    91

    Attributes:
        table: path of the table.
        summary: statistics of the training.
    """

    table: Path
    summary: IdfSummary

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain data for JSON."""
        return {"table": str(self.table)} | plain(self.summary)


def train_idf(
    inputs: Places,
    out: Place,
    *,
    text: Texts | None = None,
    encoding: str | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    user_dictionary: Place | None = None,
    hmm: bool = True,
    stop_share: float = 0.5,
    update: bool = False,
) -> TrainedTable:
    """Count the number of articles with each word and write the IDF table for methods that weigh words.

    >>> import whorl
    >>> whorl.words.train_idf("examples/newsroom/articles.jsonl", "idf.parquet").summary.documents
    91

    Args:
        inputs: files, folders and globs.
        out: a new file, or with ``update`` an existing table.
        text: the columns that make up the text.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        user_dictionary: a file of words that extends the dictionary of jieba.
        hmm: use the model of jieba to guess unknown words.
        stop_share: words of more than this share of the articles become stop words.
        update: add to an existing table.

    Raises:
        UsageError: the table exists and ``update`` is False, or a value is out of range.
        InputError: an input or the table to update cannot be read, or no document has a word.

    Cost: segmentation of all texts; memory for two million words, whatever the size of the corpus.
    """
    columns, words = Columns(strings(text) or ("text",)), None if user_dictionary is None else fspath(user_dictionary)
    files, path = selected(include, exclude), Path(out)
    job = IdfJob(places(inputs), path, columns, ReadOptions(encoding), hmm, words, stop_share, update, files)
    return TrainedTable(path, train(job))


__all__ = ["IdfSummary", "Segmented", "SegmentedFiles", "TrainedTable", "WordOrigin", "segment_files", "train_idf"]
