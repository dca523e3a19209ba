import gzip
from pathlib import Path

import pytest

ARTICLE = "第一段。\r\n\r\n第二段。\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_a_file_is_one_document_in_any_encoding(tmp_path: Path, read, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes((ARTICLE * 20).encode(encoding))
    reading = read(path)
    assert (reading.texts, reading.ids, reading.rows) == ([ARTICLE * 20], [None], [1])


def test_the_named_encoding_is_used(tmp_path: Path, read) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("中文".encode("big5"))
    assert read(path, encoding="big5").texts == ["中文"]


def test_a_compressed_file_is_a_document(tmp_path: Path, read) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(ARTICLE.encode()))
    assert read(path).texts == [ARTICLE]


def test_an_empty_file_is_a_document_without_text(tmp_path: Path, read) -> None:
    path = tmp_path / "a.txt"
    path.touch()
    assert read(path).texts == [""]


def test_a_null_character_is_text(tmp_path: Path, read) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("新\0闻".encode())
    assert read(path).texts == ["新\0闻"]


@pytest.mark.parametrize("encoding", [None, "utf-8"])
def test_binary_data_is_rejected_byte_for_byte(tmp_path: Path, read, encoding: str | None) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(bytes(range(256)) * 10)
    reading = read(path, encoding=encoding)
    assert (reading.texts, reading.reasons) == ([], ["the file is binary data, not text"])
    assert reading.rejected_bytes == path.read_bytes()


def test_a_file_longer_than_a_row_may_be_is_rejected_whole(tmp_path: Path, read) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1001)
    reading = read(path, max_row_bytes=1000, block_bytes=64)
    assert reading.reasons == ["the file is longer than 1000 bytes"]
    assert reading.rejected_bytes == path.read_bytes()


def test_half_of_a_compressed_file_is_no_document(tmp_path: Path, read) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(ARTICLE.encode())[:-3])
    reading = read(path)
    assert (reading.texts, reading.reasons) == ([], ["gzip data ends early: fetch the file again"])
    assert gzip.decompress(reading.rejected_bytes) == ARTICLE.encode()


def test_a_kept_file_is_copied_byte_for_byte_and_no_other_is_made(tmp_path: Path, keep_rows) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(ARTICLE.encode("gbk"))
    assert keep_rows(path, [1], 1).read_bytes() == path.read_bytes()
    (tmp_path / "kept/a.txt").unlink()
    assert not keep_rows(path, [], 1).exists()
