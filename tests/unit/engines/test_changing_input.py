"""Files that change during a run, and files of any name: no row is lost silently."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, jsonl, write_jsonl
from tests.runs import dedup, files

import whorl
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError

DOCUMENTS = [{"id": str(number), "text": article(number)} for number in range(40)]


@dataclass
class Meddler:
    """Progress that changes the input just before the rows are written."""

    act: Callable[[], None]

    def stage(self, name: str, *_: object) -> None:
        if name == "write":
            self.act()

    def advance(self, amount: int) -> None:
        pass

    def note(self, message: str) -> None:
        pass


def table(path: Path, documents: list[dict[str, str]]) -> None:
    """Write documents in the format of the suffix."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(documents), path, compression="none", use_dictionary=False)
    elif path.suffix == ".csv":
        path.write_text("id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in documents), encoding="utf-8")
    else:
        data = jsonl(documents)
        path.write_bytes(gzip.compress(data, compresslevel=0) if path.suffix == ".gz" else data)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.parquet"])
@pytest.mark.parametrize("keeps_its_time", [False, True])
def test_a_file_that_loses_rows_before_it_is_written_ends_the_run(
    name: str, keeps_its_time: bool, tmp_path: Path
) -> None:
    path, out = tmp_path / name, tmp_path / "out"
    table(path, DOCUMENTS)
    status, size = path.stat(), path.stat().st_size

    def shorten() -> None:
        table(path, DOCUMENTS[:20])
        if keeps_its_time:
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            with path.open("ab") as file:
                file.truncate(size)

    with pytest.raises(InputError, match=r"chang|damaged"):
        dedup_files(DedupJob((str(path),), out), Meddler(shorten))
    assert {item.name for item in out.iterdir()} == {".whorl"}


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv"])
def test_rows_that_run_together_in_a_file_of_the_same_size_and_time_end_the_run(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    table(path, DOCUMENTS)
    status = path.stat()

    def join() -> None:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        # Several objects on the first line would be read as consecutive rows.
        first, rest = data.split(b"\n", 1)
        joined = first + b"\n" + rest.replace(b"\n", b" ", 3)
        path.write_bytes(gzip.compress(joined, compresslevel=0, mtime=0) if path.suffix == ".gz" else joined)
        os.truncate(path, status.st_size)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    with pytest.raises(InputError, match=r"(?s)chang.*run again"):
        dedup_files(DedupJob((str(path),), tmp_path / "out"), Meddler(join))


def test_a_name_that_looks_unfinished_takes_the_place_of_no_other(tmp_path: Path) -> None:
    paths = tuple(tmp_path / "in" / name for name in ("a.jsonl", "a.jsonl.part", "a.jsonl.part.part"))
    for number, path in enumerate(paths):
        write_jsonl(path, DOCUMENTS[number * 10 : number * 10 + 10])
    before = files(tmp_path / "in")
    dedup(paths, tmp_path / "out")
    assert files(tmp_path / "out" / "kept") == before


def test_a_name_as_long_as_names_can_be_is_kept(tmp_path: Path) -> None:
    for name in ("汉" * 83 + ".jsonl", "汉" * 85, "x" * 255):
        write_jsonl(tmp_path / "in" / name, [{"id": name[-9:], "text": article(len(name))}])
    before = files(tmp_path / "in")
    run = dedup(tmp_path / "in", tmp_path / "out")
    assert run["counts"]["kept"] == 3
    assert files(tmp_path / "out" / "kept") == before


def test_a_folder_with_a_colon_in_its_name_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "a.parquet", [*DOCUMENTS, *DOCUMENTS])
    result = whorl.dedup_files("a.parquet", "s3:clean")
    assert len(result.duplicates) == len(result.kept) == len(DOCUMENTS)
