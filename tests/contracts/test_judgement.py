"""Keys propose candidates and texts decide: properties of every method and preset."""

from __future__ import annotations

from typing import Any

import pytest
from tests.articles import article, edited

import whorl
from whorl.fingerprints import families
from whorl.matching.verify import Verification, judge
from whorl.recipe import PRESETS, Recipe

METHODS = sorted({*families(), *PRESETS})
NOTICE = "凡在本港所刊文字皆归青澜渔港编辑部与各位撰稿人所有，任何网站与个人转用其中一字一句，都须写信征得同意。"
every = pytest.mark.parametrize("method", METHODS)


def removed(texts: list[str], method: str, **options: Any) -> list[dict[str, Any]]:
    removals: list[dict[str, Any]] = whorl.dedup(texts, method=method, **options).duplicates.to_pylist()
    return removals


@pytest.mark.parametrize(
    ("method", "length"),
    # The codes of `simhash` are near each other for too few of such short texts to learn from.
    [(method, length) for method in METHODS for length in (40, 400) if (method, length) != ("simhash", 40)],
)
def test_a_notice_that_all_articles_carry_removes_none(method: str, length: int) -> None:
    """It is a third of the short articles."""
    texts = [f"{article(number, length)}\n{NOTICE}\n{article(1000 + number, length)}" for number in range(200)]
    assert removed(texts, method) == []


def test_the_notice_is_told_and_copies_beside_it_are_found() -> None:
    texts = [f"{article(number, 400)}\n{NOTICE}" for number in range(60)]
    copies = [f"{NOTICE}\n{article(number, 400)}" for number in range(5)]
    for method in ("news", "web", "winnowing", "nshash", "longest_sentence", "baidu3"):
        result = whorl.dedup(texts + copies, method=method)
        pairs = {(row["id"], row["duplicate_of"]) for row in result.duplicates.to_pylist()}
        assert pairs == {(str(60 + number), str(number)) for number in range(5)}, method
        learned = result.run["boilerplate"]["top"]
        assert any(NOTICE[:20] in notice["text"] and notice["documents"] >= 60 for notice in learned), method
        assert NOTICE[:20] in result.report()


@pytest.mark.parametrize("method", ["news", "library"])
def test_forms_filled_in_stay_and_copies_under_their_notice_go(method: str) -> None:
    """Apart from the notice, half of each article is a formula shared by three with different names: too few."""
    notice = f"{NOTICE}{article(1, 120)}"

    def form(number: int) -> str:
        formula = article(500 + number // 3, 80)
        return f"{article(1000 + number, 80)}\n{formula[:44]}{article(2000 + number, 10)}{formula[44:]}\n{notice}"

    forms = [form(number) for number in range(60)]
    articles = [f"{article(3000 + number, 400)}\n{notice}" for number in range(5)]
    copies = [f"{edited(article(3000 + number, 400), 30)}\n{notice}" for number in range(5)]
    rows = removed([*forms, *articles, *copies], method)
    assert {(row["id"], row["duplicate_of"]) for row in rows} == {(f"{65 + n}", f"{60 + n}") for n in range(5)}


@pytest.mark.parametrize("hosts", [8, 10, 30])
def test_what_many_articles_took_over_is_no_notice(hosts: int) -> None:
    """Half of each of them is half of one article."""
    source = article(1, 1000)
    holders = [f"{article(100 + host, 250)}\n{source[200:700]}\n{article(500 + host, 250)}" for host in range(hosts)]
    result = whorl.dedup([source, *holders, *(article(1000 + number, 500) for number in range(50))], method="news")
    assert result.duplicates.num_rows == 0, "half of each is its own"
    assert len({row["id"] for row in result.related.to_pylist()}) >= hosts - 1


@every
def test_unrelated_long_texts_stay(method: str) -> None:
    """A long text contains common runs of six letters."""
    vocabulary = [f"{head}{tail}" for head in ("ba", "ko", "mi", "ru", "te") for tail in ("ndu", "lis", "rem", "vos")]
    texts = [
        " ".join(vocabulary[(7 * place * (number + 3) + place // (number + 2)) % 20] for place in range(9000)) + "."
        for number in range(4)
    ]
    assert not removed([article(number, 30_000) for number in range(4)], method)
    if method not in ("info", "keywords", "imatch", "bag", "short", "yanyiwu", "simhash"):
        assert not removed([*texts[:1], article(9, 9000)], method)


@every
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n责任编辑：王五", "{}\n责任编辑：赵六"),
        ("{}\n責任編輯：王五", "{}\n责任编辑：赵六"),
        ("记者 王五\n{}", "{}（编辑：赵六）"),
        ("{}", "本报讯（记者 王五）{}\n版权声明：未经授权不得转载"),
    ],
)
def test_another_editor_makes_no_article_another(method: str, before: str, after: str) -> None:
    body = article(3, 700)
    texts = [before.format(body), after.format(body), article(4, 700)]
    result = whorl.dedup(texts, method=method)
    assert (result.run["counts"]["exact"], result.run["counts"]["near"]) == (1, 0)


@every
@pytest.mark.parametrize("keep", ["longest", "earliest", "latest", "first", "priority"])
def test_every_rule_works_with_every_method(method: str, keep: str) -> None:
    """An article is removed only if the threshold's share of it is in the kept one."""
    body = article(5, 1200)
    documents = [
        {"text": body, "date": "2026-01-02", "priority": 1},
        {"text": body, "date": "2026-01-01", "priority": 2},
        {"text": body[:240], "date": "2025-12-31", "priority": 3},
    ]
    recipe = Recipe().changed(method=method)
    rows = removed(documents, method, keep=keep, date="date")
    assert {row["id"] for row in rows} >= ({"0"} if keep in ("earliest", "priority") else {"1"})
    assert all(row["similarity"] >= recipe.threshold for row in rows if row["measure"] == "copied")


@every
def test_what_is_removed_is_proved_by_the_texts(method: str) -> None:
    texts = [edited(article(number, 600), edits, seed=edits) for number in range(12) for edits in (0, 4, 12)]
    recipe = Recipe().changed(method=method)
    for row in removed(texts, method):
        text, other = texts[int(row["id"])], texts[int(row["duplicate_of"])]
        judgement = recipe.judgements()[0]
        verdict = judgement.family.verdict(recipe.threshold)
        figure, is_copy = judge(text, other, judgement.family, verdict, judgement.verification)
        assert is_copy
        assert figure.similarity == pytest.approx(row["similarity"])
        assert whorl.compare(other, text).passages


def test_the_rule_alone_decides_only_where_that_is_asked_for() -> None:
    texts = [f"{article(number, 400)}\n{NOTICE}" for number in range(4)]
    assert removed(texts, "baidu1") == []
    by_rule = whorl.dedup(texts, method="baidu1", verify="none")
    assert by_rule.run["recipe"]["verify"]["measure"] == "none"
    assert by_rule.run["relations"] == {"removed": {}, "linked": {"partial": 6}}
    all_of_them = whorl.dedup(texts, method="baidu1", verify="none", remove=["exact", "partial"])
    assert all_of_them.run["counts"]["duplicates"] == 3


def test_copied_is_what_compare_calls_copied() -> None:
    copy, other = edited(article(6, 900), 20), f"{article(7, 300)}{article(6, 900)}"
    shared, united, figure = Verification("copied").spelled_out(0.5).demand().figure(copy, other)
    comparison = whorl.compare(other, copy)
    assert figure == pytest.approx(comparison.ratios.copied)
    assert 0 < shared <= united


def test_rewritten_passages_prove_nothing() -> None:
    """Two warnings from one template whose facts all differ."""
    warning = "{}市气象台{}发布{}预警信号：预计{}，{}将出现{}的{}，{}。防御指南可在市气象台网站查看。"
    first = warning.format("青澜", "三月六日", "大雾黄色", "今天夜间", "望螺街道", "能见度低", "雾", "请减速慢行")
    two = warning.format("鹤汀", "九月二日", "暴雨红色", "明后两天", "北渡三镇", "每小时百毫米", "雨", "请留在室内")
    assert Verification("copied").spelled_out(0.5).demand().figure(two, first)[2] < 0.45
