"""Items of benchmarks in a corpus: recall, false positives, and time per document.

Items are planted into real articles, half of them with every tenth word or character changed. Whatever is found in
other documents counts against the precision, even if it is there. Families share a quotation, a form or a formula with
an item. Without WHORL_DATA, the articles are those of the example.
"""

from __future__ import annotations

import os
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.articles import load_articles
from benchmarks.contamination import LookAlike, PlantedSet, look_alikes, planted_set, read_texts
from benchmarks.questions import Answer, Settings, say

_SETS = (
    ("en-news", "en", "en-news/articles.jsonl.gz"),
    ("zh-news", "zh", "zh-news/articles.jsonl.zst"),
    ("related, en", "en", "related/python-docs-en.jsonl.gz"),
    ("related, zh", "zh", "related/manpages-zh.jsonl.gz"),
    ("families, licences", "en", "families/licences.jsonl.gz"),
    ("families, laws", "zh", "families/laws-zh.jsonl.gz"),
)
_NEWS = {language: path for _, language, path in _SETS[:2]}
_LENGTH = 1000


def ask(settings: Settings) -> Answer:
    """Look for planted items and for families, and measure the time of a document."""
    sources = {language: _texts(language, path, 2 * settings["documents"]) for language, path in _NEWS.items()}
    rows = [_planted(planted, settings) for planted in _sets(sources, settings)]
    families = look_alikes(settings["families"], settings["seed"], sources["en"][:200])
    return {
        "data": ["articles of WHORL_DATA" if "WHORL_DATA" in os.environ else "examples/newsroom"],
        "rows": rows,
        "families": [_families(families, is_together=is_together) for is_together in (True, False)],
        "speed": _speed(sources, settings),
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = [
        "| corpus | documents | items | verbatim | edited | documents without item | of these reported | precision |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row['set']} | {row['documents']:,} | {row['items']:,} | {row['verbatim']:.3f} | {row['edited']:.3f} "
        f"| {row['others']:,} | {row['reported']:,} | {row['precision']:.3f} |"
        for row in answer["rows"]
    ]
    for row in answer["families"]:
        kinds = ", ".join(f"{kind} {count}" for kind, count in row["reported"].items())
        where = "in one benchmark" if row["together"] else "each in a benchmark of its own"
        lines.append(f"\n{row['families']} families {where}: {kinds} reported.")
    speed = answer["speed"]
    lines.append(
        f"\nAgainst {speed['items']:,} items, on one core, for a document of {_LENGTH:,} characters: "
        + ", ".join(f"{name} {micros:.0f} µs" for name, micros in speed["micros"].items())
        + f". The index takes {speed['build_s']:.1f} s and {speed['memory_mb']:.0f} MB."
    )
    return "\n".join(lines)


def guarded(answer: Answer) -> dict[str, float]:
    """Return the times of a document."""
    return {f"a document, {name}": micros for name, micros in answer["speed"]["micros"].items()}


def _sets(sources: dict[str, list[str]], settings: Settings) -> list[PlantedSet]:
    count, seed = settings["documents"], settings["seed"]
    sets = []
    for name, language, path in _SETS:
        held_out = sources[language][len(sources[language]) // 2 :]
        texts = sources[language][: len(sources[language]) // 2]
        if path not in _NEWS.values():
            if "WHORL_DATA" not in os.environ:
                continue
            texts = _texts(language, path, count)
        sets.append(planted_set(name, texts, held_out, language, min(settings["items"], len(texts) // 2), seed))
    return sets


def _texts(language: str, path: str, limit: int) -> list[str]:
    if "WHORL_DATA" in os.environ:
        return read_texts(Path(os.environ["WHORL_DATA"]) / path, limit)
    return list(load_articles(language, 1).texts)[:limit]


def _planted(planted: PlantedSet, settings: Settings) -> dict[str, Any]:
    import whorl

    say(f"decontaminate: {planted.name}")
    reported_items = defaultdict(set)
    result = whorl.decontaminate(planted.texts, against={"items": planted.items}, workers=settings["cores"])
    for hit in result.hits.to_pylist():
        if hit["counted"]:
            reported_items[hit["row"]].add(int(hit["item"]) - 1)
    shares = []
    for edits in (False, True):
        those = [(row, item) for row, (item, is_edited) in planted.planted.items() if is_edited == edits]
        shares.append(sum(item in reported_items[row] for row, item in those) / len(those))
    others = [row for row in range(len(planted.texts)) if row not in planted.planted]
    reported = sum(bool(reported_items[row]) for row in others)
    documents = sum(map(bool, reported_items.values()))
    return {
        "set": planted.name,
        "documents": len(planted.texts),
        "items": len(planted.items),
        "verbatim": shares[0],
        "edited": shares[1],
        "others": len(others),
        "reported": reported,
        "precision": 1 - reported / documents if documents else 1.0,
    }


def _families(families: list[LookAlike], *, is_together: bool) -> dict[str, Any]:
    import whorl

    reported = dict.fromkeys(("quotation", "template", "formula"), 0)
    for group in [families] if is_together else [[family] for family in families]:
        texts = [text for family in group for text in family.documents]
        of_text = [number for number, family in enumerate(group) for _ in family.documents]
        hits = whorl.decontaminate(texts, against={"items": [family.item for family in group]}).hits.to_pylist()
        for number in {of_text[hit["row"]] for hit in hits if hit["counted"]}:
            reported[group[number].kind] += 1
    return {"together": is_together, "families": len(families), "reported": reported}


def _speed(sources: dict[str, list[str]], settings: Settings) -> dict[str, Any]:
    """Measure processor time against many items, which are stretches of articles that are not scanned."""
    import pyarrow as pa

    from whorl._core import ContaminationIndex, set_workers

    draw, count = random.Random(settings["seed"]), settings["indexed"]
    items = []
    for number in range(count):
        texts = sources["zh" if number % 2 else "en"]
        items.append(_stretch(draw.choice(texts[len(texts) // 2 :]), is_dense=bool(number % 2), draw=draw))
    before = set_workers(1)
    memory, start = _resident(), time.process_time()
    index = ContaminationIndex(items, list(range(count)), ["question"] * count)
    built, memory = time.process_time() - start, _resident() - memory
    micros = {}
    for name, language, path in _SETS:
        texts = sources[language] if path in _NEWS.values() else None
        if texts is None and "WHORL_DATA" not in os.environ:
            continue
        joined = "".join((texts or _texts(language, path, settings["documents"]))[: settings["documents"]])
        documents = pa.array([joined[at : at + _LENGTH] for at in range(0, len(joined) - _LENGTH, _LENGTH)][:2000])
        micros[name] = min(_time(index, documents) for _ in range(settings["runs"])) / len(documents) * 1e6
    set_workers(before)
    return {"items": count, "build_s": built, "memory_mb": memory, "micros": micros}


def _stretch(text: str, *, is_dense: bool, draw: random.Random) -> str:
    units = list(text) if is_dense else text.split()
    length = draw.randint(12, 100) if is_dense else draw.randint(8, 60)
    start = draw.randrange(max(1, len(units) - length))
    return ("" if is_dense else " ").join(units[start : start + length])


def _time(index: Any, documents: Any) -> float:
    start = time.process_time()
    index.scan(documents)
    return time.process_time() - start


def _resident() -> float:
    """Return the resident memory in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
