"""Prometheus metrics. Worker processes write theirs into a shared folder, and any process can report the sum."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from whorl._internal.disk import make_folder
from whorl.library import Library
from whorl.service.metric_files import FileValue

if TYPE_CHECKING:
    from whorl.service.state import State

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_FOLDER = "metrics"


class Metrics:
    """Metrics of a process.

    Attributes:
        requests: number of requests by method, route and status.
        seconds: request duration by method and route.
        articles: number of articles by library and action, "added" or "checked".
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        if _VARIABLE in os.environ:
            values.ValueClass = FileValue
        self.requests = Counter(
            "whorl_requests", "Requests that were answered.", ("method", "route", "status"), registry=self._registry
        )
        self.seconds = Histogram(
            "whorl_request_seconds", "Seconds until an answer was given.", ("method", "route"), registry=self._registry
        )
        self.articles = Counter(
            "whorl_articles",
            "Articles that were added or checked.",
            ("library", "what"),
            registry=self._registry,
        )

    def text(self, state: State, shelf: Mapping[str, Library]) -> bytes:
        """Return the metrics of all worker processes and of the shared state and libraries."""
        shared = CollectorRegistry()
        shared.register(_Shared(state, shelf))
        return generate_latest(self.registry()) + generate_latest(shared)

    def registry(self) -> CollectorRegistry:
        """Return the metrics of all worker processes."""
        if _VARIABLE not in os.environ:
            return self._registry
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return registry


class _Shared:
    """Metrics computed from shared state, the same in every process."""

    def __init__(self, state: State, shelf: Mapping[str, Library]) -> None:
        self._state = state
        self._shelf = shelf

    def collect(self) -> Iterator[Metric]:
        """Return the metrics."""
        jobs = GaugeMetricFamily("whorl_jobs", "Jobs that are kept, by kind and state.", labels=("kind", "state"))
        for (kind, state), count in self._state.jobs.counts().items():
            jobs.add_metric((kind, state), count)
        yield jobs
        sizes = GaugeMetricFamily("whorl_library_articles", "Articles in a library.", labels=("library",))
        for name, library in self._shelf.items():
            sizes.add_metric((name,), len(library))
        yield sizes


def share_metrics(place: Path) -> None:
    """Create an empty folder, below another one, for the metrics of worker processes that this process will start."""
    folder = place / _FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder, private=True)
    os.environ[_VARIABLE] = str(folder)


__all__ = ["MEDIA", "Metrics", "share_metrics"]
