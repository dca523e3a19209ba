"""Sentences, segments and punctuation contexts: hand-written cases, and properties of any text."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import UsageError
from whorl.text import fold
from whorl.text.structure import RULES, beginning, punctuation_contexts, segments, sentences

CASES = Path(__file__).parents[2] / "cases" / "sentences.toml"

prose = st.text(st.sampled_from('甲乙丙丁ab1 ，。、!?."”（）\n'), max_size=80)


@dataclass(frozen=True)
class Case:
    name: str
    input: str
    sentences: list[str]


def read_cases() -> list[Case]:
    with CASES.open("rb") as file:
        return [Case(**case) for case in tomllib.load(file)["case"]]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_sentences(case: Case) -> None:
    assert [case.input[start:end] for start, end in sentences(case.input)] == case.sentences


@given(st.text())
def test_sentences_are_in_order_and_skip_only_white_space(text: str) -> None:
    end = 0
    for sentence_start, sentence_end in sentences(text):
        assert not text[end:sentence_start].strip()
        assert sentence_start < sentence_end
        end = sentence_end
    assert not text[end:].strip()


@given(st.text())
def test_letter_case_moves_no_sentence(text: str) -> None:
    flat = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    assert sentences(flat) == sentences(text)


@given(prose, st.integers(1, 9), st.sampled_from(RULES))
def test_segments_hold_the_whole_folded_text(text: str, count: int, rule: str) -> None:
    parts = segments(text, count, rule)
    assert len(parts) == count
    assert "".join(fold(text[span[0] : span[1]]) for span in parts if span) == fold(text)


@given(st.text(st.sampled_from("甲乙丙丁，。\n"), max_size=80), st.integers(1, 9))
def test_segments_by_length_are_equally_long(text: str, count: int) -> None:
    lengths = [len(fold(text[span[0] : span[1]])) if span else 0 for span in segments(text, count)]
    assert max(lengths) - min(lengths) <= 1


def test_segments_by_sentence_and_paragraph() -> None:
    text = "一二三四。五六七八。\n九十。甲乙丙丁戊己。"

    def cut(count: int, rule: str) -> list[str]:
        return [text[span[0] : span[1]] if span else "" for span in segments(text, count, rule)]

    assert cut(2, "length") == ["一二三四。五六七八", "九十。甲乙丙丁戊己"]
    assert cut(4, "sentence") == ["一二三四", "五六七八", "九十。甲乙丙丁戊己", ""]
    assert cut(2, "paragraph") == ["一二三四。五六七八", "九十。甲乙丙丁戊己"]
    assert cut(4, "paragraph") == ["一二三四。五六七八", "", "九十。甲乙丙丁戊己", ""]


def test_punctuation_contexts() -> None:
    text = "今天，天气“很好”。He said: come home, now."
    contexts = [text[start:end] for start, end in punctuation_contexts(text)]
    assert contexts == ["今天，天气", "天气“很好", "很好”。He said", "He said: come home"]
    assert [text[start:end] for start, end in punctuation_contexts(text, 1)][-2:] == ["said: come", "home, now"]


def test_punctuation_contexts_need_the_full_width_on_both_sides() -> None:
    assert punctuation_contexts("一。二三，四五。六") == [(2, 7)]
    assert punctuation_contexts("一二 三四\n五六") == []


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (0x21, 0x7E),
        (0xA1, 0xFF),
        (0x2000, 0x206F),
        (0x3000, 0x30FF),
        (0x4E00, 0x4E80),
        (0xFE10, 0xFE6F),
        (0xFF01, 0xFF65),
    ],
)
def test_marks_are_what_unicode_calls_punctuation(first: int, last: int) -> None:
    signs = map(chr, range(first, last + 1))
    assert [
        sign for sign in signs if bool(punctuation_contexts(f"甲{sign}乙", 1)) != category(sign).startswith("P")
    ] == []


@pytest.mark.parametrize("count", [0, -1])
def test_out_of_range_values_are_refused(count: int) -> None:
    with pytest.raises(UsageError):
        segments("文章", count)
    with pytest.raises(UsageError):
        punctuation_contexts("文章", count)
    with pytest.raises(UsageError, match="length, sentence, paragraph"):
        segments("文章", 2, "chapter")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("新冰厂\n今年夏天", "新冰厂"),
        ("\n\n  The bridge \nclosed", "The bridge"),
        ("天" * 61, "天" * 60 + "…"),
        ("天" * 60, "天" * 60),
        (" \n", ""),
    ],
)
def test_a_text_without_a_title_is_called_by_its_first_line(text: str, message: str) -> None:
    assert beginning(text) == message
