"""Candidates from an external source: kept documents that are looked up by keys instead of being read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.fingerprints import Family, Fingerprints


class CandidateRows(NamedTuple):
    """Candidates of query texts, as columns.

    Attributes:
        query: uint32, index of the query text.
        number: uint64, number of the candidate in its source.
        hits: uint32, number of shared keys, at least 1.
    """

    query: NDArray[np.uint32]
    number: NDArray[np.uint64]
    hits: NDArray[np.uint32]


class CandidateRecords(NamedTuple):
    """Data of existing candidates.

    Attributes:
        numbers: uint64 (n,), numbers in the source, ascending.
        ids: ids.
        rows: int64 (n,), stable row numbers.
        texts: texts; empty strings if the source does not store texts.
        prints: fingerprints.
    """

    numbers: NDArray[np.uint64]
    ids: Sequence[str]
    rows: NDArray[np.int64]
    texts: Sequence[str]
    prints: Fingerprints


class CandidateSource(Protocol):
    """Documents that can be looked up by keys, such as those of a library; a run drops copies of them.

    Attributes:
        name: name in results.
        address: location.
        method: name of the method that makes the keys.
        parameters: parameters of the method.
        threshold: minimum similarity of a duplicate.
        family: implementation of the method.
        keeps_texts: True if ``records`` returns texts.
    """

    name: str
    address: str
    method: str
    parameters: Mapping[str, Any]
    threshold: float
    family: Family
    keeps_texts: bool

    def state(self) -> str:
        """Return the identifier of the current content: if it changes, results may change. Constant cost."""
        ...

    def boilerplate(self) -> Sequence[int]:
        """Return the hashes of boilerplate runs."""
        ...

    def find(self, texts: Any, prints: Fingerprints) -> CandidateRows:
        """Return the documents that share enough keys with the texts, or are exact duplicates.

        Args:
            texts: a list of str or None, or an Arrow string array.
            prints: their fingerprints, made by ``family``.
        """
        ...

    def records(self, numbers: Sequence[int]) -> CandidateRecords:
        """Return the data of candidates."""
        ...


__all__ = ["CandidateRecords", "CandidateRows", "CandidateSource"]
