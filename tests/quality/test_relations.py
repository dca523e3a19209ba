"""Texts are treated as what they are to each other: forms, versions, translations, rewritten texts, viral posts.

On the sets of ``WHORL_DATA``, else on texts that `forms` invents.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks import relations
from benchmarks.articles import newsroom
from benchmarks.viral import viral_posts
from tests.quality import forms
from tests.quality.corpora import data_folder

_HERE = Path(__file__).parent
FLOORS = tomllib.loads((_HERE / "relations.toml").read_text(encoding="utf-8"))
NEWS_FLOORS = tomllib.loads((_HERE / "floors.toml").read_text(encoding="utf-8"))["news"]
_LICENCES = (2_000, 4_000)

needs_data = pytest.mark.skipif(data_folder() is None, reason="WHORL_DATA is not set")


@cache
def of_forms() -> dict[str, Any]:
    return relations.judge_forms(forms.forms()) if data_folder() is None else relations.templates()


@pytest.mark.parametrize("method", relations.MAIN_METHODS)
def test_a_form_filled_in_for_another_event_stays(method: str) -> None:
    figures = of_forms()["methods"][method]
    assert figures["other_event_share"] <= FLOORS["forms"]["other_event"], figures


@pytest.mark.parametrize("method", relations.MAIN_METHODS)
def test_a_copy_of_a_form_is_found(method: str) -> None:
    figures = of_forms()["methods"][method]
    assert figures["copies_found"] >= FLOORS["forms"]["copies"] * of_forms()["copies"], figures


def test_a_form_filled_in_for_another_event_is_not_called_a_copy() -> None:
    compared = of_forms()["compare"]
    assert compared["pairs"] >= 100, "enough pairs to tell"
    assert compared["called_copies_share"] <= FLOORS["forms"]["called_copies"], compared
    assert compared["copies_called_copies"] == of_forms()["copies"], compared


@cache
def of_pages() -> dict[str, Any]:
    return relations.judge_pages(forms.alias_pages()) if data_folder() is None else relations.command_pages()


@pytest.mark.parametrize("method", relations.all_methods())
def test_no_page_goes_for_one_that_has_little_of_it(method: str) -> None:
    figures = of_pages()["methods"][method]
    assert figures["languages"].get("all", [0])[0] <= FLOORS["pages"]["little_shared"], figures
    assert figures["under_30%"] <= FLOORS["pages"]["little_shared"], figures


@cache
def of_laws() -> dict[str, Any]:
    return relations.laws() if data_folder() else relations.judge_laws(*forms.laws())


@pytest.mark.parametrize("columns", ["title_in_text", "title_column"])
def test_no_law_goes_for_one_of_another_title(columns: str) -> None:
    assert of_laws()[columns]["other_group"] <= FLOORS["laws"]["other_title"], of_laws()[columns]


def test_an_amended_law_is_a_version() -> None:
    versions = of_laws()["version"]
    assert versions["amended"] >= 20, "enough pairs to tell"
    assert versions["amended_version_share"] >= FLOORS["laws"]["versions"], versions


def test_the_later_version_is_named() -> None:
    """By the dates of the input; in texts that state them, by those."""
    by_date = of_laws()["direction_by_date"]
    right = by_date["right_share"] if by_date else of_laws()["version"]["direction_right_share"]
    assert right >= FLOORS["laws"]["direction"], (by_date, of_laws()["version"])


@cache
def of_translations() -> dict[str, Any]:
    if data_folder():
        return relations.translations()
    return {
        "independent": relations.judge_translations(forms.retellings()),
        "revisions": relations.judge_revisions(forms.revisions()),
    }


def test_independent_translations_are_no_copies() -> None:
    independent = of_translations()["independent"]
    assert independent["called_copies"] <= FLOORS["translations"]["called_copies"], independent


def test_revisions_are_found() -> None:
    revised = of_translations()["revisions"]
    assert revised["pairs"] >= 30, "enough pairs to tell"
    assert revised["found_share"] >= FLOORS["translations"]["revisions"], revised


@cache
def of_degrees() -> dict[str, Any]:
    return relations.degrees() if data_folder() else relations.judge_degrees(forms.degrees())


@pytest.mark.parametrize("by", ["found_share", "found_by_news_share"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_half_a_text_is_found_however_the_rest_was_reworded(language: str, by: str) -> None:
    figures = of_degrees()[language]
    assert figures[by] >= FLOORS["degrees"]["found"], (figures[by], figures["missed"])


@pytest.mark.parametrize("figure", ["similarity", "copied"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_figure_rises_as_more_words_are_replaced(language: str, figure: str) -> None:
    figures = of_degrees()[language]
    assert figures["steps"] >= 40, "enough steps to tell"
    limit = FLOORS["degrees"]["rises"]["independent" if data_folder() else "nested"]
    assert figures[f"{figure}_rises"] <= limit * figures["steps"], figures[f"{figure}_rises"]


@cache
def of_rewrites() -> dict[str, Any]:
    return relations.rewrites()


@needs_data
@pytest.mark.parametrize("degree", FLOORS["rewrites"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_library_finds_lightly_rewritten_articles(language: str, degree: str) -> None:
    figures = of_rewrites()[language][degree]
    assert figures["checked"] >= FLOORS["rewrites"][degree] * figures["texts"], figures


@cache
def of_posts(language: Any) -> dict[str, Any]:
    methods = FLOORS["viral"]["passages"] + FLOORS["viral"]["whole_texts"]
    return relations.judge_viral(viral_posts(language), newsroom(language), methods)


@pytest.mark.parametrize(
    ("method", "exact"),
    [(method, "by_exact_containment") for method in FLOORS["viral"]["passages"]]
    + [(method, "by_exact_similarity") for method in FLOORS["viral"]["whole_texts"]],
)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_posts_with_one_viral_post_are_related(language: str, method: str, exact: str) -> None:
    figures = of_posts(language)
    assert figures[exact] >= 2
    assert min(figures["methods"][method]) >= FLOORS["viral"]["related"] * figures[exact], figures["methods"][method]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_library_matches_posts_with_one_viral_post(language: str) -> None:
    figures = of_posts(language)
    assert figures["library"]["checked"] >= FLOORS["viral"]["related"] * figures["posts"], figures["library"]


def test_no_original_of_the_newsroom_is_lost() -> None:
    methods = relations.example_newsroom()["methods"]
    lost = {
        (method, rule): result["originals_lost"]
        for method, rules in methods.items()
        for rule, result in rules.items()
        if rule in FLOORS["newsroom"]["rules"] and result["originals_lost"] > FLOORS["newsroom"]["originals_lost"]
    }
    assert lost == {}


def test_comparisons_per_document_stay_flat_as_a_family_grows() -> None:
    """Every two licences have clauses in common, and none is a copy."""
    counts = [relations.run_dedup(forms.licences(count), "news").run["comparisons"] for count in _LICENCES]
    few, many = (result["per_document"] for result in counts)
    assert few > 0
    assert many <= FLOORS["licences"]["growth"] * few, counts


@needs_data
def test_comparisons_per_document_stay_flat_on_real_licences() -> None:
    figures = relations.licences_of([1_000, 2_000], limit_s=240)
    assert figures["growth"] is not None, figures
    assert figures["growth"] <= FLOORS["licences"]["growth"], figures


@needs_data
@pytest.mark.parametrize("language", ["zh", "en"])
def test_copies_of_every_kind_are_removed_or_linked(language: Any) -> None:
    figures = relations.judge_copies(language)
    floors = NEWS_FLOORS[f"mutated-{language}"]["recall"]
    assert {kind: figures["found"][kind] for kind, floor in floors.items() if figures["found"][kind] < floor} == {}
    assert figures["precision"] >= FLOORS["copies"]["precision"], figures
    counted = figures["links"] - figures["links_aside"]
    assert figures["links_right"] >= FLOORS["copies"]["precision"] * counted, figures
