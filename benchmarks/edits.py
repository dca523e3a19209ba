"""Copies that differ from their article in a labeled share of its units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.units import Units

_LEAST_SHARE, _LARGEST_SHARE = 0.02, 0.10
_REPLACED, _DELETED = 0.5, 0.75
_SHORTEST_SPAN, _LONGEST_SPAN = 8, 40


def edit(units: Units, stream: Units, generator: np.random.Generator) -> tuple[Units, str, float]:
    """Copy ``units`` and edit 2 to 10% of them: scattered in half of the copies, in spans in the others.

    An edit replaces (half of them), deletes or inserts (a quarter each) a unit. New units are drawn from ``stream``.

    Returns:
        The copy, "scattered" or "spans", and the edited share.
    """
    share = generator.uniform(_LEAST_SHARE, _LARGEST_SHARE)
    count = max(1, round(share * len(units)))
    fresh = stream[generator.integers(len(stream), size=count)]
    if generator.random() < 0.5:
        return _scattered(units, fresh, generator), "scattered", share
    return _in_spans(units, fresh, generator), "spans", share


def _scattered(units: Units, fresh: Units, generator: np.random.Generator) -> Units:
    places = generator.choice(len(units), len(fresh), replace=False)
    draw = generator.random(len(fresh))
    replaced, deleted, inserted = draw < _REPLACED, (draw >= _REPLACED) & (draw < _DELETED), draw >= _DELETED
    copy = units.copy()
    copy[places[replaced]] = fresh[replaced]
    repeats: NDArray[np.int64] = np.ones(len(units), np.int64)
    repeats[places[deleted]] = 0
    repeats[places[inserted]] = 2
    result = np.repeat(copy, repeats)
    result[np.cumsum(repeats)[places[inserted]] - 1] = fresh[inserted]
    return result


def _in_spans(units: Units, fresh: Units, generator: np.random.Generator) -> Units:
    result = units
    while len(fresh):
        length = min(len(fresh), len(result), int(generator.integers(_SHORTEST_SPAN, _LONGEST_SPAN + 1)))
        start = int(generator.integers(len(result) - length + 1))
        draw = generator.random()
        new = fresh[:0] if _REPLACED <= draw < _DELETED else fresh[:length]
        end = start if draw >= _DELETED else start + length
        result = np.concatenate([result[:start], new, result[end:]])
        fresh = fresh[length:]
    return result
