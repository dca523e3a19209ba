"""Pinyin as readers see it: hand-written cases, and what holds for any text."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import newsroom_articles
from tests.homophones import with_homophones

from whorl.text import fold, tokens
from whorl.text.pinyin import Reading, initials, pinyin_fold, readings

CASES = Path(__file__).parents[2] / "cases" / "pinyin.toml"


@dataclass(frozen=True)
class Case:
    name: str
    input: str
    folded: str
    initials: str


def read_cases() -> list[Case]:
    with CASES.open("rb") as file:
        return [Case(**case) for case in tomllib.load(file)["case"]]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_case(case: Case) -> None:
    assert (pinyin_fold(case.input), initials(case.input)) == (case.folded, case.initials)


def test_readings_point_into_the_original_text() -> None:
    text = "《中\u200b国》ＡＢ 人"
    assert readings(text) == [Reading("zhong", 1), Reading("guo", 3), Reading("ren", 8)]
    assert [text[reading.offset] for reading in readings(text)] == list("中国人")


def test_a_lone_surrogate_has_no_reading() -> None:
    assert pinyin_fold("甲\ud800乙") == "jia yi"


@given(st.text())
def test_there_is_one_syllable_or_one_token_for_each_token(text: str) -> None:
    folded = tokens(text)
    converted = pinyin_fold(text).split(" ") if folded else []
    assert len(converted) == len(folded)
    spoken = iter(readings(text))
    for token, part in zip(folded, converted, strict=True):
        assert part == token or part == next(spoken).syllable
    assert initials(text) == "".join(reading.syllable[0] for reading in readings(text))


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5)))
def test_the_fold_comes_first(text: str) -> None:
    assert pinyin_fold(text) == pinyin_fold(fold(text))


def test_it_agrees_with_pypinyin_on_all_but_some_polyphones() -> None:
    """The peer chooses readings by word. On the example newsroom 99.7 % of the syllables agree."""
    pypinyin = pytest.importorskip("pypinyin")
    agreed = total = letters = 0
    for article in newsroom_articles():
        text = "".join(token for token in tokens(article["text"]) if len(token) == 1 and "\u4e00" <= token <= "\u9fff")
        expected = pypinyin.lazy_pinyin(text, v_to_u=False)
        found = [reading.syllable for reading in readings(text)]
        assert len(found) == len(expected)
        agreed += sum(map(str.__eq__, found, expected))
        letters += sum(one[0] == other[0] for one, other in zip(found, expected, strict=True))
        total += len(found)
    assert total > 10_000
    assert agreed / total > 0.996
    assert letters / total > 0.998


def test_homophones_change_nothing() -> None:
    text = max((row["text"] for row in newsroom_articles()), key=lambda text: len(initials(text)))
    disguised = with_homophones(text, 0.9)
    assert fold(disguised) != fold(text)
    assert pinyin_fold(disguised) == pinyin_fold(text)
