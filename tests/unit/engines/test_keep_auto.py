"""The default rule for the kept document: the earliest if articles have dates, otherwise the longest."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import NEWSROOM, article, mixed_dates, newsroom_articles, write_jsonl
from tests.runs import comparable, dedup
from tests.runs import whorl as command

import whorl
from whorl.recipe import PRESETS

TEXT = article(1)
SHORT = {"id": "short", "text": TEXT, "date": "2024-03-01"}
LONG = {"id": "long", "text": TEXT + "真好。", "date": "2024-03-02"}
UNDATED = {"id": "undated", "text": TEXT + "镇上的人都说好。"}


def kept(documents: Any, **options: Any) -> list[str]:
    return [document["id"] for document in whorl.dedup(documents, **options).kept]


def test_keep_auto_takes_the_earliest_or_the_longest() -> None:
    assert kept([LONG, SHORT]) == ["short"]
    assert kept([document | {"date": None} for document in (LONG, SHORT)]) == ["long"]
    assert kept([{"id": d["id"], "text": d["text"]} for d in (LONG, SHORT)]) == ["long"]
    assert whorl.dedup([LONG["text"], SHORT["text"]]).kept == [LONG["text"]]


def test_half_of_the_articles_are_enough_and_one_fewer_is_not() -> None:
    others = [{"id": f"{number}", "text": article(number)} for number in range(2, 5)]
    assert kept([LONG, SHORT, *others[:2]])[0] == "short"
    assert kept([LONG, SHORT, *others])[0] == "long"


def test_articles_without_a_date_come_last_and_then_the_longest_first() -> None:
    assert kept([UNDATED, LONG, SHORT]) == ["short"]
    assert kept([UNDATED, LONG]) == ["long"]
    same = [document | {"date": "2024-03-01"} for document in (SHORT, LONG)]
    assert kept(same) == ["long"]
    dated = [{"id": f"{number}", "text": article(number), "date": "2024"} for number in range(2, 5)]
    assert kept([UNDATED | {"id": "a", "text": TEXT}, UNDATED, *dated])[0] == "undated"


def test_run_reports_the_chosen_rule_and_reason(tmp_path: Path) -> None:
    run = dedup(NEWSROOM / "articles.jsonl", tmp_path / "out")
    reason = "The earliest article of each cluster is kept: 91 of 91 have a date (column date)."
    keeping = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["keeping"]
    assert keeping == run["keeping"]
    assert {name: keeping[name] for name in ("rule", "asked", "documents", "dated", "columns", "reason")} == {
        "rule": "earliest",
        "asked": "auto",
        "documents": 91,
        "dated": 91,
        "columns": {"date": 91},
        "reason": reason,
    }
    assert keeping["earliest_dropped"]["earliest"] == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert reason in page
    assert "auto (earliest)" in page
    assert whorl.dedup(newsroom_articles()).run["keeping"] == keeping
    ended = command("dedup", NEWSROOM / "articles.jsonl", "-o", tmp_path / "again")
    assert "The earliest article of each cluster is kept: 91 of 91" in ended.out
    removed = pq.read_table(tmp_path / "out" / "duplicates.parquet")["id"].to_pylist()[0]
    assert "rule of the kept copy: earliest" in command("show", tmp_path / "out", removed).out
    result = whorl.dedup([SHORT, UNDATED, *({"text": article(number)} for number in range(2, 5))]).run["keeping"]
    assert result["reason"] == "The longest article of each cluster is kept: only 1 of 5 has a date."
    assert whorl.dedup([TEXT]).run["keeping"]["reason"].endswith("no article has a date.")
    assert whorl.dedup([SHORT], keep="longest").run["keeping"].keys().isdisjoint({"reason", "dated"})


def test_files_without_a_column_of_dates_are_read_like_others(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "in" / "a.jsonl", [LONG, SHORT])
    write_jsonl(tmp_path / "in" / "b.jsonl", [UNDATED])
    pq.write_table(pa.Table.from_pylist([{"id": "other", "text": article(2)}]), tmp_path / "in" / "c.parquet")
    (tmp_path / "in" / "d.csv").write_text(f"id,text\ncsv,{article(3)}\n", encoding="utf-8")
    for options in ({}, {"date": "date"}):
        run = dedup(tmp_path / "in", tmp_path / f"out{len(options)}", **options)
        counts = run["counts"]
        assert (counts["rows"], counts["kept"], counts["rejected"], counts["unreadable_files"]) == (5, 3, 0, 0)
        assert (run["keeping"]["rule"], run["keeping"]["dated"]) == ("longest", 2)
    run = dedup(tmp_path / "in", tmp_path / "strict", keep="earliest", date="date")
    counts = run["counts"]
    assert (counts["kept"], counts["unreadable_files"], counts["missing_order"]) == (3, 0, 3)


def test_a_named_column_is_the_only_one() -> None:
    documents = [SHORT | {"seen": "2024-05-02"}, LONG | {"seen": "2024-05-01"}]
    assert kept(documents, date="seen") == ["long"]
    result = whorl.dedup(documents, date="nowhere")
    assert result.run["keeping"]["rule"] == "longest"
    assert whorl.dedup(pa.Table.from_pylist(documents), date="nowhere").run["keeping"]["dated"] == 0


@pytest.mark.parametrize("kind", ["dicts", "arrow", "pandas", "polars", "batches"])
def test_every_kind_of_source_has_the_same_dates(kind: str) -> None:
    rows = [document | {"Published-At": document.get("date"), "note": None} for document in (LONG, SHORT, UNDATED)]
    documents = [{name: value for name, value in row.items() if name != "date"} for row in rows]
    source: Any = documents
    if kind == "pandas":
        source = pytest.importorskip("pandas").DataFrame(documents)
    elif kind == "polars":
        source = pytest.importorskip("polars").DataFrame(documents)
    elif kind != "dicts":
        source = pa.Table.from_pylist(documents)
        source = source.to_batches(1) if kind == "batches" else source
    result = whorl.dedup(source)
    assert result.run["keeping"]["columns"] == {"Published-At": 2}
    assert result.run["keeping"]["rule"] == "earliest"
    assert result.clusters.to_pylist() == whorl.dedup(documents).clusters.to_pylist()


def test_columns_that_arrow_cannot_take_are_no_dates() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": [TEXT, article(2)], "date": ["2024-03-01", 7], 3: [1, 2]})
    assert whorl.dedup(frame).run["keeping"]["dated"] == 0
    polars = pytest.importorskip("polars")
    odd = polars.DataFrame({"text": [TEXT], "date": polars.Series([object()], dtype=polars.Object)})
    assert whorl.dedup(odd).run["keeping"]["dated"] == 0


def test_references_do_not_count() -> None:
    references = [{"text": article(number)} for number in range(2, 9)]
    assert whorl.dedup([LONG, SHORT], against=references).run["keeping"]["documents"] == 2
    dated = [document | {"date": "2020-01-01"} for document in references]
    undated = [{"id": d["id"], "text": d["text"]} for d in (LONG, SHORT)]
    assert whorl.dedup(undated, against=dated).run["keeping"] | {"note": ""} == {
        "rule": "longest",
        "asked": "auto",
        "note": "",
        "documents": 2,
        "dated": 0,
        "columns": {},
        "reason": "The longest article of each cluster is kept: no article has a date.",
    }


@given(st.integers(0, 2**32).map(random.Random), st.integers(1, 24))
def test_the_choice_is_that_of_the_rule_it_names(rng: random.Random, size: int) -> None:
    """Compared with the definition of the rule: library-parsed dates, one choice for all, plain sorting."""
    from whorl.library.ingest.columns import ColumnReader

    documents = mixed_dates(rng, size)
    dates = [ColumnReader({}, ("text",), None).fields_of(document).fields.get("published_at") for document in documents]
    is_dated = 0 < 2 * sum(date is not None for date in dates) >= size
    result = whorl.dedup(documents)
    assert result.run["keeping"]["rule"] == ("earliest" if is_dated else "longest")
    assert result.run["keeping"]["dated"] == sum(date is not None for date in dates)

    def rank(place: int) -> tuple[Any, ...]:
        time = dates[place].timestamp() if is_dated and dates[place] is not None else float("inf")
        return time if is_dated else 0, -len(documents[place]["text"]), documents[place]["id"]

    order = sorted(range(size), key=rank)
    first = [documents[place] | {"rank": size - number} for number, place in enumerate(order)]
    by_rank = whorl.dedup(sorted(first, key=lambda document: document["id"]), keep="rank")
    assert result.duplicates.to_pylist() == by_rank.duplicates.to_pylist()


def test_the_order_of_files_and_how_they_are_read_change_nothing(tmp_path: Path) -> None:
    documents = mixed_dates(random.Random(7), 40)
    (tmp_path / "one").mkdir()
    for name, rows in (("a", documents[:20]), ("b", documents[20:])):
        write_jsonl(tmp_path / "in" / f"{name}.jsonl", rows)
    dedup((tmp_path / "in" / "a.jsonl", tmp_path / "in" / "b.jsonl"), tmp_path / "forth")
    dedup((tmp_path / "in" / "b.jsonl", tmp_path / "in" / "a.jsonl"), tmp_path / "back")
    forth, back = (comparable(tmp_path / name) for name in ("forth", "back"))
    assert forth["run"]["keeping"] == back["run"]["keeping"]
    assert forth == back
    in_memory = whorl.dedup(documents)
    assert in_memory.run["keeping"] == forth["run"]["keeping"]
    removed = pq.read_table(tmp_path / "forth" / "duplicates.parquet").select(["id", "duplicate_of"])
    assert in_memory.duplicates.select(["id", "duplicate_of"]).to_pylist() == removed.to_pylist()


@pytest.mark.parametrize("method", [None, *PRESETS])
def test_no_original_of_the_newsroom_gives_way_to_a_later_copy(tmp_path: Path, method: str | None) -> None:
    """As in the README and the help of `whorl dedup`: with the defaults, and with every preset that they name."""
    articles = {row["id"]: row for row in newsroom_articles()}
    truth = (NEWSROOM / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    originals = articles.keys() - {json.loads(line)["copy_id"] for line in truth}
    whorl.dedup_files(NEWSROOM / "articles.jsonl", tmp_path / "out", method=method)
    removed = pq.read_table(tmp_path / "out" / "duplicates.parquet").to_pylist()
    assert removed
    assert not [row for row in removed if row["id"] in originals]
