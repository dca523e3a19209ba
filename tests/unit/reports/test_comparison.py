"""The page of a comparison, its data, and what a notebook shows."""

import re
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from io import StringIO
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.unit.cli.articles import BRIDGE, HARBOUR
from tests.unit.reports.conftest import ORIGINAL, REPRINT
from tests.unit.reports.page import HOSTILE, Page

import whorl
from whorl.model import Comparison, Composition
from whorl.reports.comparison import Article, as_data, render_comparison
from whorl.reports.figures import percent
from whorl.reports.terminal import comparison as terminal_view

WHEN = datetime(2024, 5, 2, 9, 30, 11, tzinfo=UTC)


def compose() -> tuple[Composition, Article, list[Article]]:
    """A text made of two of four sources, one of which is the author's own."""
    text = f"{BRIDGE}\n自己写的一句话，别处没有。\n{HARBOUR}"
    sources = [
        Article("library.txt", ORIGINAL),
        Article("harbour.txt", HARBOUR, authorised=True),
        Article("bridge.txt", BRIDGE),
        Article("empty.txt", ""),
    ]
    found = whorl.compare_sources([source.text for source in sources], text, authorised=[1])
    return found, Article("draft.txt", text), sources


def words(page: str) -> str:
    return " ".join(Page(page).text.split())


def test_the_page_says_everything_in_both_languages() -> None:
    page = render_comparison(
        whorl.compare(ORIGINAL, REPRINT), REPRINT, [ORIGINAL], command="whorl compare a b", at=WHEN
    )
    text = words(page)
    assert '<html lang="zh">' in page
    for heading in ("来源 · Sources", "改动与标记 · Changes and flags", "段落 · Passages", "方法 · Method"):
        assert heading in text
    assert re.search(r"乙文 \d+% 见于甲文", text)
    assert re.search(r"\d+% of text B stands in text A", text)
    for said in (
        "总复制比 copied",
        "largest single source",
        "2024-05-02 09:30:11 UTC",
        "whorl compare a b",
        "证据，不是裁决",
    ):
        assert said in text
    for version in ("whorl", "core", "fold", "pinyin"):
        assert version in text


def test_the_page_has_the_digests_of_the_texts() -> None:
    page = render_comparison(whorl.compare(ORIGINAL, REPRINT), REPRINT, [ORIGINAL])
    for text in (ORIGINAL, REPRINT):
        assert sha256(text.encode()).hexdigest() in page


def test_the_numbers_are_those_of_the_data() -> None:
    found = whorl.compare(ORIGINAL, REPRINT)
    text = words(render_comparison(found, REPRINT, [ORIGINAL]))
    data = as_data(found, Article("b", REPRINT), [Article("a", ORIGINAL)])
    for share in data["ratios"].values():
        assert " ".join(percent(share, 1).split()) in text
    for name in ("similarity", "a_in_b", "b_in_a"):
        assert f"{data[name]:.4f}" in text
    for passage in data["passages"]:
        assert f"{passage['a_start']:,}–{passage['a_end']:,} → {passage['b_start']:,}–{passage['b_end']:,}" in text


def test_every_passage_has_a_place_that_links_lead_to() -> None:
    found, text, sources = compose()
    page = Page(render_comparison(found, text, sources))
    ids = [value for name, value in page.attributes if name == "id"]
    assert {f"p{number}" for number in range(1, len(found.passages) + 1)} <= set(ids)
    assert len(ids) == len(set(ids))
    links = {value for name, value in page.attributes if name == "href"} - {"data:,"}
    assert {"#p1", "#s2", "#s3"} <= links
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_sources_come_in_the_order_of_what_they_gave() -> None:
    found, text, sources = compose()
    data = as_data(found, text, sources, left_out=7)
    assert [entry["name"] for entry in data["sources"]] == ["bridge.txt", "harbour.txt"]
    assert [entry["authorised"] for entry in data["sources"]] == [False, True]
    assert sum(entry["share"] for entry in data["sources"]) == pytest.approx(data["ratios"]["copied"])
    assert {passage["source"] for passage in data["passages"]} == {entry["source"] for entry in data["sources"]}
    assert (data["compared"], data["left_out"]) == (4, 7)
    assert data["ratios"]["foreign"] < data["ratios"]["copied"]
    table = words(render_comparison(found, text, sources, left_out=7))
    assert table.index("bridge.txt") < table.index("harbour.txt")
    assert "2 more sources were compared and gave nothing." in table
    assert "7 more sources, which share fewer keys, were not compared." in table
    assert "own or authorised" in table


@pytest.mark.parametrize("text", [ORIGINAL, BRIDGE, "字", HOSTILE, "aaaa " * 5_000])
def test_identical_texts_are_whole_and_nothing_more(text: str) -> None:
    found = whorl.compare(text, text)
    assert (found.kind, found.similarity, found.ratios.copied) == ("identical", 1.0, 1.0) or len(text) == 1
    data = as_data(found, Article("b", text), [Article("a", text)])
    assert all(0 <= share <= 1 for share in data["ratios"].values())
    shown = words(render_comparison(found, text, [text]))
    assert "100.0 %" in shown or len(text) == 1
    assert not re.search(r"10[1-9]\.\d %", shown)


@pytest.mark.parametrize("a", ["", " \n", "甲", "\x00", "\ud800", HOSTILE, ORIGINAL])
@pytest.mark.parametrize("b", ["", "乙", HOSTILE])
def test_any_two_texts_have_a_page(a: str, b: str) -> None:
    found = whorl.compare(a, b)
    page = render_comparison(found, b, [a])
    page.encode("utf-8")
    Page(page)
    assert as_data(found, Article("b", b), [Article("a", a)])["kind"]


def hostile() -> str:
    texts = [f"{HOSTILE}{BRIDGE}{HOSTILE}", f"{HOSTILE}{BRIDGE} </mark>{HOSTILE}"]
    found = whorl.compare_sources([texts[1], HARBOUR], texts[0])
    sources = [Article(HOSTILE, texts[1], authorised=True), Article(HOSTILE, HARBOUR)]
    return render_comparison(found, Article(HOSTILE, texts[0]), sources, command=HOSTILE)


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


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    page = Page(hostile())
    links = [value for name, value in page.attributes if name in {"href", "src", "xlink:href", "action"}]
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "url(" not in hostile()


def test_tricks_and_what_was_left_out_are_told() -> None:
    quoted = f"他写道：“{HARBOUR}”\n{ORIGINAL}"
    hidden = quoted.replace("，", "，\u200b")
    found = whorl.compare(quoted, hidden, exclude=["quotations"], least=8)
    text = words(render_comparison(found, hidden, [quoted]))
    for said in ("invisible characters", "引文 quotations", "过短的段落 passages that are too short"):
        assert said in text
    (flag,) = found.flags
    assert f"{flag.count:,}" in text


def test_very_long_texts_are_cut_and_counted() -> None:
    text = "".join(f"第{number}句，写的是第{number * 7}件事。" for number in range(60_000))
    found = whorl.compare(text, text)
    page = render_comparison(found, text, [text])
    assert len(page.encode()) < 4_000_000
    assert '<span class="gap">' in page


def test_a_notebook_shows_the_figures_and_no_text() -> None:
    found = whorl.compare(ORIGINAL, REPRINT)
    shown = found._repr_html_()
    assert str(found) in shown
    assert shown.count("<tr>") == len(found.passages) + 1
    Page(shown)
    Page(compose()[0]._repr_html_())
    assert "<table>" not in whorl.compare("", "")._repr_html_()


def printed(found: Comparison | Composition, text: str, sources: list[str], **how: Any) -> str:
    output, width = StringIO(), how.pop("width", 100)
    articles = [Article(f"source-{number}.txt", source) for number, source in enumerate(sources)]
    view = terminal_view(found, Article("text.txt", text), articles, width, **how)
    Console(file=output, width=width).print(view)
    return output.getvalue()


def test_the_terminal_shows_two_columns_of_the_width() -> None:
    found = whorl.compare(ORIGINAL, REPRINT)
    for width in (60, 100, 160):
        lines = printed(found, REPRINT, [ORIGINAL], plain=True, width=width).splitlines()
        assert max(cell_len(line) for line in lines) <= width
        assert any("source-0.txt" in line and "text.txt" in line for line in lines)
    for share in asdict(found.ratios).values():
        assert percent(share, 1) in "\n".join(lines)


def test_without_colours_changes_have_signs() -> None:
    text = HARBOUR.replace("四十吨", "五十吨").replace("老船长", "").replace("木桨", "大木桨")
    shown = printed(whorl.compare(HARBOUR, text), text, [HARBOUR], plain=True, width=300)
    for sign in ("[四]", "[五]", "[-老船长-]", "{+大+}"):
        assert sign in shown


def test_the_terminal_names_the_sources() -> None:
    found, text, sources = compose()
    shown = printed(found, text.text, [source.text for source in sources], plain=True)
    assert shown.index("source 3 source-2.txt") < shown.index("source 2 source-1.txt")
