"""Every kind of page that whorl writes, generated from the example newsroom and from hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.articles import NEWSROOM, article, edited, write_jsonl

import whorl
from whorl.evidence import render_comparison
from whorl.i18n import LANGUAGES, speaking
from whorl.results import Article

_WORD = "Donaudampfschifffahrtsgesellschaft" * 40
_HOSTILE = "<script>document.title='owned'</script>\u202e\u2066\x1b[2J</style></svg>{{ 7*7 }}"
_ARTICLES, _ORIGINALS = NEWSROOM / "articles.jsonl", NEWSROOM / "originals.jsonl"
_METHODS = ("news", "minhash", "corpus", "simhash", "exact")
_COPIES = 14
"""Copies that, with their sources, make pages which a browser judges quickly."""


def write_pages(folder: Path) -> dict[str, Path]:
    """Write one page of each kind, and return them by name; cards are written once per language."""
    pages = dict(_pages(folder))
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


def _pages(folder: Path) -> Iterator[tuple[str, str]]:
    rows = list(map(json.loads, _ARTICLES.read_text(encoding="utf-8").splitlines()))
    few = write_jsonl(folder / "few.jsonl", _few(rows))
    cleaned = whorl.dedup_files(few, folder / "clean", method="news", keep="earliest", date="date")
    yield "dedup", cleaned.report()
    texts = {row["id"]: row["text"] for row in rows}
    yield "dedup-minhash", whorl.dedup(list(texts.values())[:40], threshold=0.7).report()
    yield "dedup-hostile", whorl.dedup_files(_hostile(folder / _WORD[:200]), folder / "hostile", method="news").report()
    yield "dedup-nothing", whorl.dedup([article(1)]).report()

    titles = {row["id"]: row["title"] for row in rows}
    pair = whorl.compare(texts["nr-088"], texts["nr-024"])
    source = Article(titles["nr-088"], texts["nr-088"])
    yield "comparison", render_comparison(pair, source, Article(titles["nr-024"], texts["nr-024"]))
    sources = [json.loads(line) for line in _ORIGINALS.read_text(encoding="utf-8").splitlines()]
    originals = [row["text"] for row in sources]
    mixed = whorl.compare_sources(originals, texts["nr-042"])
    named = [Article(row["title"], row["text"]) for row in sources]
    yield "comparison-sources", render_comparison(mixed, named, Article(titles["nr-042"], texts["nr-042"]))
    first, second = _hostile_texts()[:2]
    yield "comparison-hostile", render_comparison(whorl.compare(first, second), first, second)

    (folder / "class").mkdir()
    (folder / "class" / "articles.jsonl").write_bytes(few.read_bytes())
    yield "cohort", _cohort(folder / "class", folder / "checked")
    yield "cohort-hostile", _cohort(folder / _WORD[:200], folder / "checked-hostile")

    evaluation = whorl.lab.evaluate(_ARTICLES, NEWSROOM / "truth.jsonl", methods=_METHODS)
    yield "evaluation", evaluation.report()
    yield "hot", whorl.runs.hot(_ARTICLES, top=12).report()
    yield "hot-hostile", whorl.runs.hot(folder / _WORD[:200], title="title", method="news").report()
    yield "watch", _watched(folder, _few(rows))
    recommendation = whorl.lab.recommend(_ARTICLES, methods=_METHODS[:3], copies=2)
    yield "recommendation", recommendation.report()

    with whorl.open(folder / "library") as library:
        report = library.add({"id": _HOSTILE + _WORD, "text": originals[0], "title": _HOSTILE})
        results = [cleaned, whorl.dedup([*texts.values(), *_hostile_texts()]), evaluation, recommendation, pair, report]
        for language in LANGUAGES:
            with speaking(language):
                yield f"cards-{language}", _notebook(language, "".join(result._repr_html_() for result in results))


def _cohort(folder: Path, out: Path) -> str:
    """Return the page of a class."""
    whorl.cohort(folder, out, reports=False)
    return (out / "index.html").read_text(encoding="utf-8")


def _few(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return some copies with their sources."""
    truths = map(json.loads, (NEWSROOM / "truth.jsonl").read_text(encoding="utf-8").splitlines()[:_COPIES])
    chosen = {id_ for truth in truths for id_ in (truth["copy_id"], *truth["sources"])}
    return [row for row in rows if row["id"] in chosen]


def _watched(folder: Path, rows: list[dict[str, str]]) -> str:
    """Return the findings on saved pages, some with hostile addresses."""
    saved = folder / "saved"
    saved.mkdir()
    write_jsonl(saved / "a.jsonl", [{**row, "url": f"https://copies.example/{row['id']}"} for row in rows])
    write_jsonl(saved / "b.jsonl", [{**rows[0], "id": "x", "url": f"https://{_WORD[:60]}.example/{_HOSTILE}{_WORD}"}])
    with whorl.open(folder / "watched") as library:
        whorl.library.add_files(library, _ORIGINALS, collection="protected")
        library.add({"id": _HOSTILE, "text": rows[0]["text"], "title": _HOSTILE + _WORD, "collection": "protected"})
        return whorl.watch.watch(library, saved=saved).report()


def _notebook(language: str, cards: str) -> str:
    return f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>notebook</title><main>{cards}</main>'


def _hostile_texts() -> list[str]:
    """Return one long word, control characters that hide and reorder, and one endless line, each with a copy."""
    mixed = f"שלום \u202e{article(3)}\u200b\u2066 مرحبا"
    texts = [f"{_HOSTILE}\n{article(2)}{_WORD}", mixed, _WORD * 8, article(4, 9000)]
    return [copy for text in texts for copy in (text, edited(text, 3))]


def hostile_rows() -> list[dict[str, str]]:
    """Return articles with hostile ids, titles and texts, each with a copy."""
    return [
        {"id": f"{_HOSTILE}{_WORD}{number}", "text": text, "title": _WORD * 8}
        for number, text in enumerate(_hostile_texts())
    ]


def _hostile(folder: Path) -> list[str]:
    """Write files with hostile names and rows, and rows that cannot be read."""
    folder.mkdir()
    write_jsonl(folder / "a.jsonl", hostile_rows())
    (folder / "b.jsonl").write_text(f'{{"text": 1}}\n{{"text": {_HOSTILE}{_WORD}\n', encoding="utf-8")
    return [str(folder)]
