"""The overhead of a Spark task, measured by stages of empty tasks."""

from __future__ import annotations

import json
import sys
import time

from whorl.engines.spark.cluster import SparkCluster, cluster_at

_FEW, _MANY = 16, 144


def measure(master: str, slots: int) -> float:
    """Return the slot seconds of an empty task on the cluster of a master."""
    with cluster_at(master) as cluster:
        _seconds(cluster, _FEW)
        few, many = _seconds(cluster, _FEW), _seconds(cluster, _MANY)
    return max(0.0, many - few) / (_MANY - _FEW) * slots


def _seconds(cluster: SparkCluster, tasks: int) -> float:
    begun = time.perf_counter()
    cluster.run("empty", str, range(tasks))
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
