"""Remote locations, each with a local server of its protocol."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pyarrow.fs
import pytest
from moto.server import ThreadedMotoServer

import whorl
from whorl.corpus import Columns, ReadOptions, Rejects, Selection, discover, read_files, survey
from whorl.corpus.remote.fetching import _parts
from whorl.errors import InputError, UsageError

ROWS = [
    {"id": f"n{n}", "text": f"第 {n} 篇报道说，昨天下午，市里举行了第 {n} 座新图书馆的开馆仪式。"} for n in range(4)
]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Run an S3 server; return the address settings for it."""
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    yield f"endpoint_override=http://{host}:{port}&region=us-east-1&allow_bucket_creation=true"
    moto.stop()


class Bucket:
    """Return a bucket for one test."""

    def __init__(self, name: str, settings: str) -> None:
        self._name, self._settings = name, settings
        self._system, _ = pyarrow.fs.FileSystem.from_uri(self.url(""))
        self._system.create_dir(name)

    def url(self, path: str) -> str:
        return f"s3://key:topsecret@{self._name}/{path}?{self._settings}"

    def put(self, path: str, data: bytes) -> None:
        with self._system.open_output_stream(f"{self._name}/{path}") as file:
            file.write(data)

    def remove(self, path: str) -> None:
        self._system.delete_file(f"{self._name}/{path}")

    def names(self) -> list[str]:
        result = self._system.get_file_info(pyarrow.fs.FileSelector(self._name, recursive=True))
        return sorted(finding.path.partition("/")[2] for finding in result if finding.is_file)

    def get(self, path: str) -> bytes:
        with self._system.open_input_stream(f"{self._name}/{path}") as file:
            return file.read()


@pytest.fixture
def bucket(server: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bucket:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Bucket(f"bucket-{abs(hash(request.node.name)) % 10**8}", server)


def texts(*inputs: str, selection: Selection | None = None) -> dict[str, list[str]]:
    contents: dict[str, list[str]] = {}
    for source, batch in read_files(inputs, Columns(), Rejects(), ReadOptions(), selection=selection or Selection()):
        contents.setdefault(source.name, []).extend(batch.texts.to_pylist())
    return contents


def test_a_file_a_folder_and_a_pattern_are_read(bucket: Bucket) -> None:
    bucket.put("in/a.jsonl", LINES)
    bucket.put("in/深 层/b 2.txt", "正文".encode())
    bucket.put("in/.hidden", b"x")
    bucket.put("other/c.txt", b"other")
    assert texts(bucket.url("in/a.jsonl")) == {"a.jsonl": [row["text"] for row in ROWS]}
    assert list(texts(bucket.url("in"))) == ["a.jsonl", "深 层/b 2.txt"]
    assert list(texts(bucket.url("in/"))) == ["a.jsonl", "深 层/b 2.txt"]
    assert list(texts(bucket.url("**/*.txt"))) == ["in/深 层/b 2.txt", "other/c.txt"]
    assert list(texts(bucket.url("in/*"))) == ["a.jsonl", "深 层/b 2.txt"]
    assert list(texts(bucket.url("in/a.jsonl"), bucket.url("other"))) == ["in/a.jsonl", "other/c.txt"]


def test_include_and_exclude_choose_and_what_is_passed_over_is_told(bucket: Bucket) -> None:
    for name in ("a.txt", "b.log", "drafts/c.txt", "drafts/d.txt"):
        bucket.put(f"in/{name}", b"text")
    inventory = survey([bucket.url("in")], selection=Selection(include=("**/*.txt",), exclude=("drafts",)))
    assert [source.name for source in inventory.sources] == ["a.txt"]
    assert [(skipped.path.rpartition("/in/")[2], skipped.reason) for skipped in inventory.skipped] == [
        ("b.log?...", "not included"),
        ("drafts?...", "excluded by drafts"),
    ]


def test_names_that_lead_out_of_their_folder_stay_in_it(tmp_path: Path) -> None:
    there = tmp_path.joinpath(*_parts("a/../../../b//./c"))
    assert there.resolve().is_relative_to(tmp_path)
    assert there.name == "c"


def test_what_was_fetched_is_not_fetched_again_while_it_is_the_same(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a.txt", b"one")

    def states() -> list[tuple[int, int]]:
        [source] = survey([bucket.url("a.txt")], fetched=tmp_path / "fetched").sources
        assert source.path is not None
        status = source.path.stat()
        return [(status.st_ino, status.st_size)]

    first = states()
    assert states() == first
    bucket.put("a.txt", b"other")
    assert states()[0][1] == 5


@pytest.mark.parametrize("path", ["none.txt", "none/*.txt"])
def test_what_is_not_there_is_told_without_secrets(bucket: Bucket, path: str) -> None:
    with pytest.raises(InputError) as caught:
        discover([bucket.url(path)])
    assert f"/{path}" in str(caught.value)
    assert "topsecret" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_a_server_that_is_not_there_is_told_without_secrets() -> None:
    settings = "endpoint_override=http://127.0.0.1:9&region=us-east-1"
    with pytest.raises(InputError, match="cannot reach s3://bucket/a") as caught:
        discover([f"s3://key:topsecret@bucket/a?{settings}"])
    assert "topsecret" not in str(caught.value)


def test_a_run_reads_and_writes_there_and_goes_on_where_sending_broke_off(bucket: Bucket) -> None:
    bucket.put("in/a.jsonl", LINES)
    bucket.put("in/b.jsonl", LINES)
    bucket.put("known/k.jsonl", LINES.splitlines(keepends=True)[3])
    out = bucket.url("out/clean")
    cleaned = whorl.dedup_files(bucket.url("in"), out, against=bucket.url("known"))
    assert (cleaned.run["counts"]["rows"], cleaned.run["counts"]["kept"]) == (8, 3)
    assert cleaned.run["inputs"][0]["path"].endswith("/in/a.jsonl?...")
    assert bucket.get("out/clean/kept/a.jsonl") == b"".join(LINES.splitlines(keepends=True)[:3])
    names = {path.relative_to(cleaned.out).as_posix() for path in cleaned.out.rglob("*") if path.is_file()}
    assert {name.removeprefix("out/clean/") for name in bucket.names() if name.startswith("out/")} == names
    assert not list(cleaned.out.parent.glob(".*"))
    with pytest.raises(UsageError, match="is not empty"):
        whorl.dedup_files(bucket.url("in"), out, against=bucket.url("known"))
    bucket.remove("out/clean/run.json")
    bucket.remove("out/clean/kept/a.jsonl")
    again = whorl.dedup_files(bucket.url("in"), out, against=bucket.url("known"))
    assert again.run == cleaned.run
    assert {name.removeprefix("out/clean/") for name in bucket.names() if name.startswith("out/")} == names
    later = whorl.dedup_files(bucket.url("in/a.jsonl"), bucket.url("later"), against=out)
    assert later.run["counts"]["kept"] == 1  # the earlier one is not among the kept ones


@pytest.mark.parametrize("last", ["", "/"])
def test_an_earlier_run_there_without_a_kept_file_is_refused(bucket: Bucket, tmp_path: Path, last: str) -> None:
    for number, line in enumerate(LINES.splitlines(keepends=True)):
        bucket.put(f"in/深 层/{number}.jsonl", line)
    bucket.put("in/again.jsonl", LINES)
    out = bucket.url("out/clean")
    whorl.dedup_files(bucket.url("in"), out)
    new = tmp_path / "new.jsonl"
    new.write_bytes(LINES)
    against = bucket.url(f"out/clean{last}")
    assert whorl.dedup_files(new, tmp_path / "sound", against=against).run["counts"]["kept"] == 0
    kept = next(name for name in bucket.names() if name.startswith("out/clean/kept/") and bucket.get(name))
    for damage, message in ((lambda: bucket.put(kept, b""), "is empty"), (lambda: bucket.remove(kept), "is missing")):
        damage()
        with pytest.raises(InputError, match=message) as caught:
            whorl.dedup_files(new, tmp_path / "out", against=against)
        assert kept in caught.value.message
        assert "topsecret" not in str(caught.value)
    bucket.put("out/clean/run.json", b"[")
    with pytest.raises(InputError, match=r"run\.json.* is damaged"):
        whorl.dedup_files(new, tmp_path / "out", against=against)


def test_a_run_there_without_rows_is_no_reference(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("in/a.jsonl", LINES)
    out = bucket.url("out/clean")
    whorl.dedup_files(bucket.url("in"), out, output="ids")
    assert not [name for name in bucket.names() if name.startswith("out/clean/kept/")]
    with pytest.raises(InputError, match="has no kept rows") as caught:
        whorl.dedup_files(bucket.url("in"), tmp_path / "out", against=out)
    assert "topsecret" not in str(caught.value)


def test_a_place_that_has_something_is_not_written_to(bucket: Bucket) -> None:
    bucket.put("in/a.jsonl", LINES)
    bucket.put("out/mine", b"x")
    with pytest.raises(UsageError, match="is not empty"):
        whorl.dedup_files(bucket.url("in"), bucket.url("out"))
    assert bucket.names() == ["in/a.jsonl", "out/mine"]


@pytest.mark.parametrize("command", ["dedup", "add", "compare", "hot", "against"])
def test_the_command_line_takes_what_is_there(bucket: Bucket, tmp_path: Path, command: str) -> None:
    bucket.put("in/a.jsonl", LINES)
    bucket.put("b.txt", ROWS[0]["text"].encode())
    local = tmp_path / "b.txt"
    local.write_text(ROWS[0]["text"], encoding="utf-8")
    arguments = {
        "dedup": ["dedup", bucket.url("in"), "-o", bucket.url("clean")],
        "add": ["add", str(tmp_path / "library"), bucket.url("in")],
        "compare": ["compare", bucket.url("in/a.jsonl") + ":1", str(local)],
        "hot": ["hot", bucket.url("in")],
        "against": ["compare", "--against", bucket.url("in"), str(local)],
    }[command]
    done = subprocess.run(
        [sys.executable, "-m", "whorl", *arguments], check=False, capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert "topsecret" not in done.stdout + done.stderr
    if command == "dedup":
        assert "clean/kept/a.jsonl" in bucket.names()
        assert all(b"topsecret" not in bucket.get(name) for name in bucket.names() if name.startswith("clean/"))


class _Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        request = self.headers.get("Authorization")
        if self.path.startswith("/private") and request != "Basic " + base64.b64encode(b"me:topsecret").decode():
            self.send_error(401)
        elif self.path.startswith("/short"):
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"short")
        elif self.path.startswith("/page"):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<html><body><p>{self.path}：{ROWS[0]['text']}</p></body></html>".encode())
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "web" / "private").mkdir(parents=True)
    (tmp_path / "web" / "a b.jsonl").write_bytes(LINES)
    (tmp_path / "web" / "private" / "a.txt").write_bytes(b"private")
    handler = functools.partial(_Handler, directory=str(tmp_path / "web"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{listening.server_port}"
        listening.shutdown()


class RecordedProgress:
    """Progress that records the messages of fetching."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int | None, str]] = []
        self.done = 0

    def stage(self, name: str, total: int | None, unit: str) -> None:
        self.stages.append((name, total, unit))

    def advance(self, amount: int) -> None:
        self.done += amount


def test_fetching_tells_of_the_bytes_that_come_and_of_none_that_are_here(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("in/a.jsonl", LINES)
    bucket.put("in/b.txt", b"text")
    first, again = RecordedProgress(), RecordedProgress()
    survey([bucket.url("in")], fetched=tmp_path / "fetched", course=first)
    assert (first.stages, first.done) == ([("fetch", len(LINES) + 4, "bytes")], len(LINES) + 4)
    survey([bucket.url("in")], fetched=tmp_path / "fetched", course=again)
    assert (again.stages, again.done) == ([], 0)


def test_a_page_of_the_web_tells_of_its_bytes(web: str, tmp_path: Path) -> None:
    progress = RecordedProgress()
    survey([f"http://{web}/a%20b.jsonl"], fetched=tmp_path / "fetched", course=progress)
    assert (progress.stages, progress.done) == ([("fetch", len(LINES), "bytes")], len(LINES))


def test_files_of_the_web_are_read(web: str) -> None:
    assert texts(f"http://{web}/a%20b.jsonl") == {"a b.jsonl": [row["text"] for row in ROWS]}
    assert texts(f"http://{web}/page/1") == {"1.html": [f"/page/1：{ROWS[0]['text']}"]}
    result = texts(f"http://{web}/page?id=1", f"http://{web}/page?id=2")
    assert sorted(text for several in result.values() for text in several)[1].startswith("/page?id=2")


def test_a_password_is_used_and_not_shown(web: str) -> None:
    assert texts(f"http://me:topsecret@{web}/private/a.txt") == {"a.txt": ["private"]}
    with pytest.raises(InputError, match="was refused: 401") as caught:
        texts(f"http://me:wrongsecret@{web}/private/a.txt")
    assert "wrongsecret" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("none.txt", "was refused: 404"),
        ("short.txt", "ended after 5 bytes"),
        ("private/", "the web has no folders"),
    ],
)
def test_what_cannot_be_had_from_the_web_is_told(web: str, path: str, problem: str) -> None:
    with pytest.raises((InputError, UsageError), match=problem):
        texts(f"http://{web}/{path}")


def test_a_run_cannot_be_written_to_the_web(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINES)
    with pytest.raises(UsageError, match="cannot be written to"):
        whorl.dedup_files(str(tmp_path / "a.jsonl"), "https://example.org/out")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("ftp2://host/x", "unsupported URL scheme ftp2://"),
        ("file:///x", "unsupported URL scheme file:///"),
        ("s3:/bucket/x", "incomplete s3 address"),
        ("s3:///x", "incomplete s3 address"),
        ("https://", "incomplete https address"),
        ("http://host:port/x", "http://host:port/x has no valid port"),
        ("s3://bucket/x?nonsense=hidden1", "invalid address"),
    ],
)
def test_what_is_no_address_is_named(value: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as caught:
        discover([value])
    assert caught.value.hint
    assert "hidden1" not in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="it is a path there")
@pytest.mark.parametrize("value", ["C:\\articles\\a.jsonl", "d:/articles"])
def test_a_path_of_windows_is_named(value: str) -> None:
    with pytest.raises(UsageError, match="is a Windows path"):
        discover([value])


def test_a_file_whose_name_looks_like_an_address_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:").mkdir()
    (tmp_path / "s3:" / "a.txt").write_bytes(b"text")
    assert [source.name for source in discover(["s3:/a.txt"])] == ["a.txt"]


def test_hdfs_names_what_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HADOOP_HOME", "ARROW_LIBHDFS_DIR", "JAVA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises((UsageError, InputError), match="hdfs://"):
        discover(["hdfs://127.0.0.1:9/a"])
