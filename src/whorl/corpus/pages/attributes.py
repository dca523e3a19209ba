"""Cut the attributes of tags that have very many.

libxml2 compares each attribute of an HTML tag with all before it: a tag with 100,000 takes 12 seconds of a core, one
with 500,000 five minutes. Real pages have some dozens, so attributes after the first ``MAX_ATTRIBUTES`` are removed.
Tags are found as in the HTML standard: quoted values may contain ``>``, and scripts and comments contain no tags.
"""

from __future__ import annotations

import re
from typing import AnyStr

MAX_ATTRIBUTES = 256
"""Maximum number of attributes of a tag."""

_NAME = r"(?:=[^\s/>=]*+|[^\s/>=]++)"
_VALUE = r"""(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)"""
_ATTRIBUTE = rf"[\s/]*+{_NAME}(?:\s*+=\s*+{_VALUE})?+"
_RAW = "script|style|textarea|title|xmp|iframe|noembed|noframes"
_PATTERN = (
    rf"(<({_RAW})(?=[\s/>])(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+)(?:{_ATTRIBUTE})*+(.*?(?:</\2|\Z))"
    rf"|(<[a-z][^\s/>]*+(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+)(?:{_ATTRIBUTE})*+"
    r"|(<!--.*?(?:-->|\Z))"
)
"""Whole tags, scripts and comments: matching each to its end makes the scan linear."""
_RAW_TAG, _BEHIND_RAW, _TAG = 1, 3, 4
"""Groups that are kept: the tag of an element without markup, what follows it, and another tag."""
_WITHOUT = r"\1\3\4\5"
_FLAGS = re.IGNORECASE | re.DOTALL | re.ASCII
_OF_TEXT = re.compile(_PATTERN, _FLAGS)
_OF_BYTES = re.compile(_PATTERN.encode(), _FLAGS & ~re.ASCII)


def without_many_attributes(page: AnyStr) -> AnyStr:
    """Return a page whose tags have at most ``MAX_ATTRIBUTES`` attributes each. Cost: linear."""
    if isinstance(page, str):
        return _OF_TEXT.sub(_WITHOUT, page) if any(map(_has_many, _OF_TEXT.finditer(page))) else page
    return _OF_BYTES.sub(_WITHOUT.encode(), page) if any(map(_has_many, _OF_BYTES.finditer(page))) else page


def _has_many(match: re.Match[str] | re.Match[bytes]) -> bool:
    """True if a tag has more attributes than those that are kept."""
    if match.lastindex == _BEHIND_RAW:
        return match.end(_RAW_TAG) != match.start(_BEHIND_RAW)
    return match.lastindex == _TAG and match.end(_TAG) != match.end()


__all__ = ["MAX_ATTRIBUTES", "without_many_attributes"]
