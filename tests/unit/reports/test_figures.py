from typing import Any

import pytest

from whorl.reports.figures import Counts, change, duration, percent, sentence, size, threshold, worded


def _run(**numbers: int) -> dict[str, Any]:
    return {"counts": numbers}


def test_sentences_say_what_was_removed() -> None:
    run = _run(rows=12_345, kept=9_997, duplicates=2_345, exact=1_200, near=1_145, rejected=3)
    assert sentence(run).to("zh") == (
        "12,345 篇中删去 2,345 篇（19.0%）：完全重复 1,200 篇、近似重复 1,145 篇；读取失败 3。"
    )
    assert sentence(run) == (
        "Of 12,345 articles, 2,345 (19.0%) were removed: 1,200 exact duplicates, 1,145 near-duplicates; "
        "3 rows could not be read."
    )


def test_the_sentence_and_the_counts_name_the_same_relations() -> None:
    removed = {"exact": 6, "near_duplicate": 26, "excerpt": 15}
    run = _run(rows=91, kept=44, duplicates=47, exact=5, near=42) | {"relations": {"removed": removed}}
    assert (Counts.of(run).exact, Counts.of(run).near) == (6, 41)
    assert sentence(run) == (
        "Of 91 articles, 47 (51.6%) were removed: 6 exact duplicates, 26 near-duplicates, 15 excerpts."
    )
    assert sentence(run).to("zh") == "91 篇中删去 47 篇（51.6%）：完全重复 6 篇、近似重复 26 篇、摘录 15 篇。"


def test_sentences_of_small_runs() -> None:
    assert sentence(_run(rows=3, kept=3)).to("zh") == "3 篇中没有发现重复。"
    assert sentence(_run(rows=1, kept=1)) == "No duplicates were found among 1 article."
    assert sentence(_run(rows=2, exact=1)).endswith("was removed: 1 exact duplicate.")
    assert sentence(_run()) == "No articles were read."


def test_duplicates_that_are_not_exact_are_near() -> None:
    assert Counts.of(_run(rows=9, duplicates=5, exact=2)).near == 3


@pytest.mark.parametrize(
    ("share", "whole", "written"),
    [(19, 100, "19.0"), (1, 10**6, "<0.1"), (10**6 - 1, 10**6, ">99.9"), (1, 1, "100.0"), (0, 5, "0.0")],
)
def test_percent_never_rounds_something_to_nothing(share: int, whole: int, written: str) -> None:
    assert percent(share, whole) == f"{written}%"


def test_numbers_for_people() -> None:
    assert percent(1, 0) == "–"
    assert [size(n).replace("\u00a0", " ") for n in (0, 999, 1_000, 999_999, 18_230_411)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "1.0 MB",
        "18.2 MB",
    ]
    assert [duration(s).replace("\u00a0", " ") for s in (0.021, 12.34, 59.99, 185, 7_380)] == [
        "0.02 s",
        "12.3 s",
        "1 min 00 s",
        "3 min 05 s",
        "2 h 03 min",
    ]
    assert [change(n) for n in (-1_214, 0, 7)] == ["−1,214", "0", "+7"]
    assert [threshold(t) for t in (0.8, 0.725, 1.0)] == ["0.80", "0.725", "1.00"]
    assert worded({"min": 3, "fields": ["a", "b"], "on": True, "off": None}) == "min 3, fields a, b, on ✓, off –"
