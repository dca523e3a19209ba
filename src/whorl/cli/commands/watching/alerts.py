"""``whorl alerts``: notify people of copies by webhook, chat and mail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import Json, Place
from whorl.i18n import Message, say, say_many, translated

if TYPE_CHECKING:
    from whorl.monitor.alerts.telling import AlertsTold

ALERTS_EPILOG = Epilog(
    examples(
        ("whorl alerts newsroom alerts.toml", say("send new alerts")),
        ("whorl alerts newsroom alerts.toml --retry", say("also retry failed alerts")),
    ),
    Section(
        say("Exit codes"), [("4", say("some alerts failed permanently: fix the cause and run again with --retry"))]
    ),
)
GIVEN_UP = 4

SettingsFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="[SETTINGS]",
        show_default=False,
        help="Channels and rules: a TOML file. (default: those of the library)",
    ),
]
Retry = Annotated[bool, typer.Option("--retry", help="First retry alerts that failed permanently.")]


def alerts(library: Place, settings: SettingsFile = None, retry: Retry = False, json: Json = False) -> None:
    """Send alerts about copies that match the rules, once per channel and copy.

    Alerts that cannot be sent are retried by the next run; permanent failures are given up, with exit code 4.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.monitor.alerts.telling import alert

    summary = alert(library, settings, retry=retry)
    if json:
        print_json(summary.to_dict())
    else:
        print_view(*map(translated, _lines(summary)))
    if summary.given_up:
        raise typer.Exit(GIVEN_UP)


def _lines(summary: AlertsTold) -> list[Message]:
    return [
        say_many("{count:,} alert is new", "{count:,} alerts are new", summary.queued),
        say_many("{count:,} alert sent", "{count:,} alerts sent", summary.sent),
        say_many("{count:,} alert waits", "{count:,} alerts wait", summary.waiting),
        say_many("{count:,} alert given up", "{count:,} alerts given up", summary.dead),
        *(say("{name}: {reason}", name=name, reason=reason) for name, reason in summary.problems.items()),
    ]


__all__ = ["ALERTS_EPILOG", "alerts"]
