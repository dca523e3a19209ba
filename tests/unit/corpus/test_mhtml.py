"""Web archives as saved by browsers and Word."""

from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from whorl.corpus import Columns

NONE = "the file is not a web archive with a page: save the page again, as .html"
SENTENCE = "昨天下午，市里举行了新图书馆的开馆仪式。"
PAGE = f"<html><head><title>开馆</title></head><body><p>{SENTENCE}</p><img src='cid:1'></body></html>"


def archive(
    page: bytes, charset: str = "utf-8", *, encoding: str = "quoted-printable", title: str = "保存的标题"
) -> EmailMessage:
    """Return a page and a picture in the format of Chromium."""
    message = EmailMessage(SMTP)
    message["From"] = "<Saved by Blink>"
    message["Snapshot-Content-Location"] = "https://example.org/news/1.html"
    message["Subject"] = title
    message["Date"] = "Thu, 2 May 2024 08:30:00 +0800"
    message.make_related()
    picture = EmailMessage(SMTP)
    picture.set_content(b"\x89PNG", "image", "png")
    body = EmailMessage(SMTP)
    body.set_content(page, "text", "html", cte=encoding)
    body.set_param("charset", charset)
    body["Content-Location"] = "https://example.org/news/1.html"
    message.attach(picture)
    message.attach(body)
    return message


def save(path: Path, message: EmailMessage) -> Path:
    path.write_bytes(message.as_bytes())
    return path


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "utf-16"])
def test_the_page_is_read_with_what_the_archive_tells(read, tmp_path: Path, charset: str, encoding: str) -> None:
    path = save(tmp_path / "a.mhtml", archive(PAGE.encode(charset), charset, encoding=encoding))
    reading = read(path, Columns(others=True))
    assert reading.texts == [SENTENCE]
    assert reading.others == [
        {"title": "开馆", "url": "https://example.org/news/1.html", "date": "2024-05-02T08:30:00+08:00", "author": None}
    ]


def test_a_page_without_a_title_has_that_of_the_archive(read, tmp_path: Path) -> None:
    page = PAGE.replace("<title>开馆</title>", "").encode()
    assert read(save(tmp_path / "a.mht", archive(page)), Columns(("title",))).texts == ["保存的标题"]


def test_the_part_that_the_archive_begins_with_is_the_page(read, tmp_path: Path) -> None:
    message = archive(b"<html><body><p>frame</p></body></html>")
    page = EmailMessage(SMTP)
    page.set_content(PAGE.encode(), "text", "html", cte="base64")
    page["Content-ID"] = "<main@example>"
    message.attach(page)
    message.set_param("start", "<main@example>")
    assert read(save(tmp_path / "a.mht", message)).texts == [SENTENCE]


def test_what_the_page_says_relative_to_when_it_was_saved_is_counted_from_that(read, tmp_path: Path) -> None:
    page = PAGE.replace("<body>", "<body><h1>开馆</h1><p>3小时前</p>").encode()
    (others,) = read(save(tmp_path / "a.mhtml", archive(page)), Columns(others=True)).others
    assert others["date"] == "2024-05-02T05:30:00+08:00"


def test_a_page_called_mht_is_read_as_a_page(read, tmp_path: Path) -> None:
    (tmp_path / "a.mht").write_text(PAGE, encoding="utf-8")
    assert read(tmp_path / "a.mht").texts == [SENTENCE]


def test_part_of_an_archive_is_rejected_where_the_page_breaks_off(read, tmp_path: Path) -> None:
    whole = archive(PAGE.encode()).as_bytes()
    path = tmp_path / "a.mhtml"
    path.write_bytes(whole[: whole.index(b"</body>")])
    assert read(path).reasons == ["the file is truncated within the page: fetch it again"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty: fetch it again"),
        (b"\0\1\2", NONE),
        (b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n", "the file is empty: fetch it again"),
        (
            b"Content-Type: multipart/related; boundary=a\r\n\r\n--a--",
            NONE,
        ),
    ],
)
def test_what_is_no_archive_is_rejected_byte_for_byte(read, tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "a.mhtml"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, reading.reasons, reading.rejected_bytes) == ([], [reason], data)


def test_parts_within_parts_beyond_reason_are_rejected(read, tmp_path: Path) -> None:
    parts = "".join(
        f"Content-Type: multipart/related; boundary={number}\r\n\r\n--{number}\r\n" for number in range(3000)
    )
    (tmp_path / "a.mhtml").write_text(parts, encoding="ascii")
    assert len(read(tmp_path / "a.mhtml").rejected) == 1


def test_a_changed_byte_anywhere_is_a_page_or_a_rejection(read, tmp_path: Path) -> None:
    whole = archive(PAGE.encode()).as_bytes()
    for place in range(0, len(whole), 11):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        (tmp_path / "a.mhtml").write_bytes(changed)
        reading = read(tmp_path / "a.mhtml")
        assert len(reading.texts) + len(reading.rejected) == 1
