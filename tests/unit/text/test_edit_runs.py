"""Changes of words between two stretches."""

from hypothesis import given
from hypothesis import strategies as st

from whorl.text import edit_runs, fold

_TEXT = st.text(st.sampled_from("在再这里里甲乙丙，。, aAbB\n\u200b\ud800𠮷的"), max_size=60)


def kinds(a: str, b: str) -> list[tuple[str, str, str]]:
    return [(run.kind, a[run.a_start : run.a_end], b[run.b_start : run.b_end]) for run in edit_runs(a, b)]


def test_spelling_variants_differ_from_other_words() -> None:
    assert kinds("今天天气很好，散步", "今天天氣很差,散") == [
        ("same", "今天天", "今天天"),
        ("form", "气", "氣"),
        ("same", "很", "很"),
        ("replaced", "好", "差"),
        ("form", "，", ","),
        ("same", "散", "散"),
        ("deleted", "步", ""),
    ]


def test_other_punctuation_is_another_form() -> None:
    assert kinds("甲。乙", "甲.乙") == [("same", "甲", "甲"), ("form", "。", "."), ("same", "乙", "乙")]


def test_homophones_are_named() -> None:
    assert ("homophones", "在", "再") in kinds("他在家里", "他再家里")


def test_words_of_letters_stay_whole() -> None:
    assert kinds("The old stone bridge", "The bridge will close") == [
        ("same", "The ", "The "),
        ("deleted", "old stone ", ""),
        ("same", "bridge", "bridge "),
        ("inserted", "", "will close"),
    ]


@given(a=_TEXT, b=_TEXT)
def test_the_runs_are_the_texts_again(a: str, b: str) -> None:
    result = kinds(a, b)
    assert "".join(value for _, value, _ in result) == a
    assert "".join(other for _, _, other in result) == b
    assert all(fold(value) == fold(other) for kind, value, other in result if kind in ("same", "form"))
    assert all(bool(value) == (kind != "inserted") for kind, value, _ in result)
    assert all(bool(other) == (kind != "deleted") for kind, _, other in result)


def test_long_stretches_are_cut_at_what_is_unique_in_both() -> None:
    a = "".join(f"第{number}句话，说的是一件事。" for number in range(4_000))
    b = a.replace("第1999句话", "第1999句画").replace("第7句", "")
    changed = [change for change in kinds(a, b) if change[0] != "same"]
    assert [kind for kind, _, _ in changed] == ["deleted", "homophones"]
    assert changed[1][1] == "话"


def test_repetitive_text_is_one_change() -> None:
    result = edit_runs("的" * 30_000 + "甲" + "的" * 30_000, "的" * 30_000 + "乙" * 2 + "的" * 29_000)
    assert result[0].kind == "same"
    assert len(result) <= 5
