"""The log of changes, many to a row."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from sys import byteorder

ADDED, REVISED, REMOVED, PAIR, VERDICT = range(5)
"""The kinds of a change; one of a document has its number as the lower one, and no higher one."""

MOST_TOGETHER = 1000
"""How many changes a row has at most."""

_NUMBERS = 3


def packed(changes: Iterable[tuple[int, int, int]]) -> bytes:
    """Changes as numbers of 8 bytes, little-endian."""
    numbers = array("q", (number for change in changes for number in change))
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpacked(row: bytes) -> Iterator[tuple[int, int, int]]:
    """The kind, the lower and the higher number of each change."""
    numbers = array("q")
    numbers.frombytes(row)
    if byteorder == "big":
        numbers.byteswap()
    parts = iter(numbers)
    return zip(*[parts] * _NUMBERS, strict=True)


__all__ = ["ADDED", "MOST_TOGETHER", "PAIR", "REMOVED", "REVISED", "VERDICT", "packed", "unpacked"]
