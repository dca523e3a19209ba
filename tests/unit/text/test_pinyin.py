"""Pinyin as readers see it: hand-written cases, and properties of any text."""

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
def test_one_syllable_or_token_per_token(text: str) -> None:
    folded = tokens(text)
    converted = pinyin_fold(text).split(" ") if folded else []
    assert len(converted) == len(folded)
    spoken = iter(readings(text))
    for token, part in zip(folded, converted, strict=True):
        assert part == token or next(spoken).syllable
    assert initials(text) == "".join(reading.syllable[0] for reading in readings(text))


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5)))
def test_the_fold_comes_first(text: str) -> None:
    assert pinyin_fold(text) == pinyin_fold(fold(text))


BY_WORD = {
    "重庆的银行行长": "chong qing de yin hang hang zhang",
    "重要的行动": "zhong yao de xing dong",
    "孩子長大了，量一量長度": "hai zi zhang da le liang yi liang chang du",
    "音乐使人快乐": "yin yue shi ren kuai le",
    "会计开会": "kuai ji kai hui",
    "朝阳照着朝代的遗迹": "zhao yang zhao zhe chao dai de yi ji",
    "增长发展": "zeng zhang fa zhan",
    "银、行": "yin xing",
    "银x行": "yin xing",
    "银\u200b行": "yin hang",
}


@pytest.mark.parametrize("text", BY_WORD)
def test_character_reading_depends_on_its_word(text: str) -> None:
    assert " ".join(reading.syllable for reading in readings(text)) == BY_WORD[text]
    assert initials(text) == "".join(syllable[0] for syllable in BY_WORD[text].split())
    assert all("\u4e00" <= text[reading.offset] <= "\u9fff" for reading in readings(text))


def test_the_fold_reads_every_character_by_itself() -> None:
    """A change of a neighbor must not change the compared reading of a character."""
    assert pinyin_fold("银行") == "yin xing"


def test_it_agrees_with_pypinyin_on_all_but_some_polyphones() -> None:
    """The reference also chooses readings by word."""
    pypinyin = pytest.importorskip("pypinyin")
    agreed = total = letters = 0
    for article in newsroom_articles():
        text = "".join(token for token in tokens(article["text"]) if len(token) == 1 and "\u4e00" <= token <= "\u9fff")
        expected = pypinyin.lazy_pinyin(text, v_to_u=False)
        result = [reading.syllable for reading in readings(text)]
        assert len(result) == len(expected)
        agreed += sum(map(str.__eq__, result, expected))
        letters += sum(value[0] == other[0] for value, other in zip(result, expected, strict=True))
        total += len(result)
    assert total > 10_000
    assert agreed / total > 0.999
    assert letters / total > 0.999


def test_homophones_change_nothing() -> None:
    text = max((row["text"] for row in newsroom_articles()), key=lambda text: len(initials(text)))
    disguised = with_homophones(text, 0.9)
    assert fold(disguised) != fold(text)
    assert pinyin_fold(disguised) == pinyin_fold(text)
