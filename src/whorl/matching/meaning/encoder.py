"""The interface of models that turn sentences into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Model = bool | str | PathLike[str]
"""True for the model in the package of the extra ``meaning``, or the path of a folder with a model; False for none."""


class Encoder(Protocol):
    """A model of sentences."""

    @property
    def name(self) -> str:
        """Its name with a version or a digest: equal for models with equal vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of at least one sentence: a row of length 1 for each, always the same for the same one."""
        ...


def unit_length(vectors: Vectors) -> Vectors:
    """Return vectors of length 1 in the same directions; a zero vector stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return scaled


def plain(text: str) -> str:
    """Return a text that every model reads: without NUL, and with a question mark for a lone surrogate."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


__all__ = ["Encoder", "Model", "Vectors", "plain", "unit_length"]
