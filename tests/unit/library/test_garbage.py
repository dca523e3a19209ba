"""Frequency of garbage collection while documents are added."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article

import whorl


@pytest.fixture(autouse=True)
def usual_thresholds() -> Iterator[None]:
    """Collect as often as a fresh Python; tests otherwise run with higher thresholds."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def test_garbage_is_sought_seldom_until_the_last_report(tmp_path: Path) -> None:
    before = gc.get_threshold()
    with whorl.open(tmp_path / "library") as library:
        documents = ({"id": str(number), "text": article(number, 80)} for number in range(2))
        reports = library.add_each(documents)
        next(reports)
        assert gc.get_threshold()[0] > before[0]
        list(reports)
        assert gc.get_threshold() == before


def test_who_stops_early_leaves_things_as_they_were(tmp_path: Path) -> None:
    before = gc.get_threshold()
    with whorl.open(tmp_path / "library") as library:
        reports: Any = library.add_each([{"id": "a", "text": article(1, 80)}])
        next(reports)
        reports.close()
        assert gc.get_threshold() == before


def test_garbage_is_not_sought_more_often_than_before(tmp_path: Path) -> None:
    gc.set_threshold(1_000_000, 10, 10)
    with whorl.open(tmp_path / "library") as library:
        reports = library.add_each([{"id": "a", "text": article(1, 80)}])
        next(reports)
        assert gc.get_threshold() == (1_000_000, 10, 10)
