"""Rewritten articles: `compare` calls them reworded, and the method `content` proposes their source.

On the rewrites and the news of ``WHORL_DATA``; strangers also on the examples.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tests.quality.corpora import data_folder, lines, of_related, related

import whorl
from whorl.fingerprints import family

_HERE = Path(__file__).parent
FLOORS = tomllib.loads((_HERE / "floors.toml").read_text(encoding="utf-8"))["rewrites"]
_SAMPLE = 1_000
_CANDIDATES = 32
_GENERATED = 100
_HAN = re.compile("[\u4e00-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[。！？!?\n])|(?<=\.)(?=\s)")
_NUMBER = re.compile(r"\d{2,}")
_WORD = re.compile(r"[\u4e00-\u9fff]{2}|\b[a-z]{4,}")
_NEWS = {"zh": "zh-news/articles.jsonl.zst", "en": "en-news/articles.jsonl.gz"}

needs_data = pytest.mark.skipif(data_folder() is None, reason="WHORL_DATA is not set")


@cache
def news(language: str) -> dict[str, str]:
    folder = data_folder()
    assert folder is not None
    return {row["id"]: row["text"] for row in lines(folder / _NEWS[language])}


@cache
def rewrites(degree: int) -> list[tuple[str, str, str]]:
    """Return language, source id and text of the rewrites of a degree."""
    folder = data_folder()
    assert folder is not None
    rows = lines(folder / "foreign" / "rewrites.jsonl.gz")
    return [(row["lang"], row["source_id"], row["text"]) for row in rows if row["degree"] == degree]


def called_reworded(pairs: Sequence[tuple[str, str]]) -> int:
    """Count the pairs that are called reworded only because their content is compared."""
    with_content = whorl.compare_many(pairs)
    without = whorl.compare_many(pairs, content=False)
    return sum(
        judged.relation == "reworded" != plain.relation for judged, plain in zip(with_content, without, strict=True)
    )


@needs_data
@pytest.mark.parametrize("degree", [2, 3])
def test_rewrites_are_reworded(degree: int) -> None:
    pairs = [(news(language)[source], text) for language, source, text in rewrites(degree)]
    relations = Counter(judged.relation for judged in whorl.compare_many(pairs))
    assert relations["reworded"] >= FLOORS["reworded"][f"degree_{degree}"] * len(pairs), relations


@needs_data
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_source_of_a_rewrite_is_a_candidate_among_all_articles(language: str) -> None:
    """The source is among the articles that a library compares: those with the most keys in common."""
    content = family("content")
    ids, texts = zip(*news(language).items(), strict=True)
    prints = content.fingerprint(texts)
    articles = np.repeat(np.arange(len(ids)), prints.counts)
    order = np.argsort(prints.keys, kind="stable")
    ordered, articles = prints.keys[order], articles[order]
    checked = [(source, text) for degree in (2, 3) for lang, source, text in rewrites(degree) if lang == language]
    proposed = 0
    for source, text in checked:
        shared: Counter[int] = Counter()
        for key in content.fingerprint([text]).keys:
            first, last = np.searchsorted(ordered, key), np.searchsorted(ordered, key, "right")
            shared.update(articles[first:last].tolist() if last - first <= _SAMPLE else [])
        nearest = [article for article, hits in shared.most_common(_CANDIDATES) if hits >= content.min_shared]
        proposed += source in {ids[article] for article in nearest}
    assert proposed >= FLOORS["candidates"] * len(checked), f"{proposed} of {len(checked)}"


@cache
def strangers() -> dict[str, list[tuple[str, str]]]:
    """Return pairs of texts on one topic, by kind: pages of one manual, other events in the words of one agency."""
    chosen = random.Random(7)
    pairs_by_kind = {}
    for name in of_related():
        pages = related(name)
        pairs = [pair for pair in combinations(pages.groups, 2) if len({pages.groups[id_] for id_ in pair}) == 2]
        chosen.shuffle(pairs)
        pairs_by_kind[name] = [(pages.texts[a], pages.texts[b]) for a, b in pairs[:_SAMPLE]]
    folder = data_folder()
    if folder is not None:
        rows = lines(folder / "zh-labelled" / "natural-pairs.jsonl.gz")
        others = [row for row in rows if row["label"] == "template_other_event"]
        chosen.shuffle(others)
        texts = news("zh")
        pairs_by_kind["other_event"] = [(texts[row["a"]], texts[row["b"]]) for row in others[:_SAMPLE]]
    return pairs_by_kind


def test_strangers_on_one_topic_are_not_reworded() -> None:
    for name, pairs in strangers().items():
        called = called_reworded(pairs)
        assert called <= FLOORS["strangers"] * len(pairs), f"{name}: {called} of {len(pairs)}"


def recast(text: str, words: Sequence[str], share: float, chosen: random.Random) -> str:
    """Return a text with shuffled clauses, in which a share of the words is replaced; numbers and names stay."""
    comma, stop = ("，", "。") if _HAN.search(text) else (", ", ". ")
    sentences = []
    for sentence in _SENTENCE_END.split(text):
        clauses = [clause.strip() for clause in re.split("[，,]", sentence.strip().rstrip("。.!?！？"))]
        chosen.shuffle(clauses)
        sentences.append(comma.join(clauses) + stop)
    return _WORD.sub(lambda word: chosen.choice(words) if chosen.random() < share else word[0], "".join(sentences))


@needs_data
@pytest.mark.parametrize("language", ["zh", "en"])
def test_generated_rewrites_are_reworded(language: str) -> None:
    chosen = random.Random(4)
    texts = chosen.sample(sorted(news(language).values()), 600)
    words = [word for text in texts[:100] for word in _WORD.findall(text)]
    sources = [text for text in texts[100:] if 300 <= len(text) <= 3000 and len(_NUMBER.findall(text)) >= 4][
        :_GENERATED
    ]
    assert len(sources) == _GENERATED
    pairs = [(text, recast(text, words, FLOORS["generated"]["replaced"][language], chosen)) for text in sources]
    relations = Counter(judged.relation for judged in whorl.compare_many(pairs))
    assert relations["unrelated"] <= (1 - FLOORS["generated"]["related"]) * len(pairs), relations
