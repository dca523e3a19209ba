"""Facts of texts with no facts, one fact, or nothing else; and invalid dates."""

from __future__ import annotations

import random

import pytest

import whorl

NOTICE = "版权所有，未经授权不得转载。责任编辑请与本站联系。"
DATES = "会议原定于2024年13月45日举行，后于2023-02-30改期，{}再次延期，与会者须在会前三日报到。"


def table(seed: int, rows: int) -> str:
    """Return eight numbers of at most four digits in each row."""
    numbers = random.Random(seed)
    return "\n".join(" ".join(str(numbers.randrange(10_000)) for _ in range(8)) for _ in range(rows))


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("", "", "unrelated"),
        ("，。！", "？？", "unrelated"),
        ("42", "42", "exact"),
        ("42", "43", "unrelated"),
        ("今天天气很好。适合出门。", "今天天气很好。适合出门。", "exact"),
        (NOTICE, NOTICE, "exact"),
        (table(1, 50), table(2, 50), "unrelated"),
        (table(1, 50), table(1, 50) + "\n1 2 3", "near_duplicate"),
        (DATES.format("2022年1月1日"), DATES.format("2022年1月1日") * 2, "excerpt"),
    ],
)
def test_texts_with_few_facts_have_a_relation(a: str, b: str, relation: str) -> None:
    comparison = whorl.compare(a, b)
    assert comparison.relation == relation
    assert whorl.compare(b, a).relation == relation
    assert comparison.facts.differing == 0


def test_dates_that_no_calendar_has_are_facts_like_others() -> None:
    a, b = (DATES.format(day) for day in ("2022年1月1日", "2021年7月8日"))
    comparison = whorl.compare(a, b)
    assert comparison.facts.differing > 0
    assert comparison.facts.agreeing > comparison.facts.differing


def test_a_million_numbers_are_compared() -> None:
    """Linear: a second, where quadratic work would take hours."""
    numbers = " ".join(map(str, range(1_000_000)))
    shifted = " ".join(map(str, range(5, 1_000_005)))
    same = whorl.compare(numbers, shifted)
    assert (same.relation, same.facts.agreeing, same.facts.differing) == ("near_duplicate", 999_995, 0)
    assert whorl.compare(numbers, table(3, 100_000)).relation == "unrelated"
