"""Look-alikes: characters put in the place of others that look the same, to hide a copy or a word.

The pairs are the single-character confusables of Unicode Technical Standard #39 that the fold leaves apart. A letter
stands in for the ASCII letter or digit it looks like when its word has a letter of ASCII, and nothing but Latin
letters and look-alikes of them: ``рaypal`` with a Cyrillic р. A sign stands in for the Han character it looks like
when it stands beside a Han character and not beside kana: エ in エ作. So Russian, Greek and Japanese stay as they are;
a word made of look-alikes alone stays too.
"""

from typing import NamedTuple

from whorl import _core


class Undone(NamedTuple):
    """A text with its look-alikes put back.

    Attributes:
        text: as long as the original, so that offsets are those of the original.
        look_alikes: how many there were.
    """

    text: str
    look_alikes: int


def undo_look_alikes(text: str) -> Undone:
    """Put the look-alikes of ``text`` back, and count them. Linear; do so before the text is folded."""
    code_points, count = _core.undo_look_alikes(text)
    return Undone(bytes(memoryview(code_points)).decode("utf-32-le", "surrogatepass"), count)


__all__ = ["Undone", "undo_look_alikes"]
