import csv
import gzip
import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whorl.corpus import Columns
from whorl.errors import InputError

NEWS = "市政府宣布今年新建公园三十座，方便市民休闲健身。"


@pytest.mark.parametrize(
    ("name", "separator"), [("a.csv", ","), ("a.csv", ";"), ("a.csv", "|"), ("a.csv", "\t"), ("a.tsv", "\t")]
)
def test_the_delimiter_is_found(tmp_path: Path, read, name: str, separator: str) -> None:
    path = tmp_path / name
    path.write_text(separator.join(["id", "text"]) + "\n" + separator.join(["7", NEWS]) + "\n", encoding="utf-8")
    reading = read(path)
    assert (reading.ids, reading.texts, reading.rows) == (["7"], [NEWS], [1])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "big5"])
def test_every_encoding_round_trips(tmp_path: Path, read, keep_rows, encoding: str) -> None:
    text = "\n".join(["id,text", *(f"{row},市政府今年在全市新建公園三十座{row}" for row in range(1, 21))]) + "\n"
    if encoding == "gbk":
        text = text.replace("園", "园")
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    reading = read(path)
    assert reading.texts == [line.split(",")[1] for line in text.splitlines()[1:]]
    kept = keep_rows(path, [1, 20], 20).read_bytes().decode(encoding).splitlines()
    assert kept == [text.splitlines()[index] for index in (0, 1, 20)]


def test_quoted_newlines_stay_in_their_record_and_keep_their_bytes(tmp_path: Path, read, keep_rows) -> None:
    data = b'id,text\r\n1,"one\r\ntwo, ""three"""\r\n\r\n2,  "four\n3,"five\n\nsix"'
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    reading = read(path)
    assert reading.texts == ['one\r\ntwo, "three"', '  "four', "five\n\nsix"]
    assert reading.rows == [1, 2, 3]
    assert keep_rows(path, [1, 3], 3).read_bytes() == b'id,text\r\n1,"one\r\ntwo, ""three"""\r\n3,"five\n\nsix"'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30), max_size=20))
def test_whatever_python_writes_is_read(tmp_path: Path, read, keep_rows, texts: list[str]) -> None:
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "text"), *enumerate(texts, 1)])
    path = tmp_path / "a.csv"
    path.write_bytes(output.getvalue().encode())
    reading = read(path, block_bytes=32, encoding="utf-8")
    assert (reading.texts, reading.rejected) == (texts, [])
    assert keep_rows(path, reading.rows, len(texts), encoding="utf-8").read_bytes() == path.read_bytes()


def test_records_of_the_wrong_width_are_rejected_byte_for_byte(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n1,good\n2\n3,"two\nlines",too many\r\n4,good\n')
    reading = read(path)
    assert (reading.texts, reading.rows) == (["good", "good"], [1, 4])
    assert [(entry["row"], entry["line"], entry["reason"]) for entry in reading.rejected] == [
        (2, 3, "1 fields where the header has 2"),
        (3, 4, "3 fields where the header has 2"),
    ]
    assert reading.rejected_bytes == b'2\n3,"two\nlines",too many\r\n'


def test_broken_utf_8_costs_one_record(tmp_path: Path, read, keep_rows) -> None:
    good = NEWS.encode()
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\n" + good + b"\n" + NEWS.encode("gbk") + b"\n" + good + b"\n")
    reading = read(path)
    assert (reading.texts, reading.rows) == ([NEWS, NEWS], [1, 3])
    assert reading.reasons == ["its bytes are not valid UTF-8"]
    assert reading.rejected_bytes == NEWS.encode("gbk") + b"\n"
    assert keep_rows(path, [3], 3).read_bytes() == b"text\n" + good + b"\n"


def test_a_quote_that_is_never_closed_costs_one_line(tmp_path: Path, read, keep_rows) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n1,good\n2,"open\n3,good\n4,good\n')
    reading = read(path)
    assert reading.rows == [1, 3, 4]
    assert reading.reasons == ["the quoted field that begins on this line is not closed"]
    assert reading.rejected_bytes == b'2,"open\n'
    assert keep_rows(path, [4], 4).read_bytes() == b"id,text\n4,good\n"


def test_a_quoted_field_longer_than_a_row_costs_its_first_line(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n1,"open\n' + b"2,good\n" * 100 + b'3,"closed"\n')
    reading = read(path, max_row_bytes=200)
    assert len(reading.texts) == 101
    assert reading.rejected_bytes == b'1,"open\n'


def test_one_oversize_line_costs_one_row(tmp_path: Path, read, keep_rows) -> None:
    long = b"2," + b"x" * 5000
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n1,good\n" + long + b"\n3,good\n")
    reading = read(path, max_row_bytes=1000, block_bytes=100)
    assert [(entry["row"], entry["line"], entry["bytes"]) for entry in reading.rejected] == [(2, 3, 5002)]
    assert reading.rows == [1, 3]
    assert reading.rejected_bytes == long + b"\n"
    assert keep_rows(path, [3], 3, max_row_bytes=1000, block_bytes=100).read_bytes() == b"id,text\n3,good\n"


def test_null_characters_are_text(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,text\n1,a\0b\n")
    assert read(path).texts == ["a\0b"]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n\n", b"id,text\n", b"id,text"])
def test_a_file_without_records_is_empty_not_wrong(tmp_path: Path, read, keep_rows, data: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    reading = read(path)
    assert (reading.texts, reading.rejected) == ([], [])
    assert keep_rows(path, [], 0).read_bytes() == (data if b"id" in data else b"")


def test_columns_are_chosen_and_joined(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_text("url,title,body,date,date2\nu1,T,B,2024-01-02,\nu2,,B,,\n")
    reading = read(path, Columns(text=("title", "absent", "body"), id="url", order="date"))
    assert reading.texts == ["T\n\nB", "\n\nB"]
    assert reading.ids == ["u1", "u2"]
    assert reading.order == ["2024-01-02", None]


def test_a_missing_text_column_is_an_error_with_a_hint(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,title,summary\n1,a,b\n")
    with pytest.raises(InputError, match=r"(?s)no column 'text'; its columns are id, title, summary.*`text=title`"):
        read(path)
    with pytest.raises(InputError, match="`id="):
        read(path, Columns(text=("summary",), id="url"))


def test_of_many_columns_an_error_names_some(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",".join(f"c{number}" for number in range(40_000)) + "\n1\n")
    with pytest.raises(InputError, match=r"c48, c49, …\n"):
        read(path)


def test_a_wanted_column_that_stands_twice_is_an_error(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,x,x,text\n1,2,3,4\n")
    with pytest.raises(InputError, match="2 columns named 'text'"):
        read(path)
    path.write_text("text,x,x\n1,2,3\n")
    assert read(path).texts == ["1"]


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_compressed_file_round_trips_and_may_break_off(tmp_path: Path, read, keep_rows, kind: str) -> None:
    data = b"id,text\n" + b"".join(b"%d,article number %d\n" % (row, row) for row in range(1, 3001))
    packed = gzip.compress(data) if kind == "gz" else pa.compress(data, codec="zstd", asbytes=True)
    path = tmp_path / f"a.csv.{kind}"
    path.write_bytes(packed)
    assert len(read(path).texts) == 3000
    kept = keep_rows(path, [2, 3000], 3000)
    assert read(kept).texts == ["article number 2", "article number 3000"]
    path.write_bytes(packed[:-5])
    reading = read(path)
    assert reading.texts == [f"article number {row}" for row in reading.rows]
    assert len(reading.rejected) == 1
    name = "gzip" if kind == "gz" else "zstd"
    last_line = len(reading.rows) + 1 if reading.rows else 0
    assert reading.reasons == [f"{name} data ends early after line {last_line}: fetch the file again"]


def test_a_record_that_a_break_cuts_is_rejected_with_all_its_lines(tmp_path: Path, read, keep_rows) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b'id,text\n1,good\n2,"one\ntwo\nthr')[:-1])
    reading = read(path)
    assert reading.rows == [1]
    assert [entry["line"] for entry in reading.rejected] == [3]
    assert gzip.decompress(reading.rejected_bytes) == b'2,"one\ntwo\nthr\n'
    assert gzip.decompress(keep_rows(path, [1], 1).read_bytes()) == b"id,text\n1,good\n"


def test_batches_are_bounded(tmp_path: Path, read) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\n" + b"x" * 99 + b"\n" + (b"y" * 9 + b"\n") * 100)
    reading = read(path, block_bytes=100)
    assert len(reading.texts) == 101
    assert reading.batches == 11


def test_an_encoding_that_was_named_is_taken_at_its_word(tmp_path: Path, read) -> None:
    """These bytes might be two characters of UTF-16."""
    (tmp_path / "a.csv").write_bytes(b"text\n\x1f\x00\n")
    assert read(tmp_path / "a.csv", encoding="utf-8").texts == ["\x1f\x00"]


def test_a_quote_that_is_not_closed_holds_no_more_lines_than_a_record_may_have(tmp_path: Path, read) -> None:
    (tmp_path / "a.csv").write_text('id,text\n1,"open\n' + "2,row\n" * 70_000, encoding="utf-8")
    reading = read(tmp_path / "a.csv")
    assert (len(reading.texts), len(reading.rejected)) == (70_000, 1)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize(
    ("columns", "message", "hint"),
    [
        (Columns(text=("article",)), "has no column 'article'", "`text=body`"),
        (Columns(text=("body",), id="guid"), "has no column 'guid'", "`id=url`"),
        (Columns(text=("body",), order="time"), "has no column 'time'", "`date=date`"),
    ],
)
def test_a_column_that_is_named_and_missing_is_told_with_the_likely_one(
    tmp_path: Path, read, ending: str, columns: Columns, message: str, hint: str
) -> None:
    row = {"url": "u", "body": "天气很好。", "date": "2020-01-01"}
    lines = json.dumps(row) if ending == "jsonl" else "\n".join(",".join(part) for part in (row.keys(), row.values()))
    path = tmp_path / f"a.{ending}"
    path.write_text(lines + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        read(path, columns)
    assert hint in raised.value.hint
