"""Names of texts on pages that are passed on, which must not reveal the folders of a machine."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath, PureWindowsPath

from whorl._internal.patterns import lazy_pattern

TABLE_MARK = b"whorl compare"
"""Mark at the end of comparison tables that are archives."""

CSV_MARK = b"passage,source_number,kind,"
"""Beginning of comparison tables in CSV."""

_LONGEST_TITLE = 60
_MOST_SKIPPED = 4
_NO_END_OF_TITLES = ("。", "；", "，", ";", ",")
_NOT_A_TITLE = lazy_pattern(
    r"(first |final |rough |working )?(draft|manuscript)[\W\d]*|(strictly )?confidential\W*"
    r"|[（(【\[]?(草稿|初稿|二稿|终稿|定稿|送审稿|讨论稿|征求意见稿|内部资料|机密)[\W\d]*"
    r"|(本文|本稿|此文).{0,40}(授权|许可|允许|同意).{0,40}|经.{1,30}(授权|许可|同意)后?(转载|刊发|刊登|发布).*|(转载|未经)(请|须|需|必须|授权|许可|允许|同意).*"
    r"|(版权|著作权)(所有|声明|归).*|.*(©|\(c\)|all rights reserved|copyright (by )?\W*\d{4}).*"
    r"|\w{0,10}(记者|撰稿人?|撰文|通讯员|评论员|编辑|作者)[\s:：|丨/]+[\w·、，\s]{2,24}"
    r"|by\s+(?-i:[A-Z][\w.'’-]*((,|\s+and|\s+for)?\s+[A-Z][\w.'’-]*){1,7})"
    r"|((re)?printed|(re)?published|used|shared)( here)? (with|by)( the)?( kind)? permission.*",
    re.IGNORECASE,
)


def file_name(name: str) -> str:
    """Return the last part of a path, including ``FILE:ROW``; return other names and URLs unchanged."""
    if "://" in name:
        return name
    path = PureWindowsPath(name) if "\\" in name else PurePosixPath(name)
    return path.name or name


def title_of(text: str, name: str) -> str:
    """Return the title of a text, or its name.

    The title is the first line, if it is short, text follows, and it does not end like a Chinese sentence. Marks of
    drafts, bylines and notices of permission or rights above it are skipped.
    """
    line, rest = "", text
    for _ in range(_MOST_SKIPPED + 1):
        line, _, rest = rest.lstrip().partition("\n")
        line = line.strip()
        if not _NOT_A_TITLE.fullmatch(line):
            is_title = rest.strip() and 0 < len(line) <= _LONGEST_TITLE and not line.endswith(_NO_END_OF_TITLES)
            return line if is_title else name
    return name


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
