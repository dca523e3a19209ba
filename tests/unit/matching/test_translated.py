"""Comparison of texts in two languages: aligned paragraphs of translations."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.translated import ITS_TRANSLATION, OTHER_YEAR, REPORT, TERMS, TRANSLATION, WITHOUT_FACTS

import whorl
from whorl.errors import InputError, UsageError
from whorl.matching.relation import check_directed
from whorl.text.glossary import read_glossary

STRANGER = "山区明天有雨，出门请记得带伞。\n道路可能积水，请绕行。"


@pytest.mark.parametrize("pair", [(REPORT, TRANSLATION), (TRANSLATION, REPORT)], ids=["to English", "to Chinese"])
def test_a_translation_is_aligned_by_paragraph_and_nothing_is_copied(pair: tuple[str, str]) -> None:
    comparison = whorl.compare(*pair)
    assert (comparison.relation, comparison.direction, comparison.reprint) == ("translation", None, False)
    assert (comparison.ratios.translated, comparison.ratios.copied, comparison.ratios.reworded) == (1.0, 0.0, 0.0)
    assert comparison.confidence >= 0.7
    assert [passage.kind for passage in comparison.passages] == ["translated"] * 3
    for number, passage in enumerate(comparison.passages):
        for text, start, end in zip(
            pair, (passage.a_start, passage.b_start), (passage.a_end, passage.b_end), strict=True
        ):
            assert text.split("\n")[number].startswith(text[start:end])


def test_offsets_are_those_of_the_texts_around_it() -> None:
    comparison = whorl.compare(TRANSLATION, f"{STRANGER}\n{REPORT}\n{STRANGER}")
    assert comparison.relation == "translation"
    assert 0.5 < comparison.ratios.translated < 1
    assert comparison.passages[0].b_start == len(STRANGER) + 1


@pytest.mark.parametrize("other", [OTHER_YEAR, ITS_TRANSLATION, TRANSLATION.split("\n")[0]])
def test_a_text_with_other_facts_is_no_translation(other: str) -> None:
    comparison = whorl.compare(REPORT, other)
    assert (comparison.relation, comparison.ratios.translated) == ("unrelated", 0.0)


def test_terms_are_evidence() -> None:
    assert whorl.compare(WITHOUT_FACTS, ITS_TRANSLATION).relation == "unrelated"
    assert whorl.compare(WITHOUT_FACTS, ITS_TRANSLATION, terms=TERMS).relation == "translation"
    others = [(chinese, "unheard of") for chinese, _ in TERMS]
    assert whorl.compare(WITHOUT_FACTS, ITS_TRANSLATION, terms=others).relation == "unrelated"


def test_many_comparisons_give_the_same_and_can_leave_translations_out() -> None:
    pairs = [(REPORT, TRANSLATION), (REPORT, OTHER_YEAR)]
    assert whorl.compare_many(pairs) == [whorl.compare(*pair) for pair in pairs]
    assert whorl.compare_many(pairs, content=False)[0].relation == "unrelated"


def test_of_two_sources_the_translated_one_is_named_and_copied_text_comes_first() -> None:
    translated = whorl.compare_sources([STRANGER, TRANSLATION], REPORT)
    assert (translated.relation, translated.ratios.translated, translated.shares) == ("translation", 1.0, (0.0, 0.0))
    assert {passage.source for passage in translated.passages} == {1}
    assert translated.describe("en") == "100% of the text says the same as its sources in another language"
    copied = whorl.compare_sources([REPORT, TRANSLATION], REPORT)
    assert (copied.ratios.copied, copied.ratios.translated) == (1.0, 0.0)
    twice = whorl.compare_sources([TRANSLATION, TRANSLATION], REPORT)
    assert twice.ratios.translated == 1.0
    assert len(twice.passages) == 3


def test_a_translation_is_never_removed() -> None:
    documents = [{"id": "a", "text": REPORT}, {"id": "b", "text": TRANSLATION}]
    assert not whorl.dedup(documents, method="content").duplicates
    with pytest.raises(UsageError):
        check_directed(("exact", "translation"), 8)


@pytest.mark.parametrize("terms", ["冰厂", [("冰厂",)], [("冰厂", 1)]])
def test_terms_are_pairs_of_strings(terms: list[tuple[str, str]]) -> None:
    with pytest.raises(UsageError):
        whorl.compare("a", "b", terms=terms)


def test_a_glossary_has_two_columns(tmp_path: Path) -> None:
    file = tmp_path / "terms.tsv"
    file.write_text("# harbor\n冰厂\tice plant\n\n码头,quay\n", encoding="utf-8-sig")
    assert read_glossary(file) == (("冰厂", "ice plant"), ("码头", "quay"))
    file.write_text("冰厂\n", encoding="utf-8")
    with pytest.raises(InputError):
        read_glossary(file)
    file.write_bytes("冰厂,ice plant".encode("gb18030"))
    with pytest.raises(InputError):
        read_glossary(file)
