"""Preparation of a text for the comparison by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from whorl.matching.meaning.background import CHINESE, ENGLISH
from whorl.matching.meaning.encoder import Encoder, Vectors, unit_length
from whorl.matching.meaning.facts import number_count
from whorl.matching.meaning.findings import Side
from whorl.matching.meaning.languages import is_dense
from whorl.matching.meaning.units import units_of
from whorl.types.comparison import Span

_LISTED = 5
"""A sentence with a number for every few characters is a table or a list, which vectors do not describe."""


def side_of(text: str, encoder: Encoder, ignored: Sequence[Span] = (), covered: Iterable[Span] = ()) -> Side:
    """Divide a text into sentences and encode them.

    Args:
        text: the text.
        encoder: the model.
        ignored: ranges that are no part of the body.
        covered: ranges of the body whose sentences are not encoded, such as passages.

    Cost: that of the model, for at most 50 sentences a page.
    """
    body = sum(unit.size for unit in units_of(text, ignored))
    units = [
        unit
        for unit in units_of(text, [*ignored, *covered])
        if _LISTED * number_count(text[unit.start : unit.end]) <= unit.size
    ]
    vectors = encoder.encode([text[unit.start : unit.end] for unit in units])
    if units:
        common = _common(encoder, dense=is_dense(text))
        vectors = unit_length(np.subtract(vectors, common))
    return Side(text, units, vectors, body)


def _common(encoder: Encoder, *, dense: bool) -> Vectors:
    """Return the mean vector of unrelated sentences of a language, which the encoder remembers."""
    mean: Vectors = np.mean(encoder.encode(CHINESE if dense else ENGLISH), axis=0)
    return mean


__all__ = ["side_of"]
