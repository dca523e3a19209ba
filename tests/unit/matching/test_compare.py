"""The guarantees of `whorl.compare`, on generated articles."""

from __future__ import annotations

import json
import random
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import CHARACTERS, article, edited
from tests.quality.exact import jaccard

import whorl
from whorl.errors import UsageError
from whorl.i18n import speaking
from whorl.matching.compare import Comparing
from whorl.text import fold
from whorl.types.comparison import Passage

BODY = "今天天气很好，适合出门散步，我们一家人到公园里走了一圈，看到了许多花。"
QUOTATIONS = tomllib.loads((Path(__file__).parents[2] / "cases" / "quotations.toml").read_text(encoding="utf-8"))[
    "case"
]
QUOTED = "他说：“明天可能会下雨，大家出门之前记得带伞，小心路滑。”"


def test_sentence_summarizes_the_changes() -> None:
    a = f"今天天气很好\n作者：甲\n{BODY}\n（责任编辑：小明）"
    b = f"天气好极了\n作者：乙\n{BODY.replace('许多', '不少').replace('气', '汽')}\n（责任编辑：小红）"
    with speaking("zh"):
        assert str(whorl.compare(a, b)) == "乙文 100% 见于甲文；改了标题、编辑名、3 个字和 1 个同音字"
    assert (
        str(whorl.compare(a, b, language="en"))
        == "100% of text B is in text A; changed: the title, the byline, 3 characters and 1 homophone"
    )
    assert str(whorl.compare(a, a, language="zh")) == "乙文与甲文相同"
    assert str(whorl.compare(a, article(1), language="zh")) == "未见乙文有甲文的段落"
    assert str(whorl.compare("An article.", "Another story altogether.")).startswith("No passage")


@pytest.mark.parametrize(
    ("a", "b", "relation", "direction"),
    [
        (article(1), article(1), "exact", None),
        (article(1), edited(article(1), 10), "near_duplicate", None),
        (article(1, 400), article(1, 400)[:100], "excerpt", "b"),
        (article(1, 400)[:100], article(1, 400), "excerpt", "a"),
        (article(1, 100) + article(2, 300), article(1, 100) + article(3, 300), "partial", None),
        (article(1), article(2), "unrelated", None),
    ],
)
def test_relation_has_a_direction(a: str, b: str, relation: str, direction: str | None) -> None:
    comparison = whorl.compare(a, b)
    assert (comparison.relation, comparison.direction) == (relation, direction)


def test_moved_blocks_are_separate_passages() -> None:
    blocks = [article(number, 60) for number in range(4)]
    comparison = whorl.compare("".join(blocks), "".join(blocks[2:] + blocks[:2]))
    assert [(passage.a_start, passage.b_start, passage.kind) for passage in comparison.passages] == [
        (132, 0, "verbatim"),
        (0, 132, "verbatim"),
    ]
    assert comparison.changes.order == 1
    assert comparison.ratios.copied == 1.0


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda text: text, "verbatim"),
        (lambda text: text.replace("，", ", "), "typography"),
        (lambda text: text.replace("门", "門").replace("许", "許").replace("气", "氣"), "script"),
        (lambda text: text.replace("天", "天\u200b"), "noise"),
        (lambda text: text.replace("许多", "不少"), "characters"),
        (lambda text: text.replace("气", "汽").replace("花", "华").replace("许", "栩"), "homophones"),
    ],
)
def test_passages_report_their_changes(change: object, kind: str) -> None:
    assert callable(change)
    (passage,) = whorl.compare(BODY, change(BODY)).passages
    assert passage.kind == kind


def test_tricks_are_undone_and_flagged() -> None:
    a = "请加微信 paypal 账号联系我们的客服人员，他们会为您办理退款的全部手续。"
    comparison = whorl.compare(a, a.replace("paypal", "рayрal").replace("客服", "客\u200b服"))
    assert comparison.relation == "exact"
    assert [(flag.kind, flag.text, flag.count) for flag in comparison.flags] == [
        ("hidden", "b", 1),
        ("look_alikes", "b", 2),
    ]


@pytest.mark.parametrize(
    ("exchanged", "count"),
    [
        ({"气": "汽", "花": "华"}, 2),
        ({"气": "汽"}, 0),
        ({"气": "汽", "花": "华", "天": "夫", "门": "闩", "许": "汻"}, 0),
    ],
    ids=["most of what was replaced", "a typing error", "as often as by chance"],
)
def test_homophones_are_flagged_where_they_are_most_of_what_was_replaced(exchanged: dict[str, str], count: int) -> None:
    comparison = whorl.compare(BODY, "".join(exchanged.get(character, character) for character in BODY))
    assert comparison.changes.characters >= len(exchanged)
    assert [flag.count for flag in comparison.flags if flag.kind == "homophones"] == [count] * (count > 0)


def test_exclusions_are_reported() -> None:
    a, b = f"{QUOTED}{article(1)}", f"{QUOTED}{article(2)}"
    assert len(whorl.compare(a, b).passages) == 1
    comparison = whorl.compare(a, b, exclude=["quotations"])
    assert comparison.passages == ()
    assert [(exclusion.reason, exclusion.characters, exclusion.passages) for exclusion in comparison.exclusions] == [
        ("quotations", 26, 1)
    ]
    comparison = whorl.compare(a, b, boilerplate=[QUOTED])
    assert [(exclusion.reason, exclusion.passages) for exclusion in comparison.exclusions] == [("boilerplate", 1)]
    comparison = whorl.compare(a, b, least=1000)
    assert [(exclusion.reason, exclusion.passages) for exclusion in comparison.exclusions] == [("least", 1)]


def test_the_four_ratios() -> None:
    a, b = f"{QUOTED}{BODY}", f"{QUOTED}{article(2, 100)}"
    ratios = whorl.compare(a, b).ratios
    assert ratios.copied == ratios.foreign == ratios.largest > 0.1
    assert ratios.unquoted < ratios.copied
    assert whorl.compare(a, b, authorised=True).ratios.foreign == 0.0


def test_a_source_in_quotation_marks_is_copied_by_a_text_without() -> None:
    quoted = f"“{article(1)}”"
    assert whorl.compare(quoted, article(1), exclude=["quotations"]).ratios.copied == 1.0
    assert whorl.compare(article(1), quoted, exclude=["quotations"]).passages == ()


@pytest.mark.parametrize("around", ["“{}”{}", "{1}“{0}”", "{1}“{0}”{1}"])
def test_only_the_quoted_part_of_a_passage_is_excluded(around: str) -> None:
    quoted, unquoted = article(1, 600), article(2, 200)
    source, text = (mark.format(quoted, unquoted) for mark in (around.replace("“", "").replace("”", ""), around))
    comparison = whorl.compare(source, text, exclude=["quotations"])
    assert (comparison.ratios.copied, comparison.exclusions[0].passages) == (1.0, 0)
    (passage,) = comparison.passages
    assert text[passage.b_start : passage.b_end] == text
    assert source[passage.a_start : passage.a_end] == source
    ratios = whorl.compare(source, text).ratios
    parts = text.count(unquoted)
    assert ratios.unquoted == pytest.approx(parts * len(fold(unquoted)) / len(fold(text)))
    assert ratios.quoted_uncited == pytest.approx(1 - ratios.unquoted)


def test_a_phrase_between_quotations_is_no_passage() -> None:
    text = f"他说：“{article(1)}”她说：“{article(2)}”"
    assert whorl.compare(text, text, exclude=["quotations"]).passages == ()
    comparison = whorl.compare(text + article(3, 20), text + article(3, 20), exclude=["quotations"], least=40)
    assert comparison.exclusions[1].passages == 1, "what is quoted makes a passage no longer"


@pytest.mark.parametrize("case", QUOTATIONS, ids=lambda case: str(case["name"]))
def test_quotations_and_references_are_recognized(case: dict[str, Any]) -> None:
    text = case["input"]
    comparison = whorl.compare(text, text, exclude=["quotations", "references"])
    quotations, references = comparison.exclusions
    assert quotations.characters == sum(map(len, case.get("quoted", [])))
    assert references.characters == sum(map(len, case.get("references", [])))
    uncited = sum(len(fold(quotation)) for quotation in case.get("uncited", []))
    share = whorl.compare(text, text).ratios.quoted_uncited
    assert bool(share) == bool(uncited)
    if "\n" not in text:
        assert share == pytest.approx(uncited / len(fold(text)))


def test_a_composition_adds_up_what_is_quoted() -> None:
    sources = [article(number, 120) for number in range(3)]
    composition = whorl.compare_sources(sources, f"{sources[0]}“{sources[1]}”\n船老大说：“{sources[2]}”")
    ratios = composition.ratios
    assert ratios.copied > ratios.unquoted == pytest.approx(1 / 3, abs=0.01)
    assert ratios.quoted_uncited == pytest.approx(1 / 3, abs=0.01)


def test_learned_boilerplate_is_what_many_texts_have() -> None:
    notice = "未经授权不得转载本网站的任何内容。"
    texts = [f"{article(number)}{notice}" for number in range(6)]
    assert whorl.words.learn_boilerplate(texts) == [notice]
    assert whorl.compare(texts[0], texts[1], boilerplate=[notice]).passages == ()
    with pytest.raises(UsageError, match="texts_with"):
        whorl.words.learn_boilerplate(texts, texts_with=1)


def test_boilerplate_does_not_support_adjacent_phrases() -> None:
    notice = "本报所有文章版权均属本报所有，未经书面授权不得转载、摘编或者以其他方式使用，违者必究。\n"
    a = f"{notice}渔港的冰厂今年夏天添了两台新机器，老船长说够用了。双方要在重大关切问题上继续相互理解和支持。"
    b = f"{notice}山上的果园去年冬天冻坏了许多树苗，农户们正在补种。愿就重大问题和关切继续支持、相互理解。"
    comparison = whorl.compare(a, b, boilerplate=[notice])
    assert (comparison.relation, comparison.passages) == ("unrelated", ())
    assert [(exclusion.reason, exclusion.passages) for exclusion in comparison.exclusions] == [("boilerplate", 1)]


def test_boilerplate_within_a_copy_is_part_of_its_passage() -> None:
    notice = "未经授权不得转载本网站的任何内容。"
    text = f"{article(1)}{notice}{article(2)}"
    (passage,) = whorl.compare(text, edited(text, 4), boilerplate=[notice]).passages
    assert (passage.a_start, passage.a_end) == (0, len(text))


def test_a_copy_that_is_boilerplate_for_the_most_part_is_a_copy() -> None:
    notice = "本报所有文章版权均属本报所有，未经书面授权不得转载、摘编或者以其他方式使用，违者必究。\n"
    brief = "渔港的冰厂今年夏天添了两台新机器，老船长说够用了。"
    assert len(notice) > len(brief)
    (passage,) = whorl.compare(f"{brief}{notice}", f"{brief}{notice}", boilerplate=[notice]).passages
    assert (passage.b_start, passage.b_end) == (0, len(f"{brief}{notice}".strip()))
    later = brief.replace("两台", "三台")
    assert whorl.compare(f"{brief}{notice}", f"{later}{notice}", boilerplate=[notice]).passages


@pytest.mark.parametrize(
    ("first", "second"), [("王小明", "李大伟"), ("", ""), ("渔港的冰厂今年添了新机器", "渔港的冰厂去年拆了旧房子")]
)
def test_forms_filled_in_are_no_copies(first: str, second: str) -> None:
    form = "兹证明{}同志系我单位在职职工，特此证明，本证明仅供办理户籍手续使用，不作其他任何用途，单位盖章有效。"
    notice = form.split("{}")
    comparison = whorl.compare(form.format(first), form.format(second), boilerplate=notice)
    assert comparison.passages == ()


def test_stretches_belong_to_one_source() -> None:
    parts = [article(number, 100) for number in range(3)]
    mosaic = "".join(parts)
    sources = [article(9), parts[1] + article(10), parts[0] + parts[1], parts[2]]
    composition = whorl.compare_sources(sources, mosaic, authorised=[3])
    assert [(passage.source, passage.b_start, passage.b_end) for passage in composition.passages] == [
        (2, 0, 220),
        (3, 220, 330),
    ]
    assert (composition.relation, composition.shares[:2], composition.reprint) == ("compilation", (0.0, 0.0), True)
    assert composition.ratios.copied == pytest.approx(1.0)
    assert composition.ratios.foreign == composition.ratios.largest == pytest.approx(2 / 3)
    assert composition.describe("zh") == "全文 100% 见于 2 篇来源：第 3 篇 67%、第 4 篇 33%"
    assert whorl.compare_sources([], mosaic).relation == "unrelated"


def test_a_stretch_belongs_to_the_source_that_has_it_most_alike() -> None:
    blocks = [article(number, 150) for number in range(3)]
    text = "".join(blocks)
    composition = whorl.compare_sources([edited(text, 8), blocks[1], blocks[1][40:100]], text)
    middle = (len(blocks[0]), len(blocks[0]) + len(blocks[1]))
    assert [(passage.source, passage.b_start, passage.b_end) for passage in composition.passages] == [
        (0, 0, middle[0]),
        (1, *middle),
        (0, middle[1], len(text)),
    ]
    assert composition.shares == (pytest.approx(2 / 3), pytest.approx(1 / 3), 0.0)
    assert len(composition.comparisons) == 2
    by_weight = whorl.compare_sources([blocks[1], text], text)
    assert [passage.source for passage in by_weight.passages] == [1]


def test_clause_by_clause_rewrite_is_one_passage() -> None:
    clauses = [[article(10 * number + part, 30).replace("。", "") for part in range(3)] for number in range(8)]
    reworded = [[edited(clause, 7) for clause in reversed(sentence)] for sentence in clauses]
    source, copy = ("".join(f"{'，'.join(sentence)}。" for sentence in text) for text in (clauses, reworded))
    (passage,) = whorl.compare(f"{article(90)}{source}", f"{article(91)}{copy}").passages
    assert passage.b_end - passage.b_start > 0.9 * len(copy)
    exchanged = "".join(f"{clause}。" for sentence in clauses for clause in reversed(sentence))
    assert len(whorl.compare(source.replace("，", "。"), exchanged).passages) == 24, "the same but for its order"


@pytest.mark.parametrize("count", [2, 40, 400])
def test_batch_equals_single_comparisons(count: int) -> None:
    """Small batches are compared by the calling thread, others by several, large ones with a cache of texts."""
    articles = [article(number) for number in range(count)]
    pairs = [(articles[number // 2], edited(text, number % 40)) for number, text in enumerate(articles)]
    pairs += [(text, articles[0]) for text in articles[1::2]]
    expected = [whorl.compare(a, b) for a, b in pairs]
    assert whorl.compare_many(pairs) == expected
    assert whorl.compare_many(pairs[::-1]) == expected[::-1]


def test_an_empty_batch_has_no_comparisons() -> None:
    assert whorl.compare_many([]) == []


def test_a_comparison_is_plain_data() -> None:
    data = json.loads(json.dumps(whorl.compare(BODY, BODY).to_dict()))
    assert (data["similarity"], data["relation"], data["sentence"]) == (1.0, "exact", "Text B is the same as text A")
    assert json.loads(json.dumps(whorl.compare_sources([BODY], BODY).to_dict()))["shares"] == [1.0]


@pytest.mark.parametrize("options", [{"exclude": "quotations"}, {"exclude": ["quotes"]}, {"least": -1}, {"reprint": 0}])
@pytest.mark.parametrize("more", [{}, {"language": "fr"}, {"boilerplate": "a text"}, {"unknown": 1}])
def test_out_of_range_values_are_refused(options: dict[str, object], more: dict[str, object]) -> None:
    for refused in (options, more):
        if refused:
            with pytest.raises(UsageError):
                whorl.compare(BODY, BODY, **refused)
    with pytest.raises(UsageError, match="expected texts of type str"):
        whorl.compare(BODY, None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="authorised"):
        whorl.compare_sources([BODY], BODY, authorised=[1])
    assert Comparing().reprint == 0.7


@pytest.mark.parametrize("text", ["", " \r\n", "甲", "a", "\x00", "\ud800", "。", "甲\x00乙\ud800丙"])
def test_odd_texts_have_a_plain_answer(text: str) -> None:
    same = whorl.compare(text, text)
    featured = bool(fold(text))
    assert same.relation == ("exact" if featured else "unrelated")
    assert same.similarity == same.ratios.copied == float(featured)
    assert whorl.compare(text, BODY).relation == whorl.compare(BODY, text).relation == "unrelated"


@pytest.mark.parametrize("unit", ["a", "ab ", "今天天气很好。", "The same sentence. "])
def test_repetitive_text_is_one_passage(unit: str) -> None:
    comparison = whorl.compare("开头" + unit * 4000 + "结束", "别的" + unit * 5000 + "完了")
    assert len(comparison.passages) == 1
    assert comparison.ratios.copied > 0.75


signs = st.sampled_from([*"天地人好ab ，。\r\n", "é", "e\u0301", "Ａ", "𠮷", "\u200b", "①", "ﬁ", "\ud800"])


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 150)), max_size=4),
    st.lists(signs, max_size=30).map("".join),
    st.integers(0, 2**32),
)
def test_passage_similarity_matches_its_stretches(blocks: list[tuple[int, int]], odd: str, seed: int) -> None:
    rng = random.Random(seed)
    a = odd + "".join(article(number)[:end] for number, end in blocks) + odd[::-1]
    b = list("".join(article(number)[: end + 20] for number, end in reversed(blocks)) + odd)
    for _ in range(len(b) // 12):
        place = rng.randrange(len(b))
        b[place] = rng.choice(["", b[place] + rng.choice(CHARACTERS), rng.choice(CHARACTERS), *odd[:3]])
    copy = "".join(b)
    comparison = whorl.compare(a, copy)
    assert comparison.similarity == pytest.approx(jaccard(a, copy))
    covered: set[int] = set()
    for passage in comparison.passages:
        check(passage, a, copy)
        assert covered.isdisjoint(range(passage.b_start, passage.b_end))
        covered.update(range(passage.b_start, passage.b_end))


stretches = st.tuples(
    st.integers(0, 5), st.integers(0, 120), st.sampled_from(["{}", "“{}”", "“{}", "{}”", "说：“{}”", "《{}》"])
)


@given(st.lists(stretches, max_size=6), st.sampled_from(["", "\n", "\n参考文献\n[1] 甲. 书[M]. 2019.\n"]))
def test_quoted_text_does_not_affect_the_rest(blocks: list[tuple[int, int, str]], between: str) -> None:
    a = "".join(article(number)[:length] for number, length, _ in blocks)
    b = between.join(around.format(article(number)[:length]) for number, length, around in blocks)
    comparison = whorl.compare(a, b)
    ratios = comparison.ratios
    assert 0 <= ratios.unquoted <= ratios.copied
    assert 0 <= ratios.quoted_uncited <= ratios.copied - ratios.unquoted + 1e-9
    remaining = whorl.compare(a, b, exclude=["quotations", "references"])
    assert (remaining.ratios.unquoted, remaining.ratios.quoted_uncited) == (remaining.ratios.copied, 0)
    dropped = sum(exclusion.passages for exclusion in remaining.exclusions)
    assert {*remaining.passages} <= {*comparison.passages}
    assert len(comparison.passages) == len(remaining.passages) + dropped
    body = max(1, len(fold(b)))
    assert remaining.ratios.copied >= ratios.unquoted - 12 * dropped / body, (
        "less than a passage of each that is dropped"
    )
    composed = whorl.compare_sources([a, b[::-1]], b).ratios
    assert composed.unquoted <= composed.copied
    assert composed.quoted_uncited <= composed.copied


def check(passage: Passage, a: str, b: str) -> None:
    first, other = fold(a[passage.a_start : passage.a_end]), fold(b[passage.b_start : passage.b_end])
    assert 0 < passage.similarity <= 1
    assert passage.matched <= (Counter(first) & Counter(other)).total()
    assert passage.matched + passage.replaced + passage.deleted == len(first)
    assert passage.matched + passage.replaced + passage.inserted == len(other)
    assert (passage.similarity == 1.0) == (first == other)
    assert passage.similarity == pytest.approx(2 * passage.matched / (len(first) + len(other)))


def test_sentence_language_is_the_requested_or_that_of_the_text() -> None:
    texts = ["别的文章。"], "这一篇谁也没有写过。"
    spoken, composition = whorl.compare_sources(*texts), whorl.compare_sources(*texts, language="en")
    with speaking("zh"):
        assert [str(spoken), str(composition)] == [
            "待检文本未见有来源的段落",
            "No passage of a source was found in the text",
        ]
        assert spoken.to_dict()["sentence"] == composition.to_dict()["sentence"] == str(composition)
    assert (
        str(whorl.compare_sources(["Another one."], "Nobody wrote this."))
        == "No passage of a source was found in the text"
    )


def test_the_sources_come_first() -> None:
    with pytest.raises(UsageError, match="sources is a text") as caught:
        whorl.compare_sources(BODY, [BODY])  # type: ignore[arg-type]
    assert "then the examined text" in caught.value.hint
