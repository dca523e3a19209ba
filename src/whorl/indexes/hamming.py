"""Search index for codes within a Hamming distance of a query.

Is
    Codes of 8 to 256 bits, such as those of ``simhash`` or an ISCC, each with an id. Codes within k bits agree in one
    of k + 1 blocks, so that only codes that agree with the query in a block are compared. The design specifies the
    blocks: ``4x16`` for 64 bits, or Manku's tables with keys of several blocks. Every code within k is found.

Cost
    48 bytes per code with the design ``4x16``, plus 8 if ids are not consecutive, plus 8 for a time. With k = 3, a
    query takes some microseconds among ten million random codes, and some dozens among a hundred million. Adding takes
    about half a microsecond per code in large batches.

Source
    Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling, WWW 2007. Norouzi, Punjani, Fleet: Fast exact
    search in Hamming space with multi-index hashing, PAMI 2014.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.indexes.columns import code_words, column, demand_positive, table, words_of
from whorl.indexes.payloads import packed, payload_columns
from whorl.indexes.segmented import SegmentedIndex, failures, opened

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_BATCH = 1 << 24
_MOST_CANDIDATES = 1 << 20
_MOST_LISTED = 1000
_MOST_PARTNERS = 64
_BITS = range(8, 257)


@frozen
class CodeAnswer:
    """The codes within a distance of a query.

    >>> import whorl
    >>> index = whorl.indexes.HammingIndex()
    >>> index.add([0b00, 0b11])
    >>> index.query(0b01).hits
    [(0, 1), (1, 1)]

    Attributes:
        hits: id and distance of each code, by distance, then in the order of adding.
        cut: number of codes not compared, because more than ``most_candidates`` share a key.
        unlisted: number of codes within the distance beyond the first ``limit``.
    """

    hits: list[tuple[int, int]]
    cut: int
    unlisted: int


@frozen(eq=False)
class CodeAnswers:
    """The answers to many queries as columns; the rows of a query are ordered like ``CodeAnswer.hits``.

    >>> import whorl
    >>> index = whorl.indexes.HammingIndex()
    >>> index.add([0b00, 0b11])
    >>> answers = index.query_many([0b00, 0b01], k=1)
    >>> answers.query.tolist(), answers.id.tolist(), answers.distance.tolist()
    ([0, 1, 1], [0, 0, 1], [0, 1, 1])

    Attributes:
        query: uint32, index of the query.
        id: uint64, id of a code within the distance.
        distance: uint8, Hamming distance.
        unlisted: number of codes beyond the first ``limit``, over all queries.
        cut: number of codes not compared, because more than ``most_candidates`` share a key.
    """

    query: NDArray[np.uint32]
    id: NDArray[np.uint64]
    distance: NDArray[np.uint8]
    unlisted: int
    cut: int

    def __len__(self) -> int:
        return len(self.id)

    def to_arrow(self) -> pa.Table:
        """Return the columns as a table, without copying."""
        return table(query=self.query, id=self.id, distance=self.distance)


@frozen(eq=False)
class Pairs:
    """All pairs within a distance as columns, in the order of adding of the later code.

    >>> import whorl
    >>> index = whorl.indexes.HammingIndex()
    >>> index.add([0b00, 0b11])
    >>> pairs = index.self_join(k=2)
    >>> pairs.later.tolist(), pairs.earlier.tolist(), pairs.distance.tolist()
    ([1], [0], [2])

    Attributes:
        later: uint64, id of the code added later.
        earlier: uint64, id of the code added earlier.
        distance: uint8, Hamming distance.
        unlisted: number of omitted pairs of codes with too many partners.
    """

    later: NDArray[np.uint64]
    earlier: NDArray[np.uint64]
    distance: NDArray[np.uint8]
    unlisted: int

    def __len__(self) -> int:
        return len(self.later)

    def to_arrow(self) -> pa.Table:
        """Return the columns as a table, without copying."""
        return table(later=self.later, earlier=self.earlier, distance=self.distance)


class HammingIndex(SegmentedIndex[_core.HammingIndex]):
    """An index of codes, searched by Hamming distance.

    >>> import whorl
    >>> index = whorl.indexes.HammingIndex(bits=64, k=3)
    >>> index.add([0b0000, 0b0001, 0b1111], ids=[10, 20, 30])
    >>> len(index)
    3

    Any number of threads may query while one adds; a query sees a consistent snapshot. Added rows are in memory until
    ``save``; opened files are read on demand.

    Args:
        bits: number of bits of a code, 8 to 256.
        design: bits of the keys: number and width of blocks, such as ``4x16`` or ``8x16``; for 64 bits also
            ``manku10``, ``manku16`` and ``manku20``, which compare fewer codes and take 3 to 6 times the memory; or
            explicit ranges of bits, ``64:0-16;16-32;32-48;48-64``. None is ``4x8`` for 32 bits, ``4x16`` for 64,
            ``8x16`` for 128, ``16x16`` for 256.
        k: default distance of queries.
        most_candidates: maximum number of codes compared for one key; the others are counted as ``cut``.

    Raises:
        UsageError: a value is out of range, or the design does not fit codes of ``bits`` bits.
    """

    def __init__(
        self, bits: int = 64, *, design: str | None = None, k: int = 3, most_candidates: int = _MOST_CANDIDATES
    ) -> None:
        if type(bits) is not int or bits not in _BITS:
            raise UsageError(
                say("{name} is {value!r}, not a whole number from 8 to 256", name="bits", value=bits),
                hint=say("shorten or fill up the codes"),
            )
        demand_positive("most_candidates", most_candidates)
        try:
            core = _core.HammingIndex(bits, design, most_candidates)
        except ValueError as error:
            hint = say("use 4x8, 4x16, 8x16, 16x16, manku10, manku16, manku20 or ranges of bits")
            raise UsageError(say("{label}: {reason}", label="design", reason=error), hint=hint) from error
        self._begin(core, k)

    def _begin(self, core: _core.HammingIndex, k: int) -> None:
        self._core = core
        self._most_k = core.largest_distance
        self._k = self._distance(k)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        k: int = 3,
        most_candidates: int = _MOST_CANDIDATES,
        mapped: bool = True,
    ) -> HammingIndex:
        """Open a folder written by ``save``; files are mapped, not read, so this takes milliseconds.

        >>> index.save("codes")
        >>> whorl.indexes.HammingIndex.open("codes").query(0b1111, k=0).hits
        [(30, 0)]

        Headers and footers are checked now, each block of 16 KiB on its first read, everything by ``verify``.

        Args:
            path: the folder.
            k: default distance of queries.
            most_candidates: as for a new index.
            mapped: map the files into memory. False reads them, for folders that other programs modify: truncating a
                mapped file kills the process.

        Raises:
            InputError: the folder contains no index, or a damaged or incompatible one.
            ResourceError: it cannot be read.
        """
        demand_positive("most_candidates", most_candidates)
        index = cls.__new__(cls)
        cls._begin(index, opened(path, lambda folder: _core.HammingIndex.open(folder, most_candidates, mapped)), k)
        return index

    def add(self, codes: Any, ids: Any = None, times: Any = None, *, payloads: Any = None, merge: bool = True) -> None:
        """Add codes.

        >>> index.add([0b0011], ids=[40])
        >>> index.query(0b0011, k=0).hits
        [(40, 0)]

        Args:
            codes: integers in a list, a NumPy array or an Arrow column; or little-endian bytes as uint8 (n, bits / 8),
                like ``Fingerprints.codes``; codes of more than 64 bits also as uint64 (n, 2), and of more than 128
                bits (n, 4), the lowest bits first.
            ids: ids of the codes, integers from 0 to 2^63 - 1, not necessarily unique. None assigns consecutive ids
                from 0, or after the current maximum id.
            times: times of the codes: integers unchanged, dates as microseconds since 1970. Either all codes of an
                index have times, or none has.
            payloads: a few bytes or a JSON value for each code, or None; ``payloads()`` returns them.
            merge: merge segments of similar size now; False leaves large merges to ``tidy``, which may run in another
                thread.

        Raises:
            UsageError: the columns have different lengths or other types, or a code is too long.
            InputError: a segment to merge is damaged.
        """
        words = code_words(codes, self.bits)
        width = words_of(self.bits)
        count = len(words) // width
        columns = self._labels(ids, times, count)
        stored = packed(payloads, count)
        for start in range(0, count, _BATCH):
            end = start + _BATCH
            own_ids, own_times = (None if column is None else column[start:end] for column in columns)
            with failures():
                buffers = None if stored is None else payload_columns(stored[start:end])
                self._core.add(words[start * width : end * width], own_ids, own_times, merge, buffers)

    def query(
        self,
        code: int,
        k: int | None = None,
        *,
        first: bool = False,
        since: Any = None,
        until: Any = None,
        limit: int = _MOST_LISTED,
    ) -> CodeAnswer:
        """Return the codes within ``k`` bits of a code.

        >>> index.query(0b0001, k=1).hits
        [(20, 0), (10, 1), (40, 1)]

        Args:
            code: the code as an integer.
            k: maximum distance, 0 to 11, or to 15 for codes of more than 64 bits, and to 63 for codes of more than 128
                bits; None is that of the index. Up to the number of blocks less one, a query looks up one key per
                block; beyond, also keys with differing bits.
            first: return any single code, which is faster if there are many.
            since: only codes from this time on.
            until: only codes before this time.
            limit: maximum number of codes to return, the nearest first.

        Raises:
            UsageError: a value is out of range, or there are no times.
            InputError: a file of the index is damaged.
        """
        k = self._k if k is None else self._distance(k)
        window = self._window(since, until)
        try:
            return CodeAnswer(*self._core.query(code, k, first, limit, window))
        except (ValueError, OverflowError, TypeError) as error:
            raise _query_failure(error, code, limit) from error

    def query_many(
        self,
        codes: Any,
        k: int | None = None,
        *,
        first: bool = False,
        since: Any = None,
        until: Any = None,
        limit: int = _MOST_LISTED,
    ) -> CodeAnswers:
        """Run ``query`` for many codes on all cores, and return the answers as columns.

        >>> index.query_many([0b0000, 0b1111], k=0).to_arrow().to_pylist()
        [{'query': 0, 'id': 10, 'distance': 0}, {'query': 1, 'id': 30, 'distance': 0}]

        Raises:
            UsageError: a value is out of range, or there are no times.
            InputError: a file of the index is damaged.
        """
        k = self._k if k is None else self._distance(k)
        window = self._window(since, until)
        demand_positive("limit", limit)
        with failures():
            query, id_, distance, cut, unlisted = self._core.query_many(
                code_words(codes, self.bits), k, first, limit, window
            )
        return CodeAnswers(column(query, np.uint32), column(id_, np.uint64), column(distance, np.uint8), unlisted, cut)

    def self_join(self, k: int | None = None, *, limit: int = _MOST_PARTNERS) -> Pairs:
        """Return all pairs of codes within ``k`` bits.

        >>> index.self_join(k=1).to_arrow().to_pylist()
        [{'later': 20, 'earlier': 10, 'distance': 1}, {'later': 40, 'earlier': 20, 'distance': 1}]

        Each code is listed with at most ``limit`` earlier codes, the nearest first, then in the order of adding; the
        others are counted. Thus a code of a million documents costs a million times ``limit``, while every code stays
        connected to all codes near it. Codes that agree in many bits are grouped by their differing bits. Ten million
        random codes with k = 3 take a second, and longer for a larger k; memory is about 50 bytes per code.

        Raises:
            UsageError: there are more than 2^28 pairs, or a value is out of range.
            InputError: a file of the index is damaged.
        """
        k = self._k if k is None else self._distance(k)
        demand_positive("limit", limit)
        with failures():
            later, earlier, distance, unlisted = self._core.self_join(k, limit)
        return Pairs(column(later, np.uint64), column(earlier, np.uint64), column(distance, np.uint8), unlisted)

    def stats(self) -> dict[str, float]:
        """Return statistics of the index and of its queries since it was created or opened.

        >>> index.stats()["codes"]
        4

        ``codes``, ``removed`` (not yet merged), ``segments``, ``recent`` (not yet in a segment), ``bytes``,
        ``bytes_per_code``; ``queries``, ``probes`` (keys looked up), ``candidates`` (codes compared), ``scans``
        (segments compared entirely), ``cut`` (codes not compared, because too many share a key), ``unlisted``.
        """
        values: dict[str, float] = self._core.stats()
        return values | {"bytes_per_code": values["bytes"] / max(1, values["codes"])}

    @property
    def bits(self) -> int:
        """Number of bits of a code.

        >>> index.bits
        64
        """
        return self._core.bits

    @property
    def design(self) -> str:
        """Bit ranges of the keys of each table.

        >>> index.design
        '64:0-16;16-32;32-48;48-64'
        """
        return self._core.design

    def __len__(self) -> int:
        return int(self._core.stats()["codes"])

    def __repr__(self) -> str:
        return f"HammingIndex(bits={self.bits}, design={self.design!r}, k={self._k}): {len(self):,} codes"

    def _distance(self, k: int) -> int:
        if type(k) is not int or not 0 <= k <= self._most_k:
            hint = say("larger distances match unrelated codes: compare such codes directly")
            raise UsageError(say("k is {k!r}, not a whole number from 0 to {most}", k=k, most=self._most_k), hint=hint)
        return k


def _query_failure(error: Exception, code: Any, limit: Any) -> Exception:
    if isinstance(error, _core.RefusedFile):
        return InputError(str(error), hint=say("build the index again"))
    demand_positive("limit", limit)
    if isinstance(error, ValueError):
        return UsageError(str(error), hint=say("use codes of the same length as those of the index"))
    return UsageError(
        say("{code!r} is not a code: {error}", code=code, error=error),
        hint=say("use a whole number from 0, not longer than a code"),
    )


__all__ = ["CodeAnswer", "CodeAnswers", "HammingIndex", "Pairs"]
