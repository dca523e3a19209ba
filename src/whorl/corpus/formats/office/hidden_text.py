"""Formatting that hides text: letters in the color of their background, and unreadably small sizes.

Hidden text disguises a copy from search: white letters between the visible ones, or words in 1 point. Word,
LibreOffice, RTF and EPUB express it differently; the limits are the same for all of them.
"""

from __future__ import annotations

import re

from whorl.corpus.contract import HIDDEN_TEXT

MAX_HIDDEN_POINTS = 2.0
"""Text up to this size is hidden. The smallest print in use, that of contracts and labels, has 4 points."""

WHITE = "ffffff"
_MAX_DIFFERENCE = 0x0F
"""Two colors are alike if no channel differs by more: light gray on white has a contrast of 1.15 there."""

_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})")
_NAMES = {
    "white": WHITE,
    "black": "000000",
    "red": "ff0000",
    "green": "00ff00",
    "blue": "0000ff",
    "yellow": "ffff00",
    "cyan": "00ffff",
    "magenta": "ff00ff",
    "darkblue": "000080",
    "darkcyan": "008080",
    "darkgreen": "008000",
    "darkmagenta": "800080",
    "darkred": "800000",
    "darkyellow": "808000",
    "darkgray": "808080",
    "lightgray": "c0c0c0",
    "snow": "fffafa",
    "ivory": "fffff0",
    "ghostwhite": "f8f8ff",
    "whitesmoke": "f5f5f5",
}


def hex_color(value: str) -> str | None:
    """Return a color as six lower-case hexadecimal digits; None for ``auto``, ``transparent`` and unknown names."""
    value = "".join(value.lower().split())
    if value in _NAMES:
        return _NAMES[value]
    if value.startswith("rgb("):
        channels = value[4:].rstrip(")").split(",")
        if len(channels) == 3 and all(channel.isdecimal() and len(channel) <= 3 for channel in channels):
            return "".join(f"{min(int(channel), 255):02x}" for channel in channels)
    match = _HEX.fullmatch(value)
    if match is None:
        return None
    digits = match[1]
    return digits if len(digits) == 6 else "".join(2 * digit for digit in digits)


def is_invisible(color: str, background: str) -> bool:
    """True if text in ``color`` is invisible on ``background``; both as ``hex_color`` returns them."""
    pairs = ((int(color[at : at + 2], 16), int(background[at : at + 2], 16)) for at in (0, 2, 4))
    return all(abs(first - other) <= _MAX_DIFFERENCE for first, other in pairs)


def count_characters(text: str) -> int:
    """Count the characters of a text without white space."""
    return sum(map(len, text.split()))


def hidden_notice(count: int) -> dict[str, str]:
    """Return the notice of a document with ``count`` hidden characters; empty if 0."""
    return {HIDDEN_TEXT: str(count)} if count else {}


__all__ = ["MAX_HIDDEN_POINTS", "WHITE", "count_characters", "hex_color", "hidden_notice", "is_invisible"]
