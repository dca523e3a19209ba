import json
import runpy
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from whorl.evaluation.mutations import KINDS

NEWSROOM = Path(__file__).parents[3] / "examples" / "newsroom"
VERBATIM = {"verbatim", "retitle", "boilerplate", "sent_shuffle", "para_shuffle", "mix2", "mix3", "truncated", "short"}
VERBATIM |= {kind for kind in KINDS if kind.startswith(("drop", "excerpt", "embed"))}


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def articles() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows(NEWSROOM, "articles.jsonl")}


@pytest.fixture(scope="module")
def truth() -> list[dict[str, Any]]:
    return rows(NEWSROOM, "truth.jsonl")


def test_making_it_again_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("make.py", "originals.jsonl", "rewrites.jsonl"):
        shutil.copy(NEWSROOM / name, tmp_path)
    runpy.run_path(str(tmp_path / "make.py"), run_name="__main__")
    for name in ("articles.jsonl", "truth.jsonl"):
        assert (tmp_path / name).read_bytes() == (NEWSROOM / name).read_bytes()


def test_every_article_is_an_original_or_has_its_truth(
    articles: dict[str, dict[str, Any]], truth: list[dict[str, Any]]
) -> None:
    copies = {row["copy_id"] for row in truth}
    sources = {source for row in truth for source in row["sources"]}
    assert copies | sources <= articles.keys()
    assert not copies & sources
    assert len(articles) == len(copies) + len(rows(NEWSROOM, "originals.jsonl"))


def test_every_kind_is_there_twice(truth: list[dict[str, Any]]) -> None:
    counts = Counter(row["kind"] for row in truth)
    assert counts.pop("rewrite") == len(rows(NEWSROOM, "rewrites.jsonl"))
    assert counts == dict.fromkeys(KINDS, 2)


def test_a_copy_appears_after_its_sources(articles: dict[str, dict[str, Any]], truth: list[dict[str, Any]]) -> None:
    for row in truth:
        assert all(articles[source]["date"] < articles[row["copy_id"]]["date"] for source in row["sources"])


def test_passages_match_the_copied_words(articles: dict[str, dict[str, Any]], truth: list[dict[str, Any]]) -> None:
    for row in truth:
        for passage in row["passages"]:
            source = articles[passage["source"]]["text"][passage["s0"] : passage["s1"]]
            copy = articles[row["copy_id"]]["text"][passage["c0"] : passage["c1"]]
            assert source
            assert copy
            assert row["kind"] not in VERBATIM or copy == source


def test_originals_share_no_sentence_but_the_formula_of_the_weather_notices() -> None:
    sentences = Counter(
        sentence
        for row in rows(NEWSROOM, "originals.jsonl")
        for sentence in set(row["text"].replace("\n", "。").replace(". ", "。").split("。"))
        if len(sentence) > 8
    )
    assert [sentence for sentence, count in sentences.items() if count > 1] == ["防御指南可在市气象台网站查看"]
