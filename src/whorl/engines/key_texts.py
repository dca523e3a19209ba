"""Which text a key of a fingerprint stands for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whorl.fingerprints import Family
    from whorl.matching.fields import Fields

_READ = 20_000
_LONGEST = 200


def text_of_key(family: Family | Fields, key: int, text: str) -> str:
    """Return the shortest stretch of a text that has a key of it; "" where it is no stretch, but made of all the text.

    Args:
        family: what made the key.
        key: one of the keys of the text.
        text: what has it; only its beginning is looked at.

    Cost: some thirty fingerprints of the beginning of the text.
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
