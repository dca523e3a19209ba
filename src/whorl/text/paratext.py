"""Cover, declarations, table of contents and references of a manuscript, which are no part of its argument."""

from __future__ import annotations

import re
from typing import Any

from whorl import _core
from whorl._internal.frozen import frozen

_FIELD = r"^[ \t\u3000]*(?:{})[ \t\u3000]*[\uff1a:][ \t\u3000_]*(?P<value>\S.*?)[ \t\u3000_]*$"
_TITLE = re.compile(_FIELD.format(r"论文题目|毕业论文题目|题\s*目|课题名称|Title"), re.MULTILINE | re.IGNORECASE)
_AUTHOR = re.compile(
    _FIELD.format(r"学生姓名|作者姓名|论文作者|姓\s*名|作\s*者|研究生|Student name|Author|Name"),
    re.MULTILINE | re.IGNORECASE,
)
_LONGEST_NAME = 60


@frozen
class Cover:
    """Statements of a cover.

    Attributes:
        title: the title, or an empty string.
        author: the author, or an empty string.
    """

    title: str
    author: str


def cover_of(text: str) -> Cover:
    """Return the title and the author on the cover of a manuscript; empty without a cover."""
    ranges = [(start, end) for kind, start, end in _core.paratexts([text])[0] if kind == "cover"]
    if not ranges:
        return Cover("", "")
    cover = text[slice(*ranges[0])]
    return Cover(_value(_TITLE, cover), _value(_AUTHOR, cover))


def paratexts(texts: Any) -> list[list[tuple[str, int, int]]]:
    """Return the parts of each text with their code points: "cover", "declaration", "contents", "references". Linear.

    Args:
        texts: strings, or an Arrow string array.
    """
    return _core.paratexts(texts)


def _value(label: re.Pattern[str], cover: str) -> str:
    match = label.search(cover)
    return match["value"].strip()[:_LONGEST_NAME] if match else ""


__all__ = ["Cover", "cover_of", "paratexts"]
