"""Output of commands that strip repeated text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whorl.tasks.boilerplate import LearnedBoilerplate
    from whorl.tasks.strip import StripRun


def print_strip(done: StripRun, *, quiet: bool, json: bool) -> None:
    """Print the result of a strip run."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.reports.strip import strip_panel

    if json:
        print_json(done.to_dict())
    elif not quiet:
        print_view(strip_panel(done.run))


def print_learned(learned: LearnedBoilerplate, *, quiet: bool, json: bool) -> None:
    """Print the result of learning boilerplate."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.reports.strip import learned_panel

    if json:
        print_json(learned.to_dict())
    elif not quiet:
        print_view(learned_panel(learned.run))


__all__ = ["print_learned", "print_strip"]
