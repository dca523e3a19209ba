"""Response times over all worker processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import inf

from whorl._internal.frozen import frozen
from whorl.service.metrics import Metrics

_SECONDS = "whorl_request_seconds"
_APART = ("", "/healthz", "/readyz", "/metrics", "/static/{name}")
"""Routes that are excluded because no user waits for them."""


@frozen
class Latency:
    """Response times of a route.

    Attributes:
        route: method and route template.
        answers: number of responses since the start of the service.
        median: median in seconds, rounded up to a bucket boundary; infinite above the last one.
        p95: 95th percentile in seconds, rounded up in the same way.
    """

    route: str
    answers: int
    median: float
    p95: float


def latencies(metrics: Metrics, limit: int) -> list[Latency]:
    """Return the routes with the most requests, in descending order.

    Args:
        metrics: metrics of this process.
        limit: maximum number of routes.
    """
    routes = [
        Latency(name, int(bucket[inf]), _within(bucket, 0.5), _within(bucket, 0.95))
        for name, bucket in _buckets(metrics)
    ]
    return sorted(routes, key=lambda route: (-route.answers, route.route))[:limit]


def _buckets(metrics: Metrics) -> list[tuple[str, Mapping[float, float]]]:
    """Return the cumulative bucket counts of each route."""
    counts = defaultdict[str, dict[float, float]](dict)
    for metric in metrics.registry().collect():
        for sample in metric.samples if metric.name == _SECONDS else ():
            if sample.name.endswith("_bucket") and sample.labels["route"] not in _APART:
                name = f"{sample.labels['method']} {sample.labels['route']}"
                counts[name][float(sample.labels["le"])] = sample.value
    return list(counts.items())


def _within(counts: Mapping[float, float], share: float) -> float:
    return min(bound for bound, count in counts.items() if count >= share * counts[inf])


__all__ = ["Latency", "latencies"]
