"""What a watch has found, for whoever looks on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import whorl
from whorl.errors import NotFoundError
from whorl.monitor.frontier import FILE, Frontier
from whorl.monitor.watched import latest_findings, rechecks, watch_log
from whorl.monitor.watching import watch

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 5


def page_of(folder: Path, name: str, text: str) -> Path:
    page = folder / name
    page.write_text(f"<html><body><article><p>{text}</p></article></body></html>", encoding="utf-8")
    return page


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "ours") as opened:
        opened.add({"id": "ice", "text": TEXT, "title": "冰厂", "collection": "protected"})
    return tmp_path / "ours"


def test_where_nothing_was_watched_nothing_is_told(library: Path) -> None:
    for ask in (watch_log, latest_findings):
        with pytest.raises(NotFoundError, match="nothing was watched"):
            ask(library)


def test_findings_are_counted_and_chosen(library: Path, tmp_path: Path) -> None:
    run = watch(library, saved=page_of(tmp_path, "a.html", TEXT))
    watch(library, saved=page_of(tmp_path, "b.html", f"{TEXT}另外还有一句。"))
    assert watch_log(library).found.copies == 2
    latest = latest_findings(library, most=1)
    assert latest.count == 2
    assert latest_findings(library, most=1, skip=1).findings == run.new
    assert latest.findings != run.new
    assert latest_findings(library, verdict="gone").findings == ()
    assert latest_findings(library, containing="b.html").count == 1
    assert latest_findings(library, url=run.new[0].url).findings == run.new
    assert latest_findings(library, article="ice", site=run.new[0].site, verdict="copy").count == 2
    with pytest.raises(NotFoundError, match="no verdict"):
        latest_findings(library, verdict="' OR 1=1")


def test_a_page_tells_when_its_text_was_gone(library: Path, tmp_path: Path) -> None:
    watch(library, saved=page_of(tmp_path, "a.html", TEXT))
    url = latest_findings(library).findings[0].url
    watch(library, saved=page_of(tmp_path, "a.html", "今天天气很好，适合出门散步，去看看海。" * 5))
    assert [one.outcome for one in rechecks(library, url)] == ["there", "changed"]
    (gone,) = latest_findings(library, verdict="gone").findings
    assert gone.gone_at is not None


def test_it_is_read_while_a_watch_goes_on(library: Path) -> None:
    with Frontier(library / FILE) as frontier:
        frontier.begin(datetime.now(UTC))
        assert [(one.number, one.ended_at) for one in watch_log(library).runs] == [(1, None)]
        frontier.put("site", "page", 0, ["https://copies.example/1"], datetime.now(UTC))
        assert watch_log(library).queued == 1
