"""Figures for Prometheus. With several worker processes each writes its own into a folder, and any tells their sum."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from whorl.disk import make_folder
from whorl.library import Library
from whorl.service.metric_files import FileValue

if TYPE_CHECKING:
    from whorl.service.state import State

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_FOLDER = "metrics"


class Metrics:
    """What a process has done.

    Attributes:
        requests: by method, route and status.
        seconds: that they took, by method and route.
        articles: by library, and by what was done with them: "added" or "checked".
    """

    def __init__(self) -> None:
        self._own = CollectorRegistry()
        if _VARIABLE in os.environ:
            values.ValueClass = FileValue
        self.requests = Counter(
            "whorl_requests", "Requests that were answered.", ("method", "route", "status"), registry=self._own
        )
        self.seconds = Histogram(
            "whorl_request_seconds", "Seconds until an answer was given.", ("method", "route"), registry=self._own
        )
        self.articles = Counter(
            "whorl_articles",
            "Articles that were added or checked.",
            ("library", "what"),
            registry=self._own,
        )

    def text(self, state: State, shelf: Mapping[str, Library]) -> bytes:
        """Return the figures of all worker processes, and of the state and the libraries that they share."""
        shared = CollectorRegistry()
        shared.register(_Shared(state, shelf))
        return generate_latest(self.registry()) + generate_latest(shared)

    def registry(self) -> CollectorRegistry:
        """Return what all worker processes have done."""
        if _VARIABLE not in os.environ:
            return self._own
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return registry


class _Shared:
    """What is the same whichever process is asked."""

    def __init__(self, state: State, shelf: Mapping[str, Library]) -> None:
        self._state = state
        self._shelf = shelf

    def collect(self) -> Iterator[Metric]:
        """Return the figures."""
        jobs = GaugeMetricFamily("whorl_jobs", "Jobs that are kept, by kind and state.", labels=("kind", "state"))
        for (kind, state), count in self._state.jobs.counts().items():
            jobs.add_metric((kind, state), count)
        yield jobs
        sizes = GaugeMetricFamily("whorl_library_articles", "Articles in a library.", labels=("library",))
        for name, library in self._shelf.items():
            sizes.add_metric((name,), len(library))
        yield sizes


def share_metrics(state: str) -> None:
    """Let the worker processes that this one will start write their figures below a folder, anew."""
    folder = Path(state) / _FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder, private=True)
    os.environ[_VARIABLE] = str(folder)


__all__ = ["MEDIA", "Metrics", "share_metrics"]
