"""HTML report of a watch run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whorl.monitor.reasons import VERDICTS, WHY
from whorl.release import __version__
from whorl.reports.html import render

if TYPE_CHECKING:
    from whorl.monitor.figures import WatchRun

_LIMIT = 500


def render_watch(run: WatchRun) -> str:
    """Render a run as a self-contained HTML page.

    Returns:
        HTML without external resources or scripts, whatever the titles of pages contain. It shows at most 500 findings
        and
        articles, and the number of the others.
    """
    return render(
        "watch.html.j2",
        command="whorl watch",
        version=__version__,
        at=f"{run.ended_at:%Y-%m-%d %H:%M} UTC",
        run=run,
        new=run.new[:_LIMIT],
        articles=run.articles[:_LIMIT],
        gone=run.gone[:_LIMIT],
        most=_LIMIT,
        why=WHY,
        verdicts=VERDICTS,
    )


__all__ = ["render_watch"]
