"""Labels of documents: the values of a column such as a site or a source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus import Columns, ReadOptions, Rejects, read_source
from whorl.engines.local.corpus import SegmentedCorpus
from whorl.recipe import Recipe

if TYPE_CHECKING:
    from numpy.typing import NDArray


@frozen(eq=False)
class Labels:
    """A label for each document.

    Attributes:
        numbers: uint32 (n,), index into ``names``.
        names: the distinct labels; the first one, "", is for documents without a value.
    """

    numbers: NDArray[np.uint32]
    names: Sequence[str]

    @classmethod
    def none(cls, count: int) -> Labels:
        """Return the same label for all documents."""
        return cls(np.zeros(count, np.uint32), ("",))

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Labels:
        """Return the labels for some values; an address counts as its host."""
        places: dict[str, int] = {"": 0}
        numbers = [places.setdefault(label_of(value), len(places)) for value in values]
        return cls(np.array(numbers, np.uint32), tuple(places))

    @property
    def scopes(self) -> NDArray[np.uint64]:
        """A number for each document; those of different labels differ."""
        return self.scopes_of(self.numbers)

    def scopes_of(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """Return the scopes of labels by number. They do not depend on the other labels, which a shard does not see."""
        return np.array([_scope(name) for name in self.names], np.uint64)[numbers]


def _scope(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def label_of(value: str | None) -> str:
    """Return a value as a label: of an address its host."""
    if value is None:
        return ""
    if value.startswith(("http://", "https://")):
        try:
            return urlsplit(value).hostname or value
        except ValueError:
            return value
    return value


def read_labels(corpus: SegmentedCorpus, recipe: Recipe, column: str | None) -> Labels:
    """Read a column of all documents of a run; the files are parsed once more.

    Raises:
        InputError: a named file lacks the column.
    """
    if column is None:
        return Labels.none(len(corpus.row))
    values: list[str | None] = []
    columns, options = Columns(recipe.text, id=column), ReadOptions.of(recipe)
    for segment in corpus.segments:
        rows = segment.column("row")
        begun = 0
        for record in segment.files:
            file_rows = rows[begun : begun + record.documents]
            begun += record.documents
            by_row: dict[int, Any] = {}
            if record.documents:
                for batch in read_source(record.source, columns, Rejects(), options):
                    by_row.update(zip(batch.rows.tolist(), _strings(batch.ids), strict=True))
            values += [by_row.get(row) for row in file_rows.tolist()]
    return Labels.of(values)


def _strings(column: Any) -> list[str | None]:
    import pyarrow as pa

    strings: list[str | None] = pa.array(column).to_pylist()
    return strings


__all__ = ["Labels", "label_of", "read_labels"]
