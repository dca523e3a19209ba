"""A stray file never fails a run over a folder: junk is skipped, unreadable files are rejected, and both are reported.

A named file, or a folder without readable files, is the user's mistake and fails the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, write_jsonl
from tests.runs import files, rejected, whorl

import whorl as package
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.errors import InputError

ROWS = [{"id": "1", "text": article(1)}, {"id": "2", "text": article(2)}, {"id": "3", "text": article(1)}]


def _without_column(path: Path) -> None:
    write_jsonl(path, [{"id": "9", "story": article(9)}])


def _damaged_parquet(path: Path) -> None:
    pq.write_table(pa.table({"text": [article(number) for number in range(20)]}), path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[10 : len(data) // 2] = bytes(len(data) // 2 - 10)
    path.write_bytes(data)


def _damaged_later(path: Path) -> None:
    """Damage a later part: the first rows are intact, and so is the text column."""
    texts = [article(number) for number in range(20)]
    pq.write_table(pa.table({"text": texts, "other": texts}), path, row_group_size=10)
    other = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    data[other.data_page_offset : other.data_page_offset + 40] = b"\xff" * 40
    path.write_bytes(data)


STRAYS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "a link to nothing": ("b.jsonl", lambda path: path.symlink_to("nowhere"), "a broken link: nowhere does not exist"),
    "a pipe": ("b.jsonl", os.mkfifo, "neither a file nor a folder"),
    "rows without the text": ("b.json", _without_column, "no column 'text'"),
    "a table without the text": ("b.csv", lambda path: path.write_text("a,b\n1,2\n"), "no column 'text'"),
    "a header that is no CSV": ("b.csv", lambda path: path.write_text('id,"text\n1,2\n'), "line 1"),
    "an archive under another name": ("b.jsonl", lambda path: path.write_bytes(b"PK\3\4" + bytes(40)), "archive: ZIP"),
    "a workbook that is none": ("b.xlsx", lambda path: path.write_text("<html>"), "as a workbook"),
    "an empty workbook": ("b.xlsx", Path.touch, "as a workbook"),
    "a Parquet file that is none": ("b.parquet", lambda path: path.write_text("no"), "as Parquet"),
    "a damaged Parquet file": ("b.parquet", _damaged_parquet, "damaged"),
    "a Parquet file damaged in another column": ("b.parquet", _damaged_later, "damaged"),
    "a compressed Parquet file": ("b.parquet.gz", Path.touch, "compressed inside"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one good file."""
    write_jsonl(tmp_path / "in" / "a.jsonl", ROWS)
    return tmp_path / "in"


def run_of(out: Path) -> dict[str, Any]:
    run: dict[str, Any] = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return run


@pytest.mark.parametrize("kind", STRAYS)
def test_a_file_that_cannot_be_read_is_set_aside(folder: Path, tmp_path: Path, kind: str) -> None:
    name, make, reason = STRAYS[kind]
    make(folder / name)
    out = tmp_path / "out"
    ended = whorl("dedup", folder, "-o", out)
    assert ended.code == 0, ended.error
    [entry] = rejected(out)
    assert (entry["file"], entry["row"], entry["bytes"]) == (name, None, 0)
    assert reason in entry["reason"]
    counts = run_of(out)["counts"]
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (2, 1, 1)
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"]
    assert (counts["files"], counts["unreadable_files"]) == (2, 1)
    assert sorted(files(out / "kept")) == ["a.jsonl"]
    assert reason in (out / "report.html").read_text(encoding="utf-8").replace("&#39;", "'")
    assert reason in ended.error


@pytest.mark.parametrize("kind", STRAYS)
def test_a_file_that_cannot_be_read_ends_the_run_where_that_is_asked(folder: Path, tmp_path: Path, kind: str) -> None:
    name, make, reason = STRAYS[kind]
    make(folder / name)
    out = tmp_path / "out"
    ended = whorl("dedup", folder, "-o", out, "--on-error", "stop")
    assert (ended.code, reason in ended.error, "hint: " in ended.error) == (3, True, True)
    assert not (out / "run.json").exists()


@pytest.mark.parametrize("kind", sorted(STRAYS.keys() - {"a pipe"}))
def test_a_file_that_is_named_and_cannot_be_read_is_an_error(folder: Path, tmp_path: Path, kind: str) -> None:
    name, make, reason = STRAYS[kind]
    make(folder / name)
    ended = whorl("dedup", folder / "a.jsonl", folder / name, "-o", tmp_path / "out")
    assert (ended.code, reason in ended.error, "hint: " in ended.error) == (3, True, True)


def test_a_column_that_no_file_has_is_the_mistake_of_the_user(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write_jsonl(tmp_path / "in" / name, [{"id": "1", "story": article(1)}])
    (tmp_path / "in" / "0.jsonl").symlink_to("nowhere")
    for command in (("dedup", tmp_path / "in", "-o", tmp_path / "out"), ("add", tmp_path / "lib", tmp_path / "in")):
        ended = whorl(*command)
        assert ended.code == 3
        assert "hint: name the column: --text story" in ended.error


def test_a_run_that_was_stopped_goes_on_with_what_it_set_aside(folder: Path, tmp_path: Path) -> None:
    """The list of rejected files is stored with the segment, which is not read again."""
    from whorl.engines.job import DedupJob
    from whorl.engines.local.run import dedup_files

    _without_column(folder / "b.jsonl")
    out = tmp_path / "out"

    class Stopped:
        def stage(self, name: str, *_: object) -> None:
            if name == "group":
                raise KeyboardInterrupt

        def advance(self, amount: int) -> None:
            pass

        def note(self, message: str) -> None:
            pass

    with pytest.raises(KeyboardInterrupt):
        dedup_files(DedupJob((str(folder),), out), Stopped())
    [manifest] = (out / ".whorl" / "segments").glob("*/segment.json")
    read = manifest.stat().st_mtime_ns
    run = dedup_files(DedupJob((str(folder),), out))
    [kept_manifest] = (out / "sketches").glob("*/segment.json")
    assert kept_manifest.stat().st_mtime_ns == read, "it was not read again"
    assert run["counts"]["unreadable_files"] == len(rejected(out)) == 1


def test_junk_is_passed_over_and_counted(folder: Path, tmp_path: Path) -> None:
    for name in ("~$book.xlsx", ".DS_Store", "Thumbs.db", "notes.txt~", "more.jsonl.part"):
        (folder / name).write_bytes(b"\0\1\2")
    (folder / "closed.jsonl").mkdir()
    write_jsonl(folder / "b.txt", [])
    ended = whorl("dedup", folder, "-o", tmp_path / "out", "--exclude", "*.txt")
    assert ended.code == 0, ended.error
    run = run_of(tmp_path / "out")
    assert rejected(tmp_path / "out") == []
    assert run["skipped"]["count"] == 6
    assert run["skipped"]["reasons"] == {
        "a system file": 2,
        "an office lock file": 1,
        "an editor backup": 1,
        "an incomplete download": 1,
        "excluded by *.txt": 1,
    }
    assert {"path": str(folder / "~$book.xlsx"), "reason": "an office lock file"} in run["skipped"]["first"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "an incomplete download" in page
    assert "skipped files" in ended.out


COMMANDS = {
    "add": ["add", "lib", "in"],
    "check": ["check", "lib", "in"],
    "hot": ["hot", "in"],
    "idf": ["idf", "in", "-o", "idf.parquet"],
    "recommend": ["recommend", "in"],
    "eval": ["eval", "in", "truth.csv", "--method", "exact"],
    "eval sample": ["eval", "sample", "in", "--out", "book.xlsx"],
    "segment": ["segment", "in"],
    "compare": ["compare", "in/a.jsonl:1", "--against", "in"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_ends_over_a_stray_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, (name, make, _) in enumerate(STRAYS.values()):
        (folder / str(number)).mkdir()
        make(folder / str(number) / name)
    (folder / "~$a.xlsx").touch()
    (tmp_path / "truth.csv").write_text("a,b\n1,3\n", encoding="utf-8")
    if command == "check":
        assert whorl("add", "lib", "in/a.jsonl").code == 0
    ended = whorl(*COMMANDS[command])
    assert ended.code == 0, ended.error
    assert "Traceback" not in ended.error


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"compare"}))
def test_every_command_that_takes_folders_selects_files(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text("a,b\n1,3\n", encoding="utf-8")
    assert whorl("add", "lib", "in/a.jsonl").code == 0
    for option in (("--exclude", "a.*"), ("--include", "**/*.parquet")):
        ended = whorl(*COMMANDS[command], *option)
        assert (ended.code, "no files" in ended.error) == (3, True), ended.error


def test_python_selects_files_too(folder: Path, tmp_path: Path) -> None:
    write_jsonl(folder / "b.jsonl", ROWS)
    for place, chosen, rows in (
        ("1", {}, 6),
        ("2", {"exclude": "b.*"}, 3),
        ("3", {"include": ["b.*", "c.*"]}, 3),
    ):
        assert package.dedup_files(folder, tmp_path / place, **chosen).run["counts"]["rows"] == rows
    with pytest.raises(InputError, match="no files"):
        package.dedup_files(folder, tmp_path / "4", include="*.parquet")


def test_another_selection_is_another_job(folder: Path, tmp_path: Path) -> None:
    from whorl.corpus import Selection
    from whorl.engines.job import DedupJob
    from whorl.engines.local.run import dedup_files

    class Stopped:
        def stage(self, name: str, *_: object) -> None:
            if name == "probe":
                raise KeyboardInterrupt

        def advance(self, amount: int) -> None:
            pass

        def note(self, message: str) -> None:
            pass

    jobs = [DedupJob((str(folder),), tmp_path / "out", selection=Selection(exclude=(glob,))) for glob in ("x", "y")]
    described = []
    for job in jobs:
        with pytest.raises(KeyboardInterrupt):
            dedup_files(job, Stopped())
        described.append(json.loads((tmp_path / "out" / ".whorl" / "job.json").read_text(encoding="utf-8")))
    assert [job["exclude"] for job in described] == [["x"], ["y"]]


@pytest.mark.parametrize("place", ["/dev/zero", "link.jsonl"])
def test_a_device_is_refused_before_it_is_read(tmp_path: Path, place: str) -> None:
    """Reading it might never end."""
    (tmp_path / "link.jsonl").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is a device"):
        dedup_files(DedupJob((str(tmp_path / place),), tmp_path / "out"))
