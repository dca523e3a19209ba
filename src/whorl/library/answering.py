"""From which contents have which keys to what an index answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl.indexes.inverted import KeyAnswers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rows(NamedTuple):
    """Contents that have keys.

    Attributes:
        key: the place of the key among different ones.
        content: the number of the content; none is there twice for a key.
    """

    key: NDArray[np.int64]
    content: NDArray[np.int64]

    def with_all(self, other: Rows) -> Rows:
        """Return these and others."""
        return Rows(np.concatenate([self.key, other.key]), np.concatenate([self.content, other.content]))

    def counts(self, keys: int) -> NDArray[np.int64]:
        """Return how many contents have each of so many keys."""
        return np.bincount(self.key, minlength=keys)

    def first(self, most: int) -> Rows:
        """Return the first contents that have each key, so many of them."""
        order = np.lexsort((self.content, self.key))
        key, content = self.key[order], self.content[order]
        counts = self.counts(0)
        rank = np.arange(len(key)) - np.repeat(np.cumsum(counts) - counts, counts)
        return Rows(key[rank < most], content[rank < most])


def answers_of(
    rows: Rows,
    places: NDArray[np.int64],
    counts: NDArray[np.uint32],
    *,
    limit: int,
    most: int,
    least: int,
    earliest: int,
) -> KeyAnswers:
    """Return what ``KeyIndex.query_many`` does, by what it takes from its postings.

    Args:
        rows: the contents that have each of the different keys.
        places: of the keys of all texts, one after the other, among the different ones.
        counts: how many each text has.
        limit: a key that more contents have is cut.
        most: how many contents are listed for each text.
        least: keys that a content must share.
        earliest: where more than half of the keys of a text are cut, so many of the first contents that have each of
            these count all the same.
    """
    held = rows.counts(int(places.max(initial=-1)) + 1)
    texts = np.repeat(np.arange(len(counts)), counts)
    asked, _ = _different(texts, places)
    is_cut = held[asked[1]] > limit
    own, cut = (np.bincount(some, minlength=len(counts)) for some in (asked[0], asked[0][is_cut]))
    text, content = _joined(rows, asked[:, ~is_cut], held)
    widely = asked[:, is_cut & (2 * cut > own)[asked[0]]]
    if widely.size:
        first = rows.first(earliest)
        beside = _joined(first, widely, first.counts(len(held)))
        text, content = np.concatenate([text, beside[0]]), np.concatenate([content, beside[1]])
    pairs, hits = _different(text, content)
    enough = hits >= least
    text, content, hits = pairs[0][enough], pairs[1][enough], hits[enough]
    order = np.lexsort((content, -hits, text))
    text, content, hits = text[order], content[order], hits[order]
    found = np.bincount(text, minlength=len(counts))
    rank = np.arange(len(text)) - np.repeat(np.cumsum(found) - found, found)
    is_listed = rank < most
    return KeyAnswers(
        query=text[is_listed].astype(np.uint32),
        id=content[is_listed].astype(np.uint64),
        hits=hits[is_listed].astype(np.uint32),
        keys=own.astype(np.uint32),
        cut=cut.astype(np.uint32),
        unlisted=np.maximum(found - most, 0).astype(np.uint64),
    )


def _different(texts: NDArray[np.int64], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different pairs of a text and a number, ascending, in two rows; and how often each is there."""
    size = int(numbers.max(initial=0)) + 1
    pairs, times = np.unique(texts * size + numbers, return_counts=True)
    return np.stack([pairs // size, pairs % size]), times


def _joined(
    rows: Rows, asked: NDArray[np.int64], held: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The texts, and the contents that have one of their keys; once for each such key."""
    contents = rows.content[np.argsort(rows.key, kind="stable")]
    starts = np.cumsum(held) - held
    many = held[asked[1]]
    ends = np.cumsum(many)
    behind = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - many, many)
    return np.repeat(asked[0], many), contents[np.repeat(starts[asked[1]], many) + behind]


__all__ = ["Rows", "answers_of"]
