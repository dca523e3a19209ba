"""The fold as readers see it: hand-written cases, and properties of any text."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.text import fold, tokens

CASES = Path(__file__).parents[2] / "cases" / "fold.toml"


@dataclass(frozen=True)
class Case:
    name: str
    input: str
    folded: str
    tokens: list[str]


def read_cases() -> list[Case]:
    with CASES.open("rb") as file:
        return [Case(**case) for case in tomllib.load(file)["case"]]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_case(case: Case) -> None:
    assert (fold(case.input), tokens(case.input)) == (case.folded, case.tokens)


def test_lone_surrogate_separates() -> None:
    assert tokens("a\ud800b") == ["a", "b"]


@given(st.text())
def test_folded_text_is_the_tokens_in_order(text: str) -> None:
    assert fold(text) == "".join(tokens(text))
