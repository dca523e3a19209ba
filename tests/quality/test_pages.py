"""Article extraction from pages: recall, precision, and metadata about author and date."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest
import trafilatura
from tests.quality.corpora import data_folder, lines
from tests.quality.pages import pages, sets

from whorl.corpus import Columns, ReadOptions, Rejects, discover, format_of
from whorl.corpus.pages.extraction import extract

STATED = tomllib.loads((Path(__file__).parent / "pages_zh.toml").read_text(encoding="utf-8"))
DAY = re.compile(r"/(20[0-2][0-9])([/-]?)([01][0-9])\2([0-3][0-9])(?=[/-])")
FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["pages"]
TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return the 4-grams of tokens; a token is a Han character or a word."""
    tokens = TOKEN.findall(text.casefold())
    return Counter(tuple(tokens[start : start + 4]) for start in range(max(1, len(tokens) - 3)))


def read(folder: Path, page: str) -> str:
    (folder / "page.html").write_text(page, encoding="utf-8")
    (source,) = discover([folder / "page.html"])
    batches = list(format_of(source).read(source, Columns(), Rejects(), ReadOptions()))
    return "".join(text for batch in batches for text in batch.texts.to_pylist())


@pytest.mark.parametrize("name", sets())
def test_the_article_of_a_page_is_read_and_little_else(tmp_path: Path, name: str) -> None:
    """Precision and recall of the shingles of the article, each averaged over the pages."""
    page_set = pages(name)
    assert len(page_set) >= 10, "enough pages to tell"
    precision = recall = 0.0
    for page in page_set:
        actual, gold = shingles(read(tmp_path, page.html)), shingles(page.gold)
        shared = (actual & gold).total()
        precision += shared / max(1, actual.total()) / len(page_set)
        recall += shared / gold.total() / len(page_set)
    measured = {"precision": round(precision, 3), "recall": round(recall, 3)}
    assert {figure: value for figure, value in measured.items() if value < FLOORS[name][figure]} == {}, measured


def f1(actual: Counter[tuple[str, ...]], gold: Counter[tuple[str, ...]]) -> float:
    return 2 * (actual & gold).total() / max(1, actual.total() + gold.total())


@pytest.mark.parametrize("name", [name for name in sets() if name != "newsroom"])
def test_articles_are_read_no_worse_than_by_the_extractor_alone(name: str) -> None:
    """The mean F1 of the shingles, compared with plain trafilatura; for Chinese pages clearly better."""
    page_set = pages(name)
    ours = plain = 0.0
    for page in page_set:
        gold = shingles(page.gold)
        ours += f1(shingles(extract(page.html.encode(), dated=False).text), gold) / len(page_set)
        plain += f1(shingles(trafilatura.extract(page.html, include_comments=False) or ""), gold) / len(page_set)
    assert ours >= plain + FLOORS[name]["better"], (ours, plain)


@pytest.mark.skipif(data_folder() is None, reason="needs real pages")
def test_metadata_of_chinese_pages_is_read() -> None:
    """Title, time, source, author and editor as people read them; empty if the page has no statement."""
    folder = data_folder()
    assert folder is not None
    right, expected = Counter[str](), Counter[str]()
    for row in lines(folder / "html-extract" / "gne-zh-pages.jsonl.gz"):
        stated, page = STATED[row["id"]], extract(row["html"].encode())
        if "title" in stated:
            expected["title"] += 1
            right["title"] += page.title == row["title"].strip()[: stated["title"]]
        expected["date"] += 1
        right["date"] += (page.date or "").startswith(stated["date"])
        for name in ("origin", "author", "editor"):
            expected[name] += 1
            right[name] += getattr(page, name) == stated.get(name)
    measured = {name: round(right[name] / expected[name], 3) for name in expected}
    assert {name: value for name, value in measured.items() if value < FLOORS["said"][name]} == {}, measured


@pytest.mark.skipif(data_folder() is None, reason="needs real pages")
def test_day_in_the_address_is_used() -> None:
    """The extractor does not see the address, and the clocks of two zones may be a day apart."""
    folder = data_folder()
    assert folder is not None
    right = expected = 0
    for name in ("scrapinghub", "trafilatura-snippets"):
        for row in lines(folder / "html-extract" / f"{name}.jsonl.gz"):
            if stated := DAY.search(row["url"]):
                day = date(int(stated[1]), int(stated[3]), int(stated[4]))
                published = extract(row["html"].encode()).published_at
                expected += 1
                right += published is not None and abs(published.date() - day) <= timedelta(days=1)
    assert expected >= 30, "enough pages to tell"
    assert right / expected >= FLOORS["said"]["day"], (right, expected)
