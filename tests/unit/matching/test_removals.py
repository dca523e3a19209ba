"""Warnings about a method: removals without passages, and one document kept for most of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.articles import article, newsroom_articles
from tests.quality import forms

import whorl
from whorl.engines.caveats import describe_caveats
from whorl.engines.decide import KEPT, Decisions
from whorl.engines.links import Links
from whorl.engines.memory.rows import rows_of_texts
from whorl.fingerprints import family
from whorl.matching.removals import EXAMINED, caveats, copied_shares, within_reach


def test_the_copied_share_is_that_of_the_removed_text() -> None:
    kept, other = article(1), article(2)
    same, half, none = copied_shares([(kept, kept), (kept, kept[: len(kept) // 2] + other[:150]), (kept, other)])
    assert same == 1.0
    assert 0.3 < half < 0.9
    assert none < 0.1


def test_the_cost_is_bounded_by_pairs_and_by_length() -> None:
    assert len(list(within_reach([("a", "b")] * 1000))) == EXAMINED
    long = ("a" * 3_000_000, "b")
    assert list(within_reach([long, long, ("c", "d")])) == [long, ("c", "d")]


@pytest.mark.parametrize(
    ("shares", "largest", "removed", "documents", "expected"),
    [
        ([0.9] * 100, 3, 200, 1000, []),
        ([0.0] * 4, 1, 4, 1000, []),
        ([0.9] * 95 + [0.0] * 5, 1, 100, 1000, []),
        ([0.9] * 80 + [0.0] * 20, 1, 100, 1000, ["unbacked"]),
        ([0.1] * 100, 1, 100, 1000, []),
        ([0.9], 20, 20, 100, []),
        ([0.9], 21, 42, 1000, []),
        ([0.9], 22, 42, 1000, ["giant"]),
        ([0.9], 60, 500, 1000, ["giant"]),
        ([0.0] * 50, 60, 500, 1000, ["unbacked", "giant"]),
    ],
)
def test_warnings_about_methods(
    shares: list[float], largest: int, removed: int, documents: int, expected: list[str]
) -> None:
    assert [caveat.kind for caveat in caveats(shares, largest, removed, documents)] == expected


def test_removals_without_passages_are_reported() -> None:
    texts = [article(number) for number in range(24)]
    duplicate_of = np.array([*([KEPT] * 12), *range(12)], np.uint32)
    nothing = np.empty(0)
    decisions = Decisions(
        *[duplicate_of] * 3, nothing.astype(np.uint8), nothing, nothing, [], [], [], [], 0, 0, Links.none()
    )
    digests = family("exact").fingerprint(texts).digests
    (warning,) = describe_caveats(decisions, digests, rows_of_texts(texts), 0)
    assert (warning["kind"], warning["count"], warning["of"]) == ("unbacked", 12, 12)


def test_dominating_document_is_reported() -> None:
    form = article(0)
    filled = [f"{form}{article(100 + number, 20)}" for number in range(40)]
    strangers = [article(number) for number in range(1, 60)]
    run = whorl.dedup([*filled, *strangers], threshold=0.5).run
    (warning,) = run["warnings"]
    assert (warning["kind"], warning["count"], warning["of"]) == ("giant", 39, 39)


def test_exact_copies_are_no_giant() -> None:
    texts = [article(0)] * 100 + [f"{article(0)}。又及"] * 100 + [article(number) for number in range(1, 30)]
    assert whorl.dedup(texts).run["warnings"] == []


def test_the_order_of_the_documents_makes_no_difference() -> None:
    texts = [f"{article(0)}{article(100 + number, 20)}" for number in range(40)]
    forth, back = (whorl.dedup(order, threshold=0.5).run["warnings"] for order in (texts, texts[::-1]))
    assert forth == back != []


def judged(texts: list[str], **options: Any) -> list[str]:
    """Return the kinds of the warnings of a run."""
    return [warning["kind"] for warning in whorl.dedup(texts, **options).run["warnings"]]


@pytest.mark.parametrize("method", ["news", "web", "library"])
def test_filled_in_forms_are_named_with_a_better_method(method: str) -> None:
    run = whorl.dedup([row["text"] for row in forms.forms()], method=method).run
    (warning,) = [warning for warning in run["warnings"] if warning["kind"] == "forms"]
    pairs = run["relations"]["linked"]["template"]
    assert (warning["count"], warning["of"]) == (pairs, sum(sum(part.values()) for part in run["relations"].values()))
    assert f"of {warning['of']:,} related pairs, {pairs:,}" in warning["message"]
    assert "`method=corpus`" in warning["message"]


def test_the_better_method_is_not_warned_of() -> None:
    texts = [row["text"] for row in forms.forms()]
    assert judged(texts, method="corpus") == []
    assert whorl.dedup(texts, method="corpus").run["hint"] is None, "nor sent back"


@pytest.mark.parametrize("method", ["news", "corpus"])
def test_versions_are_named_with_the_option_that_removes_them(method: str) -> None:
    rules = [
        f"渔港管理规定第{number}号\n{article(2 * number)}\n{article(2 * number + 1)}\n罚款上限为{fine}元。"
        for number in range(30)
        for fine in (5000, 8000)
    ]
    (warning,) = whorl.dedup(rules, method=method).run["warnings"]
    assert (warning["kind"], warning["count"], warning["of"]) == ("versions", 30, 30)
    assert "`remove=exact,near_duplicate,excerpt,version`" in warning["message"]
    assert judged(rules, method=method, remove=["exact", "near_duplicate", "excerpt", "version"]) == []


def test_clauses_in_common_are_named() -> None:
    texts = [row["text"] for row in forms.licences(400)]
    assert "clauses" in judged(texts, method="news")
    assert "clauses" not in judged(texts, method="corpus")


def test_news_with_copies_of_every_kind_is_not_warned_of() -> None:
    texts = [row["text"] for row in newsroom_articles()]
    assert judged(texts, method="news") == judged(texts, method="web") == []


def test_a_few_related_texts_are_no_corpus_of_forms() -> None:
    few = [row["text"] for row in forms.forms()][:5]
    assert judged([*few, *(article(number) for number in range(5))], method="news") == []
