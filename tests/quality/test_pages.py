"""How much of the article of a page is read, and how little else."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from tests.quality.pages import pages, sets

from whorl.corpus import Columns, ReadOptions, Rejects, discover, format_of

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["pages"]
TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """The runs of four tokens, a token being a Han character or a word."""
    tokens = TOKEN.findall(text.casefold())
    return Counter(tuple(tokens[start : start + 4]) for start in range(max(1, len(tokens) - 3)))


def read(folder: Path, page: str) -> str:
    (folder / "page.html").write_text(page, encoding="utf-8")
    (source,) = discover([folder / "page.html"])
    batches = list(format_of(source).read(source, Columns(), Rejects(), ReadOptions()))
    return "".join(text for batch in batches for text in batch.texts.to_pylist())


@pytest.mark.parametrize("name", sets())
def test_the_article_of_a_page_is_read_and_little_else(tmp_path: Path, name: str) -> None:
    """Precision and recall of the shingles of the article, each the mean over the pages."""
    known = pages(name)
    assert len(known) >= 10, "enough pages to tell"
    precision = recall = 0.0
    for page in known:
        found, gold = shingles(read(tmp_path, page.html)), shingles(page.gold)
        shared = (found & gold).total()
        precision += shared / max(1, found.total()) / len(known)
        recall += shared / gold.total() / len(known)
    measured = {"precision": round(precision, 3), "recall": round(recall, 3)}
    assert {figure: value for figure, value in measured.items() if value < FLOORS[name][figure]} == {}, measured
