"""The summary of a run as plain text, for files and pipes."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len

from whorl.i18n import speaking
from whorl.reports.run_summary import outcomes, plain_summary

_RELATIONS = {"relations": {"removed": {"exact": 2, "excerpt": 1}, "linked": {"partial": 1}}}


def test_plain_summary_has_the_figures_and_the_paths(run: dict[str, Any]) -> None:
    text = plain_summary(run)
    for expected in ("Of 12,345 articles", "9,997", "81.0", "clean/report.html", "3.30"):
        assert expected in text


def test_plain_summary_of_an_empty_run() -> None:
    assert plain_summary({}).startswith("No articles were read.")


def test_no_sentence_is_broken_and_no_line_is_framed(run: dict[str, Any]) -> None:
    lines = plain_summary(run).splitlines()
    assert not set("│╭╰█") & set("".join(lines))
    assert all(line == line.rstrip() for line in lines)
    assert any(len(line) > 100 for line in lines)


def test_figures_are_aligned_in_both_languages() -> None:
    run = {"counts": {"rows": 12_000, "kept": 11_997, "duplicates": 3}} | _RELATIONS
    for language in ("en", "zh"):
        with speaking(language):
            rows = plain_summary(run).split("\n\n")[1].splitlines()
        ends = {cell_len(row[: row.index("%") + 1]) for row in rows if "%" in row}
        assert len(ends) == 1


def test_removals_are_listed_by_relation() -> None:
    assert [outcome.kind for outcome in outcomes(_RELATIONS)] == ["kept", "exact", "near", "rejected"]
    assert [outcome.rows for outcome in outcomes(_RELATIONS)] == [0, 2, 1, 0]


def test_nothing_moves_the_cursor() -> None:
    run = {"outputs": {"a\x1b[1A": "out\x1b[2J\u202e/kept"}, "relations": {"linked": {"b\x07": 1}}}
    text = plain_summary(run)
    assert not set("\x1b\x07\u202e") & set(text)
    assert "out⟨ESC⟩[2J⟨RLO⟩/kept" in text
