"""Translated pages planted in foreign pages, and pages that are no translations of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import whorl
from benchmarks.judging import Figures, Row, data_rows, share_of
from whorl.evaluation.plagdet import CopiedStretch, macro, micro

_SEED = 48
_NEAREST = 2
_SHORT, _LONG = 1_000, 30_000


@dataclass(frozen=True, slots=True)
class Planted:
    """A page and its translation, each inserted between two paragraphs of another page.

    Attributes:
        source: the page in its language.
        text: the translation, with the page around it.
        cases: the aligned paragraphs: start and end in the source, start and end in the text.
    """

    source: str
    text: str
    cases: tuple[tuple[int, int, int, int], ...]


def planted_translations() -> Figures:
    """Pages of documentation in English and Chinese: aligned paragraphs, and strangers called translations."""
    rows = data_rows("families/pydocs-enzh.jsonl.gz")
    return judge_planted(planted(rows), strangers(rows)) if rows else {}


def judge_planted(pairs: Sequence[Planted], others: Sequence[tuple[str, str]], *, meaning: bool = False) -> Figures:
    """Return the passage scores of planted translations, and how many pairs of other pages are called translations."""
    comparisons = whorl.compare_many(((pair.source, pair.text) for pair in pairs), meaning=meaning)
    cases, detections = [], []
    for number, (pair, comparison) in enumerate(zip(pairs, comparisons, strict=True)):
        name = str(number)
        cases += [CopiedStretch(name, *case[2:], name, *case[:2]) for case in pair.cases]
        detections += [
            CopiedStretch(name, passage.b_start, passage.b_end, name, passage.a_start, passage.a_end)
            for passage in comparison.passages
        ]
    by_passage, by_character = macro(cases, detections), micro(cases, detections)
    called = sum(
        comparison.ratios.translated + comparison.ratios.meaning > 0
        for comparison in whorl.compare_many(others, meaning=meaning)
    )
    return {
        "planted": len(pairs),
        "called_translations": sum(comparison.relation == "translation" for comparison in comparisons),
        "plagdet": round(by_passage.plagdet, 3),
        "precision": round(by_passage.precision, 3),
        "recall": round(by_passage.recall, 3),
        "granularity": round(by_passage.granularity, 3),
        "plagdet_of_characters": round(by_character.plagdet, 3),
        "strangers": len(others),
        "strangers_called": called,
        "strangers_called_share": share_of(called, len(others)),
    }


def planted(rows: Sequence[Row]) -> list[Planted]:
    """Plant each Chinese translation in another Chinese page, and its source in another English one."""
    texts = {row["id"]: row["text"] for row in rows}
    chosen = Random(_SEED)
    translations = [row for row in rows if row.get("translated_from") and _SHORT <= len(row["text"]) <= _LONG]
    hosts = {language: [row for row in rows if row["lang"] == language] for language in ("zh", "en")}
    pairs = []
    for row in translations:
        page = row["page"]
        around = {language: _around(chosen, pages, page, row["text"]) for language, pages in hosts.items()}
        first, text = _inserted(texts[row["translated_from"]], *around["en"]), _inserted(row["text"], *around["zh"])
        cases = tuple(
            (first[1] + a_start, first[1] + a_end, text[1] + b_start, text[1] + b_end)
            for a_start, a_end, b_start, b_end in row["aligned"]
        )
        pairs.append(Planted(first[0], text[0], cases))
    return pairs


def _around(chosen: Random, pages: Sequence[Row], page: str, text: str) -> tuple[list[str], int]:
    """Return some consecutive paragraphs of a page about something else, and where to insert the text."""
    folder = page.rpartition("/")[0]
    others = [other for other in pages if other["page"].rpartition("/")[0] != folder]
    paragraphs = chosen.choice(others)["text"].split("\n")[: max(20, text.count("\n"))]
    return paragraphs, chosen.randrange(len(paragraphs) + 1)


def _inserted(text: str, paragraphs: Sequence[str], place: int) -> tuple[str, int]:
    """Return paragraphs with a text inserted between them, and its start."""
    before = "".join(f"{paragraph}\n" for paragraph in paragraphs[:place])
    return "\n".join([before + text, *paragraphs[place:]]), len(before)


def strangers(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Pair each Chinese page with the English pages that have most words in common with it, and with one at random.

    Pages that repeat each other's paragraphs are omitted: changes of a release are listed on several pages.
    """
    words = {row["id"]: _words(row["text"]) for row in rows}
    pages_with: dict[str, list[str]] = defaultdict(list)
    sources = [row for row in rows if row["lang"] == "en"]
    for row in sources:
        for word in words[row["id"]]:
            pages_with[word].append(row["id"])
    texts = {row["id"]: row["text"] for row in rows}
    chosen = Random(_SEED)
    pairs = []
    for row in rows:
        if not row.get("translated_from"):
            continue
        repeated = _repeated(texts[row["translated_from"]], sources)
        scores: dict[str, float] = defaultdict(float)
        for word in words[row["id"]]:
            for source in pages_with[word]:
                scores[source] += 1 / len(words[source]) ** 0.5
        nearest = sorted((source for source in scores if source not in repeated), key=scores.__getitem__, reverse=True)
        pairs += [(texts[source], row["text"]) for source in nearest[:_NEAREST]]
        pairs += [(texts[source], row["text"]) for source in chosen.sample(nearest[_NEAREST:], 1)]
    return pairs


def _words(text: str) -> set[str]:
    return {
        word
        for word in "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in text).split()
        if len(word) > 3
    }


def _repeated(text: str, sources: Sequence[Row]) -> set[str]:
    """Return the pages that have a paragraph of prose of a text."""
    paragraphs = {paragraph for paragraph in text.split("\n") if len(paragraph) > 60}
    return {row["id"] for row in sources if not paragraphs.isdisjoint(row["text"].split("\n"))}


__all__ = ["Planted", "judge_planted", "planted", "planted_translations", "strangers"]
