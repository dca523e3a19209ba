"""The files of `tests/cases/inputs/rows.toml`: the content of each is read, and no row is lost."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import whorl
from whorl.corpus import Columns, discover
from whorl.corpus.reader import FORMATS
from whorl.errors import InputError

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "inputs" / "rows.toml").read_text(encoding="utf-8"))
cases = pytest.mark.parametrize("case", CASES["case"], ids=lambda case: case["about"])


def written(folder: Path, case: dict[str, Any]) -> Path:
    path = folder / case["name"]
    path.write_bytes(case["content"].lstrip("\n").encode(case.get("encoding", "utf-8")))
    return path


def columns_of(case: dict[str, Any]) -> Columns:
    return Columns(tuple(case.get("columns", ("text",))))


@cases
def test_what_is_read(tmp_path: Path, read, case: dict[str, Any]) -> None:
    path = written(tmp_path, case)
    if "refused" in case:
        with pytest.raises(InputError, match=case["refused"]):
            read(path, columns_of(case))
        return
    reading = read(path, columns_of(case))
    assert (reading.texts, len(reading.rejected)) == (case["texts"], case.get("rejected", 0))


@cases
def test_no_row_is_lost_and_what_is_kept_is_read_again(tmp_path: Path, case: dict[str, Any]) -> None:
    """The kept rows of a run are the texts read from the kept file, in the same format."""
    if "refused" in case:
        return
    path, text = written(tmp_path, case), list(columns_of(case).text)
    first = whorl.dedup_files(path, tmp_path / "first", text=text)
    counts = first.run["counts"]
    assert counts["rows"] == counts["kept"] + counts["duplicates"] + counts["rejected"]
    assert (counts["rows"], counts["rejected"]) == (
        len(case["texts"]) + case.get("rejected", 0),
        case.get("rejected", 0),
    )
    kept = tmp_path / "first" / "kept" / path.name
    again = whorl.dedup_files(kept, tmp_path / "again", text=text).run["counts"]
    assert (again["rows"], again["rejected"]) == (counts["kept"], 0)


def test_a_json_array_stays_one_and_its_objects_keep_their_bytes(tmp_path: Path) -> None:
    rows = [
        '{"id":  1, "text": "早市开了，人都来了。"}',
        '{"id": 2.50, "text": "早市开了，人都来了。"}',
        '{"x": NaN, "text": "桥头"}',
    ]
    path = tmp_path / "a.json"
    path.write_text('{"code": 0,\n "data": [' + ",\n".join(rows) + '\n], "next": "page"}\n', encoding="utf-8")
    whorl.dedup_files(path, tmp_path / "out")
    kept = (tmp_path / "out" / "kept" / "a.json").read_text(encoding="utf-8")
    assert kept == '{"code": 0,\n "data": [' + f"{rows[0]},\n{rows[2]}" + '], "next": "page"}\n'


@pytest.mark.parametrize("pack", [gzip.compress, bytes], ids=["gzip", "plain"])
def test_a_large_array_is_read_in_pieces(tmp_path: Path, read, pack: Any) -> None:
    texts = [f"第 {number} 篇：" + "早市开了。" * 50 for number in range(2000)]
    path = tmp_path / "a.json.gz"
    path.write_bytes(pack((json.dumps([{"text": text} for text in texts], indent=1) + "\n").encode()))
    reading = read(path, Columns(), block_bytes=2**16)
    assert reading.texts == texts
    assert reading.batches > 10


def test_texts_of_several_files_come_from_the_columns_that_are_named_for_them(tmp_path: Path) -> None:
    rows = {
        "web/a.jsonl": {"text": "早市开了，人都来了。", "content": "-"},
        "qa/b.jsonl": {"question": "早市开了，", "answer": "人都来了。"},
        "c.jsonl": {"body": "早市开了，人都来了。"},
    }
    for name, row in rows.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    run = whorl.dedup_files(tmp_path / "in", tmp_path / "out", text=["web/**=text", "qa/**=question,answer"]).run
    assert (run["counts"]["rows"], run["counts"]["kept"], run["counts"]["rejected"]) == (3, 1, 0)
    assert [item.get("notices") for item in run["inputs"]] == [{"text_column": "body"}, None, None]


def test_texts_with_halves_of_characters_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "早\\ud83d市"}\n{"x": "\\ud83d", "text": "桥"}\n', encoding="utf-8")
    assert whorl.dedup_files(tmp_path / "a.jsonl", tmp_path / "out").run["counts"]["mended_texts"] == 1


def _gzip(data: bytes) -> bytes:
    """Compress without the time, since test names contain the bytes."""
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"PK\x03\x04" + bytes(100), "ZIP"),
        ("a.tar.gz", _gzip(bytes(257) + b"ustar\x0000" + bytes(300)), "tar"),
        ("a.jsonl", b"7z\xbc\xaf\x27\x1c" + bytes(30), "7z"),
        ("a.arc.gz", _gzip(b"filedesc://a.arc 0.0.0.0 20240101000000 text/plain 5\n"), "ARC"),
        ("a.jsonl.gz", _gzip(_gzip(b'{"text": "a"}\n')), "compressed twice"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_archives_are_refused_by_name(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=f"(?s){message}.*hint: "):
        whorl.dedup_files(tmp_path / name, tmp_path / "out")
    (tmp_path / "b.jsonl").write_text('{"text": "早市"}\n', encoding="utf-8")
    counts = whorl.dedup_files(tmp_path, tmp_path.with_name(f"{tmp_path.name}-out")).run["counts"]
    assert (counts["kept"], counts["unreadable_files"]) == (1, 1)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv.gz"])
def test_compression_is_told_by_the_content(tmp_path: Path, name: str) -> None:
    data = b"text\none\n" if "csv" in name else gzip.compress(b'{"text": "one"}\n')
    (tmp_path / name).write_bytes(data)
    assert whorl.dedup_files(tmp_path / name, tmp_path / "out").run["counts"]["kept"] == 1
    assert (tmp_path / "out" / "kept" / name).read_bytes()[:2] == data[:2]


def test_the_output_of_a_run_is_read_as_what_it_kept(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "早市"}\n{"text": "早市"}\n{"text": "桥头"}\n', encoding="utf-8")
    whorl.dedup_files(tmp_path / "a.jsonl", tmp_path / "out")
    again = whorl.dedup_files(tmp_path / "out", tmp_path / "again").run
    assert (again["counts"]["rows"], [item["file"] for item in again["inputs"]]) == (2, ["a.jsonl"])
    assert [source.name for source in discover([tmp_path])] == ["a.jsonl"]


def test_a_library_is_asked_and_is_no_folder_of_articles(tmp_path: Path) -> None:
    article = "早市开了，来的人排到了桥头，卖豆腐的老板娘一早就把摊子支了起来，谁也没有想到会下雨。"
    (tmp_path / "a.txt").write_text(article, encoding="utf-8")
    with whorl.open(tmp_path / "library") as library:
        library.add(whorl.Document("first", article))
    with pytest.raises(InputError, match="is a library"):
        whorl.dedup_files(tmp_path / "library", tmp_path / "out")
    comparison = whorl.compare_against(str(tmp_path / "library"), str(tmp_path / "a.txt"))
    assert [source.id for source in comparison.sources] == ["first"]
    assert comparison.result.ratios.copied == 1


def test_what_describes_tables_is_no_row(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_text('{"text": "早市"}\n', encoding="utf-8")
    for name in ("README.md", "LICENSE", "dataset_infos.json"):
        (tmp_path / name).write_text("{}\n", encoding="utf-8")
    assert [source.name for source in discover([tmp_path])] == ["data/train.jsonl"]
    (tmp_path / "data" / "train.jsonl").unlink()
    assert len(discover([tmp_path])) == 3


def test_an_empty_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(whorl.errors.UsageError, match="empty"):
        whorl.dedup_files("", tmp_path / "out")


def test_each_format_has_a_module() -> None:
    assert {"subtitles", "container"} < set(FORMATS)


def test_broken_bytes_of_a_column_that_is_not_read_cost_no_row(tmp_path: Path, read) -> None:
    texts = ["早市开了", "桥头", "人都来了"]
    lines = [
        b'{"text": "%b", "other": "%b"}' % (text.encode(), other)
        for text, other in zip(texts, (b"\xff", b"-", b"-"), strict=True)
    ]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    reading = read(tmp_path / "a.jsonl")
    assert (reading.texts, reading.rejected) == (texts, [])


def test_long_rows_with_lists_of_objects_are_no_array(tmp_path: Path, read) -> None:
    rows = [{"data": [{"text": "x" * 70_000}], "text": text} for text in ("早市开了", "桥头")]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert read(tmp_path / "a.jsonl").texts == ["早市开了", "桥头"]
