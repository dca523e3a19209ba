import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from whorl.corpus import Columns

PARAGRAPHS = (
    "昨天下午，市里举行了新图书馆的开馆仪式，来自各区的读者代表和建设者参加了活动，现场气氛十分热烈。",
    "馆长介绍说，新馆的藏书比旧馆多了一倍，夜里也开放到十点，读者凭身份证就可以借书，不必再办别的手续。",
    "住在附近的居民告诉记者，过去借一本书要走半个小时，现在下楼就到，孩子们放学以后也有了可以去的地方。",
)
ARTICLE = "\n".join(PARAGRAPHS)
HEAD = (
    '<title>新图书馆开馆_本市新闻</title><meta property="og:title" content="新图书馆开馆">'
    '<link rel="canonical" href="https://news.example/2024/05/02/1.html">'
    '<meta property="article:published_time" content="2024-05-02T08:30:00+08:00"><meta name="author" content="王小明">'
    "<style>.a{color:red}</style><script>var stolen = 'script text';</script>"
)
COLUMNS = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("首页", "国内", "体育"))
NAVIGATION = f"<nav><ul>{COLUMNS}</ul></nav>"
RELATED = (
    "<div><h3>热门推荐</h3><ul>"
    + "".join(f'<li><a href="/{n}">另一条新闻的标题第{n}号</a></li>' for n in range(9))
    + "</ul></div>"
)


def page(head: str = HEAD, article: str | None = None) -> str:
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS) if article is None else article
    main = f"<article><h1>新图书馆开馆</h1>{paragraphs}</article>"
    body = f"{NAVIGATION}{main}{RELATED}<footer>版权所有</footer>"
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


def test_the_main_text_is_the_document(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_text(page(), encoding="utf-8")
    reading = read(path)
    (text,) = reading.texts
    assert ARTICLE in text
    assert not [word for word in ("首页", "另一条新闻", "版权", "stolen", "color", "热门推荐") if word in text]
    assert (reading.ids, reading.rows, reading.rejected) == ([None], [1], [])


@pytest.mark.parametrize("name", ["a.htm", "a.xhtml", "a.shtml", "A.HTML"])
def test_every_suffix_of_pages_is_one(tmp_path: Path, read, name: str) -> None:
    (tmp_path / name).write_text(page(), encoding="utf-8")
    assert ARTICLE in read(tmp_path / name).texts[0]


def test_a_compressed_page_is_a_document(tmp_path: Path, read) -> None:
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(page().encode()))
    assert ARTICLE in read(tmp_path / "a.html.gz").texts[0]


def test_what_the_page_states_can_be_asked_for(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_text(page(), encoding="utf-8")
    reading = read(path, Columns(("title", "author", "url", "text"), "url", "date"))
    assert reading.texts[0].split("\n")[:3] == ["新图书馆开馆", "王小明", "https://news.example/2024/05/02/1.html"]
    assert (reading.ids, reading.order) == (["https://news.example/2024/05/02/1.html"], ["2024-05-02T08:30:00+08:00"])
    assert read(path, Columns(("body",))).texts == [read(path).texts[0]], "a name that pages do not have is their text"


def test_a_date_that_is_not_stated_is_looked_for(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        page("<title>新图书馆开馆</title>", f"<time datetime='2024-05-02'></time><p>{ARTICLE}</p>"), encoding="utf-8"
    )
    assert read(path, Columns(order="date")).order == ["2024-05-02"]
    path.write_text(page("", f"<p>{ARTICLE}</p>"), encoding="utf-8")
    assert read(path, Columns(order="date")).order == [None]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "/relative", "https://[", "file:///etc/passwd", ""])
def test_only_addresses_of_the_web_are_urls(tmp_path: Path, read, url: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(page(f'<link rel="canonical" href="{url}">'), encoding="utf-8")
    assert read(path, Columns(id="url")).ids == [None]


def test_a_page_without_a_main_text_gives_what_can_be_seen(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<html><body><footer><b>停水</b>通知<script>x()</script><br>明天\n上午<p>恢复</p><style>b{}</style></footer>",
        encoding="utf-8",
    )
    assert read(path).texts == ["停水通知\n明天 上午\n恢复"]


@pytest.mark.parametrize("claimed", ["gb2312", "utf-8", "iso-8859-1", "big5", "no-such-thing", "hex", None])
def test_the_encoding_is_found_whatever_the_page_claims(tmp_path: Path, read, claimed: str | None) -> None:
    path = tmp_path / "a.html"
    head = "" if claimed is None else f'<meta http-equiv="Content-Type" content="text/html; charset={claimed}">'
    path.write_bytes(page(head).encode("gb18030"))
    assert ARTICLE in read(path).texts[0]


@pytest.mark.parametrize(
    ("encoding", "claimed"), [("utf-8", "gbk"), ("utf-8-sig", "gbk"), ("utf-16", "gbk"), ("big5", "big5")]
)
def test_other_encodings(tmp_path: Path, read, encoding: str, claimed: str) -> None:
    path = tmp_path / "a.html"
    paragraph = "記者從市政府獲悉，新的捷運線將於明年春天開工興建，預計三年後通車營運，沿線將設置二十座車站。" * 3
    path.write_bytes(page(f'<meta charset="{claimed}">', f"<p>{paragraph}</p>").encode(encoding, "ignore"))
    assert paragraph in read(path).texts[0]


def test_the_named_encoding_is_used(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(page('<meta charset="utf-8">').encode("gbk"))
    assert ARTICLE in read(path, encoding="gbk").texts[0]
    assert read(path, encoding="utf-8").reasons == ["the file is not valid UTF-8 text"]


def test_a_few_broken_bytes_are_shown_as_in_a_browser(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(page().encode().replace("十点".encode(), b"\xff"))
    assert "开放到\ufffd" in read(path).texts[0]


def test_null_and_control_characters_do_not_end_the_text(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_text(page().replace("市里", "市\0里\x01").replace("附近", "附\ud800近"), "utf-8", "surrogatepass")
    reading = read(path)
    assert reading.rejected or "下楼就到" in reading.texts[0]
    path.write_text(page().replace("市里", "市\0里\x01"), encoding="utf-8")
    assert "下楼就到" in read(path).texts[0]


def test_entities_are_not_expanded_and_files_not_opened(tmp_path: Path, read) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret", encoding="utf-8")
    declared = f'<!DOCTYPE html [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY s SYSTEM "{secret.as_uri()}">]>'
    (tmp_path / "a.html").write_text(
        f'<?xml version="1.0" encoding="gbk"?>{declared}<html><body><p>&b;&s;{ARTICLE}</p></body></html>',
        encoding="utf-8",
    )
    (text,) = read(tmp_path / "a.html").texts
    assert "下楼就到" in text
    assert "lollol" not in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty: fetch it again"),
        (bytes(range(256)) * 10, "the file is binary data, not text"),
        ("没有标签的文字".encode(), "the file is not HTML, it has no tag: rename it to .txt"),
        (b"<html><body><script>render()</script></body></html>", "the page has no text"),
        (b"<!-- nothing -->", "the page has no text"),
        (b"<", "the file is not HTML"),
        (b"<p>" + bytes(range(128, 256)) * 20, "the file is not valid"),
    ],
)
def test_what_is_no_page_is_rejected_byte_for_byte(tmp_path: Path, read, data: bytes, reason: str) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(data)
    reading = read(path, encoding="utf-8" if b"\x80" in data and data.startswith(b"<p>") else None)
    assert (reading.texts, len(reading.rejected)) == ([], 1)
    assert reading.reasons[0].startswith(reason)
    assert reading.rejected_bytes == data


def test_half_a_page_is_read_as_far_as_it_goes(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(page().encode()[: page().encode().index("孩子们".encode()) + 1])
    assert PARAGRAPHS[1] in read(path).texts[0]


def test_a_page_of_more_than_16_megabytes_is_rejected_whole(tmp_path: Path, read) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"<p>" + "没有尽头的一行".encode() * 2_400_000)
    reading = read(path)
    assert reading.reasons == ["the file is longer than 16777216 bytes"]
    assert reading.rejected_bytes == path.read_bytes()


@pytest.mark.parametrize("opening", ["<div>", "<ul><li>", "<table><tr><td>", "<b>", "<blockquote>"])
def test_pages_nested_beyond_reason_end(tmp_path: Path, read, opening: str) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<body><p>{ARTICLE}</p>{opening * 300}<p>深处</p>", encoding="utf-8")
    assert "下楼就到" in read(path).texts[0]


def test_a_page_is_copied_byte_for_byte_and_no_other_is_made(tmp_path: Path, keep_rows) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(page().encode("gbk"))
    assert keep_rows(path, [1], 1).read_bytes() == path.read_bytes()
    (tmp_path / "kept/a.html").unlink()
    assert not keep_rows(path, [], 1).exists()


@pytest.mark.parametrize(
    ("name", "package", "requirement"),
    [("a.html", "trafilatura", "trafilatura>=2.1' 'lxml>=5.3'"), ("a.pdf", "pypdfium2", "pypdfium2>=5'")],
)
def test_a_driver_that_is_not_there_is_named_with_its_hint(
    tmp_path: Path, name: str, package: str, requirement: str
) -> None:
    (tmp_path / name).write_text(page(), encoding="utf-8")
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / f"{package}.py").write_text("raise ImportError", encoding="utf-8")
    command = [sys.executable, "-m", "whorl", "dedup", str(tmp_path / name), "-o", str(tmp_path / "out")]
    hiding = {**os.environ, "PYTHONPATH": str(tmp_path / "hidden")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=hiding)
    assert done.returncode == 2
    assert f"needs {package}" in done.stderr
    assert f"pip install '{requirement}" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_told_of_an_article_besides_comes_with_it(tmp_path: Path, read) -> None:
    report = (
        "<p>2024-05-02 08:30 来源：<a href='https://paper.example/1?from=x'>青澜日报</a></p>"
        f"<p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}<a href='https://library.example/'>馆藏</a></p><p>责任编辑：李四</p>"
    )
    (tmp_path / "a.html").write_text(page("<title>新图书馆开馆</title>", report), encoding="utf-8")
    (others,) = read(tmp_path / "a.html", Columns(others=True)).others
    assert others == {
        "title": "新图书馆开馆",
        "url": None,
        "date": "2024-05-02T08:30:00+08:00",
        "author": None,
        "origin": "青澜日报",
        "origin_url": "https://paper.example/1",
        "editor": "李四",
        "links": "https://library.example/",
        "published_precision": "minute",
        "published_zone": "+08:00",
        "published_original": "2024-05-02 08:30",
    }
