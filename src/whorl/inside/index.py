"""The passage index: pairs of places with equal text, found out of core.

Records of all documents, 24 bytes each, are scattered into partitions by key. Each partition is sorted on its own and
gives pairs of places, 20 bytes each, which are scattered into buckets by the rank of the later document. At most one
partition and one bucket are in memory.

The stages resume: a partition is deleted only after its pairs are on disk, and a state file has the sizes up to which
the buckets are valid.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.decide import Texts
from whorl.engines.local.durable import read_json, sync, write_json
from whorl.engines.progress import Progress
from whorl.inside.approved import ScopedTexts
from whorl.inside.records import PAIR_BYTES, RECORD, in_bytes
from whorl.inside.search import Strip

UNRANKED = np.uint32(0xFFFF_FFFF)
_BLOCK_LENGTH = 1 << 22
"""Length of the texts whose records are computed together, in folded code points."""
_PARTITION_BYTES = 12 * 2**20
_MOST_BITS = 9
_BUCKET_LENGTH = 1 << 24
"""Length of the texts whose pairs and cuts are in memory together, in folded code points."""
_MOST_BUCKETS = 256


@frozen(eq=False)
class RankedTexts:
    """The documents of a search in the order of rank.

    Attributes:
        texts: their texts by number.
        order: uint32 (m,), the document of each rank; documents that are left out have none.
        lengths: uint32 (n,), the folded length of each document, by number.
        scopes: uint64 (n,), documents with different values are not compared, by number.
        approved: the only texts that are cut, if not None. The core gives them ranks before those of all documents.
    """

    texts: Texts
    order: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    scopes: NDArray[np.uint64]
    approved: ScopedTexts | None = None

    def __len__(self) -> int:
        return len(self.order)

    @property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each document, by number; ``UNRANKED`` for those that are left out."""
        ranks = np.full(len(self.lengths), UNRANKED, np.uint32)
        ranks[self.order] = np.arange(len(self.order), dtype=np.uint32)
        return ranks

    @property
    def approved_count(self) -> int:
        """Number of approved texts."""
        return 0 if self.approved is None else len(self.approved)

    def decider(self, strip: Strip) -> _core.InsideDecider:
        """Return a decider for the documents."""
        before = np.zeros(self.approved_count, np.uint32)
        order, lengths = (np.concatenate([before, values]) for values in (self.order, self.lengths[self.order]))
        texts = [] if self.approved is None else self.approved.texts
        keeps = strip.keeps or self.approved is not None
        return _core.InsideDecider(strip.search, keeps, strip.action == "cut", order, lengths, texts)

    def records(
        self, search: _core.InsideSearch, bits: int, keys: NDArray[np.uint64] | None
    ) -> Iterator[tuple[NDArray[np.uint32], memoryview, NDArray[np.uint64]]]:
        """Yield blocks of documents with their records by partition, and the bounds of the partitions in bytes.

        Args:
            search: what to search for.
            bits: number of leading bits of a key that select its partition.
            keys: the only keys that are needed; None is all.
        """
        ranks = self.ranks + np.uint32(self.approved_count)
        for documents in self.blocks():
            places = (documents, ranks[documents], self.scopes[documents])
            records, ends = _core.inside_records(self.texts, *places, search, bits, keys)
            yield documents, memoryview(records), in_bytes(ends, RECORD.itemsize)

    def blocks(self) -> Iterator[NDArray[np.uint32]]:
        """Yield the numbers of documents whose texts are read together, in the order of the files."""
        ends = np.cumsum(self.lengths, dtype=np.int64)
        is_ranked = self.ranks != UNRANKED
        start = 0
        while start < len(ends):
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + _BLOCK_LENGTH, side="right")))
            yield np.arange(start, stop, dtype=np.uint32)[is_ranked[start:stop]]
            start = stop


@frozen
class HotPassages:
    """Keys of passages with more different surroundings than are compared.

    Attributes:
        keys: their number.
        places: number of places at which not all were compared.
    """

    keys: int = 0
    places: int = 0


@dataclass(slots=True)
class _State:
    """Progress of the grouping: the sizes of the buckets, the number of finished partitions, and what was bounded."""

    sizes: list[int]
    done: int = 0
    hot_keys: int = 0
    hot_places: int = 0


@frozen
class RankBuckets:
    """Ranges of ranks whose pairs are decided together.

    Attributes:
        count: number of buckets.
        ranks: number of ranks in each.
    """

    count: int
    ranks: int

    @classmethod
    def of(cls, ranks: int, count: int) -> RankBuckets:
        """Divide a number of ranks into about ``count`` buckets."""
        ranks = max(ranks, 1)
        buckets = min(count, ranks)
        return cls(buckets, -(-ranks // buckets))


def buckets_for(length: int) -> int:
    """Return the number of buckets for texts of this total length, in folded code points."""
    return 1 + length // _BUCKET_LENGTH


def partition_bits(record_bytes: int) -> int:
    """Return the number of leading bits of a key that select its partition, for records of this size."""
    return (record_bytes // _PARTITION_BYTES).bit_length()


def pairs_of(
    records: NDArray[np.uint8], strip: Strip, buckets: RankBuckets, approved: int
) -> tuple[memoryview, NDArray[np.uint64], HotPassages]:
    """Return the pairs of the records of a partition by bucket, the bounds of the buckets in bytes, and hot keys.

    Args:
        records: the records of all documents, in any order.
        strip: what to search for.
        buckets: the buckets of the pairs.
        approved: number of approved texts, which have the first ranks.
    """
    pairs, bounds, keys, places = _core.inside_pairs(
        records, strip.search, strip.repeats, not strip.keeps, buckets.ranks, buckets.count, approved
    )
    return memoryview(pairs), in_bytes(bounds, PAIR_BYTES), HotPassages(keys, places)


class PassageIndex:
    """Pairs of equal places of a corpus, in buckets by rank.

    Args:
        folder: the working folder; an interrupted search continues there.
        ranked: the documents.
        strip: what to search for.
    """

    def __init__(self, folder: Path, ranked: RankedTexts, strip: Strip) -> None:
        self._folder = folder
        self._ranked = ranked
        self._strip = strip
        total = int(ranked.lengths.sum(dtype=np.int64))
        # Passages have about 4 bytes of records for each Han character, and fewer for a letter.
        self._bits = min(_MOST_BITS, partition_bits(4 * total))
        self._buckets = RankBuckets.of(len(ranked) + ranked.approved_count, min(_MOST_BUCKETS, buckets_for(total)))

    @property
    def buckets(self) -> int:
        """Number of buckets."""
        return self._buckets.count

    def build(self, progress: Progress) -> HotPassages:
        """Compute all pairs, or continue to. Returns what was bounded."""
        self._folder.mkdir(parents=True, exist_ok=True)
        saved = read_json(self._folder / "pairs.json")
        if saved is None:
            self._compute_records(progress)
        state = _State([0] * self.buckets) if saved is None else _State(**saved)
        self._group(state, progress)
        return HotPassages(state.hot_keys, state.hot_places)

    def pairs(self, bucket: int) -> NDArray[np.uint8]:
        """Read the pairs of a bucket, as bytes for the decider."""
        return np.fromfile(self._bucket(bucket), np.uint8)

    def _partition(self, number: int) -> Path:
        return self._folder / f"records-{number:04d}"

    def _bucket(self, number: int) -> Path:
        return self._folder / f"pairs-{number:04d}"

    def _compute_records(self, progress: Progress) -> None:
        ranked, search = self._ranked, self._strip.search
        progress.stage("index", len(ranked), "documents")
        paths = [self._partition(number) for number in range(1 << self._bits)]
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("wb")) for path in paths]
            keys = None
            if ranked.approved is not None:
                approved, bounds, keys = ranked.approved.records(search, self._bits)
                _scatter(approved, bounds, files)
            for documents, records, bounds in ranked.records(search, self._bits, keys):
                _scatter(records, bounds, files)
                progress.advance(len(documents))
        sync(paths)

    def _group(self, state: _State, progress: Progress) -> None:
        write_json(asdict(state), self._folder / "pairs.json")
        count = 1 << self._bits
        progress.stage("group", count, "partitions")
        progress.advance(state.done)
        buckets = [self._bucket(number) for number in range(self.buckets)]
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("ab")) for path in buckets]
            for file, size in zip(files, state.sizes, strict=True):
                file.truncate(size)
            for number in range(state.done, count):
                self._group_partition(number, files, state)
                for file in files:
                    file.flush()
                    os.fsync(file.fileno())
                state.done = number + 1
                write_json(asdict(state), self._folder / "pairs.json")
                self._partition(number).unlink(missing_ok=True)
                progress.advance(1)

    def _group_partition(self, number: int, files: Sequence[IO[bytes]], state: _State) -> None:
        records = np.fromfile(self._partition(number), np.uint8)
        pairs, ends, hot = pairs_of(records, self._strip, self._buckets, self._ranked.approved_count)
        _scatter(pairs, ends, files)
        state.sizes = [size + added for size, added in zip(state.sizes, np.diff(ends).tolist(), strict=True)]
        state.hot_keys += hot.keys
        state.hot_places += hot.places

    def drop(self) -> None:
        """Delete the working folder."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _scatter(data: memoryview, bounds: NDArray[np.uint64], files: Sequence[IO[bytes]]) -> None:
    """Append the parts of some data to a file each. ``bounds`` are in bytes."""
    for file, start, end in zip(files, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        file.write(data[start:end])


__all__ = [
    "UNRANKED",
    "HotPassages",
    "PassageIndex",
    "RankBuckets",
    "RankedTexts",
    "buckets_for",
    "pairs_of",
    "partition_bits",
]
