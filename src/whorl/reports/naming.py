"""Names of texts on pages that are passed on, which must not reveal the folders of a machine."""

from __future__ import annotations

import shlex
from pathlib import PurePosixPath, PureWindowsPath

TABLE_MARK = b"whorl compare"
"""Mark at the end of comparison tables that are archives."""

CSV_MARK = b"passage,source_number,kind,"
"""Beginning of comparison tables in CSV."""

_LONGEST_TITLE = 60


def file_name(name: str) -> str:
    """Return the last part of a path, including ``FILE:ROW``; return other names and URLs unchanged."""
    if "://" in name:
        return name
    path = PureWindowsPath(name) if "\\" in name else PurePosixPath(name)
    return path.name or name


def title_of(text: str, name: str) -> str:
    """Return the first line of a longer text if it is short enough for a title, or the name."""
    first, line_end, _ = text.lstrip().partition("\n")
    return first.strip() if line_end and 0 < len(first.strip()) <= _LONGEST_TITLE else name


def without_folders(command: str) -> str:
    """Return a command line without the folders of absolute paths; empty if it cannot be parsed."""
    try:
        return shlex.join(map(_without_folders, shlex.split(command)))
    except ValueError:
        return ""


def _without_folders(word: str) -> str:
    option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    absolute = PurePosixPath(value).is_absolute() or PureWindowsPath(value).is_absolute()
    return f"{option}{equals}{file_name(value) if absolute else value}"


__all__ = ["CSV_MARK", "TABLE_MARK", "file_name", "title_of", "without_folders"]
