"""Pages that are read by another process: the same page, and an end of those that were made to break it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from whorl.corpus.isolated import BUDGETS, Budget
from whorl.corpus.pages import UnreadableError, extract, extract_apart

NOW = datetime.fromisoformat("2021-03-06T10:00:30+08:00")
PARAGRAPH = "雾散之后，渡口又热闹起来。岸上的人说，停了三年的渡船今天早上终于开了，第一班就坐满了人。"
PAGE = (
    "<title>青澜渡口今日复航_青澜网</title><h1>青澜渡口今日复航</h1><p>昨天 14:05 来源：<a href=/b>青澜日报</a></p>"
    f"<p>{PARAGRAPH}</p><p>{PARAGRAPH}<a href='/boat'>新船</a></p><p>责任编辑：李四</p>"
).encode("gbk")
FETCHED = {"url": "https://news.example.com/7.html", "content_type": "text/html; charset=gbk", "fetched_at": NOW}


def test_the_page_is_the_same_as_in_this_process() -> None:
    page = extract_apart(PAGE, **FETCHED)
    assert page == extract(PAGE, **FETCHED)
    assert (page.origin, page.editor, page.date) == ("青澜日报", "李四", "2021-03-05T14:05:00+08:00")


def test_threads_read_pages_at_the_same_time() -> None:
    with ThreadPoolExecutor(3) as threads:
        pages = list(
            threads.map(lambda number: extract_apart(PAGE, url=f"https://news.example.com/{number}"), range(9))
        )
    assert [page.canonical for page in pages] == [f"https://news.example.com/{number}" for number in range(9)]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the file is empty"),
        (b"no tag", "the file is not HTML"),
        (b"<p>" * (6 * 2**20), "the page is longer than 16777216 bytes"),
    ],
)
def test_what_is_no_page_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        extract_apart(body)


def test_a_page_that_takes_too_long_is_refused_and_the_next_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    extract_apart(PAGE)
    with monkeypatch.context() as patched:
        patched.setitem(
            BUDGETS, "html", Budget(seconds=0.01, seconds_a_megabyte=0, megabytes=512, megabytes_a_megabyte=32)
        )
        with pytest.raises(UnreadableError, match="longer than"):
            extract_apart(PAGE * 200)
    assert PARAGRAPH in extract_apart(PAGE).text
