"""How long answers take, as the figures of all worker processes have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from whorl.service.metrics import Metrics

_SECONDS = "whorl_request_seconds"
_APART = ("", "/healthz", "/readyz", "/metrics", "/static/{name}")
"""Routes of which nobody waits for an answer."""


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the answers of a route take.

    Attributes:
        route: method and address.
        answers: how many were given since the service began.
        half: seconds within which half of them came, rounded up to a bound of the histogram; infinite above all.
        most: the same of 95 of 100.
    """

    route: str
    answers: int
    half: float
    most: float


def latencies(metrics: Metrics, most: int) -> list[Latency]:
    """Return the routes that are asked for most, the most first.

    Args:
        metrics: of this process.
        most: how many routes.
    """
    found = [Latency(name, int(own[inf]), _within(own, 0.5), _within(own, 0.95)) for name, own in _buckets(metrics)]
    return sorted(found, key=lambda one: (-one.answers, one.route))[:most]


def _buckets(metrics: Metrics) -> list[tuple[str, Mapping[float, float]]]:
    """Of each route, how many answers came within each bound."""
    found = defaultdict[str, dict[float, float]](dict)
    for metric in metrics.registry().collect():
        for sample in metric.samples if metric.name == _SECONDS else ():
            if sample.name.endswith("_bucket") and sample.labels["route"] not in _APART:
                name = f"{sample.labels['method']} {sample.labels['route']}"
                found[name][float(sample.labels["le"])] = sample.value
    return list(found.items())


def _within(counts: Mapping[float, float], share: float) -> float:
    return min(bound for bound, count in counts.items() if count >= share * counts[inf])


__all__ = ["Latency", "latencies"]
