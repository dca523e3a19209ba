"""The report of each removed copy: its relation, and its changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, small_corpus, write_jsonl
from tests.runs import dedup, duplicates

import whorl
from whorl.engines import changes

HARBOUR = (
    "渔港换了新冰厂\n本报记者 林晓\n渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。老船长说，从前等冰要等到半夜，"
    "鱼都困了，如今船一靠岸就能装冰，赶早市的货车不用再空等。\n责任编辑：何永年"
)
COPIES = {
    "title": HARBOUR.replace("渔港换了新冰厂", "老船长的夏天"),
    "byline": HARBOUR.replace("何永年", "周敏"),
    "homophones": HARBOUR.replace("半夜", "办夜"),
    "script": HARBOUR.replace("机器", "機器").replace("货车", "貨車"),
    "noise": HARBOUR.replace("新机器", "新★机器").replace("早市", "早★市"),
}


def changes_of(copy: str, original: str = HARBOUR, **options: Any) -> dict[str, Any]:
    result = whorl.dedup([original, copy], keep="first", method="news", **options)
    (row,) = result.duplicates.to_pylist()
    return row


@pytest.mark.parametrize("change", COPIES)
def test_a_change_is_named(change: str) -> None:
    row = changes_of(COPIES[change])
    assert row["relation"] in ("near_duplicate", "exact")
    assert row["changes"][change]
    others = {"title", "byline", "homophones", "script", "noise", "order"} - {change}
    assert not any(row["changes"][other] for other in others)


def test_look_alikes_are_counted() -> None:
    original = "请用 paypal 账号联系客服，他们会为您办理退款的全部手续，一般需要三到五个工作日才能到账。"
    row = changes_of(original.replace("paypal", "рayрal"), original)
    assert (row["relation"], row["changes"]["look_alikes"]) == ("exact", 2)
    assert changes_of(original, original.replace("paypal", "рayрal"))["changes"]["look_alikes"] == 0


def test_excerpt_is_in_the_kept_article() -> None:
    whole = article(1, 400)
    row = changes_of(whole[:150], whole)
    assert row["relation"] == "excerpt"
    assert row["changes"]["deleted"] > 200


def test_text_without_title_has_no_title_change() -> None:
    assert changes_of(article(1), article(1))["changes"]["title"] is None


@pytest.mark.parametrize("method", ["minhash", "winnowing", "exact"])
def test_changes_equal_those_of_compare(tmp_path: Path, method: str) -> None:
    documents = small_corpus() + [{"id": name, "text": text} for name, text in COPIES.items()]
    texts = {str(document["id"]): str(document["text"]) for document in documents}
    write_jsonl(tmp_path / "a.jsonl", documents)
    dedup(tmp_path / "a.jsonl", tmp_path / "out", method=method, changes=True)
    rows = duplicates(tmp_path / "out")
    assert rows
    for row in rows:
        comparison = whorl.compare(texts[row["duplicate_of"]], texts[row["id"]]).to_dict()
        assert (row["relation"], row["changes"]) == (comparison["relation"], comparison["changes"])
    in_memory = whorl.dedup(documents, method=method, changes=True)
    columns = ("id", "relation", "changes")
    assert [[row[name] for name in columns] for row in in_memory.duplicates.to_pylist()] == [
        [row[name] for name in columns] for row in rows
    ]
    assert in_memory.run["changes"] == json.loads((tmp_path / "out" / "run.json").read_text())["changes"]
    assert sum(in_memory.run["relations"]["removed"].values()) == len(rows)


def test_method_without_alignment_reports_changes_on_request() -> None:
    texts = [HARBOUR, COPIES["homophones"]]
    silent = whorl.dedup(texts)
    (row,) = silent.duplicates.to_pylist()
    assert (row["relation"], row["changes"], "changes" in silent.run) == ("near_duplicate", None, False)
    assert silent.duplicates.schema == whorl.dedup(texts, changes=True).duplicates.schema
    assert whorl.dedup(texts, changes=True).run["changes"]["changed"]["homophones"] == 1
    assert "changes" not in whorl.dedup(texts, method="news", changes=False).run


def test_the_size_of_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = small_corpus()
    whole = whorl.dedup(documents, changes=True).duplicates
    monkeypatch.setattr(changes, "_CODE_POINTS_AT_ONCE", 1)
    assert whorl.dedup(documents, changes=True).duplicates == whole


def test_nothing_removed_reports_no_changes() -> None:
    result = whorl.dedup([HARBOUR, article(1)], changes=True)
    assert result.run["relations"] == {"removed": {}, "linked": {}}
    assert len(result.duplicates) == 0


def test_report_lists_kinds_and_changes() -> None:
    page = whorl.dedup([HARBOUR, COPIES["homophones"]], changes=True).report()
    assert "near-duplicate; changed: 1 homophone" in page
    assert "近似重复；改了 1 个同音字" in page
