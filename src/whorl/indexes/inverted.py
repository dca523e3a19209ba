"""Inverted index: the documents that share keys with a query, with the number of shared keys.

Is
    Documents with ids, each a set of 64-bit keys as made by any method. A query is a set of keys; the answer is the
    documents that share keys, with their number. The result is exact: every document that shares a key is found,
    except for keys of more than ``most_documents`` documents, which are boilerplate and are counted.

Cost
    Eight bytes per posting (a key of a document), in memory or in a mapped file. Among a million articles of about a
    hundred keys, a lookup takes some dozens of microseconds.

Source
    Zobel, Moffat: Inverted files for text search engines, ACM Computing Surveys 2006.
"""

from __future__ import annotations

from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.indexes.columns import column, demand_positive, key_columns, key_row, table
from whorl.indexes.payloads import packed, payload_columns
from whorl.indexes.segmented import SegmentedIndex, failures, opened

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_BATCH_KEYS = 1 << 23
_MOST_DOCUMENTS = 1000
_MOST_LISTED = 1000


@frozen
class KeyAnswer:
    """The documents that share keys with a query.

    >>> import whorl
    >>> index = whorl.indexes.KeyIndex(most_documents=1)
    >>> index.add([[1, 2], [1, 3]])
    >>> answer = index.query([1, 2, 4])
    >>> answer.hits, answer.keys, answer.cut, answer.shares()
    ([(0, 1)], 3, 1, [(0, 0.5)])

    Attributes:
        hits: id and number of shared keys of each document, most keys first, then in the order of adding.
        keys: number of distinct keys of the query.
        cut: number of these that were skipped, because more than ``most_documents`` documents have them.
        unlisted: number of matching documents beyond the first ``limit``.
    """

    hits: list[tuple[int, int]]
    keys: int
    cut: int
    unlisted: int

    def shares(self) -> list[tuple[int, float]]:
        """Return id and share of the query's keys, without cut ones, in the same order: 0 to 1."""
        return [(id_, hits / (self.keys - self.cut)) for id_, hits in self.hits]


@frozen(eq=False)
class KeyAnswers:
    """The answers to many queries as columns; the rows of a query are ordered like ``KeyAnswer.hits``.

    >>> import whorl
    >>> index = whorl.indexes.KeyIndex()
    >>> index.add([[1, 2], [2, 3]])
    >>> answers = index.query_many([[2], [3, 9]])
    >>> answers.query.tolist(), answers.id.tolist(), answers.share.tolist()
    ([0, 0, 1], [0, 1, 1], [1.0, 1.0, 0.5])

    Attributes:
        query: uint32, index of the query.
        id: uint64, id of a document that shares keys.
        hits: uint32, number of shared keys.
        keys: uint32, for each query: number of distinct keys.
        cut: uint32, for each query: number of keys of more than ``most_documents`` documents.
        unlisted: uint64, for each query: number of documents beyond the first ``limit``.
    """

    query: NDArray[np.uint32]
    id: NDArray[np.uint64]
    hits: NDArray[np.uint32]
    keys: NDArray[np.uint32]
    cut: NDArray[np.uint32]
    unlisted: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.id)

    @property
    def share(self) -> NDArray[np.float64]:
        """For each row, the share of the query's keys, without cut ones: 0 to 1."""
        return self.hits / (self.keys - self.cut)[self.query]

    def to_arrow(self) -> pa.Table:
        """Return query, id and hits as a table, without copying."""
        return table(query=self.query, id=self.id, hits=self.hits)


class KeyIndex(SegmentedIndex[_core.KeyIndex]):
    """An index of documents, searched by shared keys.

    >>> import whorl
    >>> index = whorl.indexes.KeyIndex()
    >>> index.add([[1, 2, 3], [2, 3, 4]], ids=[10, 20])
    >>> len(index)
    2

    Any number of threads may query while one adds; a query sees a consistent snapshot. Added rows are in memory until
    ``save``; saved or opened files are read on demand.

    Args:
        most_documents: a key of more documents is skipped; the answer counts it as ``cut``.

    Raises:
        UsageError: ``most_documents`` is not a positive integer.
    """

    def __init__(self, *, most_documents: int = _MOST_DOCUMENTS) -> None:
        demand_positive("most_documents", most_documents)
        self._begin(_core.KeyIndex(most_documents))

    @classmethod
    def open(cls, path: str | PathLike[str], *, most_documents: int = _MOST_DOCUMENTS, mapped: bool = True) -> KeyIndex:
        """Open a folder written by ``save``; files are mapped, not read, so this takes milliseconds.

        >>> index.save("keys")
        >>> whorl.indexes.KeyIndex.open("keys").query([1]).hits
        [(10, 1)]

        Headers and footers are checked now, each block of 16 KiB on its first read, everything by ``verify``.

        Args:
            path: the folder.
            most_documents: as for a new index.
            mapped: map the files into memory. False reads them, for folders that other programs modify: truncating a
                mapped file kills the process.

        Raises:
            InputError: the folder contains no index, or a damaged or incompatible one.
            ResourceError: it cannot be read.
        """
        demand_positive("most_documents", most_documents)
        index = cls.__new__(cls)
        cls._begin(index, opened(path, lambda folder: _core.KeyIndex.open(folder, most_documents, mapped)))
        return index

    def _begin(self, core: _core.KeyIndex) -> None:
        self._core = core

    def add(self, keys: Any, ids: Any = None, times: Any = None, *, payloads: Any = None, merge: bool = True) -> None:
        """Add documents.

        >>> index.add([[3, 4, 5]], ids=[30])
        >>> index.query([5]).hits
        [(30, 1)]

        About 0.1 µs per key in large batches. A document may have no keys; a repeated key counts once.

        Args:
            keys: keys of each document, integers from 0 to 2^64 - 1: the result of ``fingerprint`` of a method, a list
                of lists, sets or arrays, or an Arrow column of lists.
            ids: ids of the documents, integers from 0 to 2^63 - 1, not necessarily unique. None assigns consecutive ids
                from 0, or after the current maximum id.
            times: times of the documents: integers unchanged, dates as microseconds since 1970. Either all documents of
                an index have times, or none has.
            payloads: a few bytes or a JSON value for each document, or None; ``payloads()`` returns them.
            merge: merge segments of similar size now; False leaves large merges to ``tidy``, which may run in another
                thread.

        Raises:
            UsageError: the columns have different lengths or other types.
            InputError: a segment to merge is damaged.
        """
        flat, counts = key_columns(keys)
        labels = self._labels(ids, times, len(counts))
        stored = packed(payloads, len(counts))
        for start, end in _batches(counts):
            first, last = int(counts[:start].sum()), int(counts[:end].sum())
            own_ids, own_times = (None if label is None else label[start:end] for label in labels)
            with failures():
                buffers = None if stored is None else payload_columns(stored[start:end])
                self._core.add(flat[first:last], counts[start:end], own_ids, own_times, merge, buffers)

    def query(
        self,
        keys: Any,
        *,
        limit: int = _MOST_LISTED,
        min_shared: int = 1,
        min_share: float = 0.0,
        earliest: int = 0,
        since: Any = None,
        until: Any = None,
    ) -> KeyAnswer:
        """Return the documents that share keys with a query.

        >>> index.query([2, 3, 4]).hits
        [(20, 3), (10, 2), (30, 2)]
        >>> index.query([2, 3, 4], min_shared=3).hits
        [(20, 3)]

        Args:
            keys: integers; a repeated key counts once.
            limit: maximum number of documents to return, by number of shared keys, then in the order of adding.
            min_shared: minimum number of shared keys.
            min_share: minimum share of the query's keys, without cut ones: 0 to 1.
            earliest: if more than half of the keys are cut, as for a widely copied text, this number of the first
                documents with each of them is still counted.
            since: only documents from this time on.
            until: only documents before this time.

        Raises:
            UsageError: a value is out of range, or there are no times.
            InputError: a file of the index is damaged.
        """
        row = key_row(keys)
        _demand_ask(limit, min_shared, min_share, earliest)
        window = self._window(since, until)
        with failures():
            return KeyAnswer(*self._core.query(row, limit, min_shared, min_share, earliest, window))

    def query_many(
        self,
        keys: Any,
        *,
        limit: int = _MOST_LISTED,
        min_shared: int = 1,
        min_share: float = 0.0,
        earliest: int = 0,
        since: Any = None,
        until: Any = None,
    ) -> KeyAnswers:
        """Run ``query`` for many sets of keys on all cores, and return the answers as columns.

        >>> index.query_many([[1], [4, 5]]).to_arrow().to_pylist()
        [{'query': 0, 'id': 10, 'hits': 1}, {'query': 1, 'id': 30, 'hits': 2}, {'query': 1, 'id': 20, 'hits': 1}]

        Args:
            keys: as for ``add``.
            limit: as for ``query``, for each set.
            min_shared: as for ``query``.
            min_share: as for ``query``.
            earliest: as for ``query``.
            since: as for ``query``.
            until: as for ``query``.

        Raises:
            UsageError: a value is out of range, or there are no times.
            InputError: a file of the index is damaged.
        """
        flat, counts = key_columns(keys)
        _demand_ask(limit, min_shared, min_share, earliest)
        window = self._window(since, until)
        with failures():
            answers = self._core.query_many(flat, counts, limit, min_shared, min_share, earliest, window)
        query, id_, hits, key_counts, cut, unlisted = answers
        return KeyAnswers(
            query=column(query, np.uint32),
            id=column(id_, np.uint64),
            hits=column(hits, np.uint32),
            keys=column(key_counts, np.uint32),
            cut=column(cut, np.uint32),
            unlisted=column(unlisted, np.uint64),
        )

    def frequent(self, more_than: int = _MOST_DOCUMENTS) -> list[tuple[int, int]]:
        """Return the keys of more than ``more_than`` documents with their counts, the most frequent first.

        >>> index.frequent(1)
        [(3, 3), (2, 2), (4, 2)]

        Reads every posting: about a second per hundred million.

        Raises:
            UsageError: ``more_than`` is not a positive integer.
            InputError: a file of the index is damaged.
        """
        demand_positive("more_than", more_than)
        with failures():
            keys, documents = self._core.frequent(more_than)
        return list(zip(column(keys, np.uint64).tolist(), column(documents, np.uint64).tolist(), strict=True))

    def stats(self) -> dict[str, float]:
        """Return statistics of the index and of its queries since it was created or opened.

        >>> index.stats()["documents"]
        3

        ``documents``, ``removed`` (not yet merged), ``segments``, ``postings``, ``bytes``, ``bytes_per_posting``;
        ``queries``, ``keys`` (of all queries), ``cut``, ``postings_read``, ``unlisted``.
        """
        values: dict[str, float] = self._core.stats()
        return values | {"bytes_per_posting": values["bytes"] / max(1, values["postings"])}

    def __len__(self) -> int:
        return int(self._core.stats()["documents"])

    def __repr__(self) -> str:
        return f"KeyIndex(): {len(self):,} documents"


def _batches(counts: NDArray[np.uint32]) -> list[tuple[int, int]]:
    """Return the bounds of batches of documents with a bounded number of keys."""
    cuts = np.flatnonzero(np.diff(np.cumsum(counts, dtype=np.uint64) // _BATCH_KEYS)) + 1
    bounds = [0, *cuts.tolist(), len(counts)]
    return list(pairwise(bounds))


def _demand_ask(limit: int, min_shared: int, min_share: float, earliest: int) -> None:
    demand_positive("limit", limit)
    demand_positive("min_shared", min_shared)
    if type(earliest) is not int or earliest < 0:
        raise UsageError(
            say("{name} is {value!r}, not a whole number from 0", name="earliest", value=earliest),
            hint=say("omit it"),
        )
    if type(min_share) not in (int, float) or not 0 <= min_share <= 1:
        raise UsageError(
            say("{name} is {value!r}, not a number from 0 to 1", name="min_share", value=min_share),
            hint=say("use a share such as 0.3"),
        )


__all__ = ["KeyAnswer", "KeyAnswers", "KeyIndex"]
