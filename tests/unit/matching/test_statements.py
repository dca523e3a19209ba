"""Source statements of an article: hand-written cases, and properties of any text."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from whorl.attribution.statements import KINDS, Statement, statements

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
    kind = f"{statement.kind}+permission" if statement.permission else statement.kind
    return " | ".join([kind, statement.name, *([statement.url] if statement.url else [])])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    assert [written(statement) for statement in statements(case["input"])] == case["says"]


@given(
    st.lists(
        st.sampled_from(PARTS) | st.text(max_size=8),
        max_size=20,
    )
)
@example(["来源：", "A\x0c"])
@example(["来源：", "A\x0c："])
@settings(max_examples=200)
def test_statements_have_valid_spans_without_overlap(parts: list[str]) -> None:
    text = "".join(parts)
    parsed = statements(text)
    for finding in parsed:
        stretch = text[slice(*finding.span)]
        assert finding.kind in KINDS
        assert finding.name or finding.url
        assert finding.name in stretch
        assert finding.name == finding.name.strip()
        assert finding.url in stretch
    assert all(finding.span[1] <= other.span[0] for finding, other in pairwise(parsed))


def test_offsets_are_code_points() -> None:
    text = "𠮷𠮷雾散了。\r\n来源：青澜日报"
    [parsed] = statements(text)
    assert text[slice(*parsed.span)] == "来源：青澜日报"
