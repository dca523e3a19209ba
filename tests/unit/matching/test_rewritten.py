"""Comparison of texts with the same content and hardly a clause in common."""

from __future__ import annotations

import pytest
from tests.rewritten import NOTE, OTHER_YEAR, REPORT, REWRITE, REWRITES

import whorl

each_rewrite = pytest.mark.parametrize(("source", "rewrite"), REWRITES, ids=["zh", "en"])


@each_rewrite
def test_a_rewrite_is_reworded_and_nothing_of_it_is_copied(source: str, rewrite: str) -> None:
    comparison = whorl.compare(source, rewrite)
    assert comparison.relation == "reworded"
    assert comparison.copied == (0.0, 0.0)
    assert min(comparison.reworded) >= 0.6
    assert comparison.confidence >= 0.75
    assert not comparison.reprint


@each_rewrite
def test_its_passages_are_sentences_with_the_same_facts(source: str, rewrite: str) -> None:
    for passage in whorl.compare(source, rewrite).passages:
        text = source[passage.a_start : passage.a_end], rewrite[passage.b_start : passage.b_end]
        assert passage.kind == "rewritten"
        assert 0 < passage.similarity < 1
        assert ("8000" in text[0].replace(",", "")) == ("8000" in text[1].replace(",", ""))


@each_rewrite
def test_many_comparisons_give_the_same_and_can_leave_content_out(source: str, rewrite: str) -> None:
    pairs = [(source, rewrite), (REPORT, OTHER_YEAR)]
    assert whorl.compare_many(pairs) == [whorl.compare(*pair) for pair in pairs]
    assert whorl.compare_many(pairs, content=False)[0].relation == "unrelated"


def test_short_passages_are_left_out() -> None:
    assert whorl.compare(REPORT, REWRITE, least=40).relation == "unrelated"


@pytest.mark.parametrize("other", [OTHER_YEAR, REWRITE[:40]])
def test_a_text_with_other_facts_is_not_reworded(other: str) -> None:
    assert whorl.compare(REPORT, other).relation == "unrelated"


def test_a_report_with_the_same_figures_in_another_language_is_not_reworded() -> None:
    comparison = whorl.compare(REPORT, NOTE)
    assert comparison.relation == "translation"
    assert comparison.copied == comparison.reworded == (0.0, 0.0)


def test_copied_text_decides_before_the_content() -> None:
    assert whorl.compare(REPORT, REPORT + REWRITE).relation == "excerpt"
