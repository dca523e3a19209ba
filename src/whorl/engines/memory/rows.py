"""The same decisions on documents in memory, without writing to disk."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.corpus.dates import date_columns, first_dates
from whorl.corpus.formats.json.nested import SEPARATOR, has_value_at, value_at
from whorl.corpus.formats.tables.arrays import as_ids, as_strings, bytes_spelling, demand_sound
from whorl.engines.against import SoughtReferences, demand_texts, seeks
from whorl.engines.corpus import Identifiers
from whorl.engines.decide import POSTING, Decisions, ProbeCandidates, Sought, decide
from whorl.engines.progress import Silent
from whorl.engines.ranking import Traits, order_values, rank_documents
from whorl.errors import InputError
from whorl.fingerprints import Family, Fingerprints
from whorl.i18n import say
from whorl.matching.candidates import CandidateRows, CandidateSource
from whorl.matching.fields import Fields
from whorl.recipe import AUTO, Recipe

_TEXTS_AT_ONCE = 4096


@frozen(eq=False)
class Rows:
    """Documents in memory.

    Attributes:
        texts: a list of str or None, or an Arrow string array without chunks.
        ids: one string per document, empty for documents without an id.
        order: float64, the rank value of each document; empty if only the text ranks documents.
        dates: number of documents with a date in each date column, if date columns were searched for.
    """

    texts: Any
    ids: Sequence[str]
    order: NDArray[np.float64]
    dates: Mapping[str, int] = dataclasses.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def readable(self) -> NDArray[np.bool_]:
        """Return True for each document with a text; null is no text, as in files."""
        if isinstance(self.texts, list):
            return np.fromiter((text is not None for text in self.texts), np.bool_, len(self.texts))
        return np.asarray(self.texts.is_valid().to_numpy(zero_copy_only=False), np.bool_)

    def where(self, mask: NDArray[np.bool_]) -> Rows:
        """Return the documents selected by a mask."""
        import pyarrow as pa

        texts = list(compress(self.texts, mask)) if isinstance(self.texts, list) else self.texts.filter(pa.array(mask))
        order = self.order[mask] if len(self.order) else self.order
        return Rows(texts, list(compress(self.ids, mask)), order, self.dates)

    def take(self, documents: Sequence[int]) -> Any:
        """Return the texts of some documents."""
        if isinstance(self.texts, list):
            return [self.texts[document] for document in documents]
        import pyarrow as pa

        return self.texts.take(pa.array(documents, pa.int64()))

    def text(self, document: int) -> str:
        """Return the text of one document."""
        text = self.texts[document] if isinstance(self.texts, list) else self.texts[document].as_py()
        return text or ""

    def __add__(self, other: Rows) -> Rows:
        """Append documents to references; the dates of the references are not counted."""
        texts = _listed(self.texts) + _listed(other.texts)
        has_order = len(self.order) or len(other.order)
        order = [rows.order if len(rows.order) else np.full(len(rows), np.nan) for rows in (self, other)]
        joined = np.concatenate(order) if has_order else np.empty(0)
        return Rows(texts, [*self.ids, *other.ids], joined, other.dates)


def _listed(texts: Any) -> list[str | None]:
    return texts if isinstance(texts, list) else texts.to_pylist()


def rows_of_texts(texts: Sequence[str | None]) -> Rows:
    """Convert strings to rows; None is a document without text.

    Raises:
        InputError: an item is not a string.
    """
    for position, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise InputError(
                say("item {position}: expected str, got {kind}", position=position, kind=type(text).__name__),
                hint=say("use strings or dicts"),
            )
    return Rows(list(texts), [""] * len(texts), np.empty(0))


def rows_of_dicts(items: Sequence[Mapping[str, Any]], recipe: Recipe) -> Rows:
    """Extract the columns of the recipe from mappings; a row without any of its text columns is an error.

    A row where all text columns are None has no text.

    Raises:
        InputError: an item is not a mapping; a row has no text, or one that is not a string; or an id has a lone
            surrogate.
    """
    for position, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise InputError(
                say("item {position}: expected a dict, got {kind}", position=position, kind=type(item).__name__),
                hint=say("use strings or dicts"),
            )
    texts = [_joined(item, recipe.text, position) for position, item in enumerate(items)]
    ids = [_id(value_at(item, recipe.id or "id")) for item in items]
    for position, id_ in enumerate(ids):
        if not id_.isascii() and any("\ud800" <= sign <= "\udfff" for sign in id_):
            raise InputError(
                say("item {position}: the id {id!r} contains a lone surrogate", position=position, id=id_),
                hint=say("remove the surrogate"),
            )
    column = recipe.order_column
    if recipe.finds_dates:
        return Rows(texts, ids, *_dates_of_dicts(items, recipe))
    if column is None:
        return Rows(texts, ids, np.empty(0))
    values = [None if value is None else str(value) for value in (value_at(item, column) for item in items)]
    return Rows(texts, ids, np.frombuffer(memoryview(_core.order_values(values)), np.float64))


def _id(value: Any) -> str:
    """Format an id as for files: empty for None and NaN, booleans in lower case, bytes as text or hexadecimal."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    return bytes_spelling(value) if isinstance(value, bytes) else str(value)


def _dates_of_dicts(items: Sequence[Mapping[str, Any]], recipe: Recipe) -> tuple[NDArray[np.float64], dict[str, int]]:
    """Return the date of each mapping, and the number of dated mappings under each key."""
    alike: dict[tuple[Any, ...], list[int]] = {}
    for position, item in enumerate(items):
        alike.setdefault(tuple(item), []).append(position)
    dates, counts = np.full(len(items), np.nan), Counter[str]()
    for keys, positions in alike.items():
        names = date_columns([key for key in keys if isinstance(key, str)], (*recipe.text, recipe.id))
        values = {name: [items[position][name] for position in positions] for name in names}
        first = first_dates(values, len(positions))
        dates[positions] = first.values
        counts.update(first.rows_by_column())
    return dates, counts


def _joined(item: Mapping[str, Any], columns: Sequence[str], position: int) -> str | None:
    parts = [value_at(item, column) for column in columns]
    if all(part is None for part in parts):
        if any(has_value_at(item, column) for column in columns):
            return None
        raise InputError(
            say(
                "item {position}: expected a key '{column}', found {names}",
                position=position,
                column=columns[0],
                names=", ".join(map(str, item)),
            ),
            hint=say("set the text column: text=..."),
        )
    for column, part in zip(columns, parts, strict=True):
        if part is not None and not isinstance(part, str):
            raise InputError(
                say(
                    "item {position}: expected '{column}' to be str, got {kind}",
                    position=position,
                    column=column,
                    kind=type(part).__name__,
                ),
                hint=say("convert it to str"),
            )
    return "\n".join(part or "" for part in parts)


def rows_of_table(table: Any, recipe: Recipe) -> Rows:
    """Extract the columns of the recipe from a pyarrow table.

    Raises:
        InputError: a column is missing or damaged, or the text is not a column of strings.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [as_strings(_column(table, name), name) for name in recipe.text]
    joined = (
        columns[0]
        if len(columns) == 1
        else pc.if_else(
            reduce(pc.and_, map(pc.is_null, columns)),
            pa.scalar(None, pa.large_string()),
            pc.binary_join_element_wise(*columns, pa.scalar("\n", pa.large_string()), null_handling="replace"),
        )
    )
    texts = joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
    name = recipe.id or "id"
    has_ids = recipe.id is not None or name in table.column_names
    ids = as_ids(_column(table, name), name).fill_null("").to_pylist() if has_ids else [""] * len(table)
    order = recipe.order_column
    if recipe.finds_dates:
        dates = first_dates(_date_columns(table, recipe), len(table))
        return Rows(texts, ids, dates.values, dates.rows_by_column())
    if order is None:
        return Rows(texts, ids, np.empty(0))
    if recipe.keep == AUTO and {order, order.partition(SEPARATOR)[0]}.isdisjoint(table.column_names):
        return Rows(texts, ids, np.full(len(table), np.nan))
    return Rows(texts, ids, _order(_column(table, order), order))


def _date_columns(table: Any, recipe: Recipe) -> dict[str, Any]:
    """Return the possible date columns of a table without damaged ones, which were not named by the user."""
    names, columns = table.column_names, {}
    for name in date_columns(names, (*recipe.text, recipe.id)):
        column = table.column(names.index(name))
        with suppress(InputError):
            demand_sound(column, name)
            columns[name] = column.combine_chunks()
    return columns


def _order(column: Any, name: str) -> NDArray[np.float64]:
    import pyarrow as pa

    demand_sound(column, name)
    if pa.types.is_nested(column.type):
        raise InputError(
            say("column {name!r} is {type}, expected numbers or dates", name=name, type=column.type),
            hint=say("name another column"),
        )
    decoded = as_strings(column, name) if pa.types.is_dictionary(column.type) else column
    return order_values(decoded.combine_chunks())


def _column(table: Any, path: str) -> Any:
    """Return the column with a name, or the nested field that a dotted name selects."""
    name, *fields = [path] if path in table.column_names else path.split(".")
    if name not in table.column_names:
        raise InputError(
            say(
                "expected a column '{path}', found {names}",
                path=path,
                names=", ".join(table.column_names),
            ),
            hint=say("choose one"),
        )
    if table.column_names.count(name) > 1:
        raise InputError(
            say("several columns have the name {name!r}", name=name), hint=say("give each column its own name")
        )
    column = table.column(name)
    return _field(column, name, fields) if fields else column


def _field(column: Any, name: str, fields: Sequence[str]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    demand_sound(column, name)
    for field in fields:
        if not pa.types.is_struct(column.type):
            raise InputError(
                say(
                    "column {name!r} is {type}, expected a struct with the field {field!r}",
                    name=name,
                    type=column.type,
                    field=field,
                ),
                hint=say("choose a column"),
            )
        names = [subfield.name for subfield in column.type]
        if names.count(field) != 1:
            raise InputError(
                say(
                    "column {name!r}: expected a field {field!r}, found {names}",
                    name=name,
                    names=", ".join(names),
                    field=field,
                ),
                hint=say("choose one"),
            )
        column, name = pc.struct_field(column, field), f"{name}.{field}"
    return column


@frozen(eq=False)
class Gathered:
    """Documents in memory with their references.

    Attributes:
        rows: the references, then the documents.
        references: number of references.
        fingerprints: fingerprints of all of them.
        sought: the references that share keys with documents according to another index.
    """

    rows: Rows
    references: int
    fingerprints: Fingerprints
    sought: Sought


def gather(rows: Rows, references: Rows, recipe: Recipe, sources: Sequence[CandidateSource] = ()) -> Gathered:
    """Fingerprint documents and references, and search ``sources`` for candidates.

    Raises:
        InputError: a text is not a string.
        UsageError: a source keeps no texts although the recipe verifies against texts.

    Memory: about 320 bytes per document in addition to the texts.
    """
    demand_texts(sources, recipe)
    maker = recipe.fingerprinter()
    prints, theirs = (Fingerprints.joined([*fingerprint_rows(some, maker)]) for some in (rows, references))
    collected: list[CandidateRows] = []
    boilerplate: list[int] = []
    family = seeks(recipe)
    if family is not None and len(references):
        collected.append(SoughtReferences(family, [theirs]).find(rows.texts))
    for source in sources:
        answer = source.find(rows.texts, prints)
        records = source.records(np.unique(answer.number).tolist())
        there = np.isin(answer.number, records.numbers)
        places = np.searchsorted(records.numbers, answer.number[there]) + len(references)
        collected.append(CandidateRows(answer.query[there], places.astype(np.uint64), answer.hits[there]))
        references += Rows(list(records.texts), list(records.ids), np.empty(0))
        theirs = Fingerprints.joined([theirs, records.prints])
        boilerplate += source.boilerplate()
    query, numbers, hits = (
        np.concatenate([np.empty(0, np.uint32), *(candidates[place] for candidates in collected)]).astype(np.uint32)
        for place in range(3)
    )
    sought = Sought(query + np.uint32(len(references)), numbers, hits, boilerplate)
    everything = references + rows if len(references) else rows
    return Gathered(everything, len(references), Fingerprints.joined([theirs, prints]), sought)


def decide_rows(gathered: Gathered, recipe: Recipe) -> tuple[Decisions, Traits]:
    """Decide all documents, never dropping references; return the decisions and the traits of the documents."""
    rows, references, fingerprints = gathered.rows, gathered.references, gathered.fingerprints
    ids = Identifiers.of(rows.ids[references:])
    traits = _traits(rows, references, recipe, fingerprints.lengths)
    ranked = rank_documents(recipe, traits, ids, Silent())
    order_of_all = np.concatenate([np.arange(references, dtype=np.uint32), ranked + np.uint32(references)])
    if not len(order_of_all):
        return Decisions.none(), traits
    groups = _group(fingerprints, order_of_all)
    candidates = ProbeCandidates([fingerprints], order_of_all, references)
    return decide(recipe, candidates, groups, rows.take, Silent(), gathered.sought), traits


def _traits(rows: Rows, references: int, recipe: Recipe, lengths: NDArray[np.uint32]) -> Traits:
    texts = rows.texts[references:]
    blemishes = _core.blemishes(texts) if recipe.judges_form else b""
    order = rows.order[references:] if len(rows.order) else rows.order
    return Traits(lengths[references:], np.frombuffer(memoryview(blemishes), np.uint32), order, rows.dates)


def fingerprint_rows(rows: Rows, maker: Family | Fields) -> Iterator[Fingerprints]:
    """Fingerprint documents in blocks of some thousands; yields one block even without documents."""
    for first in range(0, max(len(rows), 1), _TEXTS_AT_ONCE):
        yield maker.fingerprint(rows.texts[first : first + _TEXTS_AT_ONCE])


def _group(fingerprints: Fingerprints, order: NDArray[np.uint32]) -> _core.Groups:
    rank_of = np.empty_like(order)
    rank_of[order] = np.arange(len(order), dtype=np.uint32)
    postings = np.empty(len(fingerprints.keys), POSTING)
    postings["key"] = fingerprints.keys
    postings["document"] = np.repeat(np.arange(len(order), dtype=np.uint32), fingerprints.counts)
    groups = _core.Groups()
    groups.add_partition([(postings.tobytes(), 0)], len(postings), 0, rank_of)
    return groups


__all__ = [
    "Gathered",
    "Rows",
    "decide_rows",
    "fingerprint_rows",
    "gather",
    "rows_of_dicts",
    "rows_of_table",
    "rows_of_texts",
]
