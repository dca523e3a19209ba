"""Group the documents that share keys, one partition at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.decide import POSTING
from whorl.engines.local.read import PARTITION_BITS, PARTITIONS, StoredSegment
from whorl.engines.progress import Progress


def group_documents(
    segments: Sequence[StoredSegment],
    rank_of: NDArray[np.uint32],
    progress: Progress,
    chosen: range = range(PARTITIONS),
) -> _core.Groups:
    """Find the keys in some partitions that two or more documents share. Memory: a partition and the groups."""
    progress.stage("group", len(chosen), "partitions")
    groups = _core.Groups()
    files = [_Postings(segment) for segment in segments]
    bases = np.cumsum([0, *(segment.documents for segment in segments)])
    for number in chosen:
        pieces = (
            (piece, int(base)) for file, base in zip(files, bases, strict=False) for piece in file.partition(number)
        )
        groups.add_partition(pieces, sum(file.postings(number) for file in files), PARTITION_BITS, rank_of)
        progress.advance(1)
    return groups


class _Postings:
    """The postings of one segment, readable by partition."""

    def __init__(self, segment: StoredSegment) -> None:
        self._path = segment.folder / "posting"
        ends = segment.column("partition_end").reshape(-1, PARTITIONS)
        self._ends = ends.astype(np.int64)
        starts = np.concatenate([[0], self._ends.ravel()[:-1]]) if ends.size else np.empty(0, np.int64)
        self._starts = starts.reshape(-1, PARTITIONS)

    def postings(self, number: int) -> int:
        """Return the number of postings in a partition."""
        return int((self._ends[:, number] - self._starts[:, number]).sum())

    def partition(self, number: int) -> Iterator[bytes]:
        """Yield the postings of a partition, batch by batch."""
        if not self._path.exists():
            return
        with self._path.open("rb", buffering=0) as file:
            for start, end in zip(self._starts[:, number], self._ends[:, number], strict=True):
                file.seek(int(start) * POSTING.itemsize)
                yield file.read(int(end - start) * POSTING.itemsize)


__all__ = ["group_documents"]
