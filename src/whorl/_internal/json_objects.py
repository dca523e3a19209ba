"""JSON Lines that a person has written or edited, such as a list of decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whorl.errors import InputError
from whorl.i18n import say


def json_objects(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and the object of each line that is not blank.

    Args:
        path: the file, for errors.
        text: its content.

    Raises:
        InputError: a line is no JSON object.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                say("{path}:{number}: not JSON: {error}", path=path, number=number, error=error),
                hint=say("write one JSON object per line"),
            ) from error
        if not isinstance(values, dict):
            raise InputError(
                say("{path}:{number}: not a JSON object", path=path, number=number),
                hint=say("write one JSON object per line"),
            )
        yield number, values


__all__ = ["json_objects"]
