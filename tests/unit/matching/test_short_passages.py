"""Requirements of a short passage, and its valid bounds; on generated texts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article

import whorl

TIDES = """The first turbine of the Orrin Sound array was lowered onto its foundation on Monday.
In the course of the study the engineers will measure how much of the tide each tidal stream turbine takes up.
A tidal stream turbine turns slowly, and seals were never seen near the blades. Kelda Morrow, who surveyed the strait,
calls it a drowned cathedral humming beneath indifferent herring shoals, and she returns each spring.
The results of the measurements are expected by the end of the year, as the director of the project said."""

CURRENTS = """Whether tidal stream turbines change the sand banks of a strait is disputed among geologists.
In the course of the study the bottom of the channel was mapped twice, before and after a tidal stream turbine ran.
{quoted}No bank had moved by more than its own height. On the other hand the number of soundings was small,
and the results of the measurements depend on the season, as the authors of the report concede themselves."""

QUOTED = "a drowned cathedral humming beneath indifferent herring shoals"

CHAO = """奥林海峡的第一台潮流能水轮机星期一沉放就位。在这项研究的过程中，工程人员将测量潮流能水轮机取走多少潮水的能量。
水轮机转得很慢，叶片附近没有见到海豹。勘测这片海峡的凯尔达说，那里像一座沉没的钟楼对着鲱鱼低吟，她每年春天都要回来。
项目负责人表示，测量的结果预计在今年年底之前公布。"""

SHA = """潮流能水轮机会不会改变海峡里的沙洲，地质学者看法不一。在这项研究的过程中，航道的水底前后测绘了两次。
{quoted}没有一处沙洲移动得比它自己还高。另一方面，测深的次数不多，报告的作者也承认，测量的结果因季节而异。"""

YIN = "像一座沉没的钟楼对着鲱鱼低吟"


@pytest.mark.parametrize(
    ("source", "text", "quoted", "framed"),
    [
        (TIDES, CURRENTS, QUOTED, "One of them speaks of “{}” instead. "),
        (TIDES, CURRENTS, QUOTED, "Herring aside, {}, if you like. "),
        (CHAO, SHA, YIN, "有人提到“{}”。"),
        (CHAO, SHA, YIN, "传说中的海底{}至今。"),
    ],
)
def test_a_quotation_of_rare_words_is_found(source: str, text: str, quoted: str, framed: str) -> None:
    copy = text.format(quoted=framed.format(quoted))
    (passage,) = whorl.compare(source, copy).passages
    assert quoted in copy[passage.b_start : passage.b_end]
    assert passage.b_end - passage.b_start <= len(quoted) + 12, "what is drawn out to the ends of a clause"


@pytest.mark.parametrize(("source", "text"), [(TIDES, CURRENTS), (CHAO, SHA)])
def test_phrases_of_one_topic_are_no_passages(source: str, text: str) -> None:
    comparison = whorl.compare(source, text.format(quoted=""))
    assert (comparison.passages, comparison.ratios.copied, comparison.relation) == ((), 0.0, "unrelated")


def test_a_short_sentence_counts_among_what_was_copied() -> None:
    short, longer = "潮水退了下去。", article(1, 60)
    after = article(2, 60)
    assert whorl.compare(f"{article(3)}{short}{article(4)}", f"{article(5)}{short}{article(6)}").passages == ()
    moved = f"{article(5)}{longer}{short}{after}{article(6)}"
    passages = whorl.compare(f"{after}{article(3)}{short}{article(4)}{longer}", moved).passages
    assert short in [moved[passage.b_start : passage.b_end] for passage in passages]


WORDS = (
    *("harbour", "harbours", "our", "ourharbour", "x", "3.14", "3,000", "14", "ångström", "e\u0301tude", "m\u0323n"),
    *("文", "潮水", "文our", "ﬁn", "물때", "น้ำ", "\u200bq", "①②", "🌊\u200d🌊", "\ud83c", "\udf0a"),
)
texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", ". ", ", ", "。", "\n"])), min_size=10)
texts = texts.map(lambda parts: "".join(word + gap for word, gap in parts))


@settings(max_examples=400)
@given(texts, texts, texts, st.integers(0, 8), st.integers(0, 8))
def test_passages_begin_and_end_between_words(a: str, before: str, behind: str, start: int, cut: int) -> None:
    b = before + a[start : len(a) - cut] + behind
    for passage in whorl.compare(a, b).passages:
        for text, places in ((a, (passage.a_start, passage.a_end)), (b, (passage.b_start, passage.b_end))):
            for place in places:
                assert not is_split(text, place), (text[:place][-12:], text[place:][:12])


def is_split(text: str, place: int) -> bool:
    """Return True if a position splits a Latin word, a number, or a character and its marks."""
    before, after = text[place - 1 : place], text[place : place + 1]
    if not before or not after:
        return False
    around = [text[place - 2 : place - 1], before, after, text[place + 1 : place + 2]]
    digits = [sign.isascii() and sign.isdigit() for sign in around]
    is_number = (digits[0] and before in ".," and digits[2]) or (digits[1] and after in ".," and digits[3])
    return is_number or (is_letter(before) and is_letter(after)) or unicodedata.combining(after) > 0


def is_letter(sign: str) -> bool:
    return sign.isalnum() and (sign.isascii() or unicodedata.name(sign, "").startswith("LATIN"))
