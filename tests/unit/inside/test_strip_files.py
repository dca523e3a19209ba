"""Stripping files: formats, tables, resuming, and equality with the result in memory."""

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from whorl.inside import index

LINE = "Reproduction of this article without the written consent of the publisher is prohibited."


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_untouched_rows_keep_their_bytes_and_others_lose_only_the_text(tmp_path: Path) -> None:
    lines = [
        f'{{ "id":"a", "text": "One\\n{LINE}" , "x": 1.0e2 }}',
        f'{{"x": [1,  2], "text": "Two\\u0021\\n{LINE}", "id": "b"}}',
        '{"id": "c",   "text": "Three"}',
    ]
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = whorl.strip_files(source, tmp_path / "out", inside="lines", keep="first")
    result = (tmp_path / "out/kept/in.jsonl").read_text(encoding="utf-8").splitlines()
    assert result == [lines[0], '{"x": [1,  2], "text": "Two\\u0021", "id": "b"}', lines[2]]
    (cut,) = run.cuts.to_pylist()
    assert (cut["document"], cut["row"], cut["kept_document"], cut["unit"]) == ("b", 2, "a", "line")
    assert cut["text"] == LINE
    assert run.run["counts"] | {"letters": 0} == {
        "files": 1,
        "rows": 3,
        "kept": 3,
        "changed": 1,
        "dropped": 0,
        "repetitive": 0,
        "rejected": 0,
        "letters": 0,
    }
    assert LINE[:40] in run.report()


def test_rows_in_are_kept_dropped_or_rejected(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(f'{{"text": "{LINE}"}}\n{{"text": "{LINE}"}}\nnot json\n', encoding="utf-8")
    run = whorl.strip_files(source, tmp_path / "out", inside="lines", keep="first")
    counts = run.run["counts"]
    assert (counts["rows"], counts["kept"], counts["dropped"], counts["rejected"]) == (3, 1, 1, 1)
    assert run.dropped["row"].to_pylist() == [2]
    assert (tmp_path / "out/rejected/in.jsonl").read_text(encoding="utf-8") == "not json\n"


def test_every_format_keeps_its_form(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    written(folder / "a.jsonl", [{"text": f"a\n{LINE}"}])
    with gzip.open(folder / "b.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"n": 1, "text": f"b\n{LINE}"}) + "\n")
    (folder / "c.json").write_text(json.dumps([{"text": f"c\n{LINE}", "n": 2}]), encoding="utf-8")
    (folder / "d.csv").write_text(f'n,text\r\n7,"d, e\n{LINE}"\r\n8,plain\r\n', encoding="utf-8", newline="")
    table = pa.table({"n": pa.array([1, 2], pa.int8()), "text": [f"e\n{LINE}", "f"]})
    table = table.replace_schema_metadata({"k": "v"})
    pq.write_table(table, folder / "e.parquet", compression="zstd")
    (folder / "f.txt").write_text(f"g\n{LINE}\n", encoding="utf-8")
    run = whorl.strip_files(folder, tmp_path / "out", inside="lines", keep="first")
    out = tmp_path / "out/kept"
    assert run.run["counts"]["changed"] == 5
    assert rows_of(out / "a.jsonl") == [{"text": f"a\n{LINE}"}]
    assert gzip.decompress((out / "b.jsonl.gz").read_bytes()) == b'{"n": 1, "text": "b"}\n'
    assert json.loads((out / "c.json").read_text(encoding="utf-8")) == [{"text": "c", "n": 2}]
    with (out / "d.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["n", "text"], ["7", "d, e"], ["8", "plain"]]
    result = pq.read_table(out / "e.parquet")
    assert result.schema.equals(table.schema, check_metadata=True)
    assert result["text"].to_pylist() == ["e", "f"]
    assert rows_of(out / "f.txt.jsonl") == [{"id": "f.txt", "row": 1, "text": "g\n"}]


def test_several_columns_and_nested_ones(tmp_path: Path) -> None:
    rows = [{"a": {"b": f"x\n{LINE}"}, "t": ["one", f"two\n{LINE}"]}, {"t": [LINE, "three"], "a": {"b": "y"}}]
    source = written(tmp_path / "in.jsonl", rows)
    whorl.strip_files(source, tmp_path / "out", inside="lines", keep="first", text=["a.b", "t"])
    assert rows_of(tmp_path / "out/kept/in.jsonl") == [
        {"a": {"b": f"x\n{LINE}"}, "t": ["one", "two"]},
        {"t": ["", "three"], "a": {"b": "y"}},
    ]


def test_tag_copies_the_input(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{"text": LINE}, {"text": LINE}])
    run = whorl.strip_files(source, tmp_path / "out", inside="lines", action="tag")
    assert (tmp_path / "out/kept/in.jsonl").read_bytes() == source.read_bytes()
    assert run.cuts.num_rows == 1


def corpus(count: int) -> list[dict[str, Any]]:
    sentences = [
        f"Sentence number {n * n % 97} of the harbour says that boat {n % 13} came home late." for n in range(40)
    ]
    rows = []
    for number in range(count):
        chosen = [sentences[(number * 7 + step * step) % 40] for step in range(6)]
        rows.append({"id": f"d{number}", "text": " ".join(chosen), "site": f"https://s{number % 3}.org/{number}"})
    return rows


@pytest.mark.parametrize("inside", ["lines", "sentences", "paragraphs", "passages"])
def test_files_and_memory_agree_whatever_the_parts(
    tmp_path: Path, inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = corpus(60)
    memory = whorl.strip(rows, inside=inside, least=40, per="site")
    columns = ["document", "start", "end", "kept_document", "kept_start", "kept_end", "unit", "count", "text"]
    for number, (size, workers) in enumerate(((1 << 22, 1), (500, 2))):
        monkeypatch.setattr(index, "_BLOCK_LENGTH", size)
        monkeypatch.setattr(index, "_PARTITION_BYTES", size)
        monkeypatch.setattr(index, "_BUCKET_LENGTH", size)
        folder = tmp_path / f"in{number}"
        folder.mkdir()
        half = 60 if number == 0 else 23
        written(folder / "b.jsonl", rows[:half])
        written(folder / "a.jsonl", rows[half:])
        options: dict[str, Any] = {"inside": inside, "least": 40, "per": "site", "workers": workers}
        run = whorl.strip_files(folder, tmp_path / f"out{number}", **options)
        assert run.cuts.select(columns).equals(memory.cuts.select(columns))
        kept = [row for name in ("b", "a") for row in rows_of(tmp_path / f"out{number}/kept/{name}.jsonl")]
        assert kept == memory.kept


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", corpus(4000))
    whole = whorl.strip_files(source, tmp_path / "whole", inside="passages", least=40)
    program = (
        "import sys, whorl; from whorl.inside import index; index._PARTITION_BYTES = index._BUCKET_LENGTH = 20000;"
        "whorl.strip_files(sys.argv[1], sys.argv[2], inside='passages', least=40)"
    )
    out = tmp_path / "out"
    for delay in (0.2, 0.4, 0.8, 1.6, None):
        process = subprocess.Popen([sys.executable, "-c", program, str(source), str(out)])
        if delay is None:
            assert process.wait() == 0
        else:
            time.sleep(delay + 1)
            if process.poll() is not None:
                break
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    assert (out / "kept/in.jsonl").read_bytes() == (tmp_path / "whole/kept/in.jsonl").read_bytes()
    assert pq.read_table(out / "cuts.parquet").equals(whole.cuts)
    assert not (out / ".whorl").exists()


def test_duplicates_first_and_then_repeated_lines(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": f"The ice house burned down on Monday.\n{LINE}"}, {"id": "b", "text": f"Rain.\n{LINE}"}]
    rows.append({**rows[0], "id": "c"})
    source = written(tmp_path / "in.jsonl", rows)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "whorl", "dedup", str(source), "-o", str(out), "--inside", "lines", "--json"]
    done = subprocess.run(command, check=True, capture_output=True)
    run = json.loads(done.stdout)
    counts = run["counts"]
    assert (counts["rows"], counts["kept"], counts["duplicates"], counts["changed"]) == (3, 2, 1, 1)
    assert rows_of(out / "kept/in.jsonl") == [rows[0], {"id": "b", "text": "Rain."}]
    assert pq.read_table(out / "duplicates.parquet")["id"].to_pylist() == ["c"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
