"""Decontamination of files and of documents in memory."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import datasets
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from whorl.errors import InputError, UsageError

ITEM = "Which river flows through the old town of Vesterholm?"
OTHER = "小镇的码头每天有十二班渡船，冬季一周共有多少班渡船？"
CLEAN = "The museum reopens on Saturday."
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": CLEAN, "meta": {"source": "news"}},
    {"id": "b", "text": f"Round three. {ITEM} The Aln. Round four.", "meta": {"source": "forum"}},
    {"id": "c", "text": f"练习题：{OTHER}", "meta": {"source": "forum"}},
]
QUIZ: list[dict[str, Any]] = [
    {"id": "q1", "question": ITEM, "choices": ["the Aln", "the Orm"], "answer": "A"},
    {"id": "q2", "question": OTHER},
]


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    path = tmp_path / "quiz.jsonl"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in QUIZ), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a file with unusual spellings, a blank line and a damaged row."""
    lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    lines.insert(1, '{"text":  "Rain tomorrow." ,"n": 1.50e3}')
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join([*lines, "", "{broken"]) + "\n", encoding="utf-8")
    return path


def test_dropped_documents_are_gone_and_all_others_keep_their_bytes(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    run = whorl.decontaminate_files(corpus, tmp_path / "out", against=quiz, action="drop").run
    lines = corpus.read_bytes().splitlines(keepends=True)
    assert (tmp_path / "out/kept/corpus.jsonl").read_bytes() == b"".join(lines[:2])
    counts = run["counts"]
    assert (counts["rows"], counts["kept"], counts["dropped"], counts["rejected"]) == (5, 2, 2, 1)
    assert (tmp_path / "out/rejected/corpus.jsonl").read_bytes() == b"{broken\n"
    assert not (tmp_path / "out/.whorl").exists()


def test_tags_are_a_column_of_contaminated_rows_only(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    whorl.decontaminate_files(corpus, tmp_path / "out", against=quiz, action="tag", column="seen")
    before, after = (path.read_bytes().splitlines() for path in (corpus, tmp_path / "out/kept/corpus.jsonl"))
    assert after[:2] == before[:2]
    assert after[2].startswith(before[2][:-1])
    (tag,) = json.loads(after[2])["seen"]
    text = json.loads(after[2])["text"]
    assert (tag["benchmark"], tag["item"], tag["reason"]) == ("quiz", "q1", "verbatim")
    assert text[tag["start"] : tag["end"]] == ITEM.rstrip("?")


def test_cuts_end_at_sentences(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    counts = whorl.decontaminate_files(corpus, tmp_path / "out", against=quiz, action="cut").run["counts"]
    kept = [json.loads(line) for line in (tmp_path / "out/kept/corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    # The third document consists of the item.
    assert [row["text"] for row in kept] == [CLEAN, "Rain tomorrow.", "Round three. Round four."]
    assert (counts["kept"], counts["changed"], counts["dropped"]) == (3, 1, 1)


def test_tables_keep_their_types(quiz: Path, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS)
    pq.write_table(table, tmp_path / "corpus.parquet", compression="zstd")
    for action, texts in {"drop": [CLEAN], "cut": [CLEAN, "Round three. Round four."]}.items():
        whorl.decontaminate_files(tmp_path / "corpus.parquet", tmp_path / action, against=quiz, action=action)  # type: ignore[arg-type]
        kept = pq.read_table(tmp_path / action / "kept/corpus.parquet")
        assert kept["text"].to_pylist() == texts
        assert kept.schema.equals(table.schema)
    whorl.decontaminate_files(tmp_path / "corpus.parquet", tmp_path / "tag", against=quiz, action="tag")
    tagged = pq.read_table(tmp_path / "tag/kept/corpus.parquet")
    assert tagged.drop(["contamination"]).equals(table)
    assert [tags and tags[0]["item"] for tags in tagged["contamination"].to_pylist()] == [None, "q1", "q2"]


def test_csv_records_keep_their_quoting(quiz: Path, tmp_path: Path) -> None:
    data = f'id;text\r\na;"{CLEAN}"\r\nb;Round three. {ITEM} The Aln. Round four.\r\n'
    (tmp_path / "corpus.csv").write_bytes(data.encode())
    whorl.decontaminate_files(tmp_path / "corpus.csv", tmp_path / "tag", against=quiz, action="tag")
    lines = (tmp_path / "tag/kept/corpus.csv").read_bytes().split(b"\r\n")
    assert lines[:2] == [b"id;text;contamination", f'a;"{CLEAN}";'.encode()]
    (row,) = list(csv.DictReader(io.StringIO((tmp_path / "tag/kept/corpus.csv").read_text()), delimiter=";"))[1:]
    assert json.loads(row["contamination"])[0]["item"] == "q1"
    whorl.decontaminate_files(tmp_path / "corpus.csv", tmp_path / "cut", against=quiz, action="cut")
    assert (tmp_path / "cut/kept/corpus.csv").read_bytes().endswith(b"b;Round three. Round four.\r\n")


def test_every_format_is_cut_and_every_table_tagged(quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_text(json.dumps(ROWS, indent=1))
    (tmp_path / "page.txt").write_text(f"Welcome. {ITEM} Good night.")
    for action in ("cut", "tag"):
        whorl.decontaminate_files(tmp_path / "corpus.json", tmp_path / action, against=quiz, action=action)
    cut, tagged = (json.loads((tmp_path / action / "kept/corpus.json").read_text()) for action in ("cut", "tag"))
    assert [row["text"] for row in cut] == [CLEAN, "Round three. Round four."]
    assert [row.pop("contamination", [{"item": None}])[0]["item"] for row in tagged] == [None, "q1", "q2"]
    assert tagged == ROWS
    whorl.decontaminate_files(tmp_path / "page.txt", tmp_path / "text", against=quiz, action="cut")
    assert json.loads((tmp_path / "text/kept/page.txt.jsonl").read_text())["text"] == "Welcome. Good night."


def test_text_columns_are_cut_apart(quiz: Path, tmp_path: Path) -> None:
    row = {"title": "Quiz night", "body": f"Welcome. {ITEM} Good night.", "n": 1}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n")
    whorl.decontaminate_files(
        tmp_path / "corpus.jsonl", tmp_path / "out", against=quiz, action="cut", text=["title", "body"]
    )
    kept = json.loads((tmp_path / "out/kept/corpus.jsonl").read_text())
    assert kept == {"title": "Quiz night", "body": "Welcome. Good night.", "n": 1}


def test_compressed_files_stay_compressed(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "z.jsonl.gz").write_bytes(gzip.compress(corpus.read_bytes()))
    for action in ("drop", "tag", "cut"):
        whorl.decontaminate_files(corpus, tmp_path / f"plain-{action}", against=quiz, action=action)
        whorl.decontaminate_files(tmp_path / "z.jsonl.gz", tmp_path / action, against=quiz, action=action)
        packed = gzip.decompress((tmp_path / action / "kept/z.jsonl.gz").read_bytes())
        assert packed == (tmp_path / f"plain-{action}/kept/corpus.jsonl").read_bytes()


def test_items_are_counted_by_benchmark_and_source(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more/b.csv").write_text(f"stem,key\n{ITEM},the Aln\nHow many geese live on the grey island?,nine\n")
    quizzes = [f"first={quiz}", f"second={tmp_path / 'more'}"]
    run = whorl.decontaminate_files(
        corpus, against=quizzes, against_text=["question", "question=stem", "answer", "answer=key"], by="meta.source"
    ).run
    assert [(entry["benchmark"], entry["seen"], entry["items"]) for entry in run["benchmarks"]] == [
        ("first", 2, 2),
        ("second", 1, 2),
    ]
    assert run["benchmarks"][1]["seen_with_answer"] == 1
    assert {entry["source"]: entry["contaminated"] for entry in run["sources"]} == {"forum": 2, "news": 0, "": 0}


def test_the_hits_are_tables(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    result = whorl.decontaminate_files(corpus, tmp_path / "out", against=quiz)
    assert pq.read_table(tmp_path / "out/hits.parquet").equals(result.hits)
    lines = (tmp_path / "out/hits.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == result.hits.to_pylist()
    assert not (tmp_path / "out/kept").exists()
    assert json.loads((tmp_path / "out/run.json").read_text(encoding="utf-8")) == result.to_dict()
    assert "Vesterholm" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


def test_a_saved_index_finds_the_same(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    first = whorl.decontaminate_files(corpus, against=quiz, save_index=tmp_path / "index")
    again = whorl.decontaminate_files(corpus, against=tmp_path / "index")
    assert again.hits.equals(first.hits)
    # It may be replaced by another index.
    whorl.decontaminate_files(corpus, against=quiz, save_index=tmp_path / "index")


@pytest.mark.parametrize("damage", ["flip", "truncate", "version", "missing"])
def test_a_damaged_index_is_refused(corpus: Path, quiz: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "index"
    whorl.decontaminate_files(corpus, against=quiz, save_index=folder)
    items, manifest = folder / "items.parquet", folder / "index.json"
    data = bytearray(items.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
        items.write_bytes(data)
    elif damage == "truncate":
        items.write_bytes(data[:-9])
    elif damage == "version":
        manifest.write_text(manifest.read_text().replace("contamination-1", "contamination-9"))
    else:
        manifest.unlink()
    with pytest.raises(InputError, match="index"):
        whorl.decontaminate_files(corpus, against=folder)


def test_reasons_can_be_counted_otherwise(tmp_path: Path) -> None:
    item = {"question": "Maria bought 3 apples and 4 pears. How many pieces of fruit did she buy in all?"}
    text = "Maria bought 12 apples and 9 pears. How many pieces of fruit did she buy in all?"
    assert whorl.decontaminate([text], against={"b": [item]}, action="drop").documents == [text]
    assert whorl.decontaminate([text], against={"b": [item]}, action="drop", count=["template"]).documents == []


def test_frames_keep_their_type() -> None:
    against = {"quiz": QUIZ}
    rows = [{"id": row["id"], "text": row["text"]} for row in ROWS]
    table = pa.Table.from_pylist(rows)
    frames = (table, pl.from_arrow(table), table.to_pandas(), datasets.Dataset(table), rows)
    for frame in frames:
        dropped = whorl.decontaminate(frame, against=against, action="drop").documents
        cut = whorl.decontaminate(frame, against=against, action="cut").documents
        tagged = whorl.decontaminate(frame, against=against, action="tag").documents
        assert type(dropped) is type(cut) is type(tagged) is type(frame)
        assert _texts(dropped) == [CLEAN]
        assert _texts(cut) == [CLEAN, "Round three. Round four."]
        assert len(tagged) == 3
        assert [row.get("contamination") is not None for row in _rows(tagged)] == [False, True, True]
    lazy = whorl.decontaminate(pl.from_arrow(table).lazy(), against=against, action="cut").documents
    assert _texts(lazy) == [CLEAN, "Round three. Round four."]
    relation = duckdb.from_arrow(table)
    assert _texts(whorl.decontaminate(relation, against=against, action="cut").documents) == _texts(lazy)
    assert whorl.decontaminate(relation, against=against, action="tag").documents.num_rows == len(rows)
    series = whorl.decontaminate(table.to_pandas()["text"], against=against, action="cut").documents
    assert series.tolist() == [CLEAN, "Round three. Round four."]
    assert whorl.decontaminate([row["text"] for row in rows], against=against).documents[0] == CLEAN


def _rows(documents: Any) -> list[dict[str, Any]]:
    if isinstance(documents, list):
        return documents
    if isinstance(documents, pd.DataFrame):
        return documents.to_dict("records")  # type: ignore[return-value]
    if isinstance(documents, pl.DataFrame):
        return documents.to_dicts()
    rows: list[dict[str, Any]] = documents.to_pylist() if isinstance(documents, pa.Table) else documents.to_list()
    return rows


def _texts(documents: Any) -> list[str]:
    return [row["text"] for row in _rows(documents)]


def test_requests_that_cannot_be_met_are_refused(corpus: Path, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text(f"Welcome. {ITEM}")
    (tmp_path / "odd.jsonl").write_text('{"colour": "x"}\n')
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    refused: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (UsageError, "output folder", {"inputs": corpus, "against": quiz, "action": "drop"}),
        (UsageError, "not empty", {"inputs": corpus, "out": tmp_path / "full", "against": quiz}),
        (
            UsageError,
            "no columns",
            {"inputs": tmp_path / "page.txt", "out": tmp_path / "o1", "against": quiz, "action": "tag"},
        ),
        (UsageError, "same|called", {"inputs": corpus, "against": [quiz, quiz]}),
        (UsageError, "unknown action", {"inputs": corpus, "against": quiz, "action": "burn"}),
        (UsageError, "unknown reason", {"inputs": corpus, "against": quiz, "count": ["copied"]}),
        (UsageError, "no question", {"inputs": corpus, "against": quiz, "against_text": "answer"}),
        (InputError, "column", {"inputs": corpus, "against": tmp_path / "odd.jsonl"}),
        (
            InputError,
            "already has",
            {"inputs": corpus, "out": tmp_path / "o2", "against": quiz, "action": "tag", "column": "id"},
        ),
    ]
    for kind, message, arguments in refused:
        with pytest.raises(kind, match=message):
            whorl.decontaminate_files(arguments.pop("inputs"), **arguments)


def test_an_answer_may_be_a_letter_a_number_or_a_list() -> None:
    from whorl.inside.contamination.fields import FieldColumns

    fields = FieldColumns.usual(["question", "choices", "answer"])
    assert fields is not None
    for choices, answer in (
        (["one", "two"], "B"),
        (["one", "two"], 1),
        ({"text": ["one", "two"], "label": ["A", "B"]}, "(B)"),
        (["one", "two"], {"text": ["two"]}),
    ):
        texts = fields.texts({"question": "?!", "choices": choices, "answer": answer})
        assert [text.text for text in texts if text.field == "answer"] == ["two"]
