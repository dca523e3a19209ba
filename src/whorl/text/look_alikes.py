"""Look-alikes: characters replaced by others of the same look, to hide a copy or a word.

The pairs are the single-character confusables of Unicode Technical Standard #39 that the fold does not unify. A letter
replaces the ASCII letter or digit it resembles if its word contains an ASCII letter, and nothing but Latin letters and
look-alikes of them: ``рaypal`` with a Cyrillic р. A symbol replaces the Han character it resembles if it is next to a
Han character and not next to kana: エ in エ作. So Russian, Greek and Japanese stay unchanged; so does a word of
look-alikes only.
"""

from typing import NamedTuple

from whorl import _core


class Undone(NamedTuple):
    """A text with its look-alikes restored.

    Attributes:
        text: restored text, of the same length, so that offsets are those of the original.
        look_alikes: number of restored characters.
    """

    text: str
    look_alikes: int


def undo_look_alikes(text: str) -> Undone:
    """Restore the look-alikes of ``text``, and count them. Linear; call before folding."""
    code_points, count = _core.undo_look_alikes(text)
    return Undone(bytes(memoryview(code_points)).decode("utf-32-le", "surrogatepass"), count)


__all__ = ["Undone", "undo_look_alikes"]
