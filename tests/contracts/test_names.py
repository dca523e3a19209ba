"""File names that are not UTF-8, from archives of other systems: all are processed, under readable names."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, jsonl
from tests.runs import Finished, duplicates, files, rejected, whorl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")

ROWS = [{"id": "1", "text": article(1)}, {"id": "2", "text": article(2)}, {"id": "3", "text": article(1)}]


def named(folder: Path, name: bytes, data: bytes) -> str:
    """Return a file of this name; a command line gets undecodable bytes escaped."""
    folder.mkdir(exist_ok=True)
    path = os.path.join(os.fsencode(folder), name)  # noqa: PTH118 - names of bytes have no Path
    Path(os.fsdecode(path)).write_bytes(data)
    return os.fsdecode(path)


def table(path: str) -> None:
    with Path(path).open("wb") as file:
        pq.write_table(pa.Table.from_pylist(ROWS), file)


def book(path: str) -> None:
    workbook = openpyxl.Workbook()
    for row in (["id", "text"], *(list(row.values()) for row in ROWS)):
        workbook.worksheets[0].append(row)
    with Path(path).open("wb") as file:
        workbook.save(file)


def ok(ended: Finished) -> Finished:
    assert ended.code == 0, ended.error
    assert "Traceback" not in ended.error
    return ended


def test_files_of_every_format_are_cleaned(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    chinese = "新闻".encode("gbk")
    named(folder, chinese + b".jsonl", jsonl(ROWS) + b"broken\n")
    named(folder, chinese + b".jsonl.gz", gzip.compress(jsonl(ROWS)))
    named(folder, chinese + b".csv", b"id,text\n1," + article(1).encode() + b"\n")
    named(folder, chinese + b".txt", article(1).encode())
    named(folder, chinese + b".html", f"<p>{article(1)}".encode())
    table(named(folder, chinese + b".parquet", b""))
    book(named(folder, b"\xff" + b".xlsx", b""))
    ok(whorl("dedup", folder, "-o", out))
    kept = set(files(out / "kept"))
    assert {"新闻.jsonl", "新闻.jsonl.gz", "新闻.csv", "新闻.parquet", "%FF.xlsx"} <= kept
    assert {row["file"] for row in duplicates(out)} <= {*kept, "新闻.txt", "新闻.html"}
    assert [row["file"] for row in rejected(out)] == ["新闻.jsonl"]
    ok(whorl("dedup", folder, "-o", tmp_path / "again", "--against", out))
    assert (tmp_path / "again" / "kept" / "新闻.jsonl").read_bytes() == b""


def test_every_command_reads_them(tmp_path: Path) -> None:
    path = named(tmp_path / "in", "新闻".encode("gbk") + b".jsonl", jsonl(ROWS))
    ok(whorl("dedup", path, "-o", tmp_path / "out"))
    ok(whorl("show", tmp_path / "out", "3"))
    ok(whorl("compare", f"{path}:1", f"{path}:2", "--html", tmp_path / "page.html"))
    ok(whorl("explain", f"{path}:1", f"{path}:2"))
    ok(whorl("hot", path))
    ok(whorl("segment", path))
    ok(whorl("idf", path, "-o", tmp_path / "idf.parquet"))
    ok(whorl("add", tmp_path / "library", path))
    ok(whorl("check", tmp_path / "library", path))


def test_rows_without_ids_are_called_by_the_readable_name(tmp_path: Path) -> None:
    named(tmp_path / "in", "新闻".encode("gbk") + b".txt", article(1).encode())
    ok(whorl("add", tmp_path / "library", tmp_path / "in"))
    assert "新闻.txt:1" in ok(whorl("library", "list", tmp_path / "library")).out


def test_two_names_that_read_alike_are_told(tmp_path: Path) -> None:
    for encoding in ("gbk", "utf-8"):
        named(tmp_path / "in", "新闻.jsonl".encode(encoding), jsonl(ROWS))
    ended = whorl("dedup", tmp_path / "in", "-o", tmp_path / "out")
    assert (ended.code, "2 files are named 新闻.jsonl" in ended.error, "hint: rename" in ended.error) == (2, True, True)
