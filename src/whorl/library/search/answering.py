"""Answer index queries from postings: pairs of a key and a content."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl.indexes.inverted import KeyAnswers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class KeyRows(NamedTuple):
    """Contents that have keys.

    Attributes:
        key: position of the key among the distinct keys.
        content: number of the content, at most once per key.
    """

    key: NDArray[np.int64]
    content: NDArray[np.int64]

    def with_all(self, other: KeyRows) -> KeyRows:
        """Return these rows and others, concatenated."""
        return KeyRows(np.concatenate([self.key, other.key]), np.concatenate([self.content, other.content]))

    def counts(self, keys: int) -> NDArray[np.int64]:
        """Count the contents of each of the first ``keys`` keys."""
        return np.bincount(self.key, minlength=keys)

    def first(self, limit: int) -> KeyRows:
        """Return the first contents of each key, up to a limit."""
        order = np.lexsort((self.content, self.key))
        key, content = self.key[order], self.content[order]
        counts = self.counts(0)
        rank = np.arange(len(key)) - np.repeat(np.cumsum(counts) - counts, counts)
        return KeyRows(key[rank < limit], content[rank < limit])


def answers_of(
    rows: KeyRows,
    places: NDArray[np.int64],
    counts: NDArray[np.uint32],
    *,
    limit: int,
    max_listed: int,
    min_shared: int,
    earliest: int,
) -> KeyAnswers:
    """Answer like ``KeyIndex.query_many``, from postings that were already read.

    Args:
        rows: contents of the distinct keys.
        places: positions of the keys of all texts among the distinct keys, text after text.
        counts: number of keys of each text.
        limit: keys with more contents than this are cut.
        max_listed: maximum number of contents listed for each text.
        min_shared: minimum number of keys that a content must share.
        earliest: if more than half of the keys of a text are cut, this many first contents of each cut key are counted.
    """
    frequencies = rows.counts(int(places.max(initial=-1)) + 1)
    texts = np.repeat(np.arange(len(counts)), counts)
    distinct, _ = _different(texts, places)
    is_cut = frequencies[distinct[1]] > limit
    key_counts, cut = (np.bincount(some, minlength=len(counts)) for some in (distinct[0], distinct[0][is_cut]))
    text, content = _joined(rows, distinct[:, ~is_cut], frequencies)
    widely = distinct[:, is_cut & (2 * cut > key_counts)[distinct[0]]]
    if widely.size:
        first = rows.first(earliest)
        beside = _joined(first, widely, first.counts(len(frequencies)))
        text, content = np.concatenate([text, beside[0]]), np.concatenate([content, beside[1]])
    pairs, hits = _different(text, content)
    enough = hits >= min_shared
    text, content, hits = pairs[0][enough], pairs[1][enough], hits[enough]
    order = np.lexsort((content, -hits, text))
    text, content, hits = text[order], content[order], hits[order]
    postings = np.bincount(text, minlength=len(counts))
    rank = np.arange(len(text)) - np.repeat(np.cumsum(postings) - postings, postings)
    is_listed = rank < max_listed
    return KeyAnswers(
        query=text[is_listed].astype(np.uint32),
        id=content[is_listed].astype(np.uint64),
        hits=hits[is_listed].astype(np.uint32),
        keys=key_counts.astype(np.uint32),
        cut=cut.astype(np.uint32),
        unlisted=np.maximum(postings - max_listed, 0).astype(np.uint64),
    )


def _different(texts: NDArray[np.int64], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct pairs of a text and a number in ascending order, as two rows, and their frequencies."""
    size = int(numbers.max(initial=0)) + 1
    pairs, times = np.unique(texts * size + numbers, return_counts=True)
    return np.stack([pairs // size, pairs % size]), times


def _joined(
    rows: KeyRows, values: NDArray[np.int64], frequencies: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return texts and the contents that share a key with them, once per shared key."""
    contents = rows.content[np.argsort(rows.key, kind="stable")]
    starts = np.cumsum(frequencies) - frequencies
    many = frequencies[values[1]]
    ends = np.cumsum(many)
    behind = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - many, many)
    return np.repeat(values[0], many), contents[np.repeat(starts[values[1]], many) + behind]


__all__ = ["KeyRows", "answers_of"]
