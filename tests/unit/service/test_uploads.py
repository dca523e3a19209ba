"""Uploaded files: read by content, never named by the client's names, and never in the way of others."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import docx
import httpx
import openpyxl
import pytest
from tests.articles import article, edited
from tests.serving import served

from whorl.corpus.sandbox import Budget
from whorl.service.settings import Settings

PLACE = "/v1/libraries/news/check/file"
TEXT = article(1)
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.fixture
def client(client: httpx.Client) -> httpx.Client:
    """Return a client of a library with one article."""
    client.post("/v1/libraries/news/documents", json={"id": "a", "text": TEXT})
    return client


def checked(client: httpx.Client, name: str, content: bytes) -> dict[str, Any]:
    answer = client.post(PLACE, files={"file": (name, content)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def word(text: str) -> bytes:
    document, file = docx.Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


def workbook(*rows: tuple[str, ...]) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def archive(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, content in parts.items():
            archive_file.writestr(f"word/{name}.xml", content)
    return file.getvalue()


PAGE = f"<!doctype html><html><head><title>t</title></head><body><article><p>{TEXT}</p></article></body></html>"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", TEXT.encode()),
        ("a.txt", TEXT.encode("gb18030")),
        ("no suffix", TEXT.encode()),
        ("a.html", PAGE.encode()),
        ("a.docx", word(TEXT)),
        ("a.jsonl", f'{{"text": "{TEXT}"}}\n'.encode()),
        ("a.md", f"# {TEXT}".encode()),
    ],
)
def test_a_file_is_held_against_the_library(client: httpx.Client, name: str, content: bytes) -> None:
    (item,) = checked(client, name, content)["articles"]
    assert [match["id"] for match in item["report"]["matches"]] == ["a"], item


def test_a_pdf_is_held_against_the_library(client: httpx.Client) -> None:
    body = {"text": TEXT, "sources": [{"text": TEXT}]}
    page = client.post("/v1/compare/report", params={"format": "pdf"}, json=body).content
    (item,) = checked(client, "a.pdf", page)["articles"]
    assert [match["id"] for match in item["report"]["matches"]] == ["a"]


def test_the_rows_of_a_table_are_told_one_by_one(client: httpx.Client) -> None:
    book = workbook(("id", "text"), ("x", edited(TEXT, 2)), ("y", article(2)), ("z", ""))
    result = checked(client, "a.xlsx", book)
    assert [(item["row"], item["id"]) for item in result["articles"]][:2] == [(1, "x"), (2, "y")]
    assert [len(item["report"]["matches"]) for item in result["articles"][:2]] == [1, 0]
    lines = b"".join(b'{"text": "%d"}\n' % number for number in range(1500))
    many = checked(client, "a.jsonl", b"not JSON\n" + lines)
    assert (many["articles"][0]["row"], bool(many["articles"][0]["problem"]), many["has_more"]) == (1, True, True)
    assert len(many["articles"]) == 1001


@pytest.mark.parametrize(
    ("name", "visible"),
    [
        ("../../../etc/passwd", "passwd"),
        ("C:\\Windows\\system.ini", "system.ini"),
        ("/etc/../a.txt", "a.txt"),
        ("..", ".."),
        ("a\r\nSet-Cookie: x.txt", None),
        ("渔港.txt", "渔港.txt"),
        ("-rf *.txt", "-rf *.txt"),
        ("s3://bucket/a.txt", "a.txt"),
        ("x" * 500 + ".txt", "x" * 116 + ".txt"),
    ],
)
def test_a_name_leads_nowhere(client: httpx.Client, settings: Settings, name: str, visible: str | None) -> None:
    result = checked(client, name, TEXT.encode())
    assert visible is None or result["name"] == visible
    assert result["name"].isprintable()
    assert str(Path(settings.state)) not in str(result)
    assert len(result["articles"][0]["report"]["matches"]) == 1
    assert not list(Path(settings.state, "uploads").iterdir())


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl.gz", "a.warc", "a.doc", "a.gz", "a.txt.zst"])
def test_what_is_not_taken_says_so(client: httpx.Client, name: str) -> None:
    answer = client.post(PLACE, files={"file": (name, zlib.compress(b"x" * 10**6))})
    assert (answer.status_code, answer.json()["code"]) == (422, "input"), answer.text
    assert answer.json()["hint"]


def problem(client: httpx.Client, name: str, content: bytes) -> str:
    (item,) = checked(client, name, content)["articles"]
    assert item["report"] is None
    return item["problem"]


def test_entities_are_neither_expanded_nor_fetched(client: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret", encoding="utf-8")
    body = f"<w:document {WORD}><w:body><w:p><w:r><w:t>&s;</w:t></w:r></w:p></w:body></w:document>"
    outside = f'<!DOCTYPE a [<!ENTITY s SYSTEM "{(tmp_path / "secret").as_uri()}">]>{body}'
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    inside = f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}<!ENTITY s "&l9;">]>{body}'
    for declared in (outside, inside):
        assert "entities" in problem(client, "a.docx", archive(document=declared.encode()))
    page = f'<?xml version="1.0"?>{outside.partition("]>")[0]}]><html><body><p>&s;</p></body></html>'
    assert "the secret" not in str(checked(client, "a.html", page.encode()))


def test_bombs_are_told_and_others_are_answered_meanwhile(client: httpx.Client) -> None:
    bomb = archive(document=f"<w:document {WORD}><w:body>".encode() + b" " * 2**27)
    assert len(bomb) < 10**6
    assert "unpacks to more than" in problem(client, "bomb.docx", bomb)
    stream = zlib.compress(b"0 0 m 1 1 l S\n" * 3_000_000)
    head = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    leaf = b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n"
    content = b"4 0 obj<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream endobj\n" % (len(stream), stream)
    assert problem(client, "bomb.pdf", head + leaf + content + b"trailer<</Root 1 0 R>>\n%%EOF\n")
    assert client.post("/v1/libraries/news/check", json={"text": TEXT}).status_code == 200


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("a.jsonl", '{"text": "abc"}\n'),
        ("a.csv", "text,b\n"),
        ("a.txt", "渔港\n"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\na\n\n"),
    ],
)
def test_tables_and_texts_are_read_by_another_process_too(
    client: httpx.Client, name: str, row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that somebody sent has a bound of time and memory whatever its format is."""
    monkeypatch.setattr("whorl.corpus.sandbox.parsers.UNTRUSTED", Budget(0, 0, 0, 0))
    assert problem(client, name, (row * 500_000).encode()).startswith("reading it took longer than")
    monkeypatch.undo()
    assert checked(client, name, (row * 3).encode())["articles"]


def test_lists_in_rows_are_no_way_to_fill_the_service(client: httpx.Client) -> None:
    """Brackets take twenty times their size where they are unpacked: a row tells of few, and the process of none."""
    row = {"id": "a", "title": TEXT[:10], "text": TEXT, "x": [[]] * 300_000, "tags": ["a", "b"]}
    (article,) = checked(client, "a.jsonl", json.dumps(row).encode())["articles"]
    assert [match["id"] for match in article["report"]["matches"]] == ["a"], article


@pytest.mark.parametrize("name", ["a.docx", "a.pdf", "a.xlsx", "a.epub", "a.rtf"])
def test_what_is_damaged_says_so(client: httpx.Client, name: str) -> None:
    assert problem(client, name, b"PK\x03\x04" + bytes(range(256)) * 40)


def test_what_a_killed_process_left_goes_after_a_day(settings: Settings) -> None:
    remaining = [Path(settings.state, "uploads", name) for name in ("old", "new")]
    for folder in remaining:
        folder.mkdir(parents=True)
        (folder / "file.pdf").write_bytes(b"%PDF")
    os.utime(remaining[0], (0, 0))
    with served(settings) as address, httpx.Client(base_url=address) as client:
        checked(client, "a.txt", TEXT.encode())
    assert [folder.exists() for folder in remaining] == [False, True]


def test_a_form_without_a_file_is_refused(client: httpx.Client) -> None:
    assert client.post(PLACE, data={"file": "text"}).json()["code"] == "invalid"
    assert client.post(PLACE).json()["code"] == "invalid"
    broken = client.post(PLACE, content=b"--x\r\n", headers={"Content-Type": "multipart/form-data; boundary=y"})
    assert broken.status_code in (400, 422)
