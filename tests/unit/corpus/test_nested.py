"""Columns within columns in files: "article.body" is the field "body" of the column "article"."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from whorl.corpus import Columns
from whorl.corpus.formats.json.nested import fields_of, names_of, value_at, without
from whorl.errors import InputError

BODIES = [
    "今天天气很好，适合出门散步，看看花。",
    "今天天气很好，适合出门散步，看看花！",
    "明天有雨，记得带伞，早点回家。",
]
ROWS = [
    {"article": {"body": body, "about": {"id": f"n{row}", "day": f"2024-01-0{3 - row}"}}, "other": [row]}
    for row, body in enumerate(BODIES)
]
COLUMNS = Columns(("article.body",), "article.about.id")


def json_lines(path: Path, rows: list[Any]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.with_suffix(".jsonl").write_text(text, encoding="utf-8")
    return path.with_suffix(".jsonl")


def parquet(path: Path, rows: list[Any]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


Write = Callable[[Path, list[Any]], Path]
both = pytest.mark.parametrize("write", [json_lines, parquet], ids=["jsonl", "parquet"])


@both
def test_text_and_id_are_read(tmp_path: Path, read, write: Write) -> None:
    reading = read(write(tmp_path / "a", ROWS), COLUMNS)
    assert (reading.texts, reading.ids, reading.rows) == (BODIES, ["n0", "n1", "n2"], [1, 2, 3])


@both
def test_a_column_of_the_whole_name_comes_first(tmp_path: Path, read, write: Write) -> None:
    rows = [{"article": {"body": "within"}, "article.body": body} for body in BODIES]
    assert read(write(tmp_path / "a", rows), Columns(("article.body",))).texts == BODIES


@both
def test_a_row_without_the_field_is_set_aside_whole(tmp_path: Path, read, write: Write) -> None:
    rows = [
        ROWS[0],
        {"article": None, "other": [5]},
        {"article": {"body": None, "about": None}, "other": None},
        ROWS[2],
    ]
    reading = read(write(tmp_path / "a", rows), COLUMNS)
    assert (reading.texts, reading.rows) == ([BODIES[0], BODIES[2]], [1, 4])
    assert [entry["row"] for entry in reading.rejected] == [2, 3]
    assert all("article.body" in reason for reason in reading.reasons)


@both
@pytest.mark.parametrize("text", ["article.titel", "article.body.first", "text"])
def test_a_field_that_is_not_there_is_refused_with_the_one_that_is(
    tmp_path: Path, read, write: Write, text: str
) -> None:
    with pytest.raises(InputError, match=r"(?s)no column.*article\.body.*hint: .*text=article\.body"):
        read(write(tmp_path / "a", ROWS), Columns((text,)))


@both
def test_a_column_of_objects_is_no_text(tmp_path: Path, write: Write) -> None:
    with pytest.raises(InputError, match=r"(?s)'article' is (an object|struct).*hint: "):
        whorl.dedup_files(write(tmp_path / "a", ROWS), tmp_path / "out", text="article", on_error="stop")


@both
def test_the_title_beside_may_be_of_another_depth(tmp_path: Path, read, write: Write) -> None:
    rows = [{"title": f"{number}", **row} for number, row in enumerate(ROWS)]
    reading = read(write(tmp_path / "a", rows), Columns(("title", "article.body")))
    assert reading.texts == [f"{number}\n{body}" for number, body in enumerate(BODIES)]


def test_lines_that_are_no_rows_keep_their_bytes_and_reasons(tmp_path: Path, read) -> None:
    faulty = [
        b'{"article": {"body": 5}}',
        b"[1]",
        b"{",
        b'{"article": {"body": "\xff"}}',
        b'{"article": {"body": NaN}}',
    ]
    faulty += [b'{"deep": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([json.dumps(ROWS[0]).encode() + b"\r", b"", *faulty]))
    reading = read(tmp_path / "a.jsonl", COLUMNS, encoding="utf-8")
    assert (reading.texts, reading.rows) == (BODIES[:1], [1])
    assert [entry["row"] for entry in reading.rejected] == list(range(3, 9))
    assert reading.rejected_bytes.splitlines() == faulty
    assert reading.reasons[0] == "column 'article.body' is a number, not text"
    assert "not valid UTF-8" in reading.reasons[3]


def test_other_encodings_are_read(tmp_path: Path, read) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (tmp_path / "a.jsonl").write_text(lines, encoding="gb18030")
    assert read(tmp_path / "a.jsonl", COLUMNS, encoding="gb18030").texts == BODIES


@both
def test_a_run_keeps_rows_as_they_are_and_is_a_reference_itself(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "a", ROWS)
    by = {"text": "article.body", "id": "article.about.id", "date": "article.about.day"}
    run = whorl.dedup_files(path, tmp_path / "out", keep="earliest", **by)
    removed = pq.read_table(tmp_path / "out" / "duplicates.parquet").to_pylist()
    assert [(row["id"], row["duplicate_of"]) for row in removed] == [("n0", "n1")]
    kept = tmp_path / "out" / "kept" / path.name
    if path.suffix == ".jsonl":
        assert kept.read_bytes() == b"".join(path.read_bytes().splitlines(keepends=True)[1:])
    else:
        assert pq.read_table(kept) == pq.read_table(path).slice(1)
    again = whorl.dedup_files(path, tmp_path / "again", against=tmp_path / "out", **by)
    assert (run.run["counts"]["kept"], again.run["counts"]["kept"]) == (2, 0)


@both
def test_a_library_takes_fields_and_stores_no_text_twice(tmp_path: Path, write: Write) -> None:
    path = write(tmp_path / "a", ROWS)
    columns = {"text": "article.body", "id": "article.about.id", "date": "article.about.day"}
    whorl.library.add_files(tmp_path / "library", path, **columns)
    with whorl.open(tmp_path / "library") as library:
        [document] = [library.get("n2")]
        assert document.text == BODIES[2]
        assert document.published_at.day == 1
        assert document.metadata == {"other": [2]}


def test_files_and_frames_agree(tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "a.parquet")
    in_files = whorl.dedup_files(tmp_path / "a.parquet", tmp_path / "out", text="article.body")
    result = whorl.dedup(frame, text="article.body")
    assert result.duplicates.drop(["file", "row", "id", "duplicate_of", "cluster_id"]) == in_files.duplicates.drop(
        ["file", "row", "id", "duplicate_of", "cluster_id"]
    )
    assert result.kept.rows() == pl.read_parquet(tmp_path / "out/kept/a.parquet").rows()


def test_what_a_row_has_within() -> None:
    row = {"a": {"b": 1, "c": {"d": None}}, "a.b": 2, "e": {}, "f.g": 3}
    assert [value_at(row, name, "none") for name in ("a.b", "a.c.d", "a.c.e", "f.g", "e")] == [2, None, "none", 3, {}]
    assert names_of(row) == ["a.b", "a.c.d", "e", "f.g"]
    assert without(row, {"a.c.d", "f.g"}) == {"a": {"b": 1}, "a.b": 2, "e": {}}
    assert without(row, {"a.b"}) == {"a": {"b": 1, "c": {"d": None}}, "e": {}, "f.g": 3}


def test_the_fields_of_a_schema_are_those_of_structs() -> None:
    schema = pa.schema(
        [("a", pa.struct([("b", pa.struct([("c", pa.string())]))])), ("a.b", pa.int8()), ("d", pa.int8())]
    )
    assert [field.path for field in fields_of(schema)] == [("a",), ("a.b",), ("d",), ("a", "b", "c")]
