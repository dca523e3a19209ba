"""Keys of texts: what an index stores and is queried with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from whorl._internal.frozen import frozen
from whorl.library.maintenance.packing import unpack_block
from whorl.library.rules import Making
from whorl.stores import Reader
from whorl.stores.records import Content

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.fingerprints import Fingerprints
    from whorl.matching.boilerplate import Notices

_DIGESTS = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(0xD6E8FEB86659FD93)


@frozen(eq=False)
class TextKeys:
    """Keys of texts, text after text, and how many each text has."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]

    @classmethod
    def of(cls, prints: Fingerprints, rows: Sequence[int]) -> TextKeys:
        """Return the keys of some rows."""
        return cls(prints.keys, prints.counts).rows(rows)

    def with_digests(self, contents: Iterable[tuple[bytes | None, int]]) -> TextKeys:
        """Append to each text a key by which equal texts of its period are found.

        Args:
            contents: digest of each text, or None, and its period.
        """
        digests = list(contents)
        has_digest = np.array([digest is not None for digest, _ in digests], bool)
        ends = np.cumsum(self.counts, dtype=np.int64)[has_digest]
        digest_hashes = digest_keys((digest, period) for digest, period in digests if digest is not None)
        return TextKeys(np.insert(self.keys, ends, digest_hashes), self.counts + has_digest)

    def without_boilerplate(self, making: Making, notices: Notices, texts: Sequence[str]) -> TextKeys:
        """Remove keys that lie within boilerplate, as far as a key reveals its position.

        Args:
            making: recipe that the keys were made with.
            notices: the boilerplate.
            texts: texts of the keys.
        """
        if making.local is None or not notices:
            return self
        spans = notices.spans(texts)
        stretches = [text[a:b] for text, span in zip(texts, spans, strict=True) for a, b in span]
        if not stretches:
            return self
        prints = making.local.keys_within(stretches)
        holders = np.repeat(np.arange(len(spans)), [len(span) for span in spans])
        counts = np.bincount(holders, prints.counts, len(spans))
        return self._without(TextKeys(prints.keys, counts.astype(np.uint32)))

    def _without(self, other: TextKeys) -> TextKeys:
        """Remove the keys that the same text has in another set; texts without such keys are skipped."""
        touched = np.flatnonzero(np.repeat(other.counts > 0, self.counts))
        keys_of_touched = self._texts()[touched]
        removed = np.isin(self._told_apart()[touched], other._told_apart())
        fewer = np.bincount(keys_of_touched[removed].astype(np.int64), minlength=len(self.counts))
        return TextKeys(np.delete(self.keys, touched[removed]), self.counts - fewer.astype(np.uint32))

    def _texts(self) -> NDArray[np.uint64]:
        """Return for each key the number of its text."""
        return np.repeat(np.arange(len(self.counts), dtype=np.uint64), self.counts)

    def _told_apart(self) -> NDArray[np.uint64]:
        """Return the keys as hashes that differ between texts."""
        return self.keys ^ (self._texts() * _SPREAD)

    def rows(self, rows: Sequence[int]) -> TextKeys:
        """Return the keys of some rows, ascending."""
        chosen = np.zeros(len(self.counts), bool)
        chosen[list(rows)] = True
        return TextKeys(self.keys[np.repeat(chosen, self.counts)], self.counts[chosen])

    def packed(self) -> list[bytes]:
        """Return the keys of each row as bytes."""
        ends, packed = np.cumsum(self.counts, dtype=np.int64) * 8, self.keys.astype("<u8").tobytes()
        return [packed[start:end] for start, end in pairwise([0, *ends.tolist()])]

    def row(self, row: int) -> NDArray[np.uint64]:
        """Return the keys of one row."""
        start = int(self.counts[:row].sum())
        return self.keys[start : start + int(self.counts[row])]


def keys_of(making: Making, reader: Reader, contents: Sequence[Content]) -> TextKeys:
    """Return the keys of contents, including those of their digests, from the store."""
    return read_keys(making, reader, contents)()


def read_keys(making: Making, reader: Reader, contents: Sequence[Content]) -> Callable[[], TextKeys]:
    """Read the sources of the keys of contents; return a function that makes the keys without reading."""
    numbers = [content.number for content in contents]
    digests = [(content.digest, content.period) for content in contents]
    if making.rules.texts:
        packed = reader.texts_of_contents(numbers)
        return lambda: _text_keys(making, [packed.get(number) for number in numbers]).with_digests(digests)
    sketches = reader.sketches(numbers)
    rows = [np.frombuffer(sketches[number].keys, "<u8") for number in numbers]
    keys = TextKeys(np.concatenate(rows or [np.empty(0, np.uint64)]), np.array([len(row) for row in rows], np.uint32))
    return lambda: keys.with_digests(digests)


def _text_keys(making: Making, packed: Sequence[bytes | None]) -> TextKeys:
    """Return the keys of stored texts."""
    prints = making.fingerprint(unpack_block(packed))
    return TextKeys(prints.keys, prints.counts)


def digest_keys(places: Iterable[tuple[bytes, int]]) -> NDArray[np.uint64]:
    """Return the key of each digest in a period, in a range that no family uses."""
    pairs = list(places)
    digests = np.frombuffer(b"".join(digest[:8] for digest, _ in pairs), "<u8")
    periods = np.array([period for _, period in pairs], np.int64).astype(np.uint64)
    return digests ^ _DIGESTS ^ (periods * _SPREAD)


__all__ = ["TextKeys", "digest_keys", "keys_of", "read_keys"]
