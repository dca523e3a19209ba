"""Sources of a text in a library: their assignment, the original, and exclusions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import whorl
from whorl.errors import UsageError
from whorl.library import Library
from whorl.tasks.compare import check as checking
from whorl.tasks.compare.check import check_text

ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，够港里三十条船用上一个星期。"
RAIN = "气象台说明天有雨，出门请记得带伞，山区的道路可能会积水，学校照常上课，渡船停开一天，菜市场推迟一小时开门。"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "news") as opened:
        opened.add(
            [
                {"id": "later", "text": ICE, "published_at": "2026-03-07", "url": "https://copies.example/7"},
                {"id": "first", "text": ICE, "published_at": "2026-03-05", "url": "https://paper.example/1"},
                {"id": "rain", "text": RAIN, "published_at": "2026-03-06"},
            ]
        )
        yield opened


def test_shared_text_counts_for_the_probable_original(library: Library) -> None:
    checked = check_text(library, ICE + "\n" + RAIN)
    assert [source.document.id for source in checked.sources] == ["rain", "first", "later"]
    shares = {source.document.id: source.share for source in checked.sources}
    assert shares["later"] == 0
    assert sum(shares.values()) == pytest.approx(checked.compared.result.ratios.copied)
    assert checked.compared.result.ratios.copied == pytest.approx(1)
    assert {source.document.id: source.rank for source in checked.sources}["later"] == 0


def test_probable_original_is_reported(library: Library) -> None:
    checked = check_text(library, ICE + "\n" + RAIN)
    origins = {source.document.id: source.origin for source in checked.sources}
    assert origins["rain"] is None
    assert origins["first"].probability > origins["later"].probability
    assert {source.document.id for source in checked.likeliest} == {"first", "rain"}


def test_attribution_is_skipped_for_too_many_articles(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MOST_TRACED", 1)
    assert all(source.origin is None for source in check_text(library, ICE).sources)


def test_an_article_that_is_left_out_gives_its_share_to_another(library: Library) -> None:
    checked = check_text(library, ICE, without=["first"])
    report = {source.document.id: (source.share > 0.9, source.is_left_out) for source in checked.sources}
    assert report == {"later": (True, False), "first": (False, True)}
    assert [source.document.id for source in checked.sources][-1] == "first"
    assert [source.document.id for source in checked.likeliest] == ["later"]


def test_own_and_authorised_articles_are_separate(library: Library) -> None:
    library.collect(["first"], "own")
    checked = check_text(library, ICE + "\n" + RAIN, authorised=["rain"])
    assert checked.compared.result.ratios.copied == pytest.approx(1)
    assert checked.compared.result.ratios.foreign == 0
    remaining = check_text(library, ICE + "\n" + RAIN, authorised=["rain"], exclude=["authorised"])
    assert {source.document.id for source in remaining.sources if source.is_left_out} == {"first", "rain"}
    assert {source.document.id for source in remaining.sources if source.rank} == {"later"}


def test_quotations_and_short_passages_can_be_left_out(library: Library) -> None:
    quoted = f"他说：“{ICE}”"
    assert check_text(library, quoted).compared.result.ratios.copied > 0.8
    assert check_text(library, quoted, exclude=["quotations"]).compared.result.ratios.copied == 0
    assert check_text(library, ICE, least=1000).compared.result.passages == ()


def test_only_a_collection_is_searched(library: Library) -> None:
    library.collect(["rain"], "protected")
    checked = check_text(library, ICE + "\n" + RAIN, collection="protected")
    assert [source.document.id for source in checked.sources] == ["rain"]


@pytest.mark.parametrize("text", ["", "完全没有见过的一句话，没有来源。", "\ud800"])
def test_unrelated_text_has_no_sources(library: Library, text: str) -> None:
    checked = check_text(library, text)
    assert checked.sources == checked.likeliest == ()
    assert checked.compared.result.ratios.copied == 0


def test_library_without_texts_reports_estimates(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "slim", texts=False) as slim:
        slim.add({"id": "a", "text": ICE})
        (source,) = check_text(slim, ICE).sources
    assert (source.share, source.match.this_in_other) == (0, 1)


def test_unknown_exclusion_is_refused(library: Library) -> None:
    with pytest.raises(UsageError, match="'titles' cannot be excluded"):
        check_text(library, ICE, exclude=["titles"])


def test_check_result_is_plain_data(library: Library) -> None:
    report = check_text(library, ICE).to_dict()
    assert report["sources"][0]["document"]["id"] == "first"
    assert report["compared"]["sources"][0]["share"] == pytest.approx(1)
    assert report["report"]["state"] == "checked"
