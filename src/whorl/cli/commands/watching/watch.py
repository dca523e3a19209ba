"""``whorl watch``: find copies on other sites as they appear."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import RUNNING, Json, Place, Quiet
from whorl.errors import ResourceError, UsageError
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from datetime import timedelta

    from rich.console import RenderableType

    from whorl.monitor.findings.figures import WatchRun
    from whorl.monitor.findings.records import Finding

WATCH_EPILOG = Epilog(
    examples(
        "whorl watch newsroom sites.toml --html run.html",
        "whorl watch newsroom sites.toml --every 1d --html run.html",
        ("whorl watch newsroom --import sites.toml", say("store the sites in the library")),
        ("whorl watch newsroom --every 1h --html run.html", say("watch the stored sites")),
        "whorl watch newsroom --from pages.warc.gz",
    ),
    Section(
        say("Watched articles"),
        [
            say(
                "The articles of the library that are in the collection `protected`: "
                "`whorl add newsroom ours.jsonl --collection protected`."
            )
        ],
    ),
    Section(
        say("Politeness"),
        [
            say(
                "The crawler obeys robots.txt and the rate limit of each host, sends no cookies, and "
                "evades no access control. Set your contact in sites.toml."
            )
        ],
    ),
    Section(say("Exit codes"), [("1", say("matches found, only with --fail-on"))]),
)

Sites = Annotated[
    Path | None,
    typer.Argument(
        metavar="[SITES.toml]",
        show_default=False,
        help="The sites to watch. (default: those of the library, or with --from any site)",
    ),
]
Saved = Annotated[
    list[str] | None,
    typer.Option("--from", metavar="FILE", help="Read these instead of the network: WARC, saved pages, folders."),
]
Once = Annotated[bool, typer.Option("--once", rich_help_panel=RUNNING, help="Run once, as without --every.")]
Every = Annotated[
    str | None,
    typer.Option(metavar="SPAN", rich_help_panel=RUNNING, help="Repeat at this interval, such as 12h or 1d."),
]
Export = Annotated[
    Path | None,
    typer.Option(metavar="SITES.toml", help="Only write the sites of the library to a new file."),
]
Import = Annotated[
    Path | None,
    typer.Option(
        "--import",
        metavar="SITES.toml",
        help="Only store these sites in the library, in place of those with equal names.",
    ),
]
State = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        rich_help_panel=RUNNING,
        help="Folder of the fetch state. (default: the folder of the library)",
    ),
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="REPORT", help="Write an HTML report, overwritten by each run.")
]
Alerts = Annotated[
    Path | None,
    typer.Option(
        metavar="SETTINGS",
        help="Channels and rules for alerts, which are sent as copies are found. (default: those of the library)",
    ),
]
NoAlerts = Annotated[bool, typer.Option("--no-alerts", help="Send no alerts.")]
FailOn = Annotated[
    Literal["copy", "match"] | None,
    typer.Option(metavar="copy|match", help="Exit with 1 if a new copy, or any new match, was found."),
]


def watch(
    library: Place,
    sites: Sites = None,
    saved: Saved = None,
    once: Once = False,
    every: Every = None,
    state: State = None,
    alerts: Alerts = None,
    no_alerts: NoAlerts = False,
    fail_on: FailOn = None,
    quiet: Quiet = False,
    html: Html = None,
    json: Json = False,
    take: Import = None,
    export: Export = None,
) -> None:
    """Watch sites for copies of protected articles, and archive every fetched page.

    A stopped run resumes where it left off. --json prints a line for each run.
    """
    from whorl.cli.ui.output import print_json_line, print_view
    from whorl.monitor.watching import due_sites, repeat
    from whorl.monitor.watching import watch as look
    from whorl.tasks.dedup.outputs import PAGE, demand_free, write_whole

    if take is not None or export is not None:
        _exchange(library, sites, take, export)
        return
    receivers = _receivers(alerts, no_alerts=no_alerts)
    span = _interval(every, once=once)
    demand_free(html, PAGE, [str(sites)] if sites is not None else [])
    runs: list[WatchRun] = []

    def run() -> None:
        from whorl.cli.ui.progress import show_progress

        watched: Any = sites
        if span is not None and saved is None:
            watched = due_sites(library, sites)
            if not watched.sites:
                return
        with show_progress(quiet=quiet) as progress:
            result = look(library, watched, saved=saved, state=state, alerts=receivers, progress=progress)
        runs[:] = [result]
        if html is not None:
            write_whole(html, result.report())
        if json:
            print_json_line(result.to_dict())
        elif not quiet:
            print_view(*_views(result))

    if span is None:
        run()
    else:
        repeat(span, run, _tell_outage)
    new = [finding for result in runs for finding in result.new]
    if (fail_on == "copy" and any(finding.verdict == "copy" for finding in new)) or (fail_on == "match" and new):
        raise typer.Exit(1)


def _tell_outage(error: ResourceError) -> None:
    """Report an outage that a repeated watch waits for."""
    from whorl.cli.ui.failures import print_error

    hint = say("{hint}; the watch goes on, with its next attempt within a minute", hint=error.hint)
    print_error(ResourceError(error.message, hint=hint))


def _interval(every: str | None, *, once: bool) -> timedelta | None:
    """Return the interval of runs; None for a single run."""
    from whorl.monitor.settings.sites import span_of

    if every is None:
        return None
    if once:
        raise UsageError(say("`once` and `every` contradict each other"), hint=say("remove one of them"))
    span = span_of(every)
    if span is None:
        raise UsageError(
            say("{text!r} is not a duration", text=every), hint=say("use minutes, hours, days or weeks, such as 12h")
        )
    return span


def _receivers(alerts: Path | None, *, no_alerts: bool) -> Path | Literal[False] | None:
    """Return the settings of alerts; False for no alerts, None for those of the library."""
    if alerts is not None and no_alerts:
        raise UsageError(say("--alerts and --no-alerts exclude each other"), hint=say("remove one of them"))
    return False if no_alerts else alerts


def _exchange(library: str, sites: Path | None, take: Path | None, export: Path | None) -> None:
    """Store the sites of a file in a library, or write those of a library to a new file."""
    from whorl.cli.ui.output import print_view
    from whorl.monitor.settings.stored_sites import import_sites, sites_toml, watch_for
    from whorl.tasks.dedup.outputs import SITES, demand_free, write_whole
    from whorl.tasks.library.arguments import lent

    if take is not None and export is not None:
        raise UsageError(say("--import and --export exclude each other"), hint=say("remove one of them"))
    if sites is not None:
        raise UsageError(
            say("--import and --export watch no sites"), hint=say("name only the library and the file after the option")
        )
    with lent(library) as opened:
        if take is not None:
            count = len(import_sites(opened, take))
            stored = say_many("{count:,} site stored in the library", "{count:,} sites stored in the library", count)
            print_view(translated(stored))
        elif export is not None:
            demand_free(export, SITES, [])
            watch_for(opened)  # there must be sites
            write_whole(export, sites_toml(opened))


def _views(run: WatchRun) -> list[RenderableType]:
    from whorl.monitor.findings.reasons import WHY
    from whorl.reports.tables import new_table

    table = new_table(say("site"), say("pages"), say("articles"))
    for heading in _TALLIES:
        table.add_column(heading, no_wrap=" " not in heading)
    for site in run.sites:
        tally = site.found
        verdicts = (tally.copies, tally.reprints, tally.syndicated, tally.undetermined, tally.gone)
        figures = (site.pages, site.articles, *verdicts)
        table.add_row(_line(site.site), *(f"{figure:,}" for figure in figures))
    missed: dict[str, int] = {}
    for site in run.sites:
        for why, count in site.missed.items():
            missed[why] = missed.get(why, 0) + count
    details = [
        translated(say("not read: {count:,}: {reason}", count=count, reason=WHY.get(why, why)))
        for why, count in missed.items()
    ]
    told_new = say_many(
        "{count:,} new match with a protected article", "{count:,} new matches with protected articles", len(run.new)
    )
    return [table, *details, translated(told_new), *(_line_of(finding) for finding in run.new[:_MAX_FINDINGS])]


def _line_of(finding: Finding) -> Any:
    from whorl.monitor.findings.reasons import VERDICTS
    from whorl.types.comparison import percent

    message = say(
        "{verdict}: {url} has {share} of {article}",
        verdict=VERDICTS[finding.verdict],
        url=finding.url,
        share=percent(finding.share),
        article=finding.article,
    )
    return _line(translated(message))


def _line(text: str) -> Any:
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible

    return Styled(visible(text))


_MAX_FINDINGS = 50
_TALLIES = (
    say("copies"),
    say("permitted"),
    say("same author"),
    say("undetermined"),
    say("gone"),
)

__all__ = ["WATCH_EPILOG", "watch"]
