"""Commentary in editions of the classics: what is recognized, what is not, and balanced brackets."""

import random
from itertools import accumulate

import pytest

from whorl.errors import UsageError
from whorl.text.commentary import MAX_NOTE, commentary, outside

COLLECTED = (
    "子曰：「學而時習之，不亦說乎？{說、悅同。學之為言效也。人性皆善，而覺有先後。}有朋自遠方來，不亦樂乎？{樂，音洛。朋，同類也。}"
    "人不知而不慍，不亦君子乎？」{慍，紆問反。慍，含怒意。}有子曰：「其為人也孝弟，而好犯上者，鮮矣；{弟、好，皆去聲。有子，孔子弟子，"
    "名若。}不好犯上，而好作亂者，未之有也。"
)
"""Two chapters of the Analects with notes of Zhu Xi, in braces."""
TEXT = (
    "子曰：「學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？」有子曰：「其為人也孝弟，而好犯上者，鮮矣；不好犯上，"
    "而好作亂者，未之有也。"
)
LINES = """子曰：「學而時習之，不亦說乎？
注：馬曰：子者，男子之通稱，謂孔子也。
疏：正義曰：此章勸人學為君子也。
有朋自遠方來，不亦樂乎？
注：包曰：同門曰朋。
人不知而不慍，不亦君子乎？」
注：慍，怒也。凡人有所不知，君子不怒。
"""
RECORDS = """黃帝者，
【集解】徐廣曰：「號有熊。」【索隱】案：有土德之瑞，土色黃，故稱黃帝。
少典之子，【集解】譙周曰：「有熊國君，少典之子也。」
姓公孫，名曰軒轅。【正義】軒轅之時，神農氏世衰。
生而神靈，弱而能言，
【索隱】
言其言語不待成長也。
幼而徇齊，長而敦敏，成而聰明。
"""


def text_of(edition: str, brackets: str | None = None) -> str:
    """Return an edition without its commentary."""
    return "".join(edition[start:end] for start, end in outside(commentary(edition, brackets), len(edition)))


@pytest.mark.parametrize("pair", ["【】", "〔〕", "〖〗", "〈〉", "（）", "()", "［］", "[]"])
def test_notes_in_brackets_are_commentary(pair: str) -> None:
    assert text_of(COLLECTED.translate(str.maketrans("{}", pair))) == TEXT


@pytest.mark.parametrize("pair", ["《》", "「」", "『』", "“”", "{}"])
def test_titles_and_speech_are_text(pair: str) -> None:
    assert commentary(COLLECTED.translate(str.maketrans("{}", pair))) == []


def test_named_brackets_are_commentary_anywhere() -> None:
    edition = "宝玉听了【侧批：妙！】，忙走出来（他原在里间）。【夹批：是。】"
    assert commentary(edition) == []
    assert text_of(edition, "【】") == "宝玉听了，忙走出来（他原在里间）。"
    assert text_of(edition, "【】（）") == "宝玉听了，忙走出来。"


@pytest.mark.parametrize(("name", "other"), [("注", "疏"), ("〔注〕", "〔疏〕"), ("鄭箋", "孔疏"), ("集解", "正義")])
def test_lines_with_the_name_of_a_commentary_are_commentary(name: str, other: str) -> None:
    edition = LINES.replace("注：", f"{name}：").replace("疏：", f"{other}：")
    assert text_of(edition).split() == [
        "子曰：「學而時習之，不亦說乎？",
        "有朋自遠方來，不亦樂乎？",
        "人不知而不慍，不亦君子乎？」",
    ]


def test_commentary_follows_a_label_in_brackets() -> None:
    assert text_of(RECORDS).split() == [
        *("黃帝者，", "少典之子，", "姓公孫，名曰軒轅。"),
        *("生而神靈，弱而能言，", "幼而徇齊，長而敦敏，成而聰明。"),
    ]


def test_a_label_of_the_text_ends_commentary() -> None:
    edition = "【經】元年春王正月。【傳】元年春王周正月，不書即位，攝也。" * 3 + "之也而其曰者矣" * 5
    annotated = edition.replace("【傳】", "【注】")
    assert text_of(annotated) == "【經】元年春王正月。" * 3
    assert commentary(edition) == []


@pytest.mark.parametrize(
    "notes",
    [
        pytest.param(["一百二十一", "一百二十二", "一百二十三", "一百二十四"], id="footnote marks"),
        pytest.param(["學", "樂朋", "慍", "孝弟"], id="emended characters"),
        pytest.param(["孔子弟子"] * 4, id="a repeated label"),
        pytest.param(["說、悅同，喜意也。", "樂，音洛，喜也。"], id="two notes"),
        pytest.param(["學" * MAX_NOTE, "時" * MAX_NOTE, "習" * MAX_NOTE, "之" * MAX_NOTE], id="unbalanced brackets"),
    ],
)
def test_other_uses_of_brackets_are_text(notes: list[str]) -> None:
    pieces = TEXT.split("，")
    edition = "，".join(f"{piece}〔{note}〕" for piece, note in zip(pieces, notes, strict=False)) + TEXT
    assert commentary(edition) == []


def test_rare_notes_are_text() -> None:
    edition = COLLECTED.translate(str.maketrans("{}", "【】"))
    assert len(commentary(edition + TEXT * 20)) == 4
    assert commentary(edition + TEXT * 100) == []


def test_headings_are_text() -> None:
    chapters = [
        f"【{name}第{number}】\n{TEXT}\n"
        for number, name in enumerate(["學而篇論", "為政篇論", "八佾篇論", "里仁篇論"])
    ]
    assert commentary("".join(chapters)) == []


def test_modern_texts_have_no_commentary() -> None:
    clause = "市政府（十一月六日上午）宣布的新办法（全文见第三版）将从下月起（不含节假日）实施，意见（约百条）已采纳。"
    assert commentary(clause * 5) == []
    assert commentary(f"{clause}\n注：数据来自统计局。\n注：以上为初步数据。\n注：不含县区。\n") == []


def test_notes_in_modern_language_are_commentary() -> None:
    notes = iter(["时习：按时温习的意思。", "朋：志同道合的人。", "愠：心里的怨恨。", "弟：敬爱兄长的品德。"])
    pieces = COLLECTED.replace("}", "{").split("{")
    edition = "".join(piece if number % 2 == 0 else f"（{next(notes)}）" for number, piece in enumerate(pieces))
    assert text_of(edition) == TEXT


@pytest.mark.parametrize("brackets", ["", "【", "【】（", "【【", "ab", "  "])
def test_unusable_brackets_are_refused(brackets: str) -> None:
    with pytest.raises(UsageError, match="pairs of brackets"):
        commentary(TEXT, brackets)


def outermost(text: str, opening: str, closing: str) -> list[tuple[int, int]]:
    """Return the outermost balanced brackets of at most the maximum length, by definition."""
    balanced = []
    for start, mark in enumerate(text):
        depths = accumulate({opening: 1, closing: -1}.get(other, 0) for other in text[start:])
        end = next((end for end, depth in enumerate(depths, start + 1) if depth == 0), None)
        if mark == opening and end is not None and end - start <= MAX_NOTE:
            balanced.append((start, end))
    return [a for a in balanced if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in balanced)]


@pytest.mark.parametrize("seed", range(40))
def test_brackets_are_those_of_the_definition(seed: int) -> None:
    source = random.Random(seed)
    weights = [1, 1, source.choice([1, 8, 1500])]
    text = "".join(source.choices("【】之", weights, k=source.choice([3, 30, 4000])))
    assert commentary(text, "【】") == outermost(text, "【", "】")
