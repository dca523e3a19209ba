"""The page of a run: what was found, now and up to now, by site, by article and by day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import whorl
from whorl.monitor.reasons import VERDICTS, WHY
from whorl.reports.html import render

if TYPE_CHECKING:
    from whorl.monitor.figures import WatchRun

_MOST = 500


def render_watch(run: WatchRun) -> str:
    """Render one self-contained HTML page about a run.

    Returns:
        HTML that asks for nothing from outside and runs no script, whatever the pages are called. Of what was found and
        of articles it shows 500, of the rest their number.
    """
    return render(
        "watch.html.j2",
        command="whorl watch",
        version=whorl.__version__,
        at=f"{run.ended_at:%Y-%m-%d %H:%M} UTC",
        run=run,
        new=run.new[:_MOST],
        articles=run.articles[:_MOST],
        gone=run.gone[:_MOST],
        most=_MOST,
        why=WHY,
        verdicts=VERDICTS,
    )


__all__ = ["render_watch"]
