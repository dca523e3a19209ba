"""Documents of a corpus in order of time, from files or from memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whorl._internal.frozen import frozen
from whorl.corpus import WHOLE, Columns, Rejection, Rejects, Source, read_source
from whorl.corpus import sources_ahead as ahead
from whorl.corpus.dates import date_columns, first_dates
from whorl.corpus.discovery import survey
from whorl.engines.memory.sources import hold
from whorl.errors import InputError
from whorl.i18n import say
from whorl.tasks.library.arguments import reading

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from whorl.recipe import Recipe
    from whorl.tasks import Progress

FOLDER = "folder"
"""Name of the group column that means the folder of a file."""
_TITLE = "title"
"""Name of the column of titles."""


@dataclass(slots=True)
class ReuseCorpus:
    """Documents in the order in which they were read.

    Attributes:
        texts: the texts, in blocks as they were read.
        ids: their ids, unique.
        titles: their titles; empty if they have none.
        groups: their groups; None without a group.
        dates: publication times in seconds since 1970, NaN if unknown.
        others: True for documents of the second corpus.
        inputs: name, size and SHA-256 of each file.
        rejected: unreadable files and rows.
    """

    texts: list[pa.LargeStringArray] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    groups: list[str | None] = field(default_factory=list)
    dates: list[float] = field(default_factory=list)
    others: list[bool] = field(default_factory=list)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)

    def extend(
        self,
        texts: pa.LargeStringArray,
        ids: Sequence[str],
        titles: Sequence[str],
        groups: Sequence[str | None],
        dates: Sequence[float],
        is_other: bool,
    ) -> None:
        """Append documents."""
        self.texts.append(texts)
        self.ids += ids
        self.titles += titles
        self.groups += groups
        self.dates += dates
        self.others += [is_other] * len(texts)


@frozen(eq=False)
class OrderedDocuments:
    """Documents in order of time, those without a date last.

    Attributes:
        texts: the texts as an Arrow array.
        ids: their ids.
        titles: their titles; empty if they have none.
        groups: their groups.
        dates: publication times, NaN if unknown.
        others: True for documents of the second corpus.
        lengths: lengths in code points.
    """

    texts: pa.LargeStringArray
    ids: list[str]
    titles: list[str]
    groups: list[str | None]
    dates: NDArray[np.float64]
    others: NDArray[np.bool_]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def digest(self) -> str:
        """SHA-256 of all ids and texts in order, in hexadecimal."""
        digest = sha256()
        for id_, text in zip(self.ids, self.texts, strict=True):
            digest.update(f"{id_}\0".encode("utf-8", "surrogatepass"))
            digest.update(text.as_buffer() or b"")
        return digest.hexdigest()

    @classmethod
    def of(cls, corpus: ReuseCorpus) -> OrderedDocuments:
        """Order a corpus by date, then as read; equal ids of several documents get a number.

        The corpus loses its texts, so that they are in memory once.
        """
        dates = np.array(corpus.dates, np.float64)
        order = np.argsort(dates, kind="stable")
        texts = pa.concat_arrays([pa.array([], pa.large_string()), *corpus.texts])
        corpus.texts.clear()
        texts = texts.take(pa.array(order))
        ids = _unique(corpus.ids)
        return cls(
            texts,
            [ids[place] for place in order],
            [corpus.titles[place] for place in order],
            [corpus.groups[place] for place in order],
            dates[order],
            np.array(corpus.others, np.bool_)[order],
            pc.utf8_length(texts).to_numpy().astype(np.int64),
        )


def _unique(ids: Sequence[str]) -> list[str]:
    counts: dict[str, int] = {}
    unique = []
    for id_ in ids:
        counts[id_] = count = counts.get(id_, 0) + 1
        unique.append(id_ if count == 1 else f"{id_}#{count}")
    return unique


def read_files(
    corpus: ReuseCorpus,
    inputs: Sequence[str],
    recipe: Recipe,
    group: str | None,
    is_other: bool,
    forbid: Path | None,
    progress: Progress,
) -> None:
    """Append the documents of files.

    Raises:
        InputError: an input does not exist, holds no files, or no row has the group column.
    """
    sources = survey(inputs, forbid=forbid).sources
    by_column = group is not None and group != FOLDER
    columns = Columns(recipe.text, id=recipe.id, others=True, dated=not by_column)
    options, rejects = reading(recipe), Rejects(on_error="skip")
    for source in sources:
        if source.path is not None:
            with source.path.open("rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
            corpus.inputs.append({"name": source.name, "bytes": source.path.stat().st_size, "sha256": digest})
    for source in ahead(list(sources), columns, rejects, options):
        for batch in read_source(source, columns, rejects, options):
            texts = pa.array(batch.texts).cast(pa.large_string())
            ids = [
                id_ or _name(source, row)
                for id_, row in zip(pa.array(batch.ids).to_pylist(), batch.rows.tolist(), strict=True)
            ]
            rows = batch.others or [{}] * len(texts)
            titles = [_title(row.get(_TITLE)) for row in rows]
            if by_column and group is not None:
                groups, dates = [_label(row.get(group)) for row in rows], _dates(rows, recipe)
            else:
                groups = [_folder(source) if group else None] * len(texts)
                dates = [float("nan")] * len(texts) if batch.order is None else np.asarray(batch.order).tolist()
            corpus.extend(texts, ids, titles, groups, dates, is_other)
            progress.advance(len(texts))
    corpus.rejected.extend(rejects.named)
    if by_column and corpus.ids and not any(corpus.groups):
        raise InputError(
            say("no row has the group column '{column}'", column=group), hint=say("name a column of the corpus")
        )


def _name(source: Source, row: int) -> str:
    return source.name if source.format in WHOLE else f"{source.name}:{row}"


def _folder(source: Source) -> str:
    return PurePosixPath(source.name).parent.name or "."


def _label(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _title(value: Any) -> str:
    """Return a title as one line; lone surrogates become question marks."""
    return " ".join(str(value or "").encode("utf-8", "replace").decode().split())


def _dates(rows: Sequence[Mapping[str, Any]], recipe: Recipe) -> list[float]:
    names = date_columns(list(dict.fromkeys(name for row in rows for name in row)), (*recipe.text, recipe.id))
    dates: list[float] = first_dates(
        {name: [row.get(name) for row in rows] for name in names}, len(rows)
    ).values.tolist()
    return dates


def read_memory(corpus: ReuseCorpus, source: Any, recipe: Recipe, group: str | None, is_other: bool) -> None:
    """Append documents in memory: a frame, a table, or a list of strings or dicts. Null texts are left out.

    Raises:
        InputError: the documents or the group column cannot be read.
    """
    is_table = hasattr(source, "columns") or hasattr(source, "__arrow_c_stream__")
    collection = (
        list(source) if isinstance(source, Iterable) and not isinstance(source, str) and not is_table else source
    )
    rows = hold(collection, recipe).rows
    count = len(rows)
    groups = [None] * count if group is None else _group_column(collection, group, count)
    titles = _column(collection, _TITLE, count)
    dates = rows.order.tolist() if len(rows.order) else [float("nan")] * count
    prefix = "other:" if is_other else ""
    ids = [id_ or f"{prefix}{number}" for number, id_ in enumerate(rows.ids, start=1)]
    texts = _arrow(rows.texts) if isinstance(rows.texts, list) else pa.array(rows.texts).cast(pa.large_string())
    kept = np.flatnonzero(texts.is_valid()).tolist()
    corpus.extend(
        texts.drop_null(),
        [ids[number] for number in kept],
        [_title(titles[number]) for number in kept],
        [groups[number] for number in kept],
        [dates[number] for number in kept],
        is_other,
    )


def _arrow(texts: Sequence[str | None]) -> pa.LargeStringArray:
    """Return texts as an Arrow array; lone surrogates become question marks."""
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        replaced = [None if text is None else text.encode("utf-8", "replace").decode() for text in texts]
        return pa.array(replaced, pa.large_string())


def _column(source: Any, name: str, count: int) -> list[str | None]:
    """Return a column of a frame, a table or dicts as labels: None for missing values and without such a column."""
    if isinstance(source, list):
        values = [item.get(name) if isinstance(item, Mapping) else None for item in source]
    elif name in getattr(source, "column_names", getattr(source, "columns", ())):
        column = source[name]
        values = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    else:
        values = []
    if len(values) != count:
        return [None] * count
    return [None if value != value else _label(value) for value in values]


def _group_column(source: Any, name: str, count: int) -> list[str | None]:
    """Return the groups of documents in memory; refuse a column without values."""
    groups = _column(source, name, count)
    if all(group is None for group in groups):
        raise InputError(
            say("no row has the group column '{column}'", column=name), hint=say("name a column of the corpus")
        )
    return groups


__all__ = ["FOLDER", "OrderedDocuments", "ReuseCorpus", "read_files", "read_memory"]
