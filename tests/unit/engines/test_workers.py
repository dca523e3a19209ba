"""The thread count of a caller applies to that call alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from tests.articles import article, write_jsonl

import whorl
from whorl import _core
from whorl._internal.overlap import read_ahead
from whorl.engines.workers import bounded
from whorl.errors import InputError
from whorl.tasks import Silent


class Watching(Silent):
    """A progress that records the thread count of the core when a stage begins."""

    def __init__(self) -> None:
        self.worker_counts: set[int] = set()

    def stage(self, name: str, total: int | None, unit: str) -> None:
        self.worker_counts.add(_core.workers())
        super().stage(name, total, unit)


def test_each_run_uses_the_requested_threads(tmp_path: Path) -> None:
    usual = _core.workers()
    source = tmp_path / "articles.jsonl"
    write_jsonl(source, [{"id": str(number), "text": article(number % 7)} for number in range(20)])
    kept = set()
    for run, workers in enumerate((3, 1, 2, None)):
        progress = Watching()
        cleaned = whorl.dedup_files(source, tmp_path / f"{run}", workers=workers, progress=progress)
        assert progress.worker_counts == {workers or usual}
        assert _core.workers() == usual
        kept.add(cleaned.run["counts"]["kept"])
    assert kept == {7}


def test_a_run_that_fails_leaves_no_bound(tmp_path: Path) -> None:
    usual = _core.workers()
    with pytest.raises(InputError):
        whorl.dedup_files(tmp_path / "missing.jsonl", tmp_path / "out", workers=usual + 1)
    assert _core.workers() == usual


def test_caller_threads_have_separate_limits() -> None:
    together = Barrier(2)

    def threads(workers: int) -> int:
        with bounded(workers):
            together.wait(30)
            worker_count = _core.workers()
            together.wait(30)
        return worker_count

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(threads, (2, 3))) == [2, 3]


def test_read_ahead_is_bounded_by_its_reader() -> None:
    with bounded(3):
        assert list(read_ahead(_core.workers() for _ in range(2))) == [3, 3]
    with bounded(3), bounded(None):
        assert list(read_ahead(_core.workers() for _ in range(1))) == [_core.workers()]
