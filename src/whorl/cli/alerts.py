"""``whorl alerts``: tell people of copies, by webhook, chat and mail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.epilogs import Epilog, Section, examples
from whorl.cli.options import Json, Place
from whorl.language import Message, say, say_many, translated

if TYPE_CHECKING:
    from whorl.monitor.alerts.telling import AlertsTold

ALERTS_EPILOG = Epilog(
    examples(
        ("whorl alerts newsroom alerts.toml", say("tell what is new")),
        ("whorl alerts newsroom alerts.toml --retry", say("what was given up, too")),
    ),
    Section(say("Exit codes"), [("4", say("alerts were given up: see why, mend it, and use --retry"))]),
)
GIVEN_UP = 4

SettingsFile = Annotated[
    Path, typer.Argument(metavar="SETTINGS", show_default=False, help="Channels and rules: a TOML file.")
]
Retry = Annotated[bool, typer.Option("--retry", help="Try those again first that were given up.")]


def alerts(library: Place, settings: SettingsFile, retry: Retry = False, json: Json = False) -> None:
    """Tell people of the copies that the rules in a file take, each channel once of each.

    What cannot be sent waits and is tried again when this runs the next time; what never can be is given up, and the
    exit code is 4.
    """
    from whorl.cli.output import print_json, print_view
    from whorl.monitor.alerts.telling import alert

    told = alert(library, settings, retry=retry)
    if json:
        print_json(told.to_dict())
    else:
        print_view(*map(translated, _lines(told)))
    if told.given_up:
        raise typer.Exit(GIVEN_UP)


def _lines(told: AlertsTold) -> list[Message]:
    return [
        say_many("{count:,} alert is new", "{count:,} alerts are new", told.queued),
        say_many("{count:,} alert sent", "{count:,} alerts sent", told.sent),
        say_many("{count:,} alert waits", "{count:,} alerts wait", told.waiting),
        say_many("{count:,} alert given up", "{count:,} alerts given up", told.dead),
        *(say("{name}: {reason}", name=name, reason=reason) for name, reason in told.problems.items()),
    ]


__all__ = ["ALERTS_EPILOG", "alerts"]
