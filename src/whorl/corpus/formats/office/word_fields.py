"""Fields of Word documents, in DOCX and in RTF: what their instructions say about the text [ECMA-376-1, 17.16]."""

from __future__ import annotations

import re

CHECKED = "[x]"
"""Text of a checked box. Signs such as ☒ are ignored when texts are compared, so different forms would be equal."""

_COMBINED = re.compile(
    r"\s*eq\s.*?\\o\s*(?P<options>(?:\\a[clrd]\s*)*)\((?P<parts>.*)\)\s*$", re.IGNORECASE | re.DOTALL
)


def is_contents(instruction: str) -> bool:
    """True if a field with this instruction is a table of contents."""
    return instruction.split(maxsplit=1)[:1] in (["TOC"], ["toc"])


def combined_base(instruction: str) -> str:
    r"""Return the base of characters that an EQ field prints over each other: phonetic guides, and enclosed signs.

    Older Word and WPS write ruby as ``EQ \o\ad(\s\up 9(reading),base)`` and ① as ``EQ \o\ac(○,1)``.
    """
    match = _COMBINED.match(instruction)
    return match["parts"].rpartition(",")[2].strip("() ") if match else ""


__all__ = ["CHECKED", "combined_base", "is_contents"]
