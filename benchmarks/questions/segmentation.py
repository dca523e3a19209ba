"""Word segmentation by whorl, rjieba and jieba: speed on one core, and agreement.

All use precise mode and guess unknown words. whorl is measured three times: columns of spans, as its algorithms use
them; lines, as `whorl segment` writes them; and words as Python objects with their spans.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import rivals
from benchmarks.corpora import Corpus, corpus
from benchmarks.questions import Answer, Settings, on_one_core, say

_REFERENCE, _RIVAL = "jieba", "rjieba"
_NAMES = {
    "columns": "whorl, columns of places",
    "lines": "whorl, lines",
    "words": "whorl, words as objects",
    _RIVAL: "rjieba, lists of words",
    _REFERENCE: "jieba, lists of words",
}

Spans = set[tuple[int, int]]


def ask(settings: Settings) -> Answer:
    """Segment the same articles with every program, in turns."""
    articles = corpus("zh", settings["documents"], settings["seed"])
    runs: dict[str, list[Any]] = {name: [] for name in _NAMES}
    for turn in range(settings["runs"]):
        for name, timings in runs.items():
            say(f"segmentation: run {turn + 1} of {settings['runs']}: {_NAMES[name]}")
            timings.append(_run(name, articles))
    texts = _texts(articles.path)
    words = {
        name: [_spans(*row) for row in zip(texts, timings[0]["words"], strict=True)] for name, timings in runs.items()
    }
    characters = sum(map(len, texts))
    rows = [
        {
            "name": _NAMES[name],
            "seconds": median(run["seconds"] for run in timings),
            "agreement": _agreement(words[name], words[_REFERENCE]),
            "agreement_with_rival": _agreement(words[name], words[_RIVAL]),
        }
        for name, timings in runs.items()
    ]
    return {
        "data": [articles.origin],
        "documents": articles.documents,
        "characters": characters,
        "rows": rows,
        "rivals": rivals.versions(_REFERENCE, _RIVAL),
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    rival = next(row["seconds"] for row in answer["rows"] if row["name"] == _NAMES[_RIVAL])
    head = "| | million characters/s | documents/s | of rjieba's speed | F1 against jieba's words | against rjieba's |"
    lines = [head, "|---|--:|--:|--:|--:|--:|"]
    for row in answer["rows"]:
        cells = [
            f"{answer['characters'] / row['seconds'] / 1e6:.2f}",
            f"{answer['documents'] / row['seconds']:,.0f}",
            f"{rival / row['seconds']:.2f} ×",
            f"{row['agreement']:.4f}",
            f"{row['agreement_with_rival']:.4f}",
        ]
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _run(name: str, articles: Corpus) -> dict[str, Any]:
    if name in _WAYS:
        return dict(on_one_core(sys.executable, "-m", __name__, name, articles.path))
    return dict(on_one_core(*rivals.command(f"{name}_words", articles.path)))


def _texts(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [json.loads(line)["text"] for line in file]


def _spans(text: str, ends: list[int]) -> Spans:
    """Return the spans of the words between the ends, without white space."""
    return {(start, end) for start, end in zip([0, *ends], ends, strict=False) if text[start:end].strip()}


def _agreement(spans: list[Spans], truth: list[Spans]) -> float:
    """Return the F1 of all words against a reference."""
    shared = sum(len(mine & theirs) for mine, theirs in zip(spans, truth, strict=True))
    return 2 * shared / (sum(map(len, spans)) + sum(map(len, truth)))


def measure(name: str, path: Path) -> dict[str, Any]:
    """Return the segmentation time of the texts of a file, and the end of every word and gap."""
    import pyarrow as pa

    from whorl.text.words import segment

    texts = _texts(path)
    places = [[end for word in words for end in (word.start, word.end)] for words in segment(texts)]
    column, cut = pa.array(texts), _WAYS[name]()
    start = time.process_time()
    cut(texts, column)
    return {"seconds": time.process_time() - start, "words": places}


Cut = Callable[[list[str], Any], object]


def _columns() -> Cut:
    from whorl.text.words import Cutting, load_dictionary

    dictionary, cutting = load_dictionary(), Cutting()
    return lambda _, column: dictionary.segment(column, cutting)


def _lines() -> Cut:
    from whorl.text.words import Cutting, load_dictionary

    dictionary, cutting = load_dictionary(), Cutting()
    return lambda _, column: dictionary.lines(column, cutting)


def _words() -> Cut:
    from whorl.text.words import segment

    return lambda texts, _: segment(texts)


_WAYS: dict[str, Callable[[], Cut]] = {"columns": _columns, "lines": _lines, "words": _words}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
