"""Scanned pages: passages that are found in them, compared with the printed text, and what recognition costs."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import processor_seconds, run
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.scans import ScannedPage, places_in, scanned_pages

_PACKAGES = ("rapidocr", "onnxruntime")


def ask(settings: Settings) -> Answer:
    """Recognize every page in one process, and compare it with its sources."""
    pages, origin = scanned_pages(settings)
    with scratch() as folder:
        for number, page in enumerate(pages):
            (folder / f"{number:03}.pdf").write_bytes(page.pdf)
        say(f"ocr: {len(pages)} pages")
        read = folder / "read.json"
        cost = run([sys.executable, "-m", __name__, folder, read])
        recognized = json.loads(read.read_text(encoding="utf-8"))
    rows = []
    for kind in ["all", *dict.fromkeys(settings["kinds"])]:
        chosen = [number for number, page in enumerate(pages) if kind in ("all", page.kind)]
        rows.append({"pages": kind, "count": len(chosen)} | _figures(pages, recognized, chosen))
    return {
        "data": [origin],
        "rivals": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "rows": rows,
        "looks": [dict(page.look) | {"pages": page.kind} for page in pages],
        "cpu": cost.cpu / len(pages),
        "memory": cost.memory,
    }


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {"processor time a page": answer["cpu"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = [
        "| pages | | plagdet, printed text | plagdet, scan | share | wrong characters | processor s a page | worst |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in answer["rows"]:
        figures = f"{row['printed']:.3f} | {row['scan']:.3f} | {row['scan'] / row['printed']:.3f} | {row['wrong']:.2%}"
        lines.append(f"| {row['pages']} | {row['count']} | {figures} | {row['seconds']:.1f} | {row['slowest']:.1f} |")
    memory = f"{answer['memory'] / 1e6:,.0f} MB for the command and the process that recognizes, on one core"
    lines += ["", f"Plagdet is the macro score. Wrong characters apart from width, punctuation and spaces. {memory}."]
    return "\n".join(lines)


def _figures(pages: Sequence[ScannedPage], recognized: Sequence[Any], chosen: Sequence[int]) -> dict[str, float]:
    from whorl.evaluation.plagdet import macro

    seconds = [recognized[number]["seconds"] for number in chosen]
    expected = [stretch for number in chosen for stretch in _expected(pages[number], number)]
    texts = [recognized[number]["text"] for number in chosen]
    printed = [part for number in chosen for part in _detected(pages[number], number, pages[number].text)]
    scan = [part for number, text in zip(chosen, texts, strict=True) for part in _detected(pages[number], number, text)]
    wrong = sum(_wrong(pages[number].text, text) for number, text in zip(chosen, texts, strict=True))
    return {
        "printed": macro(expected, printed).plagdet,
        "scan": macro(expected, scan).plagdet,
        "wrong": wrong / sum(len("".join(pages[number].text.split())) for number in chosen),
        "seconds": sum(seconds) / len(seconds),
        "slowest": max(seconds),
    }


def _expected(page: ScannedPage, number: int) -> list[Any]:
    from whorl.evaluation.plagdet import CopiedStretch

    return [
        CopiedStretch(str(number), c0, c1, f"{number}-{source}", s0, s1) for source, s0, s1, c0, c1 in page.passages
    ]


def _detected(page: ScannedPage, number: int, text: str) -> list[Any]:
    """Return the passages that are found in a text, at their places in the printed text."""
    import whorl
    from whorl.evaluation.plagdet import CopiedStretch

    places = list(range(len(text) + 1)) if text == page.text else places_in(page.text, text)
    passages = whorl.compare_sources(page.sources, text).comparisons
    return [
        CopiedStretch(
            str(number),
            places[part.b_start],
            places[part.b_end - 1] + 1,
            f"{number}-{part.source}",
            part.a_start,
            part.a_end,
        )
        for comparison in passages
        for part in comparison.passages
    ]


def _wrong(text: str, recognized: str) -> int:
    """Return the number of edited characters, apart from spaces, width and punctuation."""
    from whorl.text import edit_runs

    runs = edit_runs("".join(text.split()), "".join(recognized.split()))
    return sum(
        max(run.a_end - run.a_start, run.b_end - run.b_start) for run in runs if run.kind not in ("same", "form")
    )


def read(folder: Path, out: Path) -> None:
    """Recognize the files of a folder one by one, with the seconds of processor time of each."""
    import whorl

    results = []
    for path in sorted(folder.glob("*.pdf")):
        start = processor_seconds(os.getpid())
        [document] = whorl.read(path, ocr=True)
        results.append({"seconds": processor_seconds(os.getpid()) - start, "text": document.text})
    out.write_text(json.dumps(results, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    read(Path(sys.argv[1]), Path(sys.argv[2]))
