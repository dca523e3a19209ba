"""OpenDocument texts of pandoc and LibreOffice, and invalid imitations."""

import io
import zipfile
from pathlib import Path

import pytest

from whorl.corpus import Columns

DATA = Path(__file__).parent / "data"
SPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def content(inside: str) -> str:
    body = f"<office:body><office:text>{inside}</office:text></office:body>"
    return f"<office:document-content {SPACES}>{body}</office:document-content>"


def archive(path: Path, **parts: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, data in parts.items():
            archive_file.writestr(name.replace("__", "/") + ".xml", data)
    return path


@pytest.mark.parametrize("name", ["pandoc/article.odt", "libreoffice/article.odt", "libreoffice/article.fodt"])
def test_a_document_of_another_program_is_read(read, name: str) -> None:
    reading = read(DATA / name, Columns(others=True))
    lines = reading.texts[0].split("\n")
    assert lines[3:5] == [
        "新图书馆开馆",
        "昨天下午，市里举行了新图书馆的开馆仪式。馆长介绍说，藏书共三十万册，“欢迎大家”来读书。",
    ]
    assert lines[5:9] == ["楼层", "内容", "一楼", "儿童阅览室"]
    assert lines[-3:] == [
        "生僻字：镕、喆、𠮷、㐂。English words & “quotes” — café.",
        "孩子们放学以后也有了可以去的地方。",
        "据本报记者了解。",
    ]
    assert (reading.others[0]["title"], reading.others[0]["author"]) == ("新图书馆开馆", "王小明")
    assert reading.others[0]["date"].startswith("20")


def test_deleted_text_and_comments_are_left_out_and_spaces_are_read(read, tmp_path: Path) -> None:
    inside = (
        "<text:tracked-changes><text:deletion><text:p>旧</text:p></text:deletion></text:tracked-changes>"
        "<text:p>一<text:span>二</text:span><office:annotation><text:p>批注</text:p></office:annotation>三"
        '<text:s text:c="3"/>四<text:tab/>五<text:line-break/>六<text:note><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>注</text:p></text:note-body></text:note>七</text:p>"
    )
    assert read(archive(tmp_path / "a.odt", content=content(inside))).texts == ["一二三 四 五\n六七\n注"]


def test_nothing_is_expanded(read, tmp_path: Path) -> None:
    declared = "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>"
    reason = "the document declares XML entities, which office programs never write: save it again"
    inside = content("<text:p>&b;</text:p>")
    assert read(archive(tmp_path / "a.odt", content=declared + inside)).reasons == [reason]
    wide = (f'<?xml version="1.0" encoding="utf-16"?>{declared}{inside}').encode("utf-16")
    assert read(archive(tmp_path / "b.odt", content=wide)).reasons[-1:] == [reason]
    padded = f"<!--{'x' * (2**16 - 4)}-->{declared}{inside}"
    for shift in range(9):
        assert read(archive(tmp_path / f"{shift}.odt", content=padded.replace("x", "", shift))).texts == []


def test_a_document_that_unpacks_beyond_the_limit_is_rejected(read, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("whorl.corpus.formats.office.odt.MOST_XML_BYTES", 10**6)
    path = archive(tmp_path / "a.odt", content=content(" " * 10**6))
    assert read(path, isolated=False).reasons == ["the document unpacks to more than 1000000 bytes: divide it"]


def test_elements_nested_beyond_reason_are_read(read, tmp_path: Path) -> None:
    inside = f"{'<text:section>' * 100_000}<text:p>文</text:p>{'</text:section>' * 100_000}"
    assert read(archive(tmp_path / "a.odt", content=content(inside))).texts == ["文"]


def test_a_password_is_named(read, tmp_path: Path) -> None:
    manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>"
    path = tmp_path / "a.odt"
    with zipfile.ZipFile(path, "w") as archive_file:
        archive_file.writestr("META-INF/manifest.xml", manifest)
        archive_file.writestr("content.xml", b"\1\2")
    assert read(path).reasons == ["the document has a password: save it without one"]


def without_content() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive_file:
        archive_file.writestr("other", "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty: fetch it again"),
        (b"plain", "the file is not an OpenDocument text, or is damaged: save it again as .odt"),
        (without_content(), "the file is not an OpenDocument text, or is damaged: save it again as .odt"),
        (content("").encode(), "the document is empty: check that it is the right file"),
    ],
)
def test_what_is_no_document_is_rejected_byte_for_byte(read, tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "a.odt"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, reading.reasons, reading.rejected_bytes) == ([], [reason], data)


def test_a_changed_byte_anywhere_is_a_document_or_a_rejection(read, tmp_path: Path) -> None:
    whole = (DATA / "pandoc/article.odt").read_bytes()
    for place in range(0, len(whole), 101):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "a.odt").write_bytes(changed)
        reading = read(tmp_path / "a.odt")
        assert len(reading.texts) + len(reading.rejected) == 1
