"""Format shares as percentages."""

from __future__ import annotations

from collections.abc import Sequence


def percent(share: float) -> str:
    """Format a share as a percentage, a small one with a digit; only 1 is 100%, and only 0 is 0%."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0 < share < 0.00995:
        return f"{100 * share:.1f}%"
    whole = round(100 * share)
    return f"{min(whole, 99) if share < 1 else whole}%"


def adding_up(parts: Sequence[float], whole: int) -> list[int]:
    """Round parts to integers that add up to a whole, by largest remainders.

    Args:
        parts: nonnegative parts.
        whole: their rounded sum.
    """
    rounded = [int(part) for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda place: (rounded[place] - parts[place], place))
    for place in by_remainder[: max(0, whole - sum(rounded))]:
        rounded[place] += 1
    return rounded


__all__ = ["adding_up", "percent"]
