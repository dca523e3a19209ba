"""Copies of labeled kinds among their originals, and pairs of articles that only look like copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.articles import Language, data_folder, newsroom, read_rows
from whorl.evaluation.scoring import Copy, Truth, of_one_original, pair

Row = dict[str, str]
"""An article: ``title`` and ``text``."""

Pairs = frozenset[tuple[int, int]]
"""Pairs of row numbers, the lower first."""

_NEWS = {"zh": "zh-news/articles.jsonl.zst", "en": "en-news/articles.jsonl.gz"}
_COPIES_OF_EACH = 3
_OTHER_EVENT = "template_other_event"


@dataclass(frozen=True, slots=True)
class Copies:
    """Articles, some of them copies of labeled kinds.

    Attributes:
        origin: one sentence about their source.
        articles: the input of a program under test; nothing in it marks a copy.
        truth: the copies by row number. Copies of one original are related. Pairs that share text for another reason,
            such as the same added notice, are excluded.
    """

    origin: str
    articles: list[Row]
    truth: Truth


@dataclass(frozen=True, slots=True)
class Traps:
    """Pairs of articles on different events that share a template.

    Attributes:
        origin: one sentence about their source.
        articles: the articles of the pairs.
        pairs: the pairs that look alike.
    """

    origin: str
    articles: list[Row]
    pairs: Pairs


def copies_in(language: Language, seed: int, of_each_kind: int | None = None) -> Copies:
    """Return the mutated set of ``WHORL_DATA``, or else mutations of the example's articles.

    Args:
        language: language of the articles.
        seed: seed of the example's mutations.
        of_each_kind: maximum number of copies of a kind; only articles of these copies are kept.
    """
    folder = data_folder()
    if folder is None:
        return _of_the_example(language, seed)
    return _mutated(folder / f"mutated-{language}", of_each_kind)


def traps_in(language: Language, limit: int | None = None) -> Traps | None:
    """Return at most ``limit`` pairs of real articles on different events, or None without data."""
    folder = data_folder()
    if folder is None:
        return None
    labelled = read_rows(folder / f"{language}-labelled" / "natural-pairs.jsonl.gz")
    named = [(row["a"], row["b"]) for row in labelled if row["label"] == _OTHER_EVENT][:limit]
    if not named:
        return None
    pair_ids = set(chain.from_iterable(named))
    articles = [article for article in read_rows(folder / _NEWS[language]) if article["id"] in pair_ids]
    rows = {article["id"]: row for row, article in enumerate(articles)}
    pairs = frozenset(pair(rows[a], rows[b]) for a, b in named)
    origin = f"{len(pairs):,} pairs of {language}-labelled in WHORL_DATA on different events"
    return Traps(origin, [_visible_fields(article) for article in articles], pairs)


def _mutated(folder: Path, of_each_kind: int | None) -> Copies:
    truth = list(_first_of_each_kind(read_rows(folder / "truth.jsonl.gz"), of_each_kind))
    wanted_ids = {name for entry in truth for name in (entry["copy_id"], *entry["sources"])}
    articles = [row for row in read_rows(folder / "docs.jsonl.gz") if of_each_kind is None or row["id"] in wanted_ids]
    rows = {article["id"]: row for row, article in enumerate(articles)}
    copies = [
        Copy(rows[entry["copy_id"]], entry["kind"], tuple(rows[source] for source in entry["sources"]))
        for entry in truth
    ]
    others = read_rows(folder / "other-overlap.jsonl.gz")
    overlaps = frozenset(pair(rows[row["a"]], rows[row["b"]]) for row in others if {row["a"], row["b"]} <= rows.keys())
    origin = f"{folder.name} in WHORL_DATA: {len(articles):,} real articles, {len(copies):,} of them made into copies"
    return Copies(origin, [_visible_fields(article) for article in articles], _truth(copies, overlaps))


def _first_of_each_kind(truth: Iterator[dict[str, Any]], limit: int | None) -> Iterator[dict[str, Any]]:
    counts: dict[str, int] = {}
    for entry in truth:
        counts[entry["kind"]] = counts.get(entry["kind"], 0) + 1
        if limit is None or counts[entry["kind"]] <= limit:
            yield entry


def _of_the_example(language: Language, seed: int) -> Copies:
    from whorl.evaluation.mutations import kinds_for, mutate, others_needed

    originals = newsroom(language)
    texts = list(originals)
    copies = []
    for source, text in enumerate(originals):
        for kind in kinds_for(language):
            partners = [(source + step) % len(originals) for step in range(1, others_needed(kind) + 1)]
            others = [originals[partner] for partner in partners]
            sources = (source, *partners)
            for number in range(_COPIES_OF_EACH):
                copies.append(Copy(len(texts), kind, sources))
                texts.append(mutate(text, kind, seed + number, others=others).text)
    origin = f"{len(originals)} invented articles of examples/newsroom and {len(copies)} copies by whorl.evaluation"
    return Copies(origin, [{"title": "", "text": text} for text in texts], _truth(copies))


def _truth(copies: list[Copy], aside: Pairs = frozenset()) -> Truth:
    return Truth(tuple(copies), of_one_original(tuple(copies)), aside)


def _visible_fields(article: dict[str, Any]) -> Row:
    return {"title": article.get("title") or "", "text": article["text"]}
