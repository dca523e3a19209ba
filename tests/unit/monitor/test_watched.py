"""Findings of a watch, for observers."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.monitor.findings.records import Finding
from whorl.monitor.findings.watched import findings, latest_findings, rechecks, watch_log
from whorl.monitor.frontier import FILE, Frontier

BEGUN = datetime(2026, 3, 5, 23, tzinfo=UTC)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a library with an ongoing run of a watch: three findings on two days, one of them gone."""
    whorl.open(tmp_path / "library").close()
    with Frontier(tmp_path / "library" / FILE) as frontier:
        run = frontier.begin(BEGUN)
        for number, (site, article, verdict) in enumerate(
            [("a", "ice", "copy"), ("a", "fish", "reprint"), ("b", "ice", "copy")]
        ):
            at, url = BEGUN + timedelta(hours=number), f"https://{site}.example/{number}"
            frontier.put(site, "page", 0, [url], at)
            frontier.find([Finding(url, article, url, site, "exact", verdict, 1.0, 1.0, 50, at, at, run)])
        frontier.check("https://a.example/0", run, BEGUN + timedelta(days=1), 410, "gone")
    return tmp_path / "library"


def test_a_run_that_goes_on_has_no_end_and_its_findings_are_counted(library: Path) -> None:
    log = watch_log(library)
    assert [(run.number, run.begun_at, run.ended_at) for run in log.runs] == [(1, BEGUN, None)]
    assert (log.found.copies, log.found.reprints, log.found.gone, log.queued) == (1, 1, 1, 3)
    assert [(run.day, run.found.copies, run.found.gone) for run in log.days] == [
        ("2026-03-06", 1, 0),
        ("2026-03-05", 0, 1),
    ]
    assert [run.article for run in log.articles] == ["ice", "fish"]
    assert [run.site for run in watch_log(library, limit=1).sites] == ["a"]


def test_findings_go_on_behind_the_last_one(library: Path) -> None:
    whole = findings(library)
    (first,) = findings(library, limit=1)
    assert [item for _, item in whole] == [first[1], *(item for _, item in findings(library, after=first[0]))]
    assert [item.article for _, item in findings(library, site="a", is_gone=False)] == ["fish"]
    assert [item.gone_at for _, item in findings(library, is_gone=True)] == [BEGUN + timedelta(days=1)]


def test_of_many_looks_the_latest_are_told(library: Path) -> None:
    with Frontier(library / FILE) as frontier:
        for day in range(2, 5):
            frontier.check("https://a.example/0", 1, BEGUN + timedelta(days=day), 200, "there", ["ice"])
        report = rechecks(library, "https://a.example/0", limit=2)
    assert [item.at for item in report] == [BEGUN + timedelta(days=day) for day in (3, 4)]


def test_an_older_crawl_state_has_the_verdicts_of_now(library: Path) -> None:
    """Also before the next watch migrates the file: observers open it read-only."""
    expected = (findings(library), watch_log(library), latest_findings(library, verdict="reprint", limit=2))
    with closing(sqlite3.connect(library / FILE)) as older:
        older.executescript("UPDATE found SET verdict = 'leave' WHERE verdict = 'reprint'; PRAGMA user_version = 2")
    assert expected == (findings(library), watch_log(library), latest_findings(library, verdict="reprint", limit=2))
    assert [item.article for _, item in findings(library, verdict="reprint", after=expected[0][0][0])] == ["fish"]
    with Frontier(library / FILE):
        assert findings(library) == expected[0]


def test_mistakes_are_told(library: Path) -> None:
    with pytest.raises(NotFoundError, match="unknown verdict 'stolen'"):
        findings(library, verdict="stolen")
    for wrong in (watch_log, findings):
        with pytest.raises(UsageError, match="limit"):
            wrong(library, limit=0)
