"""Source statements of an article: hand-written cases, and properties of any text."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from whorl.matching.statements import KINDS, Statement, statements

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "statements.toml").read_text(encoding="utf-8"))["case"]
PARTS = (
    "来源：",
    "青澜日报",
    "本文转载自",
    "（记者",
    "）",
    "\n",
    "。",
    "原标题：",
    "https://a.example/1",
    " ",
    "编辑:",
)


def written(statement: Statement) -> str:
    kind = f"{statement.kind}+leave" if statement.leave else statement.kind
    return " | ".join([kind, statement.name, *([statement.url] if statement.url else [])])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    assert [written(one) for one in statements(case["input"])] == case["says"]


@given(
    st.lists(
        st.sampled_from(PARTS) | st.text(max_size=8),
        max_size=20,
    )
)
@example(["来源：", "A\x0c"])
@example(["来源：", "A\x0c："])
@settings(max_examples=200)
def test_statements_stand_where_they_say_and_never_overlap(parts: list[str]) -> None:
    text = "".join(parts)
    found = statements(text)
    for one in found:
        stretch = text[slice(*one.span)]
        assert one.kind in KINDS
        assert one.name or one.url
        assert one.name in stretch
        assert one.name == one.name.strip()
        assert one.url in stretch
    assert all(one.span[1] <= other.span[0] for one, other in pairwise(found))


def test_offsets_are_code_points() -> None:
    text = "𠮷𠮷雾散了。\r\n来源：青澜日报"
    [found] = statements(text)
    assert text[slice(*found.span)] == "来源：青澜日报"
