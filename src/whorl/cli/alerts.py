"""``whorl alerts``: tell people of copies, by webhook, chat and mail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.epilogs import Epilog, examples
from whorl.cli.options import Json, Place
from whorl.language import say, say_many, translated

ALERTS_EPILOG = Epilog(
    examples(
        ("whorl alerts newsroom alerts.toml", say("tell what is new")),
        ("whorl alerts newsroom alerts.toml --retry", say("what was given up, too")),
    )
)

SettingsFile = Annotated[
    Path, typer.Argument(metavar="SETTINGS", show_default=False, help="Channels and rules: a TOML file.")
]
Retry = Annotated[bool, typer.Option("--retry", help="Try those again first that were given up.")]


def alerts(library: Place, settings: SettingsFile, retry: Retry = False, json: Json = False) -> None:
    """Tell people of the copies that the rules in a file take, each channel once of each.

    What cannot be sent waits and is tried again when this runs the next time; what never can be is given up.
    """
    from whorl.cli.output import print_json, print_view
    from whorl.monitor.alerts.telling import alert

    told = alert(library, settings, retry=retry)
    if json:
        print_json(told.to_dict())
        return
    lines = [
        say_many("{count:,} alert is new", "{count:,} alerts are new", told.queued),
        say_many("{count:,} alert sent", "{count:,} alerts sent", told.sent),
        say_many("{count:,} alert waits", "{count:,} alerts wait", told.waiting),
        say_many("{count:,} alert given up", "{count:,} alerts given up", told.dead),
        *(say("{name}: {reason}", name=name, reason=reason) for name, reason in told.problems.items()),
    ]
    print_view(*map(translated, lines))


__all__ = ["ALERTS_EPILOG", "alerts"]
