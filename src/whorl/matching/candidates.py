"""Candidates from elsewhere: documents that are kept already, and are asked for by keys instead of being read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.fingerprints import Family, Fingerprints


class Found(NamedTuple):
    """Candidates of some texts, as columns.

    Attributes:
        query: uint32, the position of a text.
        number: uint64, what the source calls a candidate of it.
        hits: uint32, the keys that both have; 1 or more.
    """

    query: NDArray[np.uint32]
    number: NDArray[np.uint64]
    hits: NDArray[np.uint32]


class Known(NamedTuple):
    """What a source tells of candidates that are still there.

    Attributes:
        numbers: uint64 (n,), what it calls them, ascending.
        ids: what their owner calls them.
        rows: int64 (n,), a number of each that stays the same.
        texts: their texts; empty ones where the source keeps none.
        prints: their fingerprints.
    """

    numbers: NDArray[np.uint64]
    ids: Sequence[str]
    rows: NDArray[np.int64]
    texts: Sequence[str]
    prints: Fingerprints


class CandidateSource(Protocol):
    """Documents that are found by their keys, such as those of a library; a run drops what is a copy of one.

    Attributes:
        name: what it is called in results.
        address: where it is.
        method: the name of the family by whose keys it is asked.
        parameters: those of the family.
        threshold: from which similarity it would be asked for copies.
        family: the family.
        keeps_texts: whether ``known`` has texts.
    """

    name: str
    address: str
    method: str
    parameters: Mapping[str, Any]
    threshold: float
    family: Family
    keeps_texts: bool

    def state(self) -> str:
        """What it holds now: another state may give other answers. Constant cost."""
        ...

    def boilerplate(self) -> Sequence[int]:
        """The hashes of runs of tokens that it knows to be nobody's own."""
        ...

    def find(self, texts: Any, prints: Fingerprints) -> Found:
        """Return what shares enough keys with some texts, or folds to the same.

        Args:
            texts: a list of str or None, or an Arrow string array.
            prints: their fingerprints by ``family``.
        """
        ...

    def known(self, numbers: Sequence[int]) -> Known:
        """Return what is known of some of the candidates found."""
        ...


__all__ = ["CandidateSource", "Found", "Known"]
