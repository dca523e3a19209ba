import re
from dataclasses import replace
from io import StringIO
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console, RenderableType

from whorl import compare
from whorl.reports.evidence import Pair, Side
from whorl.reports.terminal import side_by_side, summary


def _printed(renderable: RenderableType, *, width: int = 100, styles: bool = False) -> str:
    output = StringIO()
    colours: Literal["truecolor"] | None = "truecolor" if styles else None
    Console(file=output, width=width, force_terminal=styles, color_system=colours, legacy_windows=False).print(
        renderable
    )
    return output.getvalue()


def test_summary_gives_the_figures_and_the_places(run: dict[str, Any]) -> None:
    text = _printed(summary(run))
    for expected in ("Of 12,345 articles", "9,997", "81.0", "clean/report.html", "3.30"):
        assert expected in text


def test_summary_of_an_empty_run() -> None:
    assert "No articles were read." in _printed(summary({}))


def test_summary_shows_a_bar_for_whatever_is_there() -> None:
    text = _printed(summary({"counts": {"rows": 10**6, "kept": 10**6 - 1, "rejected": 1}}))
    assert "█" in next(line for line in text.splitlines() if line.lstrip("│ ").startswith("rejected"))
    assert "█" not in next(line for line in text.splitlines() if line.lstrip("│ ").startswith("near"))


def test_pair_is_shown_in_two_columns(library_pair: Pair) -> None:
    text = _printed(side_by_side(library_pair, 90), width=120)
    heading = next(line for line in text.splitlines() if "kept" in line)
    assert "removed" in heading
    assert "0.874 jaccard" in text
    assert "青石镇图书馆重新开放" in text
    assert "blogs/qingshi.jsonl:417" in text
    assert max(cell_len(line) for line in text.splitlines()) <= 90


def test_ids_are_printed_once(ferry_pair: Pair) -> None:
    text = _printed(side_by_side(ferry_pair, 200), width=200)
    assert text.count("wire-88") == text.count("daily/2024-03.jsonl:12") == 1
    nameless = Side("a.jsonl:3", "a.jsonl", 3, None, ferry_pair.removed.text)
    text = _printed(side_by_side(replace(ferry_pair, removed=nameless), 200), width=200)
    assert text.count("a.jsonl:3") == 1


def test_shared_passages_are_underlined(ferry_pair: Pair) -> None:
    text = _printed(side_by_side(ferry_pair, 200), width=200, styles=True)
    assert re.search(r"\x1b\[4;[\d;]*mlast wooden ferry", text)


def test_hidden_characters_and_markup_are_shown_as_they_are() -> None:
    side = Side("[red]id\x1b[2J", "a\u202e.jsonl", 1, None, "[bold]x[/] \x1b]0;owned\x07 \u200b\ud800")
    pair = Pair(side, side, 1.0, "jac\x00card", compare(side.text, side.text))
    text = _printed(side_by_side(pair, 160), width=160)
    for expected in ("[red]id⟨ESC⟩[2J", "a⟨RLO⟩.jsonl", "[bold]x[/]", "⟨BEL⟩", "⟨ZWSP⟩", "⟨U+D800⟩", "jac⟨NUL⟩card"):
        assert expected in text
    assert "\x1b" not in text


def test_long_articles_are_cut(novel_pair: Pair) -> None:
    text = _printed(side_by_side(novel_pair, 100))
    assert " … " in text
    assert "（此处略去若干字）" in text
