"""An article and excerpts of it are one text, and two articles in one file are a round-up."""

from __future__ import annotations

import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks.articles import LANGUAGES, Language, data_folder, load_articles, newsroom

from whorl.matching.compilation import find_stories

FLOORS = tomllib.loads((Path(__file__).parent / "relations.toml").read_text(encoding="utf-8"))["compilations"][
    "newsroom" if data_folder() is None else "news"
]
_ARTICLES = 600
_LONG = {"zh": 400, "en": 1200}


@cache
def articles(language: Language) -> list[str]:
    """Return news articles long enough for two excerpts: real ones, or those of the example."""
    texts = newsroom(language) if data_folder() is None else load_articles(language, 0).texts
    return [text for text in texts if len(text) >= _LONG[language]][:_ARTICLES]


def compilations(triples: list[tuple[str, str, str]]) -> int:
    """Return how many texts are compilations of two others each."""
    texts = [text for triple in triples for text in triple]
    return len(find_stories(texts, {at: [at + 1, at + 2] for at in range(0, len(texts), 3)}))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("share", [3, 2])
def test_an_article_beside_two_excerpts_is_no_round_up(language: Language, share: int) -> None:
    cut = [(text, text[: len(text) // share], text[len(text) // share :]) for text in articles(language)]
    assert len(cut) - compilations(cut) >= FLOORS["excerpts"][language] * len(cut), compilations(cut) / len(cut)


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_articles_in_one_text_are_a_round_up(language: Language) -> None:
    joined = [
        (f"{a}\n{b}", a, b) for a, b in pairwise(articles(language)) if max(len(a), len(b)) < 3 * min(len(a), len(b))
    ]
    assert compilations(joined) >= FLOORS["round_ups"] * len(joined), compilations(joined) / len(joined)
