"""Find the text that produced a key."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whorl.fingerprints import Family
    from whorl.matching.fields import Fields

_READ = 20_000
_LONGEST = 200


def text_of_key(family: Family | Fields, key: int, text: str) -> str:
    """Return the shortest part of a text that produces a key; "" if the key depends on the whole text.

    Args:
        family: the family of the key.
        key: one of the keys of the text.
        text: the text that has the key; only its beginning is searched.

    Cost: about thirty fingerprints of the beginning of the text.
    """
    text = text[:_READ]

    def has_key(start: int, end: int) -> bool:
        return key in family.fingerprint([text[start:end]]).keys

    if not has_key(0, len(text)):
        return ""
    end = bisect_left(range(len(text)), True, key=lambda end: has_key(0, end))
    start = bisect_right(range(end), False, key=lambda start: not has_key(start, end)) - 1
    stretch = text[max(start, 0) : end].strip()
    return stretch if len(stretch) <= _LONGEST else ""


__all__ = ["text_of_key"]
