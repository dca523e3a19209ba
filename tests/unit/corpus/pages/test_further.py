"""The pages of one article."""

import pytest

from whorl.corpus.pages.extraction import extract
from whorl.corpus.pages.further import joined

TEXT = "<p>雾散之后，渡口又热闹起来。岸上的人说，停了三年的渡船今天早上终于开了。</p>" * 3


@pytest.mark.parametrize(
    ("url", "link", "is_next"),
    [
        ("http://a.example/n/7.html", "<a href='7_2.html'>下一页</a>", "http://a.example/n/7_2.html"),
        ("http://a.example/n/7_2.html", "<a href='7_3.html'>[下一页]</a>", "http://a.example/n/7_3.html"),
        ("http://a.example/n/7.html", "<a href='/n/7_1.html'>下页 &gt;</a>", "http://a.example/n/7_1.html"),
        ("http://a.example/n/7", "<a href='/n/7/2'>2</a>", "http://a.example/n/7/2"),
        ("http://a.example/n?id=7", "<a href='?id=7&page=2&from=x'>Next &raquo;</a>", "http://a.example/n?id=7&page=2"),
        ("http://a.example/n?page=2&id=7", "<a href='?page=3&id=7'>下一頁</a>", "http://a.example/n?page=3&id=7"),
        ("http://a.example/n/7.html", "<link rel=next href='/n/7_2.html'>", "http://a.example/n/7_2.html"),
        (
            "http://a.example/n/7.html",
            "<a href='7_1.html'>1</a><a href='7_2.html'>2</a>",
            "http://a.example/n/7_2.html",
        ),
        ("http://a.example/n/7.html", "<a href='8.html'>下一篇</a>", None),
        ("http://a.example/n/7.html", "<a href='8.html'>下一页</a>", None),
        ("http://a.example/n/7.html", "<link rel=next href='/n/8.html'>", None),
        ("http://a.example/n/7_2.html", "<a href='7_1.html'>下一页</a>", None),
        ("http://a.example/n/7_2.html", "<a href='7_2.html'>下一页</a>", None),
        ("http://a.example/n/7.html", "<a href='http://b.example/n/7_2.html'>下一页</a>", None),
        ("http://a.example/n/7.html", "<a href='7_2.html'>2 条评论</a>", None),
        ("http://a.example/n/7.html", "<a href='javascript:next()'>下一页</a>", None),
        ("", "<a href='7_2.html'>下一页</a>", None),
    ],
)
def test_the_next_page_is_the_one_with_the_next_number(url: str, link: str, is_next: str | None) -> None:
    assert extract(f"<body>{TEXT}{link}</body>".encode(), url=url).next_page == is_next


def test_pages_are_joined_without_what_they_repeat() -> None:
    pages = ["栏目：渡口\n一\n二\n（未完）", "栏目：渡口\n三\n（未完）", "栏目：渡口\n四\n（未完）"]
    assert joined(pages) == "栏目：渡口\n一\n二\n三\n四\n（未完）"


def test_a_page_that_came_twice_is_told_once() -> None:
    assert joined(["一\n二", "三\n四", "一\n二"]) == "一\n二\n三\n四"


def test_one_page_is_itself() -> None:
    assert joined(["一\n一"]) == "一\n一"


def test_no_page_is_no_article() -> None:
    with pytest.raises(ValueError, match="a page at least"):
        joined([])
