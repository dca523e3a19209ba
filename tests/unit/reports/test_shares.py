"""Shares that add up to 100%."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.reports.comparison.shares import share, tenths
from whorl.types.comparison import Composition, Ratios


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0, 1))
def test_parts_add_up_to_the_whole_and_are_off_by_less_than_a_tenth(weights: list[float], whole: float) -> None:
    total = sum(weights) or 1
    parts = [whole * weight / total for weight in weights]
    rounded, small = tenths(parts, sum(parts))
    assert sum(rounded) + small == round(1000 * sum(parts))
    for part, number in zip(parts, rounded, strict=True):
        assert number == 0 if part < 0.001 else abs(number - 1000 * part) <= 1


@pytest.mark.parametrize(
    ("value", "en", "zh"),
    [
        (0, "0.0%", "0.0%"),
        (0.0002, "<0.1%", "不足 0.1%"),
        (0.27, "27.0%", "27.0%"),
        (0.9999, ">99.9%", "超过 99.9%"),
        (1, "100.0%", "100.0%"),
    ],
)
def test_shares_round_to_neither_zero_nor_all(value: float, en: str, zh: str) -> None:
    assert (str(share(value)), share(value).to("zh")) == (en, zh)


def test_the_sentence_names_shares_that_add_up() -> None:
    shares = (0.104, 0.004, 0.0004, 0.08, 0.0304, 0.0304, 0.0304)
    comparison = whorl.compare("", "")
    result = Composition((), shares, "compilation", False, Ratios(sum(shares), 0, 0, 0, 0.104), (comparison,), "en")
    assert str(result) == (
        "28% of the text is in 7 sources: source 1 11%, source 4 8%, source 7 3%, source 6 3%, source 5 3%, "
        "2 others <1% together"
    )
    assert str(replace(result, language="zh")).endswith("第 5 篇 3%，其余 2 篇共 <1%")
    tiny = replace(result, shares=(0.0004,), ratios=Ratios(0.0004, 0, 0, 0, 0.0004))
    assert str(tiny) == "<0.1% of the text is in 1 source: source 1 <1%"
