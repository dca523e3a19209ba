"""Extracted content of a page, in order."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.corpus.pages.extraction import extract
from whorl.corpus.pages.page import ExtractedPage

PARAGRAPHS = (
    "雾散之后，渡口又热闹起来。岸上的人说，停了三年的渡船今天早上终于开了，第一班就坐满了人。",
    "船工陈舟告诉大家，新船比旧船宽一倍，能载六十人，也能载自行车，遇到大风还会自动靠岸。",
    "镇上打算在渡口旁边再修一座茶亭，让等船的人有地方坐下来歇一歇，工期大约两个月左右。",
)
ARTICLE = "\n".join(PARAGRAPHS)
TITLE = "青澜渡口今日复航"
URL = "https://news.example.com/2021/03/05/7.html"
NOW = datetime.fromisoformat("2021-03-06T10:00:30+08:00")
HERE = "2021-03-05T14:05:00+08:00"


def page(head: str = "", before: str = "", after: str = "", *, title: str = f"{TITLE}_本地_青澜网") -> bytes:
    menu = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("首页", "国内", "体育"))
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    article = f"<h1>{TITLE}</h1>{before}<div class=content>{paragraphs}</div>{after}"
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>"
        f"<ul>{menu}</ul><div class=main>{article}</div><div class=footer>版权所有 2005-2021 青澜网</div></body></html>"
    ).encode()


def read(*parts: str, url: str = URL) -> ExtractedPage:
    return extract(page(*parts), url=url, fetched_at=NOW)


def test_the_lines_around_an_article_are_not_part_of_it_but_told() -> None:
    extracted = read(
        "",
        "<div>2021-03-05 14:05 来源：<a href='//paper.example.org/a?from=x'>青澜日报</a> <span>作者：王小渡</span>"
        "<span>举报</span></div>",
        "<p>（责任编辑：李四）</p>",
    )
    assert extracted.text == ARTICLE
    assert (extracted.title, extracted.author, extracted.editor) == (TITLE, "王小渡", "李四")
    assert (extracted.origin, extracted.origin_url) == ("青澜日报", "https://paper.example.org/a")
    assert (extracted.date, extracted.precision) == (HERE, "minute")
    assert not extracted.is_original


def test_the_zone_of_a_date_is_stated_or_that_of_the_site_or_assumed_or_unknown() -> None:
    line = "<div>2021-03-05 14:05{}</div>"
    chinese = page("", line.format(""))
    english = (
        f"<html><body><h1>Ice</h1><p>2021-03-05 14:05</p>{'<p>The ice factory got two machines.</p>' * 20}".encode()
    )
    zones = {
        "stated": extract(page("", line.format(":00 +09:00")), zone="America/New_York"),
        "site": extract(chinese, zone="America/New_York"),
        "chinese": extract(chinese),
        "unknown": extract(english),
        "english site": extract(english, zone="America/New_York"),
    }
    assert {name: (read.zone, read.date, read.written) for name, read in zones.items()} == {
        "stated": ("+09:00", "2021-03-05T14:05:00+09:00", "2021-03-05 14:05:00 +09:00"),
        "site": ("America/New_York", "2021-03-05T14:05:00-05:00", "2021-03-05 14:05"),
        "chinese": ("+08:00", "2021-03-05T14:05:00+08:00", "2021-03-05 14:05"),
        "unknown": ("unknown", "2021-03-05T14:05:00", "2021-03-05 14:05"),
        "english site": ("America/New_York", "2021-03-05T14:05:00-05:00", "2021-03-05 14:05"),
    }


@pytest.mark.parametrize(
    ("before", "author", "origin"),
    [
        ("<p>本报记者 王小渡 陈舟</p>", "王小渡, 陈舟", None),
        ("<p>王小渡/青澜日报</p><p>2021-03-05 14:05</p>", "王小渡", "青澜日报"),
        ("<p>2021年03月05日 14:05 青澜晚报</p>", None, "青澜晚报"),
        ("<p>文/王小渡</p>", "王小渡", None),
        ("<p>作者：王小渡 编辑：李四</p>", "王小渡", None),
        ("<p>转载自：青澜日报</p>", None, "青澜日报"),
        ("<p>来源：网络</p>", None, None),
    ],
)
def test_who_made_it_is_read_from_every_form(before: str, author: str | None, origin: str | None) -> None:
    extracted = read("", before)
    assert (extracted.author, extracted.origin) == (author, origin)
    assert extracted.text == ARTICLE


@pytest.mark.parametrize("stated", ["104363", "name, email@gmail.com", "青澜网", "admin", "http://news.example.com"])
def test_what_is_no_person_is_no_author(stated: str) -> None:
    assert read(f"<meta name=author content='{stated}'>").author is None


def test_where_it_was_before_stays_in_the_text() -> None:
    assert "本文首发于青澜日报" in extract(page(after="<p>本文首发于青澜日报。</p>").replace(b"</div><p>", b"<p>")).text


@pytest.mark.parametrize("mark", ["<span>原创</span>", "<p>【原创】</p>", "<p>原创： 渡口笔记</p>"])
def test_a_mark_of_originality_is_told(mark: str) -> None:
    assert read("", mark).is_original
    assert not read("", "<p>原创性很强</p>").is_original


DATA = {"@context": "https://schema.org", "@graph": [{"@type": "BreadcrumbList"}, {"@type": "NewsArticle"}]}


def structured(**message: object) -> str:
    data = {**DATA, "@graph": [DATA["@graph"][0], {**DATA["@graph"][1], **message}]}
    return f"<script type='application/ld+json'>{json.dumps(data)}</script>"


def test_structured_data_are_read() -> None:
    extracted = read(
        structured(
            datePublished="2021-03-05T06:05:00Z",
            headline=TITLE,
            author=[{"@type": "Person", "name": "Wang Xiaodu"}, {"name": "青澜网"}],
            publisher={"name": "青澜网"},
        )
    )
    assert (extracted.author, extracted.date) == ("Wang Xiaodu", "2021-03-05T06:05:00+00:00")


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, "[null, 1, {'a']", '{"@graph": 7, "@type": {}}', '"datePublished"']
)
def test_structured_data_that_are_none_are_passed_over(text: str) -> None:
    assert read(f"<script type='application/ld+json'>{text}</script>").text == ARTICLE


@pytest.mark.parametrize(
    ("head", "before", "date"),
    [
        (f"<meta property='article:published_time' content='{HERE}'>", "<p>2020-01-01 09:00</p>", HERE),
        ("<meta name=publishdate content='2021-03-05'>", "<p>2021年03月05日14:05</p>", HERE),
        ("<meta name=publishdate content='2021-03-05'>", "<p>2020年03月05日14:05</p>", "2021-03-05"),
        ("<meta itemprop=datePublished content='2021-03-05 14:05'>", "", HERE),
        ("", "<time itemprop=datePublished datetime='2021-03-05T14:05'>昨天</time>", HERE),
        ("", "<p>昨天 14:05</p>", HERE),
        ("", "<p>发布时间：<span>2021-03-05</span><span>14:05</span></p>", HERE),
        ("", "<p>更新时间：2021-03-06 08:00 发布时间：2021-03-05 14:05</p>", HERE),
        ("", "<p>今天是2021年3月6日 星期六</p><p>2021年3月5日 下午2:05</p>", HERE),
        ("<meta property='article:published_time' content='0001-01-01T00:00:00Z'>", "<p>昨天 14:05</p>", HERE),
        ("<meta property='article:published_time' content='2099-01-01'>", "<p>昨天 14:05</p>", HERE),
        ("<meta name=pubdate content='now'>", "<p>昨天 14:05</p>", HERE),
        (structured(datePublished="1970-01-01T00:00:00Z"), "<p>昨天 14:05</p>", HERE),
    ],
)  # fmt: skip
def test_the_time_of_publication_is_the_first_that_can_be(head: str, before: str, date: str) -> None:
    assert read(head, before).date == date


def test_a_date_within_the_article_is_not_that_of_its_publication() -> None:
    text = page().replace("停了三年".encode(), "从2018年3月5日起停了三年".encode())
    assert extract(text, url="https://news.example.com/7.html", fetched_at=NOW).published_at is None


def test_what_is_counted_from_the_fetch_is_not_read_where_that_is_not_known() -> None:
    assert extract(page(before="<p>昨天 14:05</p>")).published_at is None


def test_a_time_without_a_zone_is_of_utc_on_pages_in_other_languages() -> None:
    text = (
        "<p>The ferry across the bay runs again. People had waited for three years, and the first boat was full.</p>"
        * 3
    )
    extracted = extract(
        f"<meta name=pubdate content='2021-03-05 14:05'><article>{text}</article>".encode(), fetched_at=NOW
    )
    assert extracted.published_at == datetime(2021, 3, 5, 14, 5, tzinfo=UTC)


def test_an_article_of_wechat_tells_its_time_and_account_in_variables() -> None:
    script = (
        "<script>var ct = \"1614924300\"; var nickname = htmlDecode('渡口笔记'); var _copyright_stat = '1';</script>"
    )
    extracted = read(script, "<em>前天</em>", url="http://mp.weixin.qq.com/s?__biz=MzI=&mid=2&idx=1&sn=dd&scene=1")
    assert (extracted.date, extracted.origin, extracted.is_original) == ("2021-03-05T14:05:00+08:00", "渡口笔记", True)
    assert extracted.canonical == "https://mp.weixin.qq.com/s?__biz=MzI=&mid=2&idx=1&sn=dd"


@pytest.mark.parametrize(
    ("title", "head", "is_"),
    [
        (f"{TITLE}_本地_青澜网", "", TITLE),
        (f"{TITLE} - 青澜网", "<meta property='og:title' content='青澜渡口'>", TITLE),
        ("复航在即：渡口的三年等待-青澜日报", "", "复航在即：渡口的三年等待"),
        ("复航在即 | 渡口的三年等待", "<meta property='og:title' content='渡口的三年等待'>", "渡口的三年等待"),
        ("COVID-19与渡口", "", "COVID-19与渡口"),
        ("<script>alert(1)</script>渡口", "", "<script>alert(1)</script>渡口"),
    ],
)
def test_the_title_is_without_the_name_of_the_site(title: str, head: str, is_: str) -> None:
    assert extract(page(head, title=title)).title == is_


def test_the_links_of_the_article_are_absolute_and_the_menu_is_not_among_them() -> None:
    linked = page().replace(
        "新船".encode(), "<a href='../boat?utm_source=x#a'>新船</a><a href='javascript:x()'>宽</a>".encode()
    )
    assert extract(linked, url=URL).links == ("https://news.example.com/2021/03/boat",)


@pytest.mark.parametrize(
    ("content_type", "encoding"), [("text/html; charset=gbk", "gb18030"), ("text/html; charset=Big5", "big5hkscs")]
)
def test_the_server_says_how_a_page_is_encoded(content_type: str, encoding: str) -> None:
    body = page().replace(b"<meta charset=utf-8>", b"").decode().replace("雾", "霧").encode(encoding, "ignore")
    extracted = extract(body, content_type=content_type)
    assert extracted.encoding == encoding
    assert not extracted.notices


@pytest.mark.parametrize(
    "content_type", ["text/html; charset=iso-8859-1", "text/html; charset=nonsense", "\ud800", "x" * 9999]
)
def test_a_server_that_says_what_cannot_be_is_not_believed(content_type: str) -> None:
    assert extract(page(), content_type=content_type).text == ARTICLE
    assert extract(page().decode().encode("gbk"), content_type=content_type).text == ARTICLE


@pytest.mark.parametrize(
    "noise",
    [
        "<table><tr><td>" * 20_000,
        "<a href=x>" * 20_000,
        "<span itemprop=author>" * 20_000,
        "\0" * 1000,
        "<!--" + "<p>" * 1000,
        "</div></p></html>" * 1000,
        "<h1>" * 20_000,
        "<a href='/7_2.html'>下一页</a>" * 6000,
    ],
)
def test_what_is_broken_behind_an_article_does_not_harm_it(noise: str) -> None:
    assert PARAGRAPHS[1] in extract(page().replace(b"</body>", noise.encode()), url=URL, fetched_at=NOW).text


MARKUP = [
    "<p>",
    "</p>",
    "<title>",
    "<h1>",
    "<a href='",
    "'>",
    "<meta name=author content='",
    "<script>var ct = '1",
    "\0",
    "\xff",
]


@given(
    st.lists(st.sampled_from(MARKUP) | st.text(max_size=5) | st.sampled_from(PARAGRAPHS), max_size=20).map("".join)
    | st.binary(max_size=200).map(lambda data: data.decode("latin-1"))
)
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_a_page_or_refused(text: str) -> None:
    with suppress(UnreadableError):
        data = text.encode("utf-8", "surrogatepass")
        assert extract(data, url=text[:50], content_type=text[:50], fetched_at=NOW).text


@pytest.mark.parametrize("tag", ["nav", "dialog"])
def test_an_article_is_found_where_other_pages_have_none(tag: str) -> None:
    """A teaser is at the usual position of articles; the article is at a position that common rules exclude."""
    teaser = "<div class=content><p>今天的头条在下面。</p></div>"
    article = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS * 3)
    extracted = extract(f"<title>{TITLE}</title><body>{teaser}<{tag}>{article}</{tag}></body>".encode())
    assert set(PARAGRAPHS) <= set(extracted.text.split("\n"))
    assert extracted.notices == {}
