"""The families of sentences, segments, punctuation and bags."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article
from tests.unit.fingerprints import slow_twins

from whorl.errors import UsageError
from whorl.fingerprints import family, keys

prose = st.text(st.sampled_from("甲乙丙丁戊ab1 ，。!?.”\n"), max_size=120)


@given(prose, st.integers(1, 4), st.integers(1, 8), st.integers(1, 3), st.booleans(), st.integers(1, 4))
def test_longest_sentence_is_its_definition(
    text: str, sentences: int, min_length: int, run: int, per_sentence: bool, min_shared: int
) -> None:
    min_shared = min(min_shared, sentences) if per_sentence else 1
    chosen = family(
        "longest_sentence",
        sentences=sentences,
        min_length=min_length,
        run=run,
        per_sentence=per_sentence,
        min_shared=min_shared,
    )
    assert keys(chosen, text) == slow_twins.longest_sentence(text, sentences, min_length, run, per_sentence, min_shared)


@given(prose, st.integers(1, 9), st.sampled_from(["length", "sentence", "paragraph"]), st.integers(1, 6), st.data())
def test_segment_is_its_definition(text: str, segments: int, rule: str, min_length: int, data: st.DataObject) -> None:
    min_shared = data.draw(st.integers(1, segments))
    chosen = family("segment", segments=segments, rule=rule, min_length=min_length, min_shared=min_shared)
    assert keys(chosen, text) == slow_twins.segment(text, segments, rule, min_length, min_shared)


@given(prose, st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))
def test_punctuation_is_its_definition(text: str, width: int, sample: int, min_shared: int) -> None:
    chosen = family("punctuation", width=width, sample=sample, min_shared=min_shared)
    assert keys(chosen, text) == slow_twins.punctuation(text, width, sample, min_shared)


@given(prose, st.integers(1, 60))
def test_bag_is_its_definition(text: str, min_length: int) -> None:
    assert keys(family("bag", min_length=min_length), text) == slow_twins.bag(text, min_length)


LONG = "这是一篇关于江南茶农今年比往年更早开园采茶的长句，足有三十个字以上。"
OTHER = "县里的气象站说今年二月的平均气温比常年高出两度，雨水也更多一些。"
THIRD = "合作社的社长介绍说收购价格与去年持平，工人却不如从前那么好找。"


def test_one_long_sentence_is_enough() -> None:
    copy = f"转载。{OTHER}网友评论。"
    assert family("longest_sentence").similarity(LONG + OTHER + THIRD, copy) == pytest.approx(1 / 3)
    assert len(keys(family("longest_sentence", sentences=1), LONG + OTHER)) == 1


def test_one_key_for_all_sentences_ignores_their_order() -> None:
    chosen = family("longest_sentence", sentences=3, per_sentence=False)
    assert chosen.similarity(LONG + OTHER + THIRD, THIRD + "短句。" + LONG + OTHER) == 1.0
    assert chosen.similarity(LONG + OTHER + THIRD, LONG + OTHER) == 0.0


def test_a_repeated_sentence_counts_once() -> None:
    assert keys(family("longest_sentence"), LONG * 3) == keys(family("longest_sentence"), LONG)


def test_the_earlier_of_equally_long_sentences_is_taken() -> None:
    first, second = "甲" * 30, "乙" * 30
    chosen = family("longest_sentence", sentences=1)
    assert keys(chosen, f"{first}。{second}。") == keys(chosen, first)


def test_a_run_needs_its_sentences_in_order() -> None:
    chosen = family("longest_sentence", sentences=1, run=3)
    together = LONG + OTHER + THIRD
    assert chosen.similarity(f"编者按。{together}完。", f"{together}（责任编辑）") == 1.0
    assert chosen.similarity(together, OTHER + LONG + THIRD) == 0.0


def test_short_sentences_all_count() -> None:
    chosen = family("longest_sentence")
    assert chosen.similarity("你好。再见。", "今天天气好。再见。") == pytest.approx(1 / 3)
    assert chosen.similarity("春茶开园。今年早了十天。", "春茶开圆。今年早了十天。") == pytest.approx(1 / 3)
    assert chosen.similarity("你好。再见。", f"{LONG}再见。") == 0.0, (
        "where one is long enough, short ones do not count"
    )


def test_text_with_few_sentences_has_a_whole_text_key() -> None:
    chosen = family("longest_sentence", min_shared=2)
    assert chosen.similarity("你好！", "你好。") == 1.0
    assert chosen.similarity("你好！", "再见。") == 0.0
    assert keys(chosen, "！？") == set()


def test_most_segments_equal_is_a_copy() -> None:
    text = article(1, 400)
    chosen = family("segment")
    changed = "。".join(["改" * 10] * 4 + text.split("。")[4:])
    assert len(keys(chosen, text) & keys(chosen, changed)) == 7
    assert chosen.verdict(0.8).threshold == 5 / 8


def test_equal_segments_in_other_places_do_not_count() -> None:
    text = article(1, 400)
    assert family("segment").similarity(text, text[-55:] + text[:-55]) == 0.0


def test_a_cut_by_sentence_forgives_a_small_change_of_length() -> None:
    text = article(1, 800)
    changed = f"{text[:5]}这七个字是新的{text[5:]}"
    assert family("segment").similarity(text, changed) < family("segment", rule="sentence").similarity(text, changed)


def test_contexts_survive_other_marks_and_an_excerpt() -> None:
    chosen = family("punctuation", sample=1)
    text = LONG + OTHER + THIRD
    assert keys(chosen, text) == keys(chosen, text.replace("，", "；").replace("。", "！"))
    assert keys(chosen, LONG + OTHER) < keys(chosen, text)


def test_a_bag_has_no_order_unless_it_is_short() -> None:
    text = LONG + OTHER
    assert family("bag").similarity(text, OTHER + LONG) == 1.0
    assert family("bag").similarity(text, text[:-3] + "。") == 0.0
    assert family("bag").similarity("甲队胜乙队", "乙队胜甲队") == 0.0


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("longest_sentence", {"sentences": 0}),
        ("longest_sentence", {"sentences": 65}),
        ("longest_sentence", {"sentences": "5"}),
        ("longest_sentence", {"sentences": True}),
        ("longest_sentence", {"min_length": 0}),
        ("longest_sentence", {"run": 0}),
        ("longest_sentence", {"per_sentence": 1}),
        ("longest_sentence", {"min_shared": 6}),
        ("longest_sentence", {"min_shared": 2, "per_sentence": False}),
        ("segment", {"segments": 0}),
        ("segment", {"segments": 4}),
        ("segment", {"rule": "chapter"}),
        ("segment", {"rule": None}),
        ("segment", {"min_length": 0}),
        ("punctuation", {"width": 0}),
        ("punctuation", {"sample": 0}),
        ("punctuation", {"min_shared": 0}),
        ("bag", {"min_length": 0}),
        ("bag", {"min_length": 2.5}),
    ],
)
def test_parameters_out_of_range_are_refused(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        family(name, **parameters)
