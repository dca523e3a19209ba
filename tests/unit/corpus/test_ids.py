"""Ids are text: the spelling of the source is kept in every format and engine, and different ids stay different."""

import csv
import datetime as dt
import json
import math
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.unit.corpus.conftest import Reading

import whorl
from whorl.corpus import Columns, ReadOptions, Rejects, discover, read_source

TEXTS = (
    "清晨六点，望江镇的豆腐坊已经冒起白烟",
    "一场大雨过后，南坡的梯田又被冲开了两道口子",
    "村支书带着十几个人扛着沙袋上山",
)


def ids_of(path: Path) -> list[str | None]:
    [source] = discover([path])
    batches = read_source(source, Columns(), Rejects(), ReadOptions())
    return [id_ for batch in batches for id_ in pa.array(batch.ids).to_pylist()]


NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spellings=st.lists(NUMBERS | st.sampled_from(["true", "false"]), min_size=1, max_size=20))
@example(spellings=["18446744073709551615", "18446744073709551614", "9223372036854775808", "1e3", "1000", "1.0", "1"])
def test_numbers_in_json_lines_are_ids_as_they_are_spelled(
    spellings: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("ids") / "a.jsonl"
    path.write_text("".join(f'{{"text": "x", "id" : {spelling} }}\n' for spelling in spellings), encoding="utf-8")
    assert ids_of(path) == spellings


SIGNS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids=st.lists(SIGNS, min_size=1, max_size=8))
def test_texts_are_ids_in_every_format(ids: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("ids")
    rows = [{"id": id_, "text": "x"} for id_ in ids]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), folder / "a.parquet")
    assert ids_of(folder / "a.jsonl") == ids_of(folder / "a.parquet") == ids
    assert (
        whorl.dedup(rows).clusters["id"].to_pylist()
        == whorl.dedup(pa.Table.from_pylist(rows)).clusters["id"].to_pylist()
    )


UUIDS = [uuid.UUID(int=number * 7919**9) for number in (1, 2, 3)]
COLUMNS: dict[str, tuple[pa.Array, list[str | None]]] = {
    "decimal": (pa.array([Decimal("1.50"), Decimal("2.00"), None]), ["1.50", "2.00", None]),
    "unsigned": (pa.array([2**64 - 1, 2**63, 0], pa.uint64()), ["18446744073709551615", "9223372036854775808", "0"]),
    "double": (pa.array([1.0, 0.1, math.nan]), ["1.0", "0.1", None]),
    "float": (pa.array([1.0, 0.1, 1e20], pa.float32()), ["1.0", "0.1", "1e+20"]),
    "half": (pa.array([1.0, 1.5, None], pa.float16()), ["1.0", "1.5", None]),
    "truth": (pa.array([True, False, None]), ["true", "false", None]),
    "date": (
        pa.array([dt.date(2024, 1, 2), dt.date(9999, 12, 31), None]),
        ["2024-01-02", "9999-12-31", None],
    ),
    "moment": (
        pa.array([1, 2, None], pa.timestamp("ns")),
        ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002", None],
    ),
    "bytes": (pa.array([b"a1", b"\xff\x00", b"\xfe"]), ["a1", "ff00", "fe"]),
    "digest": (pa.array([value.bytes for value in UUIDS], pa.binary(16)), [value.hex for value in UUIDS]),
    "uuid": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([value.bytes for value in UUIDS], pa.binary(16))),
        [str(value) for value in UUIDS],
    ),
    "category": (pa.array([2**63 - 1, 5, None]).dictionary_encode(), ["9223372036854775807", "5", None]),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_type_of_id_is_written_the_same_in_files_frames_and_libraries(tmp_path: Path, kind: str) -> None:
    column, expected = COLUMNS[kind]
    table = pa.table({"id": column, "text": TEXTS})
    pq.write_table(table, tmp_path / "a.parquet")
    assert ids_of(tmp_path / "a.parquet") == expected
    named = [id_ or f"a.parquet:{row}" for row, id_ in enumerate(expected, 1)]
    out = tmp_path / "out"
    assert sorted(whorl.dedup_files(tmp_path / "a.parquet", out).clusters["id"].to_pylist()) == sorted(named)
    frame = whorl.dedup(table).clusters["id"].to_pylist()
    assert sorted(frame) == sorted(id_ or str(row) for row, id_ in enumerate(expected))
    whorl.library.add_files(tmp_path / "library", tmp_path / "a.parquet")
    with whorl.open(tmp_path / "library") as library:
        library_ids = {document.id for document in library.documents().items}
    assert {id_ for id_ in expected if id_} <= library_ids
    assert len(library_ids) == 3


def test_dicts_have_ids_as_files_have_them() -> None:
    ids = [True, b"\xff", Decimal("2.00"), UUIDS[0], 2**64, 1.0, math.nan, None, dt.date(2024, 1, 2)]
    rows = [{"id": id_, "text": f"{TEXTS[0]}{number * 77}"} for number, id_ in enumerate(ids)]
    expected = ["true", "ff", "2.00", str(UUIDS[0]), str(2**64), "1.0", "6", "7", "2024-01-02"]
    assert sorted(whorl.dedup(rows).clusters["id"].to_pylist()) == sorted(expected)


def test_other_columns_of_ids_are_read_like_that_named_id(tmp_path: Path) -> None:
    ids = [Decimal("2.00"), Decimal("2.01"), Decimal("3.00")]
    pq.write_table(pa.table({"编号": ids, "text": TEXTS}), tmp_path / "a.parquet")
    whorl.library.add_files(tmp_path / "library", tmp_path / "a.parquet")
    with whorl.open(tmp_path / "library") as library:
        assert {document.id for document in library.documents().items} == {"2.00", "2.01", "3.00"}


def test_large_numbers_go_through_a_run_and_a_library(tmp_path: Path) -> None:
    ids = [2**63, 13835058055282163712, 2**64 - 2, 2**64 - 1]
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    rows: list[dict[str, Any]] = [{"id": id_, "text": f"{id_}{TEXTS[0]}{id_}"} for id_ in ids]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    copies = [{"id": f"copy of {row['id']}", "text": row["text"]} for row in rows]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in copies), encoding="utf-8")
    whorl.dedup_files([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / "out")
    with (tmp_path / "out/clusters.csv").open(encoding="utf-8-sig", newline="") as file:
        listed = {row["id"] for row in csv.DictReader(file)}
    assert listed >= set(map(str, ids))
    whorl.library.add_files(tmp_path / "library", tmp_path / "a.jsonl")
    with whorl.open(tmp_path / "library") as library:
        assert {document.id for document in library.documents().items} == set(map(str, ids))


def test_a_number_within_another_column_is_an_id_as_it_is_read(tmp_path: Path, read: Any) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"meta": {"id": 18446744073709551615}, "text": "x"}\n', encoding="utf-8")
    reading: Reading = read(path, Columns(id="meta.id"))
    assert reading.ids == ["18446744073709551615"]
