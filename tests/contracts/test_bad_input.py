"""Errors in the input, the output or the machine: a clear error, or a counted and listed rejection.

Every failure names the file and a fix, without a traceback. Afterwards the input is unchanged, and no partial file has
its final name. The runs use the command line in separate processes.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.articles import article, jsonl, small_corpus, write_jsonl
from tests.runs import NAMES, Finished, duplicates, files, kept_documents, rejected, whorl

if sys.platform != "win32":
    import resource

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and special files are those of POSIX")

GOOD = [{"id": "1", "text": article(1)}, {"id": "2", "text": article(2)}, {"id": "3", "text": article(1)}]
USAGE, INPUT, RESOURCE = 2, 3, 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the input folder."""
    path = tmp_path / "in"
    path.mkdir()
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return the output folder, which does not exist yet."""
    return tmp_path / "out"


def assert_failed(ended: Finished, code: int, *parts: str) -> None:
    """Assert that the run ended with ``code`` and a message that has every one of ``parts`` and a hint."""
    assert ended.code == code, ended.error
    assert "Traceback" not in ended.error
    assert ended.error.count("error: ") == 1
    assert "hint: " in ended.error
    assert ended.out == ""
    for part in parts:
        assert part in ended.error


def assert_nothing_published(out: Path) -> None:
    assert not out.exists() or {path.name for path in out.iterdir()} <= {".whorl"}


def assert_done(ended: Finished, out: Path) -> dict[str, Any]:
    """Assert that the run succeeded and every row is accounted for; return its counts."""
    assert ended.code == 0, ended.error
    assert "Traceback" not in ended.error
    assert {path.name for path in out.iterdir()} == NAMES
    counts: dict[str, Any] = json.loads((out / "run.json").read_text(encoding="utf-8"))["counts"]
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"]
    assert counts["rejected"] == len(rejected(out))
    return counts


# Bad rows are rejected

BAD_ROWS = {
    "broken UTF-8": (b'{"id": "x", "text": "\xe4\xb8"}', "UTF-8"),
    "a NUL before the object": (b'\x00{"id": "x", "text": "a"}', "JSON"),
    "no JSON": (b"text: this is no JSON", "JSON"),
    "JSON that breaks off": (b'{"id": "x", "text": "abc', "JSON"),
    "two objects": (b'{"text": "a"}{"text": "b"}', "JSON"),
    "an array": (b'["text"]', "object"),
    "a bare string": (b'"text"', "object"),
    "no text": (b'{"id": "x", "title": "t"}', "text"),
    "null": (b'{"id": "x", "text": null}', "text"),
    "a number": (b'{"id": "x", "text": 5}', "not text"),
    "a list of numbers": (b'{"id": "x", "text": [5]}', "not text"),
    "deep nesting": (b'{"id": "x", "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", ""),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_a_bad_row_is_listed_with_its_line_and_reason(folder: Path, out: Path, kind: str) -> None:
    row, reason = BAD_ROWS[kind]
    lines = jsonl(GOOD).splitlines(keepends=True)
    (folder / "a.jsonl").write_bytes(b"".join([*lines[:2], row + b"\n", *lines[2:]]))
    before = files(folder)
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (2, 1, 1)
    [entry] = rejected(out)
    assert (entry["file"], entry["line"], entry["bytes"]) == ("a.jsonl", 3, len(row))
    assert reason.casefold() in entry["reason"].casefold()
    assert (out / "rejected" / "a.jsonl").read_bytes() == row + b"\n"
    assert files(folder) == before


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_a_bad_row_stops_the_run_where_that_is_asked(folder: Path, out: Path, kind: str) -> None:
    row, _ = BAD_ROWS[kind]
    (folder / "a.jsonl").write_bytes(jsonl(GOOD) + row + b"\n")
    before = files(folder)
    ended = whorl("dedup", folder, "-o", out, "--on-error", "stop")
    assert_failed(ended, INPUT, str(folder / "a.jsonl"), "line 4", "--on-error skip")
    assert_nothing_published(out)
    assert files(folder) == before


ODD_ROWS = {
    "a raw NUL in the text": b'{"id": "x", "text": "a\x00b"}',
    "a list of strings": b'{"id": "x", "text": ["a", "b"]}',
    "NaN in another column": b'{"id": "x", "score": NaN, "text": "a"}',
    "half a character in another column": b'{"id": "x", "title": "\\ud800", "text": "a"}',
}


@pytest.mark.parametrize("kind", ODD_ROWS)
def test_an_odd_row_whose_text_is_clear_is_read(folder: Path, out: Path, kind: str) -> None:
    lines = jsonl(GOOD).splitlines(keepends=True)
    (folder / "a.jsonl").write_bytes(b"".join([*lines[:2], ODD_ROWS[kind] + b"\n", *lines[2:]]))
    counts = assert_done(whorl("dedup", folder, "-o", out, "--on-error", "stop"), out)
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (3, 1, 0)
    assert (out / "kept" / "a.jsonl").read_bytes() == b"".join([*lines[:2], ODD_ROWS[kind] + b"\n"])


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
def test_a_truncated_archive_gives_what_it_still_has(folder: Path, out: Path, kind: str, share: float) -> None:
    data = jsonl(small_corpus())
    packed = gzip.compress(data) if kind == "gz" else pa.compress(data, codec="zstd", asbytes=True)
    whole = write_jsonl(folder / "whole.jsonl", GOOD)
    (folder / f"a.jsonl.{kind}").write_bytes(packed[: max(10, int(share * len(packed)))])
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert counts["rejected"] == 1
    [entry] = rejected(out)
    assert entry["file"] == f"a.jsonl.{kind}"
    assert "ends early" in entry["reason"]
    if kind == "gz":
        assert (counts["kept"] > 2) == (share > 0), "gzip gives all that comes before the break"
    assert whole.read_bytes() == jsonl(GOOD)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_truncated_archive_stops_the_run_where_that_is_asked(folder: Path, out: Path, kind: str) -> None:
    data = jsonl(small_corpus())
    packed = gzip.compress(data) if kind == "gz" else pa.compress(data, codec="zstd", asbytes=True)
    (folder / f"a.jsonl.{kind}").write_bytes(packed[:-20])
    ended = whorl("dedup", folder, "-o", out, "--on-error", "stop")
    assert_failed(ended, INPUT, f"a.jsonl.{kind}", "line ", "ends early", "fetch the file again")
    assert_nothing_published(out)


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_what_only_claims_to_be_compressed_is_read(folder: Path, out: Path, name: str) -> None:
    (folder / name).write_bytes(jsonl(GOOD))
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (2, 1, 0)


@pytest.mark.parametrize("name", ["a.parquet", "a.xlsx"])
def test_what_only_claims_to_be_a_table_is_an_error(folder: Path, out: Path, name: str) -> None:
    (folder / name).write_bytes(jsonl(GOOD))
    assert_failed(whorl("dedup", folder, "-o", out), INPUT, str(folder / name))
    assert_nothing_published(out)


@pytest.mark.parametrize("name", ["a.html", "a.docx", "a.pdf"])
@pytest.mark.parametrize("data", [b"", bytes(range(256)) * 100, b"\xd0\xcf\x11\xe0", b"PK\x03\x04", b"%PDF-1.7\n<<"])
def test_what_only_claims_to_be_a_document_is_rejected(folder: Path, out: Path, name: str, data: bytes) -> None:
    write_jsonl(folder / "good.jsonl", GOOD)
    (folder / name).write_bytes(data)
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (2, 1, 1)
    [entry] = rejected(out)
    assert entry["file"] == name
    if data.startswith(b"PK") and name == "a.html":
        assert "is an archive: ZIP" in entry["reason"], "an archive is refused as a whole"
    else:
        assert (out / "rejected" / name).read_bytes() == data
    ended = whorl("dedup", folder, "-o", out.parent / "stopped", "--on-error", "stop")
    assert_failed(ended, INPUT, str(folder / name))


# Columns


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.xlsx"])
def test_a_missing_text_column_is_an_error_that_names_the_columns(folder: Path, out: Path, name: str) -> None:
    table(folder / name, [{"id": "1", "story": article(1)}, {"id": "2", "story": article(2)}])
    assert_failed(whorl("dedup", folder, "-o", out), INPUT, str(folder / name), "'text'", "story", "--text story")
    assert_nothing_published(out)
    assert_done(whorl("dedup", folder, "-o", out, "--text", "story"), out)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.xlsx"])
def test_a_usual_column_is_the_text_where_there_is_no_other(folder: Path, out: Path, name: str) -> None:
    table(folder / name, [{"id": "1", "body": article(1)}, {"id": "2", "body": article(1)}])
    ended = whorl("dedup", folder, "-o", out)
    counts = assert_done(ended, out)
    assert (counts["kept"], counts["duplicates"]) == (1, 1)
    assert "using column 'body'" in ended.error


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.xlsx"])
def test_several_usual_columns_are_an_error_that_names_them(folder: Path, out: Path, name: str) -> None:
    table(folder / name, [{"id": "1", "body": article(1), "content": article(2)}])
    assert_failed(whorl("dedup", folder, "-o", out), INPUT, str(folder / name), "body, content", "--text body")
    assert_nothing_published(out)


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_broken_row_hides_no_missing_text_column(folder: Path, out: Path, place: int) -> None:
    lines = jsonl(GOOD).splitlines(keepends=True)
    (folder / "a.jsonl").write_bytes(b"".join([*lines[:place], b"broken\n", *lines[place:]]))
    assert_failed(whorl("dedup", folder, "-o", out, "--text", "body"), INPUT, "'body'", "--text text")
    assert_nothing_published(out)


def test_lines_that_end_in_cr_alone_are_an_error(folder: Path, out: Path) -> None:
    (folder / "a.csv").write_bytes(f"id,text\r1,{article(1)}\r".encode())
    assert_failed(whorl("dedup", folder, "-o", out), INPUT, "a.csv", "LF or CRLF")


def test_a_column_of_numbers_is_an_error(folder: Path, out: Path) -> None:
    pq.write_table(pa.table({"text": [1, 2], "body": ["a", "b"]}), folder / "a.parquet")
    assert_failed(whorl("dedup", folder, "-o", out), INPUT, "a.parquet", "int64, not text", "--text body")


@pytest.mark.parametrize("option", ["--id", "--date"])
def test_a_column_that_is_not_there_is_an_error(folder: Path, out: Path, option: str) -> None:
    table(folder / "a.csv", GOOD)
    ended = whorl("dedup", folder, "-o", out, option, "nowhere", "--keep", "earliest", "--date", "nowhere")
    assert_failed(ended, INPUT, "a.csv", "nowhere")


def test_repeated_ids_are_counted_and_harmless(folder: Path, out: Path) -> None:
    documents = [{"id": "same", "text": article(number)} for number in (1, 2, 1)]
    write_jsonl(folder / "a.jsonl", documents)
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["kept"], counts["duplicates"], counts["repeated_ids"]) == (2, 1, 3)
    assert duplicates(out)[0]["cluster_id"] == "a.jsonl:1"


# Files and folders


def test_an_empty_file_has_no_rows_and_is_kept(folder: Path, out: Path) -> None:
    for name in ("a.jsonl", "b.csv", "c.txt"):
        (folder / name).touch()
    (folder / "d.jsonl.gz").write_bytes(gzip.compress(b""))
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert counts["rows"] == counts["kept"] == counts["featureless"] == 1, (
        "an empty text file is a document without text"
    )
    assert sorted(files(out / "kept")) == ["a.jsonl", "b.csv", "c.txt", "d.jsonl.gz"]


def test_an_empty_file_in_place_of_an_archive(folder: Path, out: Path) -> None:
    write_jsonl(folder / "good.jsonl", GOOD)
    for name in ("a.jsonl.gz", "b.jsonl.zst"):
        (folder / name).touch()
    assert_done(whorl("dedup", folder, "-o", out), out)


def test_an_empty_folder_is_an_error(folder: Path, out: Path) -> None:
    assert_failed(whorl("dedup", folder, "-o", out), INPUT, "no files", str(folder))
    assert not out.exists()


@pytest.mark.parametrize("path", ["nowhere.jsonl", "*.parquet", "nowhere/**/*.jsonl"])
def test_an_input_that_does_not_exist_is_an_error(folder: Path, out: Path, path: str) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    assert_failed(whorl("dedup", folder / path, "-o", out), INPUT, path)
    assert not out.exists()


def test_an_unreadable_file_that_is_named_is_an_error(folder: Path, out: Path) -> None:
    """A file that can be opened but whose reads fail, for any user."""
    write_jsonl(folder / "a.jsonl", GOOD)
    (folder / "b.jsonl").symlink_to("/proc/self/mem")
    if not (folder / "b.jsonl").exists():
        (folder / "b.jsonl").unlink()
        write_jsonl(folder / "b.jsonl", GOOD).chmod(0)
    assert_failed(whorl("dedup", folder / "a.jsonl", folder / "b.jsonl", "-o", out), INPUT, str(folder / "b.jsonl"))
    assert_nothing_published(out)
    assert assert_done(whorl("dedup", folder, "-o", out), out)["unreadable_files"] == 1
    assert rejected(out)[0]["file"] == "b.jsonl"


@pytest.fixture
def unprivileged() -> Iterator[Callable[[], None]]:
    """Return a function that drops root privileges for the duration of the test."""
    user = os.geteuid()
    yield lambda: os.seteuid(65534) if user == 0 else None
    os.seteuid(user)


def test_a_folder_that_cannot_be_entered_is_an_error(tmp_path: Path, unprivileged: Callable[[], None]) -> None:
    from whorl.corpus import discover
    from whorl.errors import InputError

    closed = write_jsonl(tmp_path / "in" / "closed" / "a.jsonl", GOOD).parent
    write_jsonl(tmp_path / "in" / "b.jsonl", GOOD)
    closed.chmod(0)
    private = [path for path in (tmp_path, *tmp_path.parents) if path.stat().st_mode & 0o777 == 0o700]
    for path in private:
        path.chmod(0o755)
    unprivileged()
    try:
        with pytest.raises(InputError, match="closed"):
            discover([tmp_path / "in"])
    finally:
        os.seteuid(os.getuid())
        closed.chmod(0o755)
        for path in private:
            path.chmod(0o700)


def test_a_folder_in_place_of_a_recipe_is_an_error(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    assert_failed(whorl("dedup", folder, "-o", out, "--recipe", folder), INPUT, str(folder))


@pytest.mark.parametrize(
    "recipe",
    [
        "threshold = 'high'",
        "threshold = 2",
        "threshold = true",
        "text = 5",
        "text = []",
        "text = [1]",
        "keep = 5",
        "id = 5",
        "parameters = 3",
        "max_row_bytes = 'many'",
        "max_row_bytes = 0",
        "encoding = 5",
        "method = 5",
        "method = 'none'",
        "surprise = 1",
        "[parameters]\nshingle = 0",
        "[parameters]\nshingle = 'five'",
        "[parameters]\nsurprise = 1",
    ],
)
def test_a_recipe_with_a_bad_value_is_an_error(folder: Path, out: Path, recipe: str) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    (folder.parent / "recipe.toml").write_text(recipe, encoding="utf-8")
    assert_failed(whorl("dedup", folder, "-o", out, "--recipe", folder.parent / "recipe.toml"), USAGE)
    assert not out.exists()


def test_a_file_that_changes_during_the_run_is_an_error(tmp_path: Path, folder: Path, out: Path) -> None:
    from whorl.engines.job import DedupJob
    from whorl.engines.local.run import dedup_files
    from whorl.errors import InputError

    for stage in ("rank", "probe", "write"):
        path = write_jsonl(folder / "a.jsonl", small_corpus())
        with pytest.raises(InputError, match=r"a\.jsonl changed") as error:
            dedup_files(DedupJob((str(folder),), out), _Meddler(stage, lambda path=path: write_jsonl(path, GOOD)))
        assert error.value.hint
        assert_nothing_published(out)
    assert_done(whorl("dedup", folder, "-o", out), out)


class _Meddler:
    """Progress that runs a function at the start of a stage."""

    def __init__(self, stage: str, deed: Callable[[], object]) -> None:
        self._stage = stage
        self._deed = deed

    def stage(self, name: str, *_: object) -> None:
        if name == self._stage:
            self._deed()

    def advance(self, amount: int) -> None:
        pass

    def note(self, message: str) -> None:
        pass


def test_a_file_that_vanishes_during_the_run_is_an_error(folder: Path, out: Path) -> None:
    from whorl.cli.ui.failures import user_error
    from whorl.engines.job import DedupJob
    from whorl.engines.local.run import dedup_files

    for stage in ("read", "probe", "write"):
        path = write_jsonl(folder / "a.jsonl", small_corpus())
        with pytest.raises(Exception) as error:  # noqa: PT011 - the command line turns it into its message
            dedup_files(DedupJob((str(folder),), out), _Meddler(stage, path.unlink))
        message = user_error(error.value)
        assert message is not None
        assert (message.exit_code, "a.jsonl" in str(message)) == (INPUT, True)
        assert_nothing_published(out)


# Output


def test_an_output_that_holds_something_else_is_refused(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    (out / "kept").mkdir(parents=True)
    (out / "kept" / "precious.txt").write_text("precious", encoding="utf-8")
    assert_failed(whorl("dedup", folder, "-o", out), USAGE, str(out), "not empty")
    assert files(out) == {"kept/precious.txt": b"precious"}


def test_an_output_that_is_a_file_is_refused(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    out.write_text("precious", encoding="utf-8")
    assert_failed(whorl("dedup", folder, "-o", out), USAGE, str(out))
    assert out.read_text(encoding="utf-8") == "precious"


def test_an_output_with_an_earlier_run_is_refused(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    assert whorl("dedup", folder, "-o", out).code == 0
    before = files(out)
    assert_failed(whorl("dedup", folder, "-o", out, "--threshold", "0.5"), USAGE, "earlier run")
    assert files(out) == before


def test_an_empty_output_folder_is_welcome(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    out.mkdir()
    assert_done(whorl("dedup", folder, "-o", out), out)


@pytest.mark.parametrize("inside", ["out", "deeper/out", "."])
def test_an_output_inside_the_input_is_refused(folder: Path, inside: str) -> None:
    write_jsonl(folder / "deeper" / "a.jsonl", GOOD)
    before = files(folder)
    assert_failed(whorl("dedup", folder, "-o", folder / inside), USAGE, str(folder))
    assert files(folder) == before


def test_an_input_inside_the_output_is_refused(out: Path) -> None:
    write_jsonl(out / "a.jsonl", GOOD)
    for path in (out / "a.jsonl", out):
        assert_failed(whorl("dedup", path, "-o", out), USAGE, str(out))
    assert files(out) == {"a.jsonl": jsonl(GOOD)}


@pytest.mark.parametrize("limit", [100, 2_000, 20_000, 50_000])
def test_a_full_disk_is_a_resource_error_and_the_run_continues_when_there_is_space(
    folder: Path, out: Path, limit: int
) -> None:
    """No file may grow beyond ``limit``, so the run fails at its largest write."""
    write_jsonl(folder / "a.jsonl", small_corpus(originals=200))
    before = files(folder)
    ended = whorl("dedup", folder, "-o", out, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert_failed(ended, RESOURCE, "run the same command again")
    assert_nothing_published(out)
    assert files(folder) == before
    assert_done(whorl("dedup", folder, "-o", out), out)


def test_a_full_disk_while_stdin_is_copied(out: Path) -> None:
    data = jsonl(small_corpus())
    ended = whorl(
        "dedup", "-", "-o", out, stdin=data, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    )
    assert_failed(ended, RESOURCE)
    assert_nothing_published(out)


def test_a_device_without_space_is_a_resource_error(folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    ended = whorl("dedup", folder, "-o", "/dev/full/out")
    assert ended.code in (USAGE, INPUT, RESOURCE)
    assert "Traceback" not in ended.error


# Encodings

CHINESE = [
    {"id": "1", "text": "据新华社报道，今天上午举行了隆重的开幕仪式，来自各地的代表出席了会议。"},
    {"id": "2", "text": "本报记者从市政府获悉，新的地铁线路将于明年春天开工建设，预计三年后通车。"},
    {"id": "3", "text": "据新华社报道，今天上午举行了隆重的开幕仪式，来自各地的代表出席了会议！"},
]
TRADITIONAL = [
    {"id": "1", "text": "記者從市政府獲悉，新的捷運線將於明年春天開工興建，預計三年後通車營運。"},
    {"id": "2", "text": "中央氣象署表示，今天各地多雲到晴，山區午後有短暫雷陣雨，請民眾注意。"},
    {"id": "3", "text": "記者從市政府獲悉，新的捷運線將於明年春天開工興建，預計三年後通車營運！"},
]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("encoding", "documents"), [("gbk", CHINESE), ("gb18030", CHINESE), ("big5", TRADITIONAL), ("utf-8-sig", CHINESE)]
)
def test_a_folder_in_another_encoding(
    folder: Path, out: Path, encoding: str, documents: list[dict[str, str]], named: bool
) -> None:
    lines = jsonl(documents).decode()
    (folder / "a.jsonl").write_bytes(lines.encode(encoding))
    (folder / "b.csv").write_bytes(
        ("id,text\n" + "".join(f"{d['id']},{d['text']}\n" for d in documents)).encode(encoding)
    )
    for document in documents:
        (folder / f"{document['id']}.txt").write_bytes(document["text"].encode(encoding))
    option = ("--encoding", encoding) if named else ()
    counts = assert_done(whorl("dedup", folder, "-o", out, *option), out)
    assert (counts["rows"], counts["kept"], counts["rejected"]) == (9, 2, 0)
    for name, data in files(out / "kept").items():
        assert data in (folder / name).read_bytes() or set(data.splitlines()) <= set(
            (folder / name).read_bytes().splitlines()
        )


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13", "", "idna", "undefined"])
def test_an_encoding_that_cannot_be_used_is_an_error(folder: Path, out: Path, encoding: str) -> None:
    write_jsonl(folder / "a.jsonl", CHINESE)
    assert_failed(whorl("dedup", folder, "-o", out, "--encoding", encoding), USAGE, encoding[:3])
    assert_nothing_published(out)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_rows_in_utf_16_are_read(folder: Path, out: Path, encoding: str) -> None:
    lines = [line.encode(encoding) for line in jsonl(CHINESE).decode().splitlines(keepends=True)]
    if encoding == "utf-16":
        lines = [lines[0], *(line[2:] for line in lines[1:])]  # one byte order mark per file
    (folder / "a.jsonl").write_bytes(b"".join(lines))
    option = () if encoding == "utf-16" else ("--encoding", encoding)
    counts = assert_done(whorl("dedup", folder, "-o", out, *option), out)
    assert (counts["rows"], counts["kept"], counts["rejected"]) == (3, 2, 0)
    assert (out / "kept" / "a.jsonl").read_bytes() == b"".join(lines[:2])


def test_utf_16_that_the_file_is_not_in_is_an_error(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", CHINESE)
    assert whorl("dedup", folder, "-o", out, "--encoding", "utf-16").code == INPUT


# Formats


def table(path: Path, documents: list[dict[str, str]]) -> Path:
    """Write ``documents`` in the format of the suffix."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(documents), path)
    elif path.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        workbook = openpyxl.Workbook()
        for values in [list(documents[0]), *(list(document.values()) for document in documents)]:
            workbook.active.append(values)
        workbook.save(path)
    elif path.suffix in (".csv", ".tsv"):
        mark = "," if path.suffix == ".csv" else "\t"
        lines = [mark.join(documents[0]), *(mark.join(document.values()) for document in documents)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        write_jsonl(path, documents)
    return path


def test_mixed_formats_in_one_folder(folder: Path, out: Path) -> None:
    for number, suffix in enumerate((".jsonl", ".csv", ".tsv", ".parquet", ".xlsx")):
        unique = {"id": f"own{number}", "text": article(100 + number)}
        table(folder / f"{number}{suffix}", [unique, {"id": f"copy{number}", "text": article(1)}])
    (folder / "note").write_text(article(1), encoding="utf-8")
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["rows"], counts["kept"], counts["duplicates"]) == (11, 6, 5)
    assert {row["id"] for row in duplicates(out)} >= {"copy1", "copy2", "copy3", "copy4"}


def test_quoted_newlines_in_csv(folder: Path, out: Path) -> None:
    text = '"第一行，有逗号\n第二行 ""引号""\n\n第四行"'
    (folder / "a.csv").write_text(
        f"id,text\r\n1,{text}\r\n2,别的内容在这里\r\n3,{text}\r\n", encoding="utf-8", newline=""
    )
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["rows"], counts["duplicates"]) == (3, 1)
    kept = (out / "kept" / "a.csv").read_bytes()
    assert kept == f"id,text\r\n1,{text}\r\n2,别的内容在这里\r\n".encode()


def test_stdin(out: Path) -> None:
    counts = assert_done(whorl("dedup", "-", "-o", out, stdin=jsonl(GOOD) + b"broken\n"), out)
    assert (counts["kept"], counts["duplicates"], counts["rejected"]) == (2, 1, 1)
    assert (out / "kept" / "stdin.jsonl").read_bytes() == jsonl(GOOD[:2])
    assert (out / "rejected" / "stdin.jsonl").read_bytes() == b"broken\n"


def test_stdin_without_anything(out: Path) -> None:
    ended = whorl("dedup", "-", "-o", out)
    assert (ended.code, "no documents found" in ended.error) == (INPUT, True)
    assert "Traceback" not in ended.error
    assert {path.name for path in out.iterdir()} == NAMES


def test_globs(folder: Path, out: Path) -> None:
    write_jsonl(folder / "2023" / "a.jsonl", GOOD)
    write_jsonl(folder / "2024" / "a.jsonl", GOOD)
    write_jsonl(folder / "2024" / "b.ndjson", GOOD)
    assert assert_done(whorl("dedup", folder / "*" / "*.jsonl", "-o", out), out)["rows"] == 6
    assert sorted(files(out / "kept")) == ["2023/a.jsonl", "2024/a.jsonl"]


@pytest.mark.parametrize("name", ["rejected.jsonl", "中文 文件.jsonl", "a:b\n.jsonl", "-o.jsonl", "kept"])
def test_awkward_names(folder: Path, out: Path, name: str) -> None:
    write_jsonl(folder / name, GOOD) if name != "kept" else write_jsonl(folder / "kept" / "a.jsonl", GOOD)
    ended = whorl("dedup", folder, "-o", out)
    if name == "rejected.jsonl":
        assert_failed(ended, USAGE, "rename")
    else:
        assert assert_done(ended, out)["kept"] == 2


# Size


def test_a_row_beyond_the_limit_is_rejected(folder: Path, out: Path) -> None:
    (folder.parent / "recipe.toml").write_text("max_row_bytes = 3000", encoding="utf-8")
    long = article(9, 5000)
    write_jsonl(folder / "a.jsonl", [GOOD[0], {"text": long}, *GOOD[1:]])
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(jsonl([GOOD[0], {"text": long}])))
    (folder / "c.csv").write_text(f'text\n{GOOD[0]["text"]}\n"{long}"\n', encoding="utf-8")
    (folder / "d.txt").write_text(long, encoding="utf-8")
    pq.write_table(pa.table({"text": [long, GOOD[1]["text"]]}), folder / "e.parquet")
    counts = assert_done(whorl("dedup", folder, "-o", out, "--recipe", folder.parent / "recipe.toml"), out)
    assert (counts["kept"], counts["rejected"]) == (2, 5)
    assert (out / "rejected" / "a.jsonl").read_bytes() == jsonl([{"text": long}])
    assert (out / "rejected" / "d.txt").read_text(encoding="utf-8") == long


MEASURED = """
import resource, sys
from whorl.cli import main
try:
    main(sys.argv[1:])
finally:
    status = open("/proc/self/status").read()
    print(status.split("VmHWM:")[1].split()[0], file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize("name", ["a.jsonl", "a.txt", "a.csv", "a.html"])
def test_one_line_of_200_megabytes_is_rejected_in_bounded_memory(folder: Path, out: Path, name: str) -> None:
    import subprocess

    piece = "一行没有尽头的文字".encode() * 40_000
    with (folder / name).open("wb") as file:
        file.write({"a.jsonl": b'{"text": "', "a.txt": b"", "a.csv": b'text\n"', "a.html": b"<p>"}[name])
        while file.tell() < 200 * 10**6:
            file.write(piece)
        file.write(
            {
                "a.jsonl": b'"}\n' + jsonl(GOOD),
                "a.txt": b"",
                "a.csv": b'"\n' + article(1).encode() + b"\n",
                "a.html": b"</p>",
            }[name]
        )
    command = [sys.executable, "-c", MEASURED, "dedup", folder, "-o", out, "--quiet"]
    # An input with few readable rows must be accepted if nothing else exists.
    accepted = ["--on-error", "skip"] if name in ("a.txt", "a.html") else []
    process = subprocess.run([*command, *accepted], capture_output=True, check=False)
    peak = int(process.stderr.split()[-1]) * 1024
    counts = assert_done(Finished(process.returncode, "", process.stderr.decode()), out)
    assert counts["rejected"] == 1
    assert counts["kept"] == {"a.jsonl": 2, "a.txt": 0, "a.csv": 1, "a.html": 0}[name]
    assert peak < 400 * 2**20
    assert (out / "rejected" / name).stat().st_size >= 200 * 10**6 - 10
    (out / "rejected" / name).unlink()
    (folder / name).unlink()


SOAK = pytest.mark.soak
MANY = [100_000, pytest.param(1_000_000, marks=SOAK)]


@pytest.mark.parametrize("count", MANY)
def test_many_identical_documents(folder: Path, out: Path, count: int) -> None:
    line = jsonl([{"text": article(1)}])
    with (folder / "a.jsonl").open("wb") as file:
        for _ in range(count // 1000):
            file.write(line * 1000)
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert (counts["kept"], counts["exact"], counts["clusters"]) == (1, count - 1, 1)
    assert (out / "kept" / "a.jsonl").read_bytes() == line


@pytest.mark.parametrize("count", MANY)
def test_many_documents_that_share_one_disclaimer(folder: Path, out: Path, count: int) -> None:
    disclaimer = article(0, 150)
    with (folder / "a.jsonl").open("wb") as file:
        for number in range(1, count + 1):
            file.write(jsonl([{"text": f"{article(number, 70)}\n{disclaimer}"}]))
    counts = assert_done(whorl("dedup", folder, "-o", out), out)
    assert counts["kept"] == count
    run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert run["hot_keys"]["count"] > 0, "the disclaimer makes keys that most documents share"


def test_the_documents_kept_can_be_read_again(folder: Path, out: Path) -> None:
    write_jsonl(folder / "a.jsonl", GOOD)
    assert_done(whorl("dedup", folder, "-o", out), out)
    assert kept_documents(out) == GOOD[:2]
    again = out.parent / "again"
    assert assert_done(whorl("dedup", out / "kept", "-o", again), again)["duplicates"] == 0
