"""Read the items of benchmarks from files, or from rows in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus import Columns, ReadOptions
from whorl.corpus.discovery import discover
from whorl.corpus.reader import read_source
from whorl.corpus.rejects import Rejects
from whorl.errors import InputError
from whorl.i18n import say
from whorl.inside.contamination.fields import QUESTION, USUAL_QUESTIONS, FieldColumns, ItemText

_USUAL_IDS = ("id", "task_id", "question_id", "qid", "uid", "idx", "ind", "key")
_ROW_FORMATS = {"jsonl", "parquet", "csv", "xlsx"}
"""Formats of rows with columns; files of all others are one item each."""
_SUFFIXES = (".gz", ".zst", ".jsonl", ".json", ".ndjson", ".parquet", ".csv", ".tsv", ".xlsx", ".txt")


@frozen
class BenchmarkPath:
    """A benchmark and where it is.

    Attributes:
        name: its name in the results.
        path: a file, folder or glob.
    """

    name: str
    path: str

    @classmethod
    def of(cls, argument: str) -> BenchmarkPath:
        """Return the benchmark of ``NAME=PATH`` or ``PATH``; without a name it is called as its file or folder."""
        name, sign, path = argument.partition("=")
        if sign and name and path and "/" not in name and not Path(argument).exists():
            return cls(name, path)
        stem = Path(argument).name or Path(argument).resolve().name
        while (suffix := Path(stem).suffix) in _SUFFIXES and stem != suffix:
            stem = stem[: -len(suffix)]
        return cls(stem, argument)


@frozen
class Item:
    """An item of a benchmark.

    Attributes:
        benchmark: the name of its benchmark.
        id: its id; without one its row number, after the name of its file if there are several.
        texts: its texts, the question first.
    """

    benchmark: str
    id: str
    texts: tuple[ItemText, ...]


def read_benchmark(
    benchmark: BenchmarkPath, fields: FieldColumns | None, id_column: str | None, options: ReadOptions
) -> list[Item]:
    """Read the items of a benchmark.

    Args:
        benchmark: its name and path.
        fields: the columns of the fields; None chooses them by their usual names, for each file.
        id_column: the column of ids; None chooses it by its usual names.
        options: the read options.

    Raises:
        InputError: there is no item, a row cannot be read, or a file has no column of the question.
    """
    sources = list(discover([benchmark.path]))
    items: list[Item] = []
    rejects = Rejects(on_error="stop", hint=say("fix it: all items of a benchmark are compared"))
    for source in sources:
        columns = Columns(_requested(fields), others=True, id_required=False)
        for batch in read_source(source, columns, rejects, options):
            texts = None
            for place, row in enumerate(batch.others or ()):
                if source.format in _ROW_FORMATS:
                    parts = (fields or _usual(tuple(row), source.label)).texts(row)
                else:
                    texts = batch.texts.to_pylist() if texts is None else texts
                    parts = [ItemText(QUESTION, "text", texts[place])]
                number = f"{batch.rows[place]}"
                name = number if len(sources) == 1 else f"{source.name}#{number}"
                items.append(Item(benchmark.name, _id_of(row, id_column) or name, tuple(parts)))
    items = _with_unique_ids([item for item in items if item.texts])
    if not items:
        raise InputError(say("{path} has no item", path=benchmark.path), hint=say("check the fields: `against_text`"))
    return items


def items_of_rows(name: str, rows: Iterable[Any], fields: FieldColumns | None, id_column: str | None) -> list[Item]:
    """Return the items of rows in memory: strings, or mappings with the fields.

    Raises:
        InputError: a row is neither, or has no question.
    """
    items: list[Item] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, str):
            items.append(Item(name, str(number), (ItemText(QUESTION, "text", row),)))
            continue
        if not isinstance(row, Mapping):
            raise InputError(
                say("item {number} of {name} is {kind}", number=number, name=name, kind=type(row).__name__),
                hint=say("use strings or dicts"),
            )
        chosen = fields or _usual(tuple(row), name)
        items.append(Item(name, _id_of(row, id_column) or str(number), tuple(chosen.texts(row))))
    return _with_unique_ids([item for item in items if item.texts])


def _with_unique_ids(items: list[Item]) -> list[Item]:
    """Append a number to repeated ids, as of benchmarks that number the items of each subject anew."""
    counts = Counter[str]()
    unique: list[Item] = []
    for item in items:
        counts[item.id] += 1
        count = counts[item.id]
        unique.append(item if count == 1 else replace(item, id=f"{item.id}#{count}"))
    return unique


def _requested(fields: FieldColumns | None) -> tuple[str, ...]:
    """Return the required columns: a row needs a value in one or more of them."""
    if fields is None:
        return USUAL_QUESTIONS
    return fields.columns.get(QUESTION) or fields.all


@cache
def _usual(names: tuple[str, ...], label: str) -> FieldColumns:
    """Return the fields of a row: rows of one file may have different columns."""
    chosen = FieldColumns.usual(names)
    if chosen is None:
        raise InputError(
            say("{label}: no column holds the question; its columns are {names}", label=label, names=", ".join(names)),
            hint=say("name the columns of the fields: `against_text`, such as question=stem"),
        )
    return chosen


def _id_of(row: Mapping[str, Any], column: str | None) -> str | None:
    names = _USUAL_IDS if column is None else (column,)
    value = next((row[name] for name in names if row.get(name) is not None), None)
    return None if value is None else str(value)


__all__ = ["BenchmarkPath", "Item", "items_of_rows", "read_benchmark"]
