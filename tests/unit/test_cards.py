"""Notebook display of results: pieces of HTML that do not affect the page around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lxml import etree, html
from tests.articles import article
from tests.unit.reports.page import HOSTILE

import whorl
from whorl.i18n import Language, speaking
from whorl.tasks.library import maintenance as library_tasks
from whorl.types.cards import ROWS, CardList, card
from whorl.types.library import Cluster, ClusterSize

TEXT = article(1)
NEWSROOM = Path(__file__).parents[2] / "examples" / "newsroom"
SAFE = HOSTILE.replace("\x00", "").replace("\ud800", "")
"""Valid names of documents: no NUL, no lone surrogate."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[whorl.Library]:
    with whorl.open(tmp_path_factory.mktemp("library") / "<script>") as opened:
        opened.add({"id": f"{SAFE}{number}", "text": TEXT, "title": HOSTILE[:20]} for number in range(200))
        yield opened


def dedup(_: whorl.Library) -> Any:
    return whorl.dedup([{"id": f"{SAFE}{number}", "text": TEXT} for number in range(1000)])


def composed(_: whorl.Library) -> Any:
    sources = [article(number) for number in range(40)]
    return whorl.compare_sources(sources, "".join(sources))


RESULTS: dict[str, Callable[[whorl.Library], Any]] = {
    "DedupResult": dedup,
    "Comparison": lambda _: whorl.compare(TEXT, TEXT * 3),
    "Comparison of strangers": lambda _: whorl.compare("", ""),
    "Composition": composed,
    "Explanation": lambda _: whorl.explain_files(*[str(NEWSROOM / f"articles.jsonl:{row}") for row in (24, 88)]),
    "Library": lambda library: library,
    "Stats": library_tasks.stats,
    "Report": lambda library: library.check(TEXT),
    "Reports": lambda library: library.add([{"id": "again", "text": TEXT}]),
    "Match": lambda library: library.check(TEXT).matches[0],
    "Document": lambda library: library.get(f"{SAFE}1"),
    "Cluster": lambda library: library.cluster(library.clusters()[0].id),
    "clusters": lambda library: library.clusters(),
    "ClusterSize": lambda library: library.clusters()[0],
    "trace": lambda library: library.trace(library.clusters()[0].id),
    "sightings": lambda library: library.sightings(f"{SAFE}1"),
    "hot": whorl.runs.hot,
    "methods": lambda _: whorl.lab.describe_method("minhash"),
}


def parsed(visible: str) -> Any:
    """Return the only root of a card."""
    (root,) = html.fragments_fromstring(visible)
    return root


def rules(root: Any) -> list[str]:
    """Return every selector of the style of a card."""
    style = "".join(root.itertext("style"))
    flat = re.sub(r"@media[^{]*\{(.*)\}\s*", r"\1", style, flags=re.MULTILINE)
    return [
        item.strip() for group in re.findall(r"([^{}]+)\{[^{}]*\}", flat) for item in re.split(r",(?![^(]*\))", group)
    ]


@pytest.mark.parametrize("kind", RESULTS)
def test_card_is_a_small_isolated_fragment(kind: str, library: whorl.Library) -> None:
    card_html = RESULTS[kind](library)._repr_html_()
    root = parsed(card_html)
    assert root.tag == "div"
    assert root.get("class") == "whorl-card"
    assert len(card_html.encode()) < 20_000
    assert not {"html", "body", "head", "script", "link", "iframe", "img"} & {element.tag for element in root.iter()}
    assert all(re.match(r"(:is\([^()]*\) )?\.whorl-card", rule) and "*" not in rule for rule in rules(root))
    assert "prefers-color-scheme:dark" in card_html
    assert not [name for element in root.iter() for name in element.attrib if name != "class"]


@pytest.mark.parametrize("kind", RESULTS)
def test_a_card_is_well_formed(kind: str, library: whorl.Library) -> None:
    card_html = RESULTS[kind](library)._repr_html_()
    assert etree.fromstring(card_html).get("class") == "whorl-card"


def test_hostile_ids_and_titles_are_text(library: whorl.Library) -> None:
    for name in ("DedupResult", "Report", "Cluster", "trace"):
        text = parsed(RESULTS[name](library)._repr_html_()).text_content()
        assert "<script>alert(1)</script>" in text
        assert "\u202e" not in text
        assert "⟨RLO⟩" in text


def test_hidden_rows_are_counted() -> None:
    output = card("many", columns=["n"], rows=([number] for number in range(1_000_000)), count=1_000_000)
    assert len(parsed(output).xpath(".//td")) == ROWS
    assert f"… {1_000_000 - ROWS:,}" in output


def test_rows_beyond_the_room_are_counted() -> None:
    wide = ["\u200b\u200c<" * 100] * 30
    output = card(
        "<" * 1000, [("<" * 1000, "<" * 1000)] * 100, columns=wide[:5], rows=[wide] * 50, count=50, notes=wide
    )
    rows = len(parsed(output).xpath(".//tr")) - 1
    assert len(output.encode()) < 20_000
    assert f"… {50 - rows}" in output


@pytest.mark.parametrize(
    ("language", "message", "other"),
    [
        ("en", "Of 91 articles, 14 (15.4%) were removed", "91 篇中删去 14 篇"),
        ("zh", "91 篇中删去 14 篇", "Of 91 articles, 14 (15.4%) were removed"),
    ],
)
def test_run_card_uses_one_language(language: Language, message: str, other: str) -> None:
    frame = pl.read_ndjson(NEWSROOM / "articles.jsonl")
    result = whorl.dedup(frame)
    with speaking(language):
        text = parsed(result._repr_html_()).text_content().replace("\u00a0", " ")
    assert message in text
    assert other not in text
    assert result.duplicates["id"][0].as_py() in text


def test_file_results_have_the_same_card(tmp_path: Path) -> None:
    cleaned = whorl.dedup_files(NEWSROOM / "articles.jsonl", tmp_path / "out")
    in_memory = whorl.dedup(pl.read_ndjson(NEWSROOM / "articles.jsonl"))
    assert sorted(parsed(cleaned._repr_html_()).xpath("//td/text()")) == sorted(
        parsed(in_memory._repr_html_()).xpath("//td/text()")
    )


def test_evaluation_card_lists_methods(tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("a,b\nnr-088,nr-024\n", encoding="utf-8")
    evaluation = whorl.lab.evaluate(NEWSROOM / "articles.jsonl", truth, methods=["bag", "exact"], sweep=False)
    root = parsed(evaluation._repr_html_())
    assert {"bag", "exact"} <= set(root.xpath(".//td/text()"))
    assert len(root.xpath(".//tr")) == 3


def test_closed_library_card(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        pass
    assert "closed" in library._repr_html_()


def test_a_list_of_results_is_a_list() -> None:
    sizes = CardList([ClusterSize(1, 5), ClusterSize(2, 3)])
    assert sizes == [ClusterSize(1, 5), ClusterSize(2, 3)]
    assert parsed(sizes._repr_html_()).xpath(".//th/text()") == ["id", "size"]
    assert parsed(CardList([])._repr_html_()).text_content().split("</style>")[-1].strip().endswith("0")


def test_a_cluster_lists_its_documents() -> None:
    root = parsed(Cluster(1, (), 2, ("a", "b"))._repr_html_())
    assert root.xpath(".//td/text()") == ["a", "b"]


@pytest.mark.parametrize("theme", ["[data-jp-theme-light=false]", ".vscode-dark", "html[theme=dark]"])
def test_a_card_is_dark_where_the_notebook_is(theme: str) -> None:
    dark = [rule for rule in rules(parsed(card("one"))) if theme in rule]
    light = [
        rule for rule in rules(parsed(card("one"))) if theme.replace("dark", "light").replace("false", "true") in rule
    ]
    assert (len(dark), len(light)) == (1, 1)
