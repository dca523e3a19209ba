"""Plain NumPy: for each of four 16-bit blocks, the codes sorted by it and the start of each value."""

from __future__ import annotations

import numpy as np
from hamming_task import Task, median_microseconds, recall, report, resident, seconds
from numpy.typing import NDArray

BLOCKS = range(0, 64, 16)
CHECKED = 1000


def main() -> None:
    """Measure the index."""
    task = Task.from_command_line()
    queries, sources = task.planted()
    before = resident()
    codes = task.all()
    orders, starts = [], []

    def build() -> None:
        for shift in BLOCKS:
            block = (codes >> np.uint64(shift)).astype(np.uint16)
            order = np.argsort(block, kind="stable").astype(np.uint32)
            orders.append(order)
            starts.append(np.searchsorted(block[order], np.arange(65537)))

    took = seconds(build)
    index_bytes = resident() - before

    def find(position: int) -> NDArray[np.uint32]:
        query = queries[position]
        hits = []
        for shift, order, start in zip(BLOCKS, orders, starts, strict=True):
            value = int(query >> np.uint64(shift)) & 0xFFFF
            rows = order[start[value] : start[value + 1]]
            hits.append(rows[np.bitwise_count(codes[rows] ^ query) <= task.distance])
        return np.unique(np.concatenate(hits))

    single = median_microseconds(find, len(queries))
    report(build=took, held=index_bytes, single=single, batch=None, recall=recall(find, sources, CHECKED))


if __name__ == "__main__":
    main()
