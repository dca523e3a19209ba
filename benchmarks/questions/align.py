"""Alignment: accuracy and speed of copied passages, compared with three established methods."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random
from statistics import mean, median
from typing import Any

from benchmarks import rivals
from benchmarks.articles import load_articles
from benchmarks.measure import RunFailed
from benchmarks.questions import Answer, Settings, on_one_core, say, scratch

Stretches = list[tuple[int, int, int, int]]


@dataclass(frozen=True)
class Pair:
    """A source and its copy, the kind of the copy, and the copied spans of both."""

    source: str
    copy: str
    kind: str
    passages: Stretches


def ask(settings: Settings) -> Answer:
    """Measure every contender in a separate process."""
    rows, origins = [], []
    for language in settings["languages"]:
        for contender in CONTENDERS:
            say(f"align: {language}, {contender}")
            command = (sys.executable, "-m", __name__, language, contender, json.dumps(dict(settings)))
            measured = on_one_core(*command)
            origins.append(measured.pop("origin"))
            rows.append({"language": language, "name": contender} | measured)
        say(f"align: {language}, rapidfuzz")
        rows.append({"language": language, "name": "rapidfuzz, Indel"} | _rapidfuzz(language, settings))
    return {"data": list(dict.fromkeys(origins)), "rows": rows, "rivals": rivals.versions("rapidfuzz")}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    rows = [row for row in answer["rows"] if row["name"] == "whorl"]
    return {f"{row['language']}, {name}": row[name] for row in rows for name in ("related", "strangers")} | {
        f"{row['language']}, batch": 1e6 / row["batch"] for row in rows
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = [
        "| articles | | plagdet | precision | recall | granularity | related µs | strangers µs | pairs/s, batch |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in answer["rows"]:
        if "failure" in row:
            lines.append(f"| {row['language']} | {row['name']} | {row['failure']} |{' |' * 6}")
            continue
        figures = [f"{row[name]:.3f}" for name in ("plagdet", "precision", "recall", "granularity")]
        times = [f"{row[name]:,.0f}" for name in ("related", "strangers")]
        batch = f"{row['batch']:,.0f}" if "batch" in row else ""
        lines.append(f"| {' | '.join([row['language'], row['name'], *figures, *times, batch])} |")
    about = "medians of pairs whose source has about 2,000 characters; each time the best of three"
    lines += ["", f"Means of the kinds of copy, PAN macro; {about}."]
    return "\n".join(lines)


def whorl_passages(source: str, copy: str) -> Stretches:
    """Return the passages that whorl finds."""
    import whorl

    passages = whorl.compare(source, copy).passages
    return [(part.a_start, part.a_end, part.b_start, part.b_end) for part in passages]


def difflib_blocks(source: str, copy: str) -> Stretches:
    """Return the matching blocks of difflib that have 12 characters."""
    blocks = SequenceMatcher(None, source, copy, autojunk=False).get_matching_blocks()
    return [(block.a, block.a + block.size, block.b, block.b + block.size) for block in blocks if block.size >= 12]


def greedy_tiles(source: str, copy: str) -> Stretches:
    """Greedy string tiling over 12-grams (Wise 1993): the longest common stretches without overlaps."""
    places: dict[str, list[int]] = {}
    for at in range(len(source) - 11):
        places.setdefault(source[at : at + 12], []).append(at)
    tiles, at = [], 0
    while at + 12 <= len(copy):
        longest, start = 0, 0
        for place in places.get(copy[at : at + 12], ()):
            length = 12
            while at + length < len(copy) and source[place + length : place + length + 1] == copy[at + length]:
                length += 1
            longest, start = max((longest, start), (length, place))
        if longest:
            tiles.append((start, start + longest, at, at + longest))
        at += max(longest, 1)
    return tiles


CONTENDERS: dict[str, Callable[[str, str], Stretches]] = {
    "whorl": whorl_passages,
    "difflib": difflib_blocks,
    "greedy string tiling": greedy_tiles,
}


def measure(language: str, contender: str, settings: Settings) -> dict[str, Any]:
    """Score and time one contender."""
    align = CONTENDERS[contender]
    texts, origin = _texts(language, settings)
    pairs = list(_pairs(texts, settings))
    passages = [align(pair.source, pair.copy) for pair in pairs]
    measured: dict[str, Any] = {"origin": origin} | _scores(pairs, passages)
    measured |= {name: _microseconds(timed, align) for name, timed in _timed(texts, pairs, settings).items()}
    if contender == "whorl":
        import whorl

        batch = [(pair.source, pair.copy) for pair in pairs]
        measured["batch"] = len(batch) / min(_seconds(whorl.compare_many, batch) for _ in range(3))
    return measured


def _rapidfuzz(language: str, settings: Settings) -> dict[str, Any]:
    texts, _ = _texts(language, settings)
    pairs = list(_pairs(texts, settings))
    task = {"pairs": [(pair.source, pair.copy) for pair in pairs], "timed": _timed(texts, pairs, settings)}
    with scratch() as folder:
        (folder / "pairs.json").write_text(json.dumps(task), encoding="utf-8")
        try:
            measured = on_one_core(*rivals.command("rapidfuzz_blocks", folder / "pairs.json"))
        except RunFailed as failure:
            return {"failure": str(failure).strip().splitlines()[-1]}
    return _scores(pairs, measured.pop("found")) | dict(measured)


def _timed(texts: Sequence[str], pairs: Sequence[Pair], settings: Settings) -> dict[str, list[tuple[str, str]]]:
    """Return the timed pairs: related, and unrelated."""
    related = [(pair.source, pair.copy) for pair in pairs][: settings["timed"]]
    ends = range(0, min(len(texts) - 1, 2 * settings["timed"]), 2)
    return {"related": related, "strangers": [(texts[at], texts[at + 1]) for at in ends]}


def _texts(language: str, settings: Settings) -> tuple[list[str], str]:
    articles = load_articles("zh" if language == "zh" else "en", settings["seed"])
    low, high = settings["lengths"]
    texts = [text for text in articles.texts if low <= len(text) <= high] or list(articles.texts)
    Random(settings["seed"]).shuffle(texts)
    return texts[: settings["articles"]], articles.origin


def _pairs(texts: Sequence[str], settings: Settings) -> Iterator[Pair]:
    from whorl.evaluation.mutations import mutate

    for place, text in enumerate(texts):
        kind = settings["kinds"][place % len(settings["kinds"])]
        copy = mutate(text, kind, place)
        parts = [(part.source_start, part.source_end, part.copy_start, part.copy_end) for part in copy.passages]
        yield Pair(text, copy.text, kind, parts)


def _scores(pairs: Sequence[Pair], passages: Sequence[Stretches]) -> dict[str, float]:
    from whorl.evaluation.plagdet import CopiedStretch, macro

    def stretches(number: int, parts: Stretches) -> list[CopiedStretch]:
        return [CopiedStretch(str(number), c0, c1, str(number), s0, s1) for s0, s1, c0, c1 in parts]

    scores = []
    for kind in dict.fromkeys(pair.kind for pair in pairs):
        of_kind = [number for number, pair in enumerate(pairs) if pair.kind == kind]
        expected = [stretch for number in of_kind for stretch in stretches(number, pairs[number].passages)]
        scores.append(
            macro(expected, [stretch for number in of_kind for stretch in stretches(number, passages[number])])
        )
    names = ("plagdet", "precision", "recall", "granularity")
    return {name: mean(getattr(score, name) for score in scores) for name in names}


def _microseconds(pairs: Sequence[tuple[str, str]], align: Callable[[str, str], Stretches]) -> float:
    return 1e6 * median(min(_seconds(align, *pair) for _ in range(3)) for pair in pairs)


def _seconds(work: Callable[..., object], *args: object) -> float:
    start = time.perf_counter()
    work(*args)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))))
