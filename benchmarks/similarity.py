"""The exact similarity of two articles, computed without whorl.

It follows docs/SPECIFICATION.md, except that traditional characters are kept as they are, and the whole text is the
body.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = "々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff"
_THAI_AND_LAO = "\u0e01-\u0ecd"
_UNSPACED = _HAN + _KANA + _THAI_AND_LAO
_MARKS = "".join(chr(point) for point in range(0x20000) if unicodedata.category(chr(point)).startswith("M"))
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:[^\W_{_UNSPACED}]|(?![{_UNSPACED}])[{_MARKS}])+")
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")


def tokens(text: str) -> list[str]:
    """Return the folded tokens of a text: single characters of unspaced scripts, and words of letters or digits."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _TOKEN.findall(_INVISIBLE.sub("", folded))


def shingles(text: str, width: int = 5) -> set[tuple[str, ...]]:
    """Return the distinct n-grams of ``width`` tokens.

    A shorter text is one n-gram, and a text without tokens has no n-grams.
    """
    words = tokens(text)
    if len(words) < width:
        return {tuple(words)} if words else set()
    return set(zip(*(words[start:] for start in range(width)), strict=False))


def jaccard(a: str, b: str) -> float:
    """Return the Jaccard similarity of the shingles of two texts; 0 if one of them has no shingles."""
    first, second = shingles(a), shingles(b)
    shared = len(first & second)
    united = len(first) + len(second) - shared
    return shared / united if united else 0.0
