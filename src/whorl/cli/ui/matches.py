"""Output of the matches of an article."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.library.add import Match, Report

_HEADINGS = (say("id"), say("similar"), say("of this"), say("of other"), say("relation"), say("title"))
_MIN_WIDTHS = (16, None, None, None, 14, None)
"""In columns; relations are not broken within a word."""


def report_table(report: Report) -> Table:
    """Return a table of the matches in a report, with copies in red and their changes."""
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible
    from whorl.reports.tables import new_table
    from whorl.types.comparison import percent

    table = new_table(title_justify="left")
    title = [visible(report.id or ""), say_many("{count:,} match", "{count:,} matches", len(report.matches))]
    title += [] if report.cluster_id is None else [say("cluster {number}", number=report.cluster_id)]
    table.title = Styled("  ".join(map(translated, title)), style="bold")
    for heading, width in zip(_HEADINGS, _MIN_WIDTHS, strict=True):
        table.add_column(heading, overflow="fold", min_width=width)
    for match in report.matches:
        figures = (match.similarity, match.this_in_other, match.other_in_this)
        style = "bold red" if match.joins else ""
        percentages = map(percent, figures)
        table.add_row(
            Styled(visible(match.id), style=style),
            *percentages,
            relation(match),
            Styled(visible(match.title or "")),
        )
    below = [f"{visible(match.id)}: {remark}" for match in report.matches if (remark := _remark(match))]
    if report.cut or report.unlisted:
        below.append(translated(say("{cut:,} keys cut, {more:,} not listed", cut=report.cut, more=report.unlisted)))
    table.caption = Styled("\n".join(below), style="dim") if below else None
    return table


def relation(match: Match) -> str:
    """Return the relation of the article to the other one of a match."""
    from whorl.reports.comparison.wording import directed

    return directed(match.relation, match.direction)


def _remark(match: Match) -> str:
    """Return the changes between a text and its match, or the share that has the same content; may be empty."""
    from whorl.types.comparison import percent

    if match.same_content:
        return f"{translated(say('same content in other words'))} {percent(match.same_content)}"
    return "" if match.changes is None else match.changes.describe()


__all__ = ["relation", "report_table"]
