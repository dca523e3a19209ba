"""The report of a run about the cost of each rule for the kept document."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.articles import NEWSROOM, article, newsroom_articles, write_jsonl
from tests.runs import dedup
from tests.runs import whorl as command

import whorl

TEXT = article(1)
NEWS = {"method": "winnowing", "threshold": 0.45, "parameters": {"k": 16, "window": 6, "hits": 2}}
COPIES = [
    {"id": "late and cut", "text": TEXT + "市场里的鱼贩也跟着早起，天不亮就", "date": "2024-03-03"},
    {"id": "original", "text": TEXT + "真好。", "date": "2024-03-01"},
    {"id": "long", "text": TEXT + "镇上的人都说真是太好了。", "date": "2024-03-02"},
]


def cost(documents: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    rule = {"keep": "longest", "date": "date", "method": "news"} | options
    described: dict[str, Any] = whorl.dedup(documents, **rule).run["keeping"]
    return described


def test_rules_that_drop_the_original_are_reported() -> None:
    costs = cost(COPIES)
    assert (costs["rule"], costs["timed_clusters"]) == ("longest", 1)
    assert costs["earliest_dropped"] == {"longest": 1, "best": 1, "earliest": 0, "latest": 1, "first": 1}
    costs = cost(COPIES[1:], keep="best")
    assert costs["earliest_dropped"] == {"longest": 1, "best": 1, "earliest": 0, "latest": 1, "first": 0}


@pytest.mark.parametrize("rule", ["longest", "best", "earliest", "latest", "first"])
def test_the_count_of_the_rule_is_what_it_dropped(rule: str) -> None:
    documents = newsroom_articles()
    dates = {document["id"]: document["date"] for document in documents}
    result = whorl.dedup(documents, date="date", keep=rule)
    clusters: dict[str, list[dict[str, Any]]] = {}
    for row in result.clusters.to_pylist():
        clusters.setdefault(row["cluster_id"], []).append(row)
    lost = 0
    for rows in clusters.values():
        (kept,) = [dates[row["id"]] for row in rows if row["role"] == "kept"]
        lost += min(dates[row["id"]] for row in rows) != kept
    assert result.run["keeping"]["earliest_dropped"][rule] == lost
    assert result.run["keeping"]["timed_clusters"] == result.run["counts"]["clusters"]


def test_equal_times_are_all_earliest() -> None:
    same = [document | {"date": "2024-03-01"} for document in COPIES]
    assert set(cost(same)["earliest_dropped"].values()) == {0}


def test_an_article_without_a_time_is_not_the_earliest() -> None:
    documents = [COPIES[0] | {"date": None}, COPIES[1]]
    costs = cost(documents)
    assert (costs["timed_clusters"], costs["earliest_dropped"]["longest"]) == (1, 1)
    nothing = cost([document | {"date": "unknown"} for document in COPIES])
    assert (nothing["timed_clusters"], set(nothing["earliest_dropped"].values())) == (0, {0})


def test_a_cluster_of_a_reference_leaves_no_choice() -> None:
    costs = cost(COPIES, against=[{"text": TEXT + "镇上的人都说真是太好了。", "date": "2020-01-01"}])
    assert costs["timed_clusters"] == 0


def test_hint_without_dates() -> None:
    result = whorl.dedup(COPIES, method="news", keep="longest")
    assert set(result.run["keeping"]) == {"rule", "asked", "note"}
    assert "Name the column of dates with --date" in result.report()


def test_other_rank_column_disables_times() -> None:
    documents = [document | {"priority": number} for number, document in enumerate(COPIES)]
    result = whorl.dedup(documents, method="news", keep="priority", date="date")
    assert set(result.run["keeping"]) == {"rule", "asked", "note"}
    assert "With --date" not in result.report()


def test_command_line_shows_the_cost(tmp_path: Path) -> None:
    rule = ("--keep", "longest", "--date", "date")
    ended = command("dedup", NEWSROOM / "articles.jsonl", "-o", tmp_path / "out", *rule)
    assert "Kept by longest, 11 of 13 clusters lost the earliest article; by other rules: best 10" in ended.out
    assert "an earlier excerpt and its later source may both be kept" in ended.out


def test_dates_rank_only_on_request() -> None:
    undated = [document | {"date": None} for document in COPIES]
    by_length = whorl.dedup(undated, date="date", method="news")
    assert by_length.kept == whorl.dedup(undated, method="news", keep="longest").kept
    assert by_length.run["counts"]["missing_order"] == 0
    assert whorl.dedup(undated, date="date", keep="latest").run["counts"]["missing_order"] == 3


def test_files_and_memory_say_the_same_and_the_report_shows_it(tmp_path: Path) -> None:
    run = dedup(NEWSROOM / "articles.jsonl", tmp_path / "out", keep="longest", date="date")
    in_memory = whorl.dedup(newsroom_articles(), keep="longest", date="date")
    assert run["keeping"] == in_memory.run["keeping"]
    assert json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["keeping"] == run["keeping"]
    lost, of = run["keeping"]["earliest_dropped"]["longest"], run["keeping"]["timed_clusters"]
    for page in ((tmp_path / "out" / "report.html").read_text(encoding="utf-8"), in_memory.report()):
        assert f"Kept by longest, {lost} of {of} clusters lost the earliest article" in page
        assert f"{of} 组中有 {lost} 组删去了最早的一篇" in page
        assert "an earlier excerpt and its later source may both be kept" in page


def test_an_earlier_excerpt_and_its_later_source_both_stay(tmp_path: Path) -> None:
    source = article(1, 600)
    rows = [{"id": "excerpt", "text": source[:200], "date": "2024-01-01"}]
    rows += [{"id": "source", "text": source, "date": "2024-01-02"}]
    for rule, kept in (("earliest", 2), ("longest", 1)):
        run = dedup(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / rule, date="date", keep=rule, **NEWS)
        assert run["counts"]["kept"] == kept
