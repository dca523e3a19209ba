"""No row is lost silently: rows in = kept + removed + rejected, and an input without readable rows is an error."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rounds import rounds

import whorl
from whorl.errors import InputError

Row = dict[str, Any]
TEXT = "清晨六点，望江镇的豆腐坊已经冒起白烟。老板娘把泡了一夜的黄豆倒进石磨，水流顺着木槽慢慢淌下来。"


def jsonl(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def parquet(path: Path, rows: list[Row]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


def csv(path: Path, rows: list[Row]) -> None:
    lines = [",".join(rows[0]), *(",".join("" if cell is None else str(cell) for cell in row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def xlsx(path: Path, rows: list[Row]) -> None:
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)


WRITERS: dict[str, Callable[[Path, list[Row]], None]] = {"jsonl": jsonl, "parquet": parquet, "csv": csv, "xlsx": xlsx}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def kept_files(out: Path) -> list[str]:
    return sorted(path.name for path in (out / "kept").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "options", [{"date": "day", "keep": "earliest"}, {"keep": "rank"}, {"date": "day"}, {"id": "key"}]
)
@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_in_a_folder_without_a_named_column_is_kept(
    folder: Path, tmp_path: Path, kind: str, options: dict[str, Any]
) -> None:
    WRITERS[kind](folder / f"a.{kind}", [{"key": "1", "text": TEXT, "day": "2024-01-02", "rank": 1}])
    WRITERS[kind](folder / f"b.{kind}", [{"text": TEXT[::-1]}])
    cleaned = whorl.dedup_files(folder, tmp_path / "out", **options)
    assert (cleaned.run["counts"]["kept"], cleaned.run["counts"]["rejected"]) == (2, 0)
    assert cleaned.kept.num_rows == 2
    again = whorl.dedup_files(folder, tmp_path / "again", against=tmp_path / "out", **options)
    assert again.run["counts"]["duplicates"] == 2
    assert kept_files(tmp_path / "out") == [f"a.{kind}", f"b.{kind}"]


@pytest.mark.parametrize(
    "options", [{"date": "dya", "keep": "earliest"}, {"keep": "rnak"}, {"date": "dya"}, {"id": "kye"}]
)
@pytest.mark.parametrize("kind", WRITERS)
def test_a_column_that_no_file_has_is_an_error(
    folder: Path, tmp_path: Path, kind: str, options: dict[str, Any]
) -> None:
    for name in "ab":
        WRITERS[kind](folder / f"{name}.{kind}", [{"text": TEXT, "day": "2024-01-02", "key": "1"}])
    with pytest.raises(InputError, match="has no column"):
        whorl.dedup_files(folder, tmp_path / "out", **options)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_that_was_named_needs_the_columns_that_were_named(folder: Path, tmp_path: Path, kind: str) -> None:
    WRITERS[kind](folder / f"a.{kind}", [{"text": TEXT, "day": "2024-01-02"}])
    WRITERS[kind](folder / f"b.{kind}", [{"text": TEXT}])
    with pytest.raises(InputError, match=r"b\..*has no column 'day'"):
        whorl.dedup_files(sorted(folder.iterdir()), tmp_path / "out", date="day", keep="earliest")


def bad_jsonl(folder: Path) -> None:
    jsonl(folder / "bad.jsonl", [{"text": 1}, {"text": 2}])


def bad_parquet(folder: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([None, None], pa.string())}), folder / "bad.parquet")


def bad_csv(folder: Path) -> None:
    (folder / "bad.csv").write_text("id,text\n1,2,3\n4,5,6\n", encoding="utf-8")


def bad_xlsx(folder: Path) -> None:
    xlsx(folder / "bad.xlsx", [{"id": 1, "text": None}, {"id": 2, "text": None}])


def bad_docx(folder: Path) -> None:
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 not at all")


BAD = [bad_jsonl, bad_parquet, bad_csv, bad_xlsx, bad_docx]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("is_named", [True, False])
def test_unreadable_input_is_reported_and_the_rest_processed(
    folder: Path, tmp_path: Path, bad: Callable[[Path], None], is_named: bool
) -> None:
    bad(folder)
    [path] = folder.iterdir()
    (tmp_path / "good.txt").write_text(TEXT, encoding="utf-8")
    cleaned = whorl.dedup_files([tmp_path / "good.txt", path if is_named else folder], tmp_path / "out")
    counts = cleaned.run["counts"]
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"]
    assert counts["kept"] == 1
    [unread] = cleaned.unread
    assert (Path(unread["input"]), unread["rows"]) == (path if is_named else folder, counts["rejected"])
    with pytest.raises(InputError, match=r"could (not )?be read"):
        cleaned.demand_read()
    listed = (tmp_path / "out/rejected/rejected.jsonl").read_text(encoding="utf-8").splitlines()
    assert unread["reason"] == json.loads(listed[0])["reason"]
    assert len(listed) == counts["rejected"]


@pytest.mark.parametrize("bad", BAD[:4])
def test_other_tasks_refuse_unreadable_input(folder: Path, tmp_path: Path, bad: Callable[[Path], None]) -> None:
    bad(folder)
    for inputs in (folder, next(folder.iterdir())):
        with pytest.raises(InputError, match=r"none of the 2 rows of .* can be read"):
            whorl.library.add_files(tmp_path / "library", inputs)


def test_an_input_without_rows_is_no_error(folder: Path, tmp_path: Path) -> None:
    (folder / "empty.jsonl").touch()
    (folder / "good.txt").write_text(TEXT, encoding="utf-8")
    cleaned = whorl.dedup_files([folder / "empty.jsonl", folder / "good.txt"], tmp_path / "out")
    assert cleaned.unread == []
    cleaned.demand_read()


CELL = st.none() | st.text("豆腐 坊", min_size=1, max_size=3) | st.integers(0, 3)


@settings(deadline=None, max_examples=rounds(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(
        st.tuples(
            st.sampled_from(["jsonl", "csv", "xlsx"]),
            st.lists(st.fixed_dictionaries({"text": CELL, "day": CELL}), min_size=1, max_size=5),
        ),
        min_size=1,
        max_size=4,
    ),
    keep=st.sampled_from(["longest", "day"]),
)
def test_rows_in_are_kept_removed_or_rejected(
    files: list[tuple[str, list[Row]]], keep: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "in").mkdir()
    for number, (kind, rows) in enumerate(files):
        WRITERS[kind](folder / f"in/{number}.{kind}", rows)
    out = folder / "out"
    counts = whorl.dedup_files(folder / "in", out, keep=keep, on_error="skip").run["counts"]
    written = sum(
        sum(set(row.values()) != {None} if kind != "jsonl" else True for row in rows) if kind != "csv" else len(rows)
        for kind, rows in files
    )
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"] == written
    listed = (out / "rejected/rejected.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(listed) == counts["rejected"]
    assert all(json.loads(line)["reason"] for line in listed)
    assert (
        whorl.dedup_files(out / "kept", folder / "again", keep=keep).run["counts"]["kept"] == counts["kept"]
        if counts["kept"]
        else True
    )


KINDS: dict[str, Callable[[list[Row]], Any]] = {
    "dicts": lambda rows: rows,
    "arrow": pa.Table.from_pylist,
    "pandas": lambda rows: pytest.importorskip("pandas").DataFrame(rows),
    "polars": lambda rows: pytest.importorskip("polars").DataFrame(rows),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [("text",), ("title", "text")])
def test_a_null_text_is_the_same_in_files_and_frames(tmp_path: Path, kind: str, columns: tuple[str, ...]) -> None:
    rows: list[Row] = [
        {"title": None, "text": TEXT},
        {"title": None, "text": None},
        {"title": "题", "text": TEXT[::-1]},
        {"title": None, "text": TEXT},
        {"title": None, "text": ""},
    ]
    jsonl(tmp_path / "a.jsonl", rows)
    result = whorl.dedup(KINDS[kind](rows), text=columns)
    run = whorl.dedup_files(tmp_path / "a.jsonl", tmp_path / "out", text=columns).run
    for count in ("rows", "kept", "duplicates", "rejected", "featureless"):
        assert result.run["counts"][count] == run["counts"][count], count
    assert (len(result.kept), len(result.rejected)) == (run["counts"]["kept"], 1)
    numbers = {row["row"] for row in result.clusters.to_pylist()}
    assert numbers == {0, 2, 3, 4}
    [duplicate] = result.duplicates.to_pylist()
    assert {duplicate["row"], int(duplicate["duplicate_of"])} == {0, 3}


def test_a_library_passes_over_a_file_of_a_folder_without_the_ids_that_were_named(folder: Path, tmp_path: Path) -> None:
    jsonl(folder / "a.jsonl", [{"key": "1", "text": TEXT}])
    jsonl(folder / "b.jsonl", [{"text": TEXT[::-1]}])
    assert whorl.library.add_files(tmp_path / "library", folder, id="key").new == 1
    with pytest.raises(InputError, match="has no column 'kye'"):
        whorl.library.add_files(tmp_path / "other", folder, id="kye")
