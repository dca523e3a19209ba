"""What the command line shows of a run and of a pair: Rich renderables that read well with and without colour.

Shared passages are underlined as well as coloured, so that they survive NO_COLOR and a pasted log. Texts are never read
as Rich markup, and characters that could move the cursor or reorder a line are shown by name.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from whorl.reports.evidence import Pair, Piece, Side, excerpt
from whorl.reports.figures import Counts, duration, outputs, part, percent, sentence_en, sentence_zh
from whorl.reports.visible import segments, visible

_EXCERPT_LENGTH = 1_200
_BAR_WIDTH = 30
_SHARED = "black on khaki1 underline"
_HIDDEN = "bold red"
_KINDS = (
    ("kept", "保留", "cyan"),
    ("near", "近似", "yellow"),
    ("exact", "完全相同", "red"),
    ("rejected", "拒读", "bright_black"),
)


def summary(run: Mapping[str, Any]) -> RenderableType:
    """Return a panel with what a run did, in figures and bars, and where its results lie.

    Args:
        run: the content of `run.json`; any key may be missing.
    """
    counts = Counts.of(run)
    blocks: list[RenderableType] = [
        Text(sentence_zh(counts), style="bold"),
        Text(sentence_en(counts), style="dim"),
        Text(),
        _count_table(counts),
    ]
    places = _place_table(run)
    if places.row_count:
        blocks += [Text(), places]
    return Panel(
        Group(*blocks), title="whorl dedup", title_align="left", border_style="dim", padding=(1, 2), expand=False
    )


def side_by_side(pair: Pair, width: int) -> RenderableType:
    """Return the kept and the removed article in two columns with their shared passages highlighted.

    Args:
        pair: the two articles and the figure that decided.
        width: how many cells of the terminal the columns may fill together.

    Long articles are cut to their opening and the edges of their shared passages; `… 1,234 …` counts what is left out.
    """
    table = Table(box=SIMPLE_HEAD, width=width, pad_edge=False, title_justify="left")
    table.title = Text(f"{pair.similarity:.3f} {visible(pair.measure)}", style="bold")
    table.add_column(_heading(pair.kept, "保留 · kept", "cyan"), ratio=1, overflow="fold")
    table.add_column(_heading(pair.removed, "删去 · removed", "red"), ratio=1, overflow="fold")
    table.add_row(*(_passage(excerpt(side, _EXCERPT_LENGTH)) for side in (pair.kept, pair.removed)))
    return table


def _count_table(counts: Counts) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    for _ in range(2):
        table.add_column(justify="right")
    table.add_row("读入 · rows", f"{counts.rows:,}")
    for kind, zh, colour in _KINDS:
        number: int = getattr(counts, kind)
        table.add_row(f"{zh} · {kind}", f"{number:,}", percent(number, counts.rows), _bar(number, counts.rows, colour))
    table.add_row("重复组 · clusters", f"{counts.clusters:,}")
    return table


def _bar(number: int, whole: int, colour: str) -> Text:
    """Draw a share as a bar; whatever is there at all takes one cell."""
    cells = max(1, round(_BAR_WIDTH * number / whole)) if number and whole else 0
    return Text("█" * cells, style=colour)


def _place_table(run: Mapping[str, Any]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, place in outputs(run):
        table.add_row(Text(visible(name)), Text(visible(place)))
    hot_keys = part(run, "hot_keys").get("count")
    if hot_keys:
        table.add_row("热键 · hot keys", f"{hot_keys:,}")
    seconds = sum(part(run, "timings").values())
    if seconds:
        table.add_row("用时 · time", duration(seconds))
    return table


def _heading(side: Side, label: str, colour: str) -> Text:
    heading = Text(label, style=f"bold {colour}")
    heading.append(f"\n{visible(side.title or side.id)}", style="bold default")
    return heading.append(f"\n{visible(side.id)} — {visible(side.file)}:{side.row}", style="not bold dim default")


def _passage(pieces: Iterable[Piece]) -> Text:
    text = Text()
    for piece in pieces:
        if piece.skipped:
            text.append(f" … {piece.skipped:,} … ", style="dim")
        for run, hidden in segments(piece.text):
            text.append(f"⟨{run}⟩" if hidden else run, style=_style(piece.shared, hidden))
    return text


def _style(shared: bool, hidden: bool) -> str:
    return " ".join([_SHARED] * shared + [_HIDDEN] * hidden)
