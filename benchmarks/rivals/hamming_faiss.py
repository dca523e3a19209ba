"""faiss: the binary index named by the first argument, searched by radius."""

from __future__ import annotations

import sys

import faiss
import numpy as np
from hamming_task import Task, median_microseconds, recall, report, resident, seconds

CHECKED = 1000
BATCH = 10_000


def main() -> None:
    """Measure one index."""
    task = Task.from_command_line()
    queries, sources = task.planted()
    before = resident()
    index = faiss.index_binary_factory(64, sys.argv[1])
    build = 0.0
    for number in range(task.chunks()):
        chunk = task.chunk(number).view(np.uint8).reshape(-1, 8)
        build += seconds(lambda chunk=chunk: index.add(chunk))
        del chunk
    index_bytes = resident() - before
    rows = queries.view(np.uint8).reshape(-1, 8)
    # The radius is exclusive.
    radius = task.distance + 1
    faiss.omp_set_num_threads(1)
    single = median_microseconds(lambda at: index.range_search(rows[at : at + 1], radius), len(rows))
    faiss.omp_set_num_threads(2)
    batch = rows[:BATCH]
    took = seconds(lambda: index.range_search(batch, radius))
    share_found = recall(lambda at: index.range_search(rows[at : at + 1], radius)[2], sources, CHECKED)
    report(build=build, held=index_bytes, single=single, batch=took / len(batch) * 1e6, recall=share_found)


if __name__ == "__main__":
    main()
