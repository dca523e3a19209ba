import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from whorl.corpus import Columns, KeptRejects, ReadOptions, Rejection, Rejects, Source, read_files
from whorl.errors import InputError

JSONL = Source(Path("/data/a.jsonl"), "news/a.jsonl", "jsonl")


def test_rows_are_kept_byte_for_byte_and_listed(tmp_path: Path) -> None:
    with KeptRejects(tmp_path) as rejects:
        rejects.add(JSONL, row=3, line=3, reason="not JSON", data=b"\xff{")
        rejects.add(JSONL, row=9, line=9, reason="not JSON", data=iter([b"two ", b"pieces"]))
        assert (rejects.total, rejects.reasons, rejects.sources) == (2, {"not JSON": 2}, {"news/a.jsonl": 2})
    assert (tmp_path / "news/a.jsonl").read_bytes() == b"\xff{\ntwo pieces\n"
    assert [json.loads(line) for line in (tmp_path / "rejected.jsonl").read_text().splitlines()] == [
        {"file": "news/a.jsonl", "row": 3, "line": 3, "reason": "not JSON", "bytes": 2},
        {"file": "news/a.jsonl", "row": 9, "line": 9, "reason": "not JSON", "bytes": 10},
    ]


def test_rows_of_a_compressed_file_are_kept_compressed(tmp_path: Path) -> None:
    source = Source(Path("/data/a.jsonl.gz"), "a.jsonl.gz", "jsonl", "gz")
    with KeptRejects(tmp_path) as rejects:
        rejects.add(source, row=1, line=1, reason="not JSON", data=b"{")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b"{\n"


def test_many_files_are_kept_apart(tmp_path: Path) -> None:
    sources = [Source(None, f"{number}.jsonl", "jsonl") for number in range(100)]
    with KeptRejects(tmp_path) as rejects:
        for turn in (b"first", b"second"):
            for source in sources:
                rejects.add(source, row=1, line=1, reason="not JSON", data=turn)
    assert {(tmp_path / source.name).read_bytes() for source in sources} == {b"first\nsecond\n"}


def test_bad_rows_that_nobody_looks_at_are_counted_and_named_without_a_folder() -> None:
    rejects = Rejects()
    rejects.add(JSONL, row=3, line=3, reason="not JSON", data=iter([b"two ", b"pieces"]))
    rejects.note(JSONL, row=4, line=None, reason="no text", size=7)
    rejects.set_aside(JSONL, InputError("broken", hint="repair it"))
    assert (rejects.total, rejects.reasons) == (3, {"not JSON": 1, "no text": 1, "broken": 1})
    assert (rejects.folder, rejects.path_of(JSONL)) == (None, None)
    assert list(rejects.named) == [
        Rejection("news/a.jsonl", 3, 3, "not JSON", 10),
        Rejection("news/a.jsonl", 4, None, "no text", 7),
        Rejection("news/a.jsonl", None, None, "broken", 0),
    ]


def test_of_very_many_bad_rows_the_first_are_named_and_all_counted() -> None:
    rejects = Rejects()
    for row in range(20_000):
        rejects.note(JSONL, row=row, line=None, reason="no text", size=0)
    assert (rejects.total, [rejection.row for rejection in rejects.named]) == (20_000, list(range(10_000)))


@pytest.mark.parametrize("name", ["a.parquet", "a.xlsx"])
def test_formats_that_keep_bad_rows_themselves_do_without_a_folder(tmp_path: Path, name: str) -> None:
    if name == "a.parquet":
        pq.write_table(pa.table({"text": ["one", None, "two"]}), tmp_path / name)
    else:
        book = Workbook()
        for line in (["text", "n"], ["one", 1], [None, 2], ["two", 3]):
            book.active.append(line)
        book.save(tmp_path / name)
    rejects = Rejects()
    batches = read_files([tmp_path / name], Columns(), rejects, ReadOptions())
    assert [text for _, batch in batches for text in batch.texts.to_pylist()] == ["one", "two"]
    assert [rejection.row for rejection in rejects.named] == [2]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_run_stops_at_the_first_bad_row_when_asked(tmp_path: Path) -> None:
    with (
        KeptRejects(tmp_path, on_error="stop") as rejects,
        pytest.raises(InputError, match=r"(?s)a\.jsonl, line 3: not JSON.*hint"),
    ):
        rejects.add(JSONL, row=3, line=3, reason="not JSON", data=b"{")
