"""The matches of an article, as a library reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.add import Match, Report

_HEADINGS = (
    "编号 · id",
    "相似 · similar",
    "本篇在彼 · of this",
    "彼篇在此 · of other",
    "类型 · kind",
    "标题 · title",
)


def report_table(report: Report) -> Table:
    """Return a table of what a report says: the matches, those that are copies in red, and how each was changed."""
    from rich.text import Text as Styled

    from whorl.cli.output import new_table
    from whorl.model import percent
    from whorl.visible import visible

    table = new_table(title_justify="left")
    cluster = "" if report.cluster_id is None else f"  簇 · cluster {report.cluster_id}"
    table.title = Styled(f"{visible(report.id or '')}  {len(report.matches):,} 匹配 · matches{cluster}", style="bold")
    for heading in _HEADINGS:
        table.add_column(heading, overflow="fold", min_width=16 if heading == _HEADINGS[0] else None)
    for match in report.matches:
        figures = (match.similarity, match.this_in_other, match.other_in_this)
        style = "bold red" if match.joins else ""
        shown = map(percent, figures)
        table.add_row(Styled(visible(match.id), style=style), *shown, match.kind, Styled(visible(match.title or "")))
    below = [f"{visible(match.id)}: {' · '.join(told)}" for match in report.matches if (told := _changes(match))]
    if report.cut or report.unlisted:
        below.append(f"{report.cut:,} keys cut, {report.unlisted:,} not listed")
    table.caption = Styled("\n".join(below), style="dim") if below else None
    return table


def _changes(match: Match) -> list[str]:
    """What distinguishes a text from its match, in Chinese and English; nothing where nothing does."""
    changes = match.changes
    return [] if changes is None else list(filter(None, [changes.told("zh"), changes.told("en")]))


__all__ = ["report_table"]
