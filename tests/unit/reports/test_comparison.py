"""The page of a comparison, its data, and its display in a notebook."""

import re
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import sha256
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tests.unit.cli.articles import BRIDGE, HARBOUR
from tests.unit.reports.conftest import ORIGINAL, REPRINT
from tests.unit.reports.page import HOSTILE, Page

import whorl
from whorl.errors import UsageError
from whorl.i18n import LANGUAGES, Language
from whorl.reports.comparison.page import CELLS, cells, render_comparison, report_number
from whorl.reports.comparison.summary import Article, Collection, as_data, left_out_of, parts_of
from whorl.reports.figures import percent
from whorl.reports.terminal import comparison as terminal_view
from whorl.types.comparison import Comparison, Composition

WHEN = datetime(2024, 5, 2, 9, 30, 11, tzinfo=UTC)


def compose() -> tuple[Composition, Article, list[Article]]:
    """Return a text composed of two of four sources, one of which is the author's own."""
    text = f"{BRIDGE}\n自己写的一句话，别处没有。\n{HARBOUR}"
    sources = [
        Article("library.txt", ORIGINAL),
        Article("harbour.txt", HARBOUR, authorised=True),
        Article("bridge.txt", BRIDGE),
        Article("empty.txt", ""),
    ]
    composition = whorl.compare_sources([source.text for source in sources], text, authorised=[1])
    return composition, Article("draft.txt", text), sources


def words(page: str) -> str:
    return " ".join(Page(page).text.split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_is_complete_in_both_languages(language: Language) -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT)
    page = render_comparison(comparison, [ORIGINAL], REPRINT, command="whorl compare a b", at=WHEN, language=language)
    text = words(page)
    assert f'<html lang="{language}">' in page
    headings = (("各篇文章", "Texts"), ("改动与标记", "Changes and flags"), ("段落", "Passages"), ("方法", "Method"))
    for zh, en in headings:
        assert f'<span lang="en">{en}</span><span lang="zh">{zh}</span></h2>' in page
    assert re.search(r"待检文本 \d+\.\d% 见于来源", text)
    assert re.search(r"\d+\.\d% of the text is in its source", text)
    for phrase in (
        "总文字复制比",
        "largest single source",
        "2024-05-02 09:30:11 UTC",
        "whorl compare a b",
        "证据，不是判定",
    ):
        assert phrase in text
    for version in ("whorl", "core", "fold", "pinyin"):
        assert version in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_without_the_other(language: Language) -> None:
    composition, text, sources = compose()
    page = render_comparison(
        composition, sources, text, title="Draft", language=language, short=True, left_out=3, rejected=2
    )
    assert page.count('<span lang="en">') == page.count('<span lang="zh">') > 20
    body = re.sub(r'<span lang="zh">.*?</span>', "", page.partition('<div class="page">')[2], flags=re.DOTALL)
    labels = re.findall(r'aria-label="([^"]*)"', body)
    assert labels
    assert all(bool(re.search("[一-鿿]", label)) == (language == "zh") for label in labels)
    assert not re.search("[一-鿿]", re.sub(r'aria-label="[^"]*"', "", body))


def test_cover_shows_author_and_searched_sources() -> None:
    composition, text, sources = compose()
    searched = [Collection("news", 3, 1_200, first="2020-01-02", last="2024-05-06"), Collection("own", 1, 1, True)]
    page = words(
        render_comparison(
            composition, sources, text, title="论桥", author="林晓", searched=searched, at=WHEN, language="en"
        )
    )
    for phrase in ("论桥", "林晓", "draft.txt", "1,200 texts", "3 files", "2020-01-02 – 2024-05-06", "1 text"):
        assert phrase in page
    assert report_number(composition, sources, text) in page


def test_a_text_without_a_title_is_called_by_its_first_line_or_its_file() -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT)
    for text, title in ((f"桥与港\n{REPRINT}", "桥与港"), (REPRINT, "draft.txt")):
        page = render_comparison(comparison, [ORIGINAL], Article("/home/lin/draft.txt", text))
        assert f'<h1 dir="auto">{title}</h1>' in page


def test_the_same_texts_have_the_same_number_in_any_order_and_place() -> None:
    composition, text, sources = compose()
    number = report_number(composition, sources, text)
    assert re.fullmatch("[0-9a-f]{4}(-[0-9a-f]{4}){2}", number)
    moved = [sources[place] for place in (3, 1, 0, 2)]
    again = whorl.compare_sources([source.text for source in moved], text.text, authorised=[1])
    moved[2] = Article("/elsewhere/library.txt", moved[2].text)
    assert report_number(again, moved, Article("other.txt", text.text)) == number
    other = whorl.compare_sources([source.text for source in moved], text.text + "。", authorised=[1])
    assert report_number(other, moved, Article("draft.txt", text.text + "。")) != number
    assert f'content: "{number}"' in render_comparison(composition, sources, text)


def test_page_shows_no_folders() -> None:
    composition, text, sources = compose()
    placed = [
        Article(f"/home/lin/secret/{source.name}", source.text, place=f"corpus/{source.name}") for source in sources
    ]
    command = (
        "whorl compare '/home/lin/my secret/draft.txt' --against=/home/lin/secret --html C:\\\\lin\\\\secret\\\\r.html"
    )
    page = render_comparison(composition, placed, Article("/home/lin/secret/draft.txt", text.text), command=command)
    assert "home" not in page
    assert "whorl compare draft.txt --against=secret" in words(page)
    assert "corpus/bridge.txt" in page


def test_the_effect_of_the_least_length_is_that_of_comparing_so() -> None:
    composition, text, sources = compose()
    page = words(render_comparison(composition, sources, text, options={"least": 20}, language="en"))
    for length in (0, 13, 20, 30):
        other = whorl.compare_sources([source.text for source in sources], text.text, authorised=[1], least=length)
        phrase = f"{length} equal characters on" if length else "any length"
        assert phrase in page
        assert f"{100 * other.ratios.copied:.1f}%" in page
    left_out = whorl.compare(ORIGINAL, REPRINT, least=8)
    assert "equal characters on" not in render_comparison(left_out, [ORIGINAL], REPRINT)


def test_single_source_is_accepted() -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT)
    assert render_comparison(comparison, ORIGINAL, REPRINT, at=WHEN) == render_comparison(
        comparison, [ORIGINAL], REPRINT, at=WHEN
    )
    composed, text, sources = compose()
    with pytest.raises(UsageError, match="3 sources are given, not 4"):
        render_comparison(composed, sources[:3], text)
    with pytest.raises(UsageError, match="one source is given, not 4"):
        render_comparison(composed, text.text, text)
    with pytest.raises(UsageError, match="2 sources are given, not 1"):
        render_comparison(comparison, [ORIGINAL, REPRINT], REPRINT)


def test_the_short_form_has_the_sources_and_none_of_the_passages() -> None:
    composition, text, sources = compose()
    short = render_comparison(composition, sources, text, short=True)
    full = render_comparison(composition, sources, text)
    assert 'class="row' not in short
    assert "<mark" not in short
    assert len(short) < len(full)
    assert report_number(composition, sources, text) in short
    assert words(short).index("bridge.txt") < words(short).index("harbour.txt")
    links = {value for name, value in Page(short).attributes if name == "href"}
    assert links == {"data:,"}


def test_a_source_can_be_hidden_without_a_script() -> None:
    composition, text, sources = compose()
    page = render_comparison(composition, sources, text)
    for rank in (1, 2):
        assert f'<input type="checkbox" id="show-{rank}" checked' in page
        assert f"body:has(#show-{rank}:not(:checked)) .f{rank} {{ display: none; }}" in page
        assert re.search(f'<article class="row passage t{rank} f{rank}"', page)
        assert re.search(f'<a class="t{rank} f{rank}"', page)
    assert "show-1" not in render_comparison(whorl.compare(ORIGINAL, REPRINT), [ORIGINAL], REPRINT)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 3_000)), max_size=30), st.integers(0, 500))
def test_the_bar_shows_the_true_proportion(spans: list[tuple[int, int]], rest: int) -> None:
    passages, place = [], 0
    template = whorl.compare(ORIGINAL, ORIGINAL).passages[0]
    for gap, width in spans:
        passages.append(replace(template, b_start=place + gap, b_end=place + gap + width))
        place += gap + width
    length = place + rest or 1
    output = list(cells(passages, length, 1, {0: 1}))
    assert sum(cell.width * cell.covered for cell in output) / 100 == pytest.approx(
        sum(passage.b_end - passage.b_start for passage in passages) / length, abs=0.006
    )
    assert len(output) <= CELLS
    assert all(cell.start >= 0 and cell.start + cell.width <= 100.01 and 0 < cell.covered <= 1 for cell in output)
    for cell, after in pairwise(output):
        assert cell.start + cell.width <= after.start + 0.01


def test_the_page_has_the_digests_of_the_texts() -> None:
    page = render_comparison(whorl.compare(ORIGINAL, REPRINT), [ORIGINAL], REPRINT)
    for text in (ORIGINAL, REPRINT):
        assert sha256(text.encode()).hexdigest() in page


def test_the_numbers_are_those_of_the_data() -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT)
    text = words(render_comparison(comparison, [ORIGINAL], REPRINT))
    data = as_data(comparison, Article("b", REPRINT), [Article("a", ORIGINAL)])
    for share in data["ratios"].values():
        assert f"{100 * share:.1f}%" in text
    for name in ("similarity", "a_in_b", "b_in_a"):
        assert f"{data[name]:.4f}" in text
    for passage in data["passages"]:
        assert f"{passage['a_start']:,}–{passage['a_end']:,} → {passage['b_start']:,}–{passage['b_end']:,}" in text


def test_every_passage_has_a_place_that_links_lead_to() -> None:
    composition, text, sources = compose()
    page = Page(render_comparison(composition, sources, text))
    ids = [value for name, value in page.attributes if name == "id"]
    assert {f"p{number}" for number in range(1, len(composition.passages) + 1)} <= set(ids)
    assert len(ids) == len(set(ids))
    links = {value for name, value in page.attributes if name == "href"} - {"data:,"}
    assert {"#p1", "#s1", "#s2"} <= links
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_sources_come_in_the_order_of_what_they_gave() -> None:
    composition, text, sources = compose()
    data = as_data(composition, text, sources, left_out=7)
    assert [entry["name"] for entry in data["sources"]] == ["bridge.txt", "harbour.txt"]
    assert [entry["authorised"] for entry in data["sources"]] == [False, True]
    assert sum(entry["share"] for entry in data["sources"]) == pytest.approx(data["ratios"]["copied"])
    assert {passage["source"] for passage in data["passages"]} == {entry["source"] for entry in data["sources"]}
    assert (data["compared"], data["left_out"]) == (4, 7)
    assert data["ratios"]["foreign"] < data["ratios"]["copied"]
    table = words(render_comparison(composition, sources, text, left_out=7))
    assert table.index("bridge.txt") < table.index("harbour.txt")
    assert "2 more sources were compared and gave nothing." in table
    assert "7 more sources, which share fewer keys, were not compared." in table
    assert "own or authorised" in table


@pytest.mark.parametrize("text", [ORIGINAL, BRIDGE, "字", HOSTILE, "aaaa " * 5_000])
def test_identical_texts_are_one_passage(text: str) -> None:
    comparison = whorl.compare(text, text)
    assert (comparison.relation, comparison.similarity, comparison.ratios.copied) == ("exact", 1.0, 1.0) or len(
        text
    ) == 1
    data = as_data(comparison, Article("b", text), [Article("a", text)])
    assert all(0 <= share <= 1 for share in data["ratios"].values())
    rendered = words(render_comparison(comparison, [text], text))
    assert "100.0%" in rendered or len(text) == 1
    assert not re.search(r"10[1-9]\.\d%", rendered)


@pytest.mark.parametrize("a", ["", " \n", "甲", "\x00", "\ud800", HOSTILE, ORIGINAL])
@pytest.mark.parametrize("b", ["", "乙", HOSTILE])
def test_any_two_texts_have_a_page(a: str, b: str) -> None:
    comparison = whorl.compare(a, b)
    page = render_comparison(comparison, [a], b)
    page.encode("utf-8")
    Page(page)
    assert as_data(comparison, Article("b", b), [Article("a", a)])["relation"] == comparison.relation


def hostile() -> str:
    texts = [f"{HOSTILE}{BRIDGE}{HOSTILE}", f"{HOSTILE}{BRIDGE} </mark>{HOSTILE}"]
    composition = whorl.compare_sources([texts[1], HARBOUR], texts[0])
    sources = [Article(HOSTILE, texts[1], authorised=True), Article(HOSTILE, HARBOUR)]
    return render_comparison(
        composition, sources, Article(HOSTILE, texts[0]), command=HOSTILE, title=HOSTILE, author=HOSTILE, at=WHEN
    )


def test_hostile_texts_and_names_are_only_text() -> None:
    page = hostile()
    page.encode("utf-8")
    parsed = Page(page)
    assert not {"script", "img", "iframe", "object", "embed", "base"} & set(parsed.tags)
    assert page.count("</style>") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)
    assert "<script>alert(1)</script>" in parsed.text
    assert "<i>RLO</i>" in page
    assert "{{ 7*7 }}" in parsed.text


def test_page_loads_no_resources_and_runs_no_script() -> None:
    page = Page(hostile())
    links = [value for name, value in page.attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "url(" not in hostile()


def test_disguises_and_exclusions_are_reported() -> None:
    quoted = f"他写道：“{HARBOUR}”\n{ORIGINAL}"
    hidden = quoted.replace("，", "，\u200b")
    comparison = whorl.compare(quoted, hidden, exclude=["quotations"])
    text = words(render_comparison(comparison, [quoted], hidden))
    for phrase in ("invisible characters", "引文", "quotations"):
        assert phrase in text
    excerpt = f"{HARBOUR}\n{ORIGINAL[:40]}"
    short = words(render_comparison(whorl.compare(ORIGINAL, excerpt, least=60), [ORIGINAL], excerpt))
    assert "过短的段落" in short
    assert "passages that are too short" in short
    (flag,) = comparison.flags
    assert f"{flag.count:,}" in text


def test_empty_exclusion_is_not_reported() -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT, exclude=["references"])
    assert [(exclusion.reason, exclusion.characters) for exclusion in comparison.exclusions] == [("references", 0)]
    assert list(left_out_of(parts_of(comparison, [Article("a.txt", ORIGINAL)]))) == []


def test_very_long_texts_are_cut_and_counted() -> None:
    text = "".join(f"第{number}句，写的是第{number * 7}件事。" for number in range(60_000))
    comparison = whorl.compare(text, text)
    page = render_comparison(comparison, [text], text)
    assert len(page.encode()) < 4_000_000
    assert '<span class="gap">' in page


def test_a_notebook_shows_the_figures_and_no_text() -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT)
    card_html = comparison._repr_html_()
    assert str(comparison) in card_html
    assert card_html.count("<tr>") == len(comparison.passages) + 1
    Page(card_html)
    Page(compose()[0]._repr_html_())
    assert "<table>" not in whorl.compare("", "")._repr_html_()


def printed(actual: Comparison | Composition, text: str, sources: list[str], **how: Any) -> str:
    output, width = StringIO(), how.pop("width", 100)
    articles = [Article(f"source-{number}.txt", source) for number, source in enumerate(sources)]
    view = terminal_view(actual, Article("text.txt", text), articles, width, **how)
    Console(file=output, width=width).print(view)
    return output.getvalue()


def test_the_terminal_shows_two_columns_of_the_width() -> None:
    comparison = whorl.compare(ORIGINAL, REPRINT)
    for width in (60, 100, 160):
        lines = printed(comparison, REPRINT, [ORIGINAL], plain=True, width=width).splitlines()
        assert max(cell_len(line) for line in lines) <= width
        assert any("source-0.txt" in line and "text.txt" in line for line in lines)
    for share in asdict(comparison.ratios).values():
        assert percent(share, 1) in "\n".join(lines)


def test_without_colours_changes_have_signs() -> None:
    text = HARBOUR.replace("四十吨", "五十吨").replace("老船长", "").replace("木桨", "大木桨")
    comparison = printed(whorl.compare(HARBOUR, text), text, [HARBOUR], plain=True, width=300)
    for sign in ("[四]", "[五]", "[-老船长-]", "{+大+}"):
        assert sign in comparison


def test_the_terminal_names_the_sources() -> None:
    composition, text, sources = compose()
    output = printed(composition, text.text, [source.text for source in sources], plain=True)
    assert output.index("source 3 source-2.txt") < output.index("source 2 source-1.txt")
