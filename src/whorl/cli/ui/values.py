"""Values of the command line, converted to the types of the parameters.

Typer would convert them with pydantic, whose import takes longer than the rest of the command line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

from whorl.i18n import say


class _Conversion:
    """Conversion of the values of a parameter, in place of that of Typer."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value with the type of the parameter.

        Args:
            value: strings of the command line, a default or setting, or None.
            param: the parameter.
            ctx: context of the command.

        Raises:
            BadParameter: the value is not of that type, not in its range, or not one of the choices.
        """
        is_list = param.multiple or param.nargs == -1
        if value is None:
            return () if is_list else None
        described = param.type_descriptor
        try:
            if is_list:
                (kind,) = get_args(described.annotation)
                return [_converted(item, kind, described.parameter_info) for item in value]
            return _converted(value, described.annotation, described.parameter_info)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None


_CONVERSION = _Conversion()


def convert_values(parameter: Any) -> None:
    """Let a parameter of a Typer command convert its values without pydantic."""
    parameter.get_runtime_param = lambda: _CONVERSION


def _converted(value: Any, kind: Any, limits: Any) -> Any:
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ValueError(say("expected one of {choices}, got {value!r}", choices=_listed(kind), value=value))
        return value
    if kind in (int, float):
        return _number(value, kind, limits)
    return Path(value) if kind is Path else value


def _number(value: Any, kind: type[int | float], limits: Any) -> int | float:
    try:
        number = kind(value)
    except ValueError:
        expected = say("expected an integer, got {value!r}", value=value)
        raise ValueError(expected if kind is int else say("expected a number, got {value!r}", value=value)) from None
    if limits.min is not None and not number >= limits.min:
        raise ValueError(say("expected at least {least}, got {value}", least=limits.min, value=number))
    if limits.max is not None and not number <= limits.max:
        raise ValueError(say("expected at most {most}, got {value}", most=limits.max, value=number))
    return number


def _listed(kind: Any) -> str:
    return ", ".join(map(repr, get_args(kind)))


__all__ = ["convert_values"]
