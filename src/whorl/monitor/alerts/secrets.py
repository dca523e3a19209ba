"""Secrets of channels, read from the environment or a file and never displayed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whorl.errors import InputError, UsageError
from whorl.i18n import say

_MOST_BYTES = 10_000


class Secret:
    """A text that is hidden in logs, errors and ``repr``; ``reveal`` returns it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the secret text."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> Any:
        raise TypeError("a secret stays in its process")


def secret_of(table: Any, name: str, folder: Path) -> Secret:
    """Resolve a table ``{ env = "NAME" }`` or ``{ file = "name" }``.

    Args:
        table: the table.
        name: name of the setting, for errors.
        folder: base folder of file names.

    Raises:
        UsageError: it is not such a table. A literal secret is refused without showing it.
        InputError: the variable or file does not exist or is empty.
    """
    hint = say('write {name} = {{ env = "NAME" }} or {{ file = "path" }}', name=name)
    if not isinstance(table, Mapping):
        raise UsageError(say("{name} is written in the settings, where others may read it", name=name), hint=hint)
    match dict(table):
        case {"env": str(variable), **rest} if not rest:
            text = os.environ.get(variable, "").strip()
            if not text:
                raise InputError(
                    say("{name}: the variable {variable} is not set", name=name, variable=variable),
                    hint=say("set it before the command"),
                )
        case {"file": str(path), **rest} if not rest:
            text = _read(name, folder / path)
        case _:
            raise UsageError(say("{name} refers to neither a variable nor a file", name=name), hint=hint)
    if "\n" in text or "\r" in text or "\0" in text:
        raise InputError(say("{name} has several lines", name=name), hint=say("keep only the secret there"))
    return Secret(text)


def _read(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8-sig").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "UTF-8"
        raise InputError(
            say("{name}: cannot read {path}: {reason}", name=name, path=path, reason=reason),
            hint=say("check its path and permissions"),
        ) from None
    if not text:
        raise InputError(say("{name}: {path} is empty", name=name, path=path), hint=say("write the secret into it"))
    return text


__all__ = ["Secret", "secret_of"]
