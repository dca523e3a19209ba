"""WARC files of warcio, with common content of crawlers, and damaged ones."""

import gzip
import io
import re
from pathlib import Path

import pytest
from tests.rounds import stride
from tests.unit.engines.test_notices import index_page
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import whorl
from whorl.corpus import Columns
from whorl.corpus.sandbox.isolation import process_limit

# warcio leaves its temporary files to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

SENTENCE = "第 {0} 页：昨天下午，市里举行了新图书馆的开馆仪式。"
PAGE = "<html><head><title>开馆{0}</title></head><body><p>" + SENTENCE + "</p></body></html>"


def response(writer: WARCWriter, number: int, body: bytes, status: str = "200 OK", **headers: str) -> None:
    message = [(name.replace("_", "-"), value) for name, value in {"Content_Type": "text/html", **headers}.items()]
    http = StatusAndHeaders(status, message, protocol="HTTP/1.1")
    url = f"https://example.org/{number}.html"
    writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=http))


def save(path: Path, bodies: list[bytes], **headers: str) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=path.suffix == ".gz")
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "test"}))
        for number, body in enumerate(bodies, 2):
            response(writer, number, body, **headers)
    return path


def pages(*numbers: int) -> list[bytes]:
    return [PAGE.format(number).encode() for number in numbers]


CHUNKED = b"5\r\n<html\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(pages(2)[0]) - 5, pages(2)[0][5:])


def test_pages_are_read_by_processes_that_go_on(read, tmp_path: Path, begun: list[object]) -> None:
    archive = save(tmp_path / "a.warc", pages(*range(2, 11)))
    for _ in range(3):
        assert len(read(archive, Columns(others=True)).texts) == 9
    assert len(begun) <= process_limit()


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_each_page_is_a_document_with_what_its_record_tells(read, tmp_path: Path, name: str) -> None:
    reading = read(save(tmp_path / name, pages(*range(2, 102))), Columns(others=True, order="date"))
    assert reading.texts == [SENTENCE.format(number) for number in range(2, 102)]
    assert reading.rows == list(range(2, 102))
    assert [others["url"] for others in reading.others] == [f"https://example.org/{n}.html" for n in range(2, 102)]
    assert reading.others[0]["title"] == "开馆2"
    assert len(set(reading.ids)) == 100
    assert reading.ids[0].startswith("urn:uuid:")
    assert reading.order[0].endswith("Z")
    assert reading.rejected == []


def test_pages_in_which_no_article_was_found_are_told_of(tmp_path: Path) -> None:
    links = index_page("PQRSTUVWXYZ").encode()
    scraps = whorl.dedup_files(save(tmp_path / "a.warc", [links, *pages(3)]), tmp_path / "scraps").run["counts"]
    assert (scraps["kept"], scraps["whole_pages"]) == (2, 1)


def test_other_records_are_passed_over(read, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        response(writer, 1, b"\x89PNG", Content_Type="image/png")
        response(writer, 2, pages(2)[0], "404 Not Found")
        response(writer, 3, SENTENCE.format(3).encode(), Content_Type="text/plain; charset=utf-8")
        http = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
        writer.write_record(writer.create_warc_record("https://example.org/", "request", http_headers=http))
        text = io.BytesIO(SENTENCE.format(5).encode())
        writer.write_record(
            writer.create_warc_record(
                "https://example.org/5", "conversion", payload=text, warc_content_type="text/plain"
            )
        )
    reading = read(path)
    assert (reading.texts, reading.rows) == ([SENTENCE.format(3), SENTENCE.format(5)], [3, 5])


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (gzip.compress(pages(2)[0]), {"Content_Encoding": "gzip"}),
        (pages(2)[0], {"Content_Encoding": "gzip"}),
        (CHUNKED, {"Transfer_Encoding": "chunked"}),
        (pages(2)[0], {"Transfer_Encoding": "chunked"}),
        (PAGE.format(2).encode("gb18030"), {"Content_Type": "text/html; charset=gbk"}),
    ],
)
def test_pages_are_unpacked(read, tmp_path: Path, body: bytes, headers: dict[str, str]) -> None:
    assert read(save(tmp_path / "a.warc", [body], **headers)).texts == [SENTENCE.format(2)]


def test_a_page_that_cannot_be_unpacked_is_rejected_and_the_others_are_read(read, tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        response(writer, 1, b"\x1f\x8b\0\0", Content_Encoding="gzip")
        response(writer, 2, b"x", Content_Encoding="secret")
        response(writer, 3, b"<html><body></body></html>")
        response(writer, 4, pages(4)[0])
    reading = read(path)
    assert (reading.texts, reading.rows) == ([SENTENCE.format(4)], [4])
    assert [(entry["row"], entry["reason"].partition(":")[0]) for entry in reading.rejected] == [
        (1, "cannot decompress the page (gzip)"),
        (2, "cannot decompress the page (secret)"),
        (3, "the page has no text"),
    ]


def test_a_page_that_unpacks_beyond_the_limit_is_rejected(read, tmp_path: Path) -> None:
    body = gzip.compress(b"<html>" + b" " * 20_000_000)
    reading = read(save(tmp_path / "a.warc", [body, *pages(3)], Content_Encoding="gzip"))
    assert (reading.rows, reading.reasons) == ([3], ["the page is longer than 16777216 bytes"])


def test_what_is_no_record_is_rejected_and_the_next_is_found(read, tmp_path: Path) -> None:
    whole = save(tmp_path / "whole.warc", pages(2, 3, 4)).read_bytes()
    second = whole.index(b"WARC/1", whole.index(b"2.html"))
    damaged = whole[:second] + b"XXXX" + whole[second + 4 :]
    (tmp_path / "a.warc").write_bytes(damaged)
    reading = read(tmp_path / "a.warc")
    assert (reading.texts, reading.rows) == ([SENTENCE.format(2), SENTENCE.format(4)], [2, 4])
    assert reading.reasons == ["expected a record, found other data: fetch the file again"]
    assert b"3.html" in reading.rejected_bytes
    assert b"4.html" not in reading.rejected_bytes


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_file_that_breaks_off_gives_all_before_the_break(read, tmp_path: Path, name: str) -> None:
    whole = save(tmp_path / f"whole.{name}", pages(2, 3, 4)).read_bytes()
    (tmp_path / name).write_bytes(whole[:-100])
    reading = read(tmp_path / name)
    assert reading.rows == [2, 3]
    assert len(reading.rejected) == 1


def test_a_changed_byte_anywhere_loses_no_more_than_records(read, tmp_path: Path) -> None:
    whole = save(tmp_path / "whole.warc", pages(2, 3)).read_bytes()
    for place in range(0, len(whole), stride(151)):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        (tmp_path / "a.warc").write_bytes(changed)
        assert read(tmp_path / "a.warc").texts


def test_plain_text_is_no_archive(read, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"no archive\n" * 10)
    reading = read(tmp_path / "a.warc")
    assert (reading.texts, len(reading.rejected), reading.rejected_bytes) == ([], 1, b"no archive\n" * 10)


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_records_that_are_kept_are_written_with_all_that_are_no_documents(
    read, keep_rows, tmp_path: Path, name: str
) -> None:
    kept = keep_rows(save(tmp_path / name, pages(2, 3, 4)), [2, 4], 4)
    data = gzip.decompress(kept.read_bytes()) if name.endswith(".gz") else kept.read_bytes()
    assert data.count(b"WARC/1") == 3
    assert b"warcinfo" in data
    assert read(kept).texts == [SENTENCE.format(2), SENTENCE.format(4)]


def test_what_a_page_says_relative_to_its_fetch_is_counted_from_that(read, tmp_path: Path) -> None:
    text = "".join(f"<p>{SENTENCE.format(number) * 3}<a href='/3.html'>馆藏</a></p>" for number in range(4))
    body = f"<h1>新馆开馆</h1><p>昨天 14:05</p><article>{text}</article>".encode()
    path = save(tmp_path / "a.warc", [body])
    path.write_bytes(re.sub(rb"(WARC-Date: )\S+", rb"\g<1>2021-03-06T02:00:00Z", path.read_bytes()))
    (others,) = read(path, Columns(others=True)).others
    assert others["date"] == "2021-03-05T14:05:00+08:00"
    assert others["links"] == "https://example.org/3.html"
