"""What a watch remembers, for whoever looks on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.monitor.frontier import FILE, Frontier
from whorl.monitor.history import page_history, watch_history
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


def test_where_nothing_was_watched_there_is_no_history(library: Path) -> None:
    assert watch_history(library) is None
    with pytest.raises(NotFoundError, match="nothing was found"):
        page_history(library, "https://copies.example/1")


def test_findings_are_counted_and_chosen(library: Path, tmp_path: Path) -> None:
    run = watch(library, saved=page_of(tmp_path, "a.html", TEXT))
    watch(library, saved=page_of(tmp_path, "b.html", f"{TEXT}另外还有一句。"))
    history = watch_history(library)
    assert [one.number for one in history.runs] == [2, 1]
    assert [one.found for one in history.runs] == [1, 1]
    assert (history.found.copies, history.chosen) == (2, 2)
    assert [site.found.copies for site in history.sites] == [2]
    latest = watch_history(library, top=1).findings
    earlier = watch_history(library, top=1, skip=1).findings
    assert earlier == run.new
    assert latest != earlier
    assert watch_history(library, verdict="gone").findings == ()
    assert watch_history(library, containing="b.html").chosen == 1
    assert watch_history(library, article="ice", site=latest[0].site, verdict="copy").chosen == 2
    with pytest.raises(UsageError, match="no verdict"):
        watch_history(library, verdict="' OR 1=1")


def test_a_page_tells_when_its_text_was_gone(library: Path, tmp_path: Path) -> None:
    watch(library, saved=page_of(tmp_path, "a.html", TEXT))
    url = watch_history(library).findings[0].url
    watch(library, saved=page_of(tmp_path, "a.html", "今天天气很好，适合出门散步，去看看海。" * 5))
    history = page_history(library, url)
    assert [one.outcome for one in history.checks] == ["there", "changed"]
    assert history.findings[0].gone_at is not None
    assert watch_history(library, verdict="gone").chosen == 1


def test_it_is_read_while_a_watch_goes_on(library: Path) -> None:
    with Frontier(library / FILE) as frontier:
        frontier.begin(datetime.now(UTC))
        history = watch_history(library)
        assert [(one.number, one.ended_at) for one in history.runs] == [(1, None)]
        frontier.put("site", "page", 0, ["https://copies.example/1"], datetime.now(UTC))
        assert watch_history(library).queued == 1
