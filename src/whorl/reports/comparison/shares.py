"""Shares in tenths of a percent, rounded so that the parts add up to the whole."""

from __future__ import annotations

from collections.abc import Sequence

from whorl.i18n import Message, say
from whorl.types.comparison import adding_up

_TENTHS = 1000


def share(value: float) -> Message:
    """Format a share of 1 with one digit; only 0 is written as zero, and only the whole as 100."""
    if 0 < value < 1 / _TENTHS:
        return say("<0.1%")
    if 1 - 0.5 / _TENTHS <= value < 1:
        return say(">99.9%")
    return of_tenths(round(_TENTHS * value))


def of_tenths(number: int) -> Message:
    """Format tenths of a percent as a share."""
    return say("{share:.1f}%", share=number / 10)


def tenths(parts: Sequence[float], whole: float) -> tuple[list[int], int]:
    """Round parts to tenths of a percent that add up to the whole.

    Args:
        parts: disjoint shares of 1 that make up the whole.
        whole: sum of the parts.

    Returns:
        The tenths of each part, rounded by largest remainders, 0 for a part below one tenth; and the tenths of all
        parts below one tenth together.
    """
    large = [place for place, part in enumerate(parts) if part * _TENTHS >= 1]
    small = sum(part for part in parts if part * _TENTHS < 1)
    exact = [_TENTHS * value for value in (*(parts[place] for place in large), small)]
    rounded = adding_up(exact, round(_TENTHS * whole))
    units = [0] * len(parts)
    for place, number in zip(large, rounded, strict=False):
        units[place] = number
    return units, rounded[-1]


__all__ = ["of_tenths", "share", "tenths"]
