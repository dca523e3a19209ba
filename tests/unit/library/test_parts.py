"""A batch with new boilerplate is stored in parts, and reported as one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.articles import article, edited

import whorl
from whorl import Library
from whorl.fingerprints import family
from whorl.library.ingest.pace import PartSizes
from whorl.types.library import Report

NOTICE = article(7100, 90)
SMALLEST, LARGEST = 32, 2000


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        yield opened


def holders(first: int, count: int) -> list[dict[str, Any]]:
    """Return articles that share nothing but a notice."""
    return [
        {"id": f"holder {number}", "text": f"{article(number, 300)}\n{NOTICE}"}
        for number in range(first, first + count)
    ]


def names(reports: list[Report]) -> dict[str, set[str]]:
    return {report.id: {match.id for match in report.matches} for report in reports}


@given(st.integers(1, 9000), st.integers(0, 3000), st.lists(st.integers(0, 20), max_size=20))
def test_parts_are_a_batch_in_its_order_and_grow_until_too_much_is_compared_again(
    documents: int, contents: int, compared_again: list[int]
) -> None:
    pace, limit, sizes = PartSizes(contents), min(LARGEST, max(SMALLEST, contents)), list[int]()
    for rows, again in zip(pace.parts(documents), chain(compared_again, repeat(0)), strict=False):
        assert rows.stop - rows.start == min(limit, documents - len(sizes))
        sizes += range(documents)[rows]
        pace.note(10, again)
        limit = SMALLEST if again > 10 else min(LARGEST, 2 * limit)
    assert sizes == list(range(documents))


def test_results_do_not_depend_on_when_the_library_was_opened(tmp_path: Path) -> None:
    batches = [[*holders(start, 36), {"id": f"copy {start}", "text": article(7200, 300)}] for start in (0, 40, 80, 120)]
    with whorl.open(tmp_path / "open") as library:
        for batch in batches:
            library.add(batch)
        expected = (library.notices(), library.clusters_of(sorted(library.ids())), library.stats()["pairs"])
    for batch in batches:
        with whorl.open(tmp_path / "reopened") as library:
            library.add(batch)
    with whorl.open(tmp_path / "reopened") as library:
        result = (library.notices(), library.clusters_of(sorted(library.ids())), library.stats()["pairs"])
    assert result == expected
    assert len(expected[0]) == 1


@given(st.lists(st.sampled_from(["", "今天天气很好，适合出门散步。", *map(article, range(4))]), max_size=8), st.data())
def test_a_part_of_fingerprints_is_what_its_texts_have(texts: list[str], data: st.DataObject) -> None:
    stop = data.draw(st.integers(0, len(texts)))
    start = data.draw(st.integers(0, stop))
    for name in ("winnowing", "minhash", "exact"):
        chosen = family(name)
        part, alone = chosen.fingerprint(texts).part(start, stop), chosen.fingerprint(texts[start:stop])
        for column in ("digests", "lengths", "keys", "counts"):
            assert getattr(part, column).tolist() == getattr(alone, column).tolist()
        assert part.codes.tobytes() == alone.codes.tobytes()


def test_the_first_of_a_batch_is_told_of_the_last(library: Library) -> None:
    first = {"id": "first", "text": f"{article(9000, 400)}\n{NOTICE}"}
    last = {"id": "last", "text": f"{edited(article(9000, 400), 6)}\n{NOTICE}"}
    reports = library.add([first, *holders(0, 120), last])
    result = names(reports)
    assert (result["first"], result["last"]) == ({"last"}, {"first"})
    assert {report.cluster_id for report in reports if report.id in ("first", "last")} == {reports[0].cluster_id}
    assert not any(result[f"holder {number}"] for number in range(120))


def test_what_a_later_part_teaches_is_no_match_in_the_report_of_an_earlier_one(
    library: Library, tmp_path: Path
) -> None:
    plain = [{"id": f"plain {row}", "text": article(8000 + row, 300)} for row in range(40)]
    alike = library.add([*holders(0, 2), *plain])[:2]
    assert names(alike) == {"holder 0": {"holder 1"}, "holder 1": {"holder 0"}}
    with whorl.open(tmp_path / "other") as other:
        assert not any(names(other.add([*holders(0, 2), *plain, *holders(2, 60)])).values())


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(60)), st.sampled_from([1, 7, 60]))
@example(list(range(60)), 60)
def test_reports_say_what_the_library_says_afterwards(order: list[int], batch: int) -> None:
    """For the last batch: earlier reports do not include later articles."""
    rows = [*holders(0, 30), *({"id": f"copy {row}", "text": edited(article(row, 300), 4)} for row in range(30))]
    ordered = [rows[place] for place in order]
    with TemporaryDirectory() as folder, whorl.open(Path(folder) / "library") as library:
        for start in range(0, len(ordered), batch):
            reports = library.add(ordered[start : start + batch])
        for report in reports:
            assert report.matches == library.matches(report.id)
            assert report.cluster_id == library.clusters_of([report.id])[report.id]
