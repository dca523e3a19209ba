"""Page of the copy statistics: who copies the articles of a collection, with downloads."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from whorl.errors import NotFoundError, WhorlError
from whorl.library import Library
from whorl.monitor.findings.copy_statistics import CopyGroup, CopyPeriod, copy_statistics
from whorl.reports.copy_statistics import COLUMNS, GROUPS, copies_file, headline, shown_figure
from whorl.service.console.pages import page
from whorl.service.http.access import library_for
from whorl.service.recent import RECENT
from whorl.types.copies import CopyStatistics

router = APIRouter()
_ROWS = 500
_USUAL_ZONES = ("UTC", "Asia/Shanghai")
_MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
}
Format = Literal["csv", "xlsx", "html", "pdf"]
Text = Annotated[str, Query(max_length=100)]


class _Chosen:
    """The query of the page: empty fields have their defaults."""

    def __init__(
        self,
        of: Text = "",
        by: CopyGroup = "site",
        period: CopyPeriod | Literal[""] = "",
        zone: Text = "",
        since: Text = "",
        until: Text = "",
    ) -> None:
        self.of, self.by, self.period, self.zone = of.strip() or "protected", by, period, zone.strip() or "UTC"
        self.since, self.until = since.strip(), until.strip()

    def count(self, library: Library) -> CopyStatistics:
        """Return the statistics; those of all times may be some seconds old.

        Others are not cached: everyone may choose other limits, and each result may be large.
        """
        options: dict[str, Any] = {"of": self.of, "by": self.by, "period": self.period or None, "zone": self.zone}
        options |= {"since": self.since or None, "until": self.until or None}
        if self.since or self.until or self.zone not in _USUAL_ZONES:
            return copy_statistics(library, **options)
        return RECENT.get(library, ("copies", *options.values()), lambda: copy_statistics(library, **options))

    @property
    def query(self) -> dict[str, str]:
        """The fields as a query."""
        return {name: value for name, value in vars(self).items() if value}


@router.get("/libraries/{library}/copies")
def show_copies(
    request: Request,
    library: str,
    opened: Annotated[Library, Depends(library_for("read"))],
    chosen: Annotated[_Chosen, Depends()],
) -> Response:
    """Show who copies the articles of a collection."""
    statistics, error = None, None
    try:
        statistics = chosen.count(opened)
    except (NotFoundError, WhorlError) as failure:
        error = failure
    return page(
        request,
        "copies_page.html.j2",
        tab="watch",
        library=library,
        status=200 if error is None else 422,
        chosen=chosen,
        collections=[name for name in opened.collections() if name],
        columns=COLUMNS,
        error=error,
        figure=shown_figure,
        formats=get_args(Format),
        groups=GROUPS,
        limit=_ROWS,
        rows=[] if statistics is None else statistics.rows[:_ROWS],
        statistics=statistics,
        title=None if statistics is None else headline(statistics),
    )


@router.get("/libraries/{library}/copies/file")
def download_copies(
    opened: Annotated[Library, Depends(library_for("read"))],
    chosen: Annotated[_Chosen, Depends()],
    format: Format = "xlsx",
) -> Response:
    """Download the statistics as a table or a report."""
    statistics = chosen.count(opened)
    name = f"copies-{datetime.now(statistics.made_at.tzinfo):%Y-%m-%d}.{format}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(copies_file(statistics, f".{format}"), media_type=_MEDIA[format], headers=headers)


__all__ = ["router"]
