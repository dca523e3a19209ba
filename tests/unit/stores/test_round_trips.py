"""Checks in a library on a server take few round trips, whatever the number of matches."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.articles import article, edited
from tests.proxy import counting
from tests.stores import place

import whorl
from whorl.library import Library
from whorl.types.library import Report

TEXT = article(1, 400)
DOCUMENTS = [{"id": f"copy {number}", "text": edited(TEXT, number % 5, number // 5)} for number in range(20)]


def _fill(library: Library) -> None:
    library.add(DOCUMENTS)
    library.review("copy 0", "copy 1", "rejected")


def _plain(report: Report) -> Any:
    matches = [(match.id, match.relation, match.joins, match.this_in_other, match.passages) for match in report.matches]
    return matches, report.cluster_id, report.keys, report.unlisted


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        pytest.param(article(9, 400), 2, id="new: begin, end"),
        pytest.param(edited(TEXT, 9), 4, id="near-duplicates: begin, candidates, possible compilations, end"),
        pytest.param(TEXT, 6, id="exact duplicates: also the equal text, and its other documents"),
    ],
)
def test_a_check_takes_few_round_trips(text: str, limit: int, tmp_path: Path) -> None:
    address = place("postgresql", tmp_path)
    with whorl.open(address) as library:
        _fill(library)
    port = urlsplit(address).port or 0
    with counting(port) as (proxy_port, trips), whorl.open(address.replace(f":{port}/", f":{proxy_port}/")) as library:
        for _ in range(3):  # statements are prepared at their second use
            library.check(text)
        trips.clear()
        report = library.check(text)
        assert len(trips) <= limit
    assert len(report.matches) == (0 if limit == 2 else 20)


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
@pytest.mark.parametrize("rules", [{}, {"most": 3}, {"window": "30d"}, {"texts": False, "compared": 2}], ids=str)
def test_rows_that_are_read_ahead_change_no_report(scheme: str, rules: dict[str, Any], tmp_path: Path) -> None:
    texts = [TEXT, edited(TEXT, 9), edited(TEXT, 2, 1), f"{TEXT}{article(2)}", TEXT[:200], article(9), ""]
    with whorl.open(place(scheme, tmp_path), **rules) as there, whorl.open(tmp_path / "here", **rules) as here:
        for library in (there, here):
            _fill(library)
        for text in texts:
            assert _plain(there.check(text)) == _plain(here.check(text))
