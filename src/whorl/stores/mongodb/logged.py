"""The change log, stored as blocks of changes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from sys import byteorder

ADDED, REVISED, REMOVED, PAIR, VERDICT = range(5)
"""Kinds of a change; a change of a document has its number as the lower one, and no higher one."""

MOST_TOGETHER = 1000
"""Maximum number of changes in a row."""

_NUMBERS = 3


def packed(changes: Iterable[tuple[int, int, int]]) -> bytes:
    """Encode changes as numbers of 8 bytes, little-endian."""
    numbers = array("q", (number for change in changes for number in change))
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpacked(row: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, lower and higher number of each change."""
    numbers = array("q")
    numbers.frombytes(row)
    if byteorder == "big":
        numbers.byteswap()
    parts = iter(numbers)
    return zip(*[parts] * _NUMBERS, strict=True)


__all__ = ["ADDED", "MOST_TOGETHER", "PAIR", "REMOVED", "REVISED", "VERDICT", "packed", "unpacked"]
