"""Safe reader for the pickle files of the original nshash, which executes nothing in them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import NoReturn

from whorl.errors import InputError
from whorl.i18n import say

_DAMAGE = (pickle.UnpicklingError, EOFError, LookupError, TypeError, ValueError, AttributeError, OverflowError)


def read_pickle(path: Path) -> dict[str, int]:
    """Return the hashes in a pickle with their ids.

    Raises:
        InputError: the file is damaged, or is not a dict from str or int to int.

    Imports and calls are rejected.
    """
    try:
        with path.open("rb") as file:
            content = _Plain(file).load()
    except _DAMAGE as error:
        raise InputError(
            say("{path} is not a pickle of nshash: {error}", path=path, error=error),
            hint=say("restore it from a backup"),
        ) from error
    if not isinstance(content, dict):
        raise _foreign(path, content)
    for key, value in content.items():
        if not isinstance(key, str | int) or type(value) is not int:
            raise _foreign(path, f"{key!r}: {value!r}")
    return {str(key): value for key, value in content.items()}


class _Plain(pickle.Unpickler):
    """An unpickler restricted to numbers, strings and containers, without global names."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(say("it refers to {module}.{name}", module=module, name=name))


def _foreign(path: Path, content: object) -> InputError:
    return InputError(
        say("expected hashes and ids in {path}, got {found!r:.80}", path=path, found=content),
        hint=say("name the file that nshash wrote"),
    )


__all__ = ["read_pickle"]
