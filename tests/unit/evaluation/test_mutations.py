import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import UsageError
from whorl.evaluation.mutations import KINDS, CopiedPassage, MutatedCopy, kinds_for, mutate, others_needed

ZH = """本报记者 测试员
河边的集市今天开门。卖菜的人起得最早，他们在天亮之前就把菜摆好了！你问价格？价格写在木板上，已经写了3次。
下午下了一场雨，因为没有棚子，大家都躲到桥下。“雨停了再卖。”一位老人说。孩子们却在雨里跑来跑去，非常高兴。
到了晚上，灯一盏一盏亮起来。桥上的音乐响了，有人跳舞，有人唱歌。目前集市每周开放两次，预计明年增加到三次。
最后一个摊位收走的时候，月亮已经很高了。"""
ZH_HOSTS = (
    "山顶的气象站只有两个人。他们轮流看云，也轮流做饭。冬天风很大，门要用绳子拴住。春天一到，第一件事是修屋顶。",
    "图书馆的猫叫目录。它睡在历史类的书架上。有读者想借那一排书，就要先跟它商量。它通常会同意，条件是一条小鱼。",
)
EN = """By A. Tester
The market by the river opened today. The growers came first, and laid out their beans before the sun was up!
What do they cost? The price is written on a small board, because nobody likes to ask. It rose 3.5 per cent in May.
In the afternoon it began to rain, and the whole crowd waited under the bridge. “It will stop,” an old man said.
At night the lamps came on one by one. Somebody played a slow tune. The last stall left when the moon was very high."""
EN_HOSTS = (
    "Two people keep the weather station. They take turns to watch the clouds. In spring they mend the roof.",
    "The library cat is called Index. It sleeps on the history shelf. It usually lends the books, for a fish.",
)
TEXTS = {"zh": (ZH, ZH_HOSTS), "en": (EN, EN_HOSTS)}
CASES = [(language, kind) for language in ("zh", "en") for kind in kinds_for(language)]
UNEDITED = {
    "verbatim", "retitle", "boilerplate", "sent_shuffle", "para_shuffle", "drop20", "drop50", "excerpt20", "excerpt40",
    "excerpt60", "embed20", "embed50", "mix2", "mix3", "truncated", "short",
}  # fmt: skip
SEEDS = range(20)


def copy_of(language: str, kind: str, seed: int = 1) -> MutatedCopy:
    text, hosts = TEXTS[language]
    return mutate(text, kind, seed, others=hosts[: others_needed(kind)])


def source_stretch(language: str, passage: CopiedPassage) -> str:
    text, hosts = TEXTS[language]
    return (text, *hosts)[passage.source][passage.source_start : passage.source_end]


def copied_stretch(copy: MutatedCopy, passage: CopiedPassage) -> str:
    return copy.text[passage.copy_start : passage.copy_end]


def han(text: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff]", text)


def test_the_kinds_are_the_twenty_seven_of_the_truth_sets() -> None:
    assert len(KINDS) == 27
    assert kinds_for("zh") == KINDS
    assert set(KINDS) - set(kinds_for("en")) == {"homophone3", "homophone10", "trad"}


@pytest.mark.parametrize(("language", "kind"), CASES)
def test_the_same_arguments_give_the_same_copy(language: str, kind: str) -> None:
    assert copy_of(language, kind, seed=7) == copy_of(language, kind, seed=7)


@pytest.mark.parametrize(("language", "kind"), CASES)
def test_every_kind_but_verbatim_changes_the_text(language: str, kind: str) -> None:
    text, _ = TEXTS[language]
    assert (copy_of(language, kind).text == text) == (kind == "verbatim")


@pytest.mark.parametrize(("language", "kind"), CASES)
def test_passages_lie_inside_the_copy_in_order_and_touch_no_source_twice(language: str, kind: str) -> None:
    for seed in SEEDS:
        copy = copy_of(language, kind, seed)
        assert copy.kind == kind
        assert copy.passages
        ends = [0, *(passage.copy_end for passage in copy.passages)]
        for end, passage in zip(ends, copy.passages, strict=False):
            assert end <= passage.copy_start < passage.copy_end <= len(copy.text)
            assert source_stretch(language, passage)
        spans = sorted((passage.source, passage.source_start, passage.source_end) for passage in copy.passages)
        for (source, _, end), (next_source, start, _) in itertools.pairwise(spans):
            assert source < next_source or end <= start


@pytest.mark.parametrize(("language", "kind"), [case for case in CASES if case[1] in UNEDITED])
def test_without_edits_the_copied_stretch_is_the_source_stretch(language: str, kind: str) -> None:
    for seed in SEEDS:
        copy = copy_of(language, kind, seed)
        for passage in copy.passages:
            assert copied_stretch(copy, passage) == source_stretch(language, passage)


@pytest.mark.parametrize(
    ("language", "kind"), [case for case in CASES if case[1] not in UNEDITED | {"combo", "short_typo"}]
)
def test_edits_inside_sentences_do_not_split_the_passage(language: str, kind: str) -> None:
    copy = copy_of(language, kind)
    text, _ = TEXTS[language]
    assert [(passage.source_start, passage.source_end) for passage in copy.passages] == [(0, len(text))]
    assert copied_stretch(copy, copy.passages[0]) == copy.text


@pytest.mark.parametrize(
    ("kind", "rate"), [("typo1", 0.01), ("typo5", 0.05), ("typo10", 0.10), ("homophone3", 0.03), ("homophone10", 0.10)]
)
def test_character_edits_replace_the_stated_share_of_han(kind: str, rate: float) -> None:
    copy = copy_of("zh", kind)
    changed = [before for before, after in zip(ZH, copy.text, strict=True) if before != after]
    assert changed == han("".join(changed))
    assert len(changed) == round(rate * len(han(ZH)))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_noise_is_removable(language: str) -> None:
    text, _ = TEXTS[language]
    rates = {round((len(copy_of(language, "noise", seed).text) / len(text) - 1) * 100) for seed in SEEDS}
    assert rates == {2, 5, 10}
    assert re.sub(r"[\u200b-\u200d\u2060\ufeff*_~|^·※★]", "", copy_of(language, "noise").text) == text


@pytest.mark.parametrize("language", ["zh", "en"])
def test_boilerplate_is_about_a_fifth_of_the_copy_and_the_article_is_whole(language: str) -> None:
    copy = copy_of(language, "boilerplate")
    text, _ = TEXTS[language]
    assert text in copy.text
    assert 0.2 <= 1 - len(text) / len(copy.text) <= 0.4


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("kind", "share"), [("excerpt20", 0.2), ("excerpt40", 0.4), ("excerpt60", 0.6)])
def test_an_excerpt_is_one_run_of_at_least_its_share(language: str, kind: str, share: float) -> None:
    text, _ = TEXTS[language]
    for seed in SEEDS:
        copy = copy_of(language, kind, seed)
        assert len(copy.passages) == 1
        assert share * len(text) <= len(copy.text) + 1 < len(text)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_short_copies_have_40_to_139_characters(language: str) -> None:
    assert all(40 <= len(copy_of(language, "short", seed).text) < 140 for seed in SEEDS)


def test_a_sentence_too_long_for_a_short_copy_is_cut() -> None:
    copy = mutate("长" * 500, "short", 1)
    assert copy.text == "长" * 139
    assert copy.passages == (CopiedPassage(0, 0, 139, 0, 139),)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_shuffle_keeps_every_sentence(language: str) -> None:
    text, _ = TEXTS[language]
    for kind in ("sent_shuffle", "para_shuffle"):
        copy = copy_of(language, kind)
        assert sorted(copy.text.replace("\n", "").replace(" ", "")) == sorted(text.replace("\n", "").replace(" ", ""))
        assert len(copy.passages) > 1


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("kind", ["embed20", "embed50", "mix2", "mix3"])
def test_mixed_copies_take_from_every_article(language: str, kind: str) -> None:
    copy = copy_of(language, kind)
    assert {passage.source for passage in copy.passages} == set(range(others_needed(kind) + 1))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_retitle_puts_another_byline_in_place_of_the_first_line(language: str) -> None:
    text, _ = TEXTS[language]
    byline, body = text.split("\n", 1)
    first, rest = copy_of(language, "retitle").text.split("\n", 1)
    assert first != byline
    assert rest.rsplit("\n", 1)[0] == body


def test_retitle_keeps_a_first_line_that_is_a_sentence() -> None:
    assert "今天下雨。\n明天晴。" in mutate("今天下雨。\n明天晴。", "retitle", 1).text


def test_trad_writes_traditional_characters_in_place() -> None:
    assert mutate("这条马路经过图书馆。", "trad", 1).text == "這條馬路經過圖書館。"


def test_width_punct_changes_widths_one_for_one() -> None:
    assert mutate("售价3元，真的？买了A款。", "width_punct", 1).text == "售价３元,真的?买了Ａ款."
    english = {mutate("Yes, all 3!", "width_punct", seed).text for seed in SEEDS}
    assert english == {"Yes， all 3！", "Ｙｅｓ， ａｌｌ ３！"}


def test_english_synonyms_replace_whole_words_and_keep_capitals() -> None:
    copies = {mutate("Perhaps the shop is small; shopping is smaller.", "synonym", seed).text for seed in SEEDS}
    assert "Maybe the store is little; shopping is smaller." in copies


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (ZH, "rot13", "no mutation named 'rot13'"),
        (EN, "trad", "needs a Chinese text"),
        (ZH, "mix3", "needs 3 other articles, got 1"),
        (" \n", "verbatim", "blank text"),
    ],
)
def test_impossible_mutations_are_refused_with_a_hint(text: str, kind: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        mutate(text, kind, 1)
    assert caught.value.hint


@given(
    st.text(alphabet="雨后的街，。！ab.?” \n；").filter(str.strip), st.sampled_from(kinds_for("en")), st.integers(0, 9)
)
def test_any_text_that_is_not_blank_can_be_copied(text: str, kind: str, seed: int) -> None:
    copy = mutate(text, kind, seed, others=("甲。乙。", "丙。丁。"))
    for passage in copy.passages:
        assert passage.copy_start <= passage.copy_end <= len(copy.text)
        if kind in UNEDITED and passage.source == 0:
            assert copied_stretch(copy, passage) == text[passage.source_start : passage.source_end]
