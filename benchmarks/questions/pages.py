"""Reading speed of HTML pages, compared with the extractor that finds their text."""

from __future__ import annotations

import importlib.metadata
import sys
from html import escape
from pathlib import Path
from statistics import median

from benchmarks.articles import data_folder, load_articles, read_rows
from benchmarks.measure import Cost, run
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup

_SETS = ("gne-zh-pages", "readability", "scrapinghub", "trafilatura-snippets")
_RIVAL = "trafilatura"
_SCRIPT = Path(__file__).parents[1] / "rivals" / "trafilatura_pages.py"


def ask(settings: Settings) -> Answer:
    """Read the same folder with both in turns, so that a slow phase of the machine affects both."""
    pages, origin = _pages(settings["seed"])
    costs: dict[str, list[Cost]] = {"whorl dedup": [], f"{_RIVAL} alone": []}
    with scratch() as folder:
        corpus = folder / "pages"
        corpus.mkdir()
        for number, page in enumerate(pages):
            (corpus / f"{number:06}.html").write_text(page, encoding="utf-8")
        for turn in range(settings["runs"]):
            say(f"pages: run {turn + 1} of {settings['runs']}")
            out, cores = folder / f"{turn}", settings["cores"]
            costs["whorl dedup"].append(run(whorl_dedup(corpus, out, None, cores)))
            rival = [sys.executable, _SCRIPT, corpus, folder / "texts.jsonl", str(cores)]
            costs[f"{_RIVAL} alone"].append(run(rival))
    return {
        "data": [origin],
        "rivals": {_RIVAL: importlib.metadata.version(_RIVAL)},
        "rows": [{"name": name} | _figures(cost, len(pages)) for name, cost in costs.items()],
    }


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {row["name"]: row["milliseconds"] for row in answer["rows"] if row["name"] != f"{_RIVAL} alone"}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = ["| | pages/s | processor time a page, ms | peak MB |", "|---|--:|--:|--:|"]
    for row in answer["rows"]:
        cells = (f"{row['pages_per_second']:.0f}", f"{row['milliseconds']:.1f}", f"{row['memory'] / 1e6:,.0f}")
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _figures(costs: list[Cost], pages: int) -> dict[str, float]:
    return {
        "pages_per_second": pages / median(cost.wall for cost in costs),
        "milliseconds": 1e3 * median(cost.cpu for cost in costs) / pages,
        "memory": max(cost.memory for cost in costs),
    }


def _pages(seed: int) -> tuple[list[str], str]:
    """Return the real pages of ``WHORL_DATA``, or else articles as HTML pages; and a sentence about them."""
    folder = data_folder()
    if folder is None:
        articles = load_articles("zh", seed)
        pages = [f"<title>Page</title><body><p>{escape(text)}".replace("\n", "<p>") for text in articles.texts[:300]]
        return pages, f"{articles.origin}; each in a page"
    real_pages = [row["html"] for name in _SETS for row in read_rows(folder / "html-extract" / f"{name}.jsonl.gz")]
    size = sum(map(len, real_pages)) // len(real_pages) // 1000
    return real_pages, f"{len(real_pages)} pages of html-extract in WHORL_DATA, of {size} kB on the average"
