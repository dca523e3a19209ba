"""Every relation of two texts has a name in both languages, and pages and terminals show it."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from tests.unit.reports.conftest import ORIGINAL, REPRINT
from tests.unit.reports.page import Page

import whorl
from whorl.i18n import LANGUAGES, speaking, translated
from whorl.matching.relation import RELATIONS
from whorl.reports.comparison.page import render_comparison
from whorl.reports.comparison.summary import Article
from whorl.reports.comparison.wording import RELATIONS as NAMES
from whorl.reports.dedup import render_dedup_report
from whorl.reports.evidence import RemovalEvidence
from whorl.reports.terminal import comparison, summary


def printed(visible: Any) -> str:
    output = StringIO()
    Console(file=output, width=100).print(visible)
    return output.getvalue()


def test_relation_names_are_unique_per_language() -> None:
    assert {*RELATIONS, "compilation"} <= set(NAMES)
    for language in LANGUAGES:
        assert len({translated(name, language) for name in NAMES.values()}) == len(NAMES)
    assert not any(translated(name, "zh").isascii() for name in NAMES.values())


@pytest.mark.parametrize("relation", [*RELATIONS, "compilation"])
def test_a_comparison_shows_its_relation(relation: str) -> None:
    result = replace(whorl.compare(ORIGINAL, REPRINT), relation=relation)
    page = render_comparison(result, [ORIGINAL], REPRINT)
    for language in LANGUAGES:
        name = translated(NAMES[relation], language)
        assert f'<span lang="{language}">{name}</span>' in page
        with speaking(language):
            assert name in printed(comparison(result, Article("b", REPRINT), [Article("a", ORIGINAL)], 100, plain=True))


def test_a_run_shows_what_was_removed_and_what_was_linked(run: dict[str, Any], evidence: RemovalEvidence) -> None:
    removed, linked = {"exact": 1_207, "excerpt": 1_138}, {"template": 8_731, "partial": 77}
    run |= {"relations": {"removed": removed, "linked": linked}, "links": {"limit": 8, "count": 8_808, "cut": 19}}
    rendered = " ".join(Page(render_dedup_report(run, evidence, [])).text.split())
    assert "same form, other facts" in rendered
    assert "19 further links were left out" in rendered
    for number in ("1,207", "1,138", "8,731"):
        assert number in rendered
    with speaking("en"):
        report = printed(summary(run))
    assert "kept and linked: same form, other facts" in " ".join(report.split())
    assert "8,731" in report
