"""Files that the recipe of a library names: a table of word frequencies and a user's dictionary.

Keys depend on their content. So a library records their digests, and refuses a file that has changed instead of
comparing keys that do not fit. They are found from any folder, because their paths are stored as absolute ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from whorl.errors import InputError
from whorl.i18n import say

_PARAMETERS = ("idf", "user_dictionary")


def word_files(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the absolute paths of the files that are named by parameters of a method."""
    named = {name: parameters.get(name) for name in _PARAMETERS}
    return {name: str(Path(path).absolute()) for name, path in named.items() if path is not None}


def digests_of(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 digests of the files, by parameter.

    Raises:
        InputError: a file cannot be read.
    """
    return {name: _digest(Path(path)) for name, path in word_files(parameters).items()}


def demand_unchanged(parameters: Mapping[str, Any], stored: Mapping[str, str]) -> None:
    """Raise an error if a file is not the one with which a library was created.

    Args:
        parameters: parameters that name the files.
        stored: digests that the library has stored.

    Raises:
        InputError: a file has changed or cannot be read.
    """
    current = digests_of(parameters)
    changed = next((name for name, digest in stored.items() if current.get(name) != digest), None)
    if changed is not None:
        raise InputError(
            say("{path} is not the file with which the library was created", path=parameters.get(changed)),
            hint=say(
                "restore the file, or open the library with a recipe that names it elsewhere; to use another file, "
                "export the library and add the export to a new one"
            ),
        )


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {reason}", path=path, reason=error.strerror or error),
            hint=say("restore the file, or open the library with a recipe that names it elsewhere"),
        ) from error


__all__ = ["demand_unchanged", "digests_of", "word_files"]
