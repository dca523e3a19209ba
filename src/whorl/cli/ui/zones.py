"""The option ``--zone`` of commands that show times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from whorl.types.times import reading_in

Zone = Annotated[
    str | None,
    typer.Option(metavar="ZONE", help="Show times in this zone, such as Asia/Shanghai or +08:00. (default: UTC)"),
]


def shows_times(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--zone`` to a command, which shows all times in that zone."""
    declared = signature(command, eval_str=True)

    @wraps(command)
    def run(*args: Any, zone: str | None = None, **kwargs: Any) -> None:
        with reading_in(zone):
            command(*args, **kwargs)

    option = Parameter("zone", Parameter.KEYWORD_ONLY, default=None, annotation=Zone)
    run.__signature__ = declared.replace(  # type: ignore[attr-defined]
        parameters=[*declared.parameters.values(), option]
    )
    return run


__all__ = ["Zone", "shows_times"]
