"""Bulk filling stores the same as adding, and counts what adding reports."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.rounds import rounds

import whorl
from whorl import Library

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TEXTS = [edited(article(story), changes, seed=1) for story in range(3) for changes in (0, 3)]
DOCUMENTS = st.tuples(st.sampled_from("abcdef"), st.sampled_from(range(len(TEXTS))), st.integers(0, 40))
BATCHES = st.lists(st.lists(DOCUMENTS, min_size=1, max_size=6), min_size=1, max_size=4)


@pytest.mark.parametrize("exists", [{}, {"texts": False}, {"window": "8h"}], ids=["texts", "keys", "window"])
@settings(max_examples=rounds(10), suppress_health_check=[HealthCheck.too_slow])
@given(BATCHES)
def test_a_library_is_filled_as_one_is_added_to(exists: dict[str, Any], batches: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        filled, added = (whorl.open(Path(folder) / name, **exists) for name in ("filled", "added"))
        with filled, added:
            for batch in batches:
                rows = [row(*document) for document in batch]
                assert counted_by_filling(filled, rows) == counted_by_adding(added, rows)
                assert kept(filled) == kept(added)


def row(id_: str, text: int, hour: int) -> dict[str, Any]:
    time = BEGIN + timedelta(hours=hour)
    return {"id": id_, "text": TEXTS[text], "published_at": time, "first_seen_at": time}


def counted_by_filling(library: Library, rows: list[dict[str, Any]]) -> Counter[str]:
    counts = Counter[str]()
    for tally in library.fill(rows):
        counts.update(tally.to_dict())
    return +counts


def counted_by_adding(library: Library, rows: list[dict[str, Any]]) -> Counter[str]:
    counts = Counter[str]()
    for report in library.add_each(rows):
        counts[report.state] += 1
        counts["matched"] += bool(report.matches)
    return +counts


def kept(library: Library) -> list[Any]:
    reported = [(id_, library.get(id_), [match.id for match in library.matches(id_)]) for id_ in library]
    return [reported, [library.cluster(cluster.id) for cluster in library.clusters()]]


def test_one_text_is_no_documents(tmp_path: Path) -> None:
    with (
        whorl.open(tmp_path / "library") as library,
        pytest.raises(whorl.errors.InputError, match="expected a document"),
    ):
        list(library.fill("今天天气很好"))
