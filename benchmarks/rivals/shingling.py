"""Character 5-grams, sketched by several processes."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

_SHINGLE = 5
_BLOCK = 500
_texts: list[str] = []
_sketches_of: Callable[[list[list[str]]], list[Any]]


def shingles_of(text: str) -> list[str]:
    """Return the character 5-grams of a text, or the text itself if it is shorter."""
    return [text[start : start + _SHINGLE] for start in range(max(1, len(text) - _SHINGLE + 1))]


def sketch_in_parallel(texts: list[str], sketches_of: Callable[[list[list[str]]], list[Any]], cores: int) -> list[Any]:
    """Sketch the 5-grams of every text with ``sketches_of``, in ``cores`` processes that inherit the texts."""
    global _texts, _sketches_of
    _texts, _sketches_of = texts, sketches_of
    with get_context("fork").Pool(cores) as pool:
        blocks = pool.imap(_sketch_block, range(0, len(texts), _BLOCK))
        return [sketch for block in blocks for sketch in block]


def _sketch_block(start: int) -> list[Any]:
    return _sketches_of([shingles_of(text) for text in _texts[start : start + _BLOCK]])
