"""Translation of Typer's usage errors into whorl's format and the current language."""

from __future__ import annotations

from typing import Any

import typer

from whorl.cli.ui.failures import print_error
from whorl.errors import UsageError
from whorl.i18n import as_message, say

MISTAKES = (
    "No such option: {option} (Possible options: {others})",
    "No such option: {option}",
    "No such command {command}. Did you mean {others}?",
    "No such command {command}.",
    "Missing argument {argument}. {message}",
    "Missing argument {argument}.",
    "Missing option {option}. {message}",
    "Missing option {option}.",
    "Missing command.",
    "Invalid value for {option}: {reason}",
    "Option {option} requires an argument.",
    "Option {option} does not take a value.",
    "Got unexpected extra argument(s) ({arguments})",
    "Choose from: {choices}",
)
"""English messages of Typer."""


def tell(mistake: typer.TyperException) -> int:
    """Print a usage error with a hint, and return the exit code."""
    message = mistake.format_message()
    if message:  # an empty message means that the help was requested and is printed
        context: Any = getattr(mistake, "ctx", None)
        command = context.command_path if context is not None else "whorl"
        print_error(
            UsageError(as_message(" ".join(message.split())), hint=say("see `{command} --help`", command=command))
        )
    return mistake.exit_code


__all__ = ["MISTAKES", "tell"]
