"""Saved pages: their bytes are stored like fetched ones, and articles on several pages are one document."""

import os
import zipfile
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.articles import article
from tests.unit.monitor.test_parts import OURS, Notes

import whorl
from whorl.monitor.watching import watch

AT = datetime(2026, 3, 5, 6, 7, 8, tzinfo=UTC)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "library") as opened:
        opened.add({"id": "ours", "text": OURS, "collection": "protected"})
    return tmp_path / "library"


def page(text: str, *, head: str = "", foot: str = "") -> bytes:
    paragraphs = "".join(f"<p>{text[at : at + 100]}</p>" for at in range(0, len(text), 100))
    return f"<html><head>{head}</head><body><article>{paragraphs}</article>{foot}</body></html>".encode()


def record(url: str, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-Served-By: a\r\n b\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{len(body)}>\r\n"
        f"WARC-Date: {AT:%Y-%m-%dT%H:%M:%SZ}\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def test_pages_of_an_archive_are_kept_and_joined_in_whatever_order_they_come(library: Path, tmp_path: Path) -> None:
    text, url = article(1, 800), "https://copies.example/n/7.html"
    bodies = {
        "https://copies.example/n/7_2.html": page(OURS[300:] + text[400:]),
        url: page(text[:400] + OURS[:300], foot="<a href='7_2.html'>下一页</a>"),
    }
    (tmp_path / "pages.warc").write_bytes(b"".join(record(*item) for item in bodies.items()))
    run = watch(library, saved=tmp_path / "pages.warc")
    assert [(item.url, item.verdict, item.share, item.site) for item in run.found] == [
        (url, "copy", 1.0, "copies.example")
    ]
    packed = whorl.evidence.pack_evidence(library, url, "ours", tmp_path / "pack.zip", pdf=False)
    assert "copy/page" not in packed.absent
    with zipfile.ZipFile(packed.path) as pack:
        extracted = {name: pack.read(name) for name in pack.namelist() if name.startswith("copy/page-")}
    assert {body for name, body in extracted.items() if name.endswith(".body")} == set(bodies.values())
    with whorl.open(library) as opened:
        assert list(opened.ids(collection="watched")) == [url]
        (second, first) = opened.pages.of(url)
        assert {item.url: item.fetched_at for item in (first, second)} == dict.fromkeys(bodies, AT)
        assert first.headers == (("Content-Type", "text/html; charset=utf-8"), ("X-Served-By", "a b"))
        assert first.status == 200


def test_a_saved_page_is_kept_once_with_the_time_of_its_file_and_without_headers(library: Path, tmp_path: Path) -> None:
    url, folder = "https://copies.example/8", tmp_path / "saved"
    folder.mkdir()
    body = page(OURS, head=f'<link rel="canonical" href="{url}">')
    (folder / "8.html").write_bytes(body)
    (folder / "nameless.html").write_bytes(page("前言。" + OURS))
    os.utime(folder / "8.html", (AT.timestamp(), AT.timestamp()))
    watch(library, saved=folder)
    run = watch(library, saved=folder)
    assert {finding.url for finding in run.found} == {url, "saved/nameless.html:1"}
    with whorl.open(library) as opened:
        (snapshot,) = opened.pages.of(url)
        assert (snapshot.status, snapshot.headers, snapshot.fetched_at) == (0, (), AT)
        assert opened.pages.body(snapshot.digest) == body
        assert len(opened.pages) == 2
    packed = whorl.evidence.pack_evidence(library, url, "ours", tmp_path / "pack.zip", pdf=False, language="en")
    with zipfile.ZipFile(packed.path) as pack:
        assert pack.read(f"copy/page-{snapshot.number}.body") == body
        assert "A page with status 0 was read from a file" in pack.read("read-me.txt").decode()


def test_a_web_archive_is_kept_as_it_is(library: Path, tmp_path: Path) -> None:
    archive = EmailMessage()
    archive["Snapshot-Content-Location"] = "https://copies.example/9"
    archive.set_content(page(OURS).decode(), subtype="html")
    archive.replace_header("Content-Type", 'text/html; charset="utf-8"')
    archive.make_related()
    (tmp_path / "9.mhtml").write_bytes(b"MIME-Version: 1.0\r\n" + archive.as_bytes())
    run = watch(library, saved=tmp_path / "9.mhtml")
    assert [finding.share for finding in run.found] == [1.0]
    with whorl.open(library) as opened:
        (snapshot,) = opened.pages
        assert opened.pages.body(snapshot.digest) == (tmp_path / "9.mhtml").read_bytes()


def test_rows_of_a_table_are_compared_and_have_no_page(library: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(f"url,text\nhttps://copies.example/1,{OURS}\n", "utf-8")
    run = watch(library, saved=tmp_path / "rows.csv")
    assert [(finding.url, finding.share) for finding in run.found] == [("https://copies.example/1", 1.0)]
    with whorl.open(library) as opened:
        assert len(opened.pages) == 0


def test_what_cannot_be_read_is_told_and_the_rest_is_read(library: Path, tmp_path: Path) -> None:
    folder, notes = tmp_path / "saved", Notes()
    folder.mkdir()
    (folder / "a.html").write_bytes(b"<html></html>")
    (folder / "b.html.gz").write_bytes(b"\x1f\x8b\x08")
    (folder / "c.html").write_bytes(page(OURS))
    run = watch(library, saved=folder, progress=notes)
    assert [finding.share for finding in run.found] == [1.0]
    assert len(notes.messages) == 2
    assert [name for name in ("a.html", "b.html.gz") if any(name in note for note in notes.messages)] == [
        "a.html",
        "b.html.gz",
    ]


@pytest.mark.parametrize("first", [True, False])
def test_all_pages_that_quote_a_paragraph_are_told_however_many_they_are(tmp_path: Path, first: bool) -> None:
    paragraph, place = article(70, 160), tmp_path / "library"
    ours = {"id": "ours", "text": f"{article(71, 500)}\n{paragraph}\n{article(72, 500)}", "collection": "protected"}
    pages = {
        f"https://site-{number}.example/a.html": page(
            f"{article(80 + number, 600)}{paragraph}{article(100 + number, 600)}"
        )
        for number in range(12)
    }
    (tmp_path / "pages.warc").write_bytes(b"".join(record(*item) for item in pages.items()))
    with whorl.open(place) as opened:
        opened.add(ours if first else {"id": "other", "text": article(73, 900), "collection": "protected"})
    run = watch(place, saved=tmp_path / "pages.warc")
    assert {item.url for item in run.found} == (set(pages) if first else set())
    with whorl.open(place) as opened:
        opened.add(ours)
        assert {match.id for match in opened.matches("ours")} == set(pages)


@pytest.mark.parametrize("first", [True, False], ids=["the article is older", "the article is newer"])
@pytest.mark.parametrize(
    ("whole", "quoted", "is_found"),
    [(article(1, 2000), 40, False), (article(1, 2000), 180, True), (article(1, 300), 40, True)],
    ids=["a phrase", "a paragraph", "a phrase of a short article"],
)
def test_a_page_with_a_phrase_of_a_long_article_is_no_finding(
    whole: str, quoted: int, is_found: bool, first: bool, tmp_path: Path
) -> None:
    document = {"id": "ours", "text": whole, "collection": "protected"}
    text = article(2, 1400) + whole[:quoted] + article(3, 600)
    (tmp_path / "pages.warc").write_bytes(record("https://copies.example/1", page(text)))
    with whorl.open(tmp_path / "library") as opened:
        if not first:
            watch(opened, saved=tmp_path / "pages.warc")
        opened.add(document)
        run = watch(opened, saved=tmp_path / "pages.warc")
        assert [item.verdict for item in run.found] == ["undetermined"] * is_found
        assert {match.id for match in opened.check(text).matches} == {"ours", "https://copies.example/1"}
