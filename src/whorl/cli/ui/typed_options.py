"""Options that a user typed, as opposed to defaults and settings files."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def first_typed(context: typer.Context, parameters: Iterable[str]) -> str | None:
    """Return the first of some options that stands on the command line, as in ``--drop-below``; None if none does.

    Args:
        context: the context of the command.
        parameters: names of its parameters, such as "drop_below".
    """
    declared = {parameter.name: parameter for parameter in context.command.params}
    for name in parameters:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            return max(declared[name].opts, key=len)
    return None


__all__ = ["first_typed"]
