"""Select the files of folders and patterns: skip files that are never articles, and apply the user's globs."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from whorl._internal.frozen import frozen
from whorl._internal.patterns import lazy_pattern
from whorl.errors import UsageError
from whorl.i18n import say

_LOCK = say("an office lock file")
_SYSTEM = say("a system file")
_BACKUP = say("an editor backup")
_DOWNLOAD = say("an incomplete download")
_MARKER = say("a Spark marker file")
_JUNK = {
    "~$*": _LOCK,
    ".~lock.*#": _LOCK,
    ".ds_store": _SYSTEM,
    "thumbs.db": _SYSTEM,
    "ehthumbs.db": _SYSTEM,
    "desktop.ini": _SYSTEM,
    "__macosx": _SYSTEM,
    "lost+found": _SYSTEM,
    "*~": _BACKUP,
    "#*#": _BACKUP,
    "*.swp": _BACKUP,
    "*.swo": _BACKUP,
    "*.part": _DOWNLOAD,
    "*.partial": _DOWNLOAD,
    "*.crdownload": _DOWNLOAD,
    "_success": _MARKER,
    "_metadata": _MARKER,
    "_common_metadata": _MARKER,
    ".*": say("hidden"),
}
"""Name patterns in lower case; the first match decides."""

ABOUT_DATA = say("describes the data")
OUTPUT = say("the output of a run: name it to read the documents that it kept")
LIBRARY = say("a library")
_ABOUT_DATA = lazy_pattern(
    r"(?:readme|license|licence|copying|citation|notice|changelog)(?:\.(?:md|txt|rst|cff|bib))?"
    r"|(?:dataset_infos?|dataset_dict|state|dataset-metadata|datapackage|croissant)\.json"
)
"""Descriptive files next to the tables of a published corpus."""


class Skipped(NamedTuple):
    """A skipped entry of a folder.

    Attributes:
        path: its path; for a folder, everything in it is skipped.
        reason: why it was skipped.
    """

    path: str
    reason: str


@frozen(slots=False)
class Selection:
    """Filter for the files of folders and patterns. A named file is always read.

    Args:
        include: globs, one of which a file must match; empty for all files.
        exclude: globs that a file must not match; a matching folder is not entered.

    Globs are matched against the POSIX path relative to the given folder, or to the fixed part of the given pattern:
    ``*``, ``?`` and ``[...]`` stay within a name, ``**`` matches folders of any depth.

    Raises:
        UsageError: a glob is empty or absolute.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for glob in (*self.include, *self.exclude):
            if not glob or glob.startswith("/"):
                hint = say("use a pattern relative to the folder, such as '**/*.jsonl'")
                raise UsageError(say("{glob!r} is not a relative path pattern", glob=glob), hint=hint)

    def refusal(self, path: str, *, is_folder: bool = False) -> str | None:
        """Return why a relative path is skipped, or None if it is selected."""
        name = path.rpartition("/")[2].lower()
        junk = next((reason for pattern, reason in _JUNK.items() if fnmatchcase(name, pattern)), None)
        if junk is not None:
            return junk
        excluding = next((glob for glob, expression in self._excluding.items() if expression.fullmatch(path)), None)
        if excluding is not None:
            return say("excluded by {glob}", glob=excluding)
        if is_folder or not self.include or any(expression.fullmatch(path) for expression in self._including):
            return None
        return say("not included")

    @cached_property
    def _including(self) -> list[re.Pattern[str]]:
        return [pattern(glob) for glob in self.include]

    @cached_property
    def _excluding(self) -> dict[str, re.Pattern[str]]:
        return {glob: pattern(glob) for glob in self.exclude}


def is_about_data(name: str) -> bool:
    """True if a file next to tables describes them and has no rows: README, LICENSE, dataset_infos.json."""
    return _ABOUT_DATA.fullmatch(name.lower()) is not None


EVERYTHING = Selection()
"""Selects everything except files that are never articles."""


def pattern(glob: str) -> re.Pattern[str]:
    """Convert a glob to a regular expression for whole paths."""
    parts = glob.removeprefix("./").rstrip("/").split("/")
    last = len(parts) - 1
    written = ""
    for place, part in enumerate(parts):
        if part == "**":
            written += ".*" if place == last else "(?:[^/]+/)*"
        else:
            written += _name_expression(part) + ("" if place == last else "/")
    return re.compile(written, re.DOTALL)


def _name_expression(part: str) -> str:
    """Convert one name of a glob; an unclosed bracket is literal."""
    written, place = "", 0
    while place < len(part):
        sign, rest = part[place], part[place + 1 :]
        closing = rest.find("]", 2 if rest.startswith("!") else 1) if sign == "[" else -1
        if closing > 0:
            members = rest[:closing].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            written += f"(?!/)[{'^' + members[1:] if members.startswith('!') else members}]"
            place += closing + 2
            continue
        written += {"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign)
        place += 1
    return written


__all__ = ["ABOUT_DATA", "EVERYTHING", "LIBRARY", "OUTPUT", "Selection", "Skipped", "is_about_data", "pattern"]
