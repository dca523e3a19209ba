"""Words as readers see them: hand-written cases, and properties of any text."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whorl.errors import InputError, UsageError
from whorl.text import fold
from whorl.text.words import MODES, Word, segment, stem_languages

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "words.toml").read_text(encoding="utf-8"))["case"]
ONCE = [mode for mode in MODES if mode not in ("full", "search")]


def joined(words: Sequence[Word]) -> str:
    """Return the letters of the words, without the spaces between and in them."""
    return "".join(word.text for word in words).replace(" ", "")


def cut(text: str, mode: str = "precise", **options: object) -> str:
    return " ".join(word.text for word in segment([text], mode, **options)[0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "mode"),
    [pytest.param(case, mode, id=f"{case['name']}: {mode}") for case in CASES for mode in MODES if mode in case],
)
def test_case(case: dict[str, str], mode: str) -> None:
    assert cut(case["input"], mode, fold=case.get("fold", False)) == case[mode]


@pytest.mark.parametrize("mode", MODES)
@given(text=st.text(st.sampled_from("研究生命的起源臺灣abÉÒª１２ ，。\n\u200b\u0301😀") | st.characters(), max_size=60))
@settings(max_examples=40)
def test_word_spans_match_the_text(mode: str, text: str) -> None:
    (words,) = segment([text], mode)
    assert all(word.text == text[word.start : word.end] for word in words)
    (words,) = segment([text], mode, fold=True)
    assert all(word.text and word.text in fold(text[word.start : word.end]) for word in words), "½ is two words"


@pytest.mark.parametrize("mode", ONCE)
@given(text=st.text(max_size=60))
@settings(max_examples=40)
def test_only_white_space_is_skipped(mode: str, text: str) -> None:
    (words,) = segment([text], mode)
    remaining = list(text)
    for word in reversed(words):
        del remaining[word.start : word.end]
    assert all(character.isspace() for character in remaining)


@pytest.mark.parametrize("mode", MODES)
def test_batch_equals_single_texts(mode: str) -> None:
    texts = ["研究生命的起源", "", "Hello 世界", "。", "渔港的冰厂今年添了新机器" * 30]
    assert segment(texts, mode) == [segment([text], mode)[0] for text in texts]


def test_parts_of_speech() -> None:
    (words,) = segment(["我爱北京"], tags=True)
    assert words == [Word("我", 0, 1, "r"), Word("爱", 1, 2, "v"), Word("北京", 2, 4, "ns")]
    assert {word.tag for word in segment(["北京"], "fmm", tags=True)[0]} == {"ns"}
    assert segment(["北京"])[0] == [Word("北京", 0, 2)]


def test_the_model_guesses_new_words() -> None:
    assert cut("他来到了网易杭研大厦") == "他 来到 了 网易 杭研 大厦"
    assert cut("他来到了网易杭研大厦", hmm=False) == "他 来到 了 网易 杭 研 大厦"


TRADITIONAL = [
    ("我在小明家吃飯", "我 在 小明家 吃飯"),
    ("臺灣的銀行增長很快", "臺灣 的 銀行 增長 很快"),
    ("茶農說今年採茶比往年早", None),
    ("漁港的冰廠添了新機器，產量翻了一番", None),
    ("乾隆年間的著作", "乾隆年間 的 著作"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("hmm", [True, False])
def test_traditional_text_is_cut_like_its_simplified_form(mode: str, hmm: bool) -> None:
    for text, _ in TRADITIONAL[:-1]:
        (words,) = segment([text], mode, hmm=hmm, tags=True)
        simplified = "".join(fold(character) or character for character in text)
        (others,) = segment([simplified], mode, hmm=hmm, tags=True)
        assert [(word.start, word.end, word.tag) for word in words] == [
            (word.start, word.end, word.tag) for word in others
        ]
        assert all(word.text == text[word.start : word.end] for word in words)


@pytest.mark.parametrize(("text", "expected"), [case for case in TRADITIONAL if case[1]])
def test_traditional_words_keep_their_characters(text: str, expected: str) -> None:
    assert cut(text) == expected


def test_a_traditional_word_of_the_user_is_found_in_both_forms(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("霧角鎮\n", encoding="utf-8")
    assert cut("霧角鎮的船", user_dictionary=file) == "霧角鎮 的 船"
    assert cut("雾角镇的船", user_dictionary=file) == "雾角镇 的 船"


NUMBERS = (
    "3.5/KG", "3.14", "50%", "2019年", "1.2.3", "3.5%", "3.14.15%", "100.5元", "a.b", "a.1", "v1.2-b", "12.0b0", "1.a",
    "C++", "AT&T", "10.", "-3.14", "1,000.50", "第3.5节", "A4纸", "%5", "5%%", "3..5", "x_y", "1-2", "2019-01-02",
    "WES-5.4.5", "每公斤3.5/KG左右",
)  # fmt: skip


def by_jieba(text: str, *, hmm: bool, search: bool) -> list[str]:
    import jieba

    jieba.setLogLevel(60)
    words = jieba.cut_for_search(text, HMM=hmm) if search else jieba.cut(text, HMM=hmm)
    return [word for word in words if not word.isspace()]


@pytest.mark.parametrize("hmm", [True, False])
@pytest.mark.parametrize("mode", ["precise", "search"])
@given(text=st.text("0129aAbZ..%%-+#&_/ 年月日吃饭研究生命", max_size=20))
@settings(max_examples=150)
def test_numbers_and_letters_match_jieba(mode: str, hmm: bool, text: str) -> None:
    assert cut(text, mode, hmm=hmm).split() == by_jieba(text, hmm=hmm, search=mode == "search")


@pytest.mark.parametrize("text", NUMBERS)
@pytest.mark.parametrize("mode", ["precise", "search"])
def test_single_number_matches_jieba(text: str, mode: str) -> None:
    for hmm in (True, False):
        assert cut(text, mode, hmm=hmm).split() == by_jieba(text, hmm=hmm, search=mode == "search")


def test_words_of_the_user(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("青石渔港 100 ns\n\n雾角镇\n臺灣麵線\n", encoding="utf-8")
    assert cut("青石渔港在雾角镇") != "青石渔港 在 雾角镇"
    for mode in ONCE:
        assert cut("青石渔港在雾角镇", mode, user_dictionary=file) == "青石渔港 在 雾角镇"
    (words,) = segment(["青石渔港"], tags=True, user_dictionary=file)
    assert words[0].tag == "ns"
    assert cut("台湾面线", fold=True, user_dictionary=file) == "台湾面线"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("好词 3 n\n坏词 三 n", "line 2: the frequency '三' is not a whole number"),
        ("坏词 3 n 4", "line 1: there are 4 fields"),
        ("坏词 -3", "line 1: '-3' is neither a frequency"),
        ("坏词 3 名词", "line 1: the tag '名词' is not made of letters"),
        ("长" * 65, "line 1: the word has more than 64 characters"),
    ],
)
def test_malformed_dictionary_is_refused_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "words.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        segment([""], user_dictionary=file)


def test_unreadable_dictionary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the dictionary"):
        segment([""], user_dictionary=tmp_path / "missing.txt")
    (tmp_path / "gbk.txt").write_bytes("雾角镇".encode("gbk"))
    with pytest.raises(InputError, match="not UTF-8"):
        segment([""], user_dictionary=tmp_path / "gbk.txt")


def test_stems() -> None:
    assert cut("The farmers farmed 茶园", stem="english") == "The farmer farm 茶园"
    (words,) = segment(["Ｆａｒｍｅｒｓ！"], fold=True, stem="english")
    assert words == [Word("farmer", 0, 7)]
    assert {"english", "german", "russian"} <= set(stem_languages())
    with pytest.raises(UsageError, match="english"):
        segment([""], stem="chinese")


@pytest.mark.parametrize("mode", ["precise", "fmm", "bmm", "bidirectional", "minimum"])
def test_chunks(mode: str) -> None:
    text = "茶园产量的增长，渔港冰厂\nthe old stone  bridge\ud800mill"
    (words,) = segment([text], mode, chunks=True)
    assert [word.text for word in words] == ["茶园产量", "增长", "渔港冰厂", "old stone  bridge", "mill"]
    assert all(text[word.start : word.end] == word.text for word in words)
    (folded,) = segment([text], mode, chunks=True, fold=True, stem="english", tags=True)
    assert [(word.start, word.end) for word in folded] == [(word.start, word.end) for word in words]
    assert (folded[3].text, folded[0].tag) == ("old stone bridg", "n")


@given(text=st.text(st.sampled_from("研究生命的起源臺灣abÉÒª１２ ，。\n\u200b\u0301😀") | st.characters(), max_size=60))
@settings(max_examples=60)
def test_chunks_are_adjacent_words(text: str) -> None:
    (words,) = segment([text], fold=True)
    (chunks,) = segment([text], fold=True, chunks=True)
    starts, ends = {word.start for word in words}, {word.end for word in words}
    assert all(chunk.start in starts and chunk.end in ends for chunk in chunks)
    assert all(before.end <= after.start for before, after in pairwise(chunks))
    folded = joined(words)
    assert all(joined([chunk]) in folded for chunk in chunks)


def test_chunks_of_overlapping_words_are_refused() -> None:
    with pytest.raises(UsageError, match="overlap"):
        segment([""], "full", chunks=True)


def test_unknown_mode_error_lists_modes() -> None:
    with pytest.raises(UsageError, match="bidirectional"):
        segment(["研究"], "fast")


def test_a_lone_surrogate_is_a_mark() -> None:
    (words,) = segment(["渔港\ud800冰厂"])
    assert [word.text for word in words] == ["渔港", "\ud800", "冰厂"]


@pytest.mark.parametrize("mode", MODES)
def test_a_long_text_without_a_mark(mode: str) -> None:
    (words,) = segment(["研究生命的起源" * 20_000], mode)
    assert words[-1].end == 140_000
