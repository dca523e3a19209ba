from tests.unit.reports.page import HOSTILE, Page

from whorl.reports.hot import Reprint, counted_titles, render_hot


def group(*titles: str) -> list[Reprint]:
    return [Reprint(title, f"a.jsonl:{row}") for row, title in enumerate(titles, 1)]


def test_groups_are_shown_with_titles_and_places() -> None:
    page = Page(render_hot(91, 20, [group("冰厂", "冰厂", "石桥"), group("x", "y")]))
    text = " ".join(page.texts["en"].split())
    for expected in ("20 groups of copies among 91 articles", "冰厂 ×2", "石桥", "a.jsonl:3", "18 more groups"):
        assert expected in text
    assert "91 篇中有 20 组重复文章" in page.texts["zh"]


def test_the_most_frequent_title_comes_first() -> None:
    assert counted_titles(["a", "b", "b"]) == [("b", 2), ("a", 1)]


def test_titles_are_only_text() -> None:
    page = Page(render_hot(2, 1, [[Reprint(HOSTILE, HOSTILE)] * 2]))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text


def test_many_groups_of_many_articles_are_counted() -> None:
    page = render_hot(10**6, 10**5, [group(*map(str, range(1000)))] * 600)
    assert len(page.encode()) < 20_000_000
    assert "99,500 more groups are not shown here." in page
    assert "900 more articles" in page
