"""Keys of runs of sounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article

from whorl.fingerprints import keys
from whorl.fingerprints.winnowing import Winnowing

BY_SOUND = Winnowing(k=4, window=3, fold="pinyin")
HOMOPHONES = {"他": "她", "在": "再", "机": "鸡", "到": "道", "事": "世", "市": "式", "期": "七"}


def test_homophones_keep_all_keys() -> None:
    text = "他在机场等到天亮，什么事也没有；市长说，下一期再谈。The end of 2026."
    copy = text.translate(str.maketrans(HOMOPHONES))
    assert sum(a != b for a, b in zip(text, copy, strict=True)) >= 6
    assert keys(BY_SOUND, copy) == keys(BY_SOUND, text)
    assert keys(Winnowing(k=4, window=3), copy) != keys(Winnowing(k=4, window=3), text)


@pytest.mark.parametrize("text", ["他在北京", "Deep learning 2026", "あいうえお"])
def test_other_sounds_are_other_keys(text: str) -> None:
    assert keys(BY_SOUND, text).isdisjoint(keys(BY_SOUND, "他去南京吃饭"))


@given(st.integers(0, 200), st.integers(0, 60), st.integers(0, 60))
def test_a_shared_run_shares_a_key_by_sound_too(number: int, before: int, after: int) -> None:
    run = article(number, 40)
    other = f"{article(1000 + before, 10 * before)}{run}{article(2000 + after, 10 * after)}"
    assert keys(BY_SOUND, other) & keys(BY_SOUND, run)


def test_a_quotation_has_the_same_keys_in_texts_of_any_script() -> None:
    """Each code point is weighted by its script, so neither the host nor the source matters."""
    sizes = Winnowing(k=16, window=10, dense_k=4, dense_window=3)
    quotation = article(7, 6).replace("。", "")
    english = f"The harbour master said, slowly and with a frown, {quotation}, and nobody in the room answered him."
    chinese = f"{article(8, 60)}{quotation}{article(9, 60)}"
    assert keys(sizes, english) & keys(sizes, chinese)
    assert not keys(Winnowing(k=16, window=10), english) & keys(Winnowing(k=16, window=10), chinese)


@given(st.text("abc 山水风云"), st.integers(1, 6), st.integers(1, 6))
def test_sizes_of_dense_code_points_default_to_those_of_the_others(text: str, k: int, window: int) -> None:
    sizes = Winnowing(k=k, window=window, dense_k=k, dense_window=window)
    assert keys(Winnowing(k=k, window=window), text) == keys(sizes, text)


def test_latin_text_does_not_depend_on_the_sizes_of_dense_code_points() -> None:
    text = "Nobody in the room answered him. The harbour master closed the book."
    assert keys(Winnowing(k=5, window=4, dense_k=2, dense_window=2), text) == keys(Winnowing(k=5, window=4), text)
