"""Look-alikes as readers see them: hand-written cases, and properties of any text."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.text.look_alikes import undo_look_alikes

CASES = Path(__file__).parents[2] / "cases" / "look_alikes.toml"


@dataclass(frozen=True)
class Case:
    name: str
    input: str
    text: str
    count: int


def read_cases() -> list[Case]:
    with CASES.open("rb") as file:
        return [Case(**case) for case in tomllib.load(file)["case"]]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_case(case: Case) -> None:
    assert undo_look_alikes(case.input) == (case.text, case.count)


def test_lone_surrogates_stay() -> None:
    assert undo_look_alikes("b\ud800\u0430d") == ("b\ud800ad", 1)


@given(st.text(st.sampled_from("ab1аеорсхуПΟ中エ工カ⺠のー é.")) | st.text())
def test_offsets_stay_and_every_change_is_counted(text: str) -> None:
    undone, count = undo_look_alikes(text)
    assert len(undone) == len(text)
    assert sum(value != other for value, other in zip(text, undone, strict=True)) == count


@given(st.text(st.characters(max_codepoint=0x7F) | st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5)))
def test_ascii_and_han_never_change(text: str) -> None:
    assert undo_look_alikes(text) == (text, 0)
