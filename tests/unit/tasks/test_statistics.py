"""Numbers of published and copied articles, as users count them."""

from __future__ import annotations

from pathlib import Path

import pytest

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.library import Library
from whorl.tasks.library.statistics import statistics

HARBOUR = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。老渔民说，这在从前想也不敢想。"
LIBRARY = "市图书馆把闭馆时间推迟到夜里十点，附近的中学生放学以后常来这里写作业，管理员为他们添了二十盏台灯。"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Return a site, others that copy it whole and in part, and an unrelated one."""
    library = whorl.open(tmp_path / "newsroom")
    day = "2026-03-0"
    library.add(
        [
            {"id": "copy", "text": HARBOUR, "url": "https://www.copies.example/1", "first_seen_at": f"{day}1"},
            {"id": "paper", "text": HARBOUR, "url": "https://paper.example/1", "author": "王小渡"}
            | {"first_seen_at": f"{day}2", "published_at": "2026-02-01"},
            {"id": "more", "text": f"据悉，{HARBOUR}", "url": "https://m.copies.example/2", "first_seen_at": f"{day}3"},
            {"id": "own", "text": HARBOUR, "url": "https://paper.example/2", "first_seen_at": f"{day}3"},
            {"id": "else", "text": LIBRARY, "source": "青澜日报", "first_seen_at": f"{day}3"},
        ]
    )
    return library


def test_first_publisher_is_copied_but_not_by_itself(library: Library) -> None:
    library.sites.put([{"domain": "copies.example"}])
    stats = statistics(library, by="site")
    assert (stats.articles, stats.exact, stats.near, stats.names) == (5, 2, 1, 3)
    figures = {row.name: (row.articles, row.exact, row.near, row.copied, row.copying) for row in stats.rows}
    assert figures == {
        "copies.example": (2, 1, 1, 0, 2),
        "paper.example": (2, 1, 0, 2, 0),
        "青澜日报": (1, 0, 0, 0, 0),
    }
    assert [row.name for row in stats.most_copied] == ["paper.example"]
    assert [row.name for row in stats.most_copying] == ["copies.example"]


def test_unknown_sites_are_counted_by_domain(library: Library) -> None:
    names = {row.name for row in statistics(library).rows}
    assert {"www.copies.example", "m.copies.example"} < names


def test_an_article_without_an_author_is_counted_and_in_no_list(library: Library) -> None:
    stats = statistics(library, by="author")
    assert [(row.name, row.articles) for row in stats.rows] == [("", 4), ("王小渡", 1)]
    assert [row.name for row in stats.most_copied] == ["王小渡"]
    assert stats.most_copying == ()


def test_days_are_those_of_the_first_sight_in_order_of_time(library: Library) -> None:
    stats = statistics(library, by="day")
    assert [(row.name, row.articles) for row in stats.rows] == [
        ("2026-03-01", 1),
        ("2026-03-02", 1),
        ("2026-03-03", 3),
    ]
    assert [row.name for row in statistics(library, by="day", top=2).rows] == ["2026-03-02", "2026-03-03"]
    assert (stats.most_copied, stats.most_copying) == ((), ())


def test_copy_counts_with_an_older_original(library: Library) -> None:
    stats = statistics(library, since="2026-03-03", until="2026-03-04")
    assert (stats.articles, stats.exact, stats.near) == (3, 1, 1)
    assert [finding.name for finding in stats.most_copied] == ["paper.example"]
    assert statistics(library, until="2026-03-01").articles == 0


def test_rejected_matches_are_no_copies(library: Library) -> None:
    for other in ("copy", "paper", "own"):
        library.review("more", other, "rejected")
    assert statistics(library).near == 0


def test_user_mistakes_are_reported(library: Library) -> None:
    with pytest.raises(NotFoundError, match="unknown grouping 'title'"):
        statistics(library, by="title")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="top is 0"):
        statistics(library, top=0)
    with pytest.raises(InputError, match="since is not a valid time"):
        statistics(library, since="soon")
