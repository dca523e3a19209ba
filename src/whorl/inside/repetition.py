"""Repetition within one document: measured columns, and a filter by published limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.progress import Progress

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@frozen(eq=False)
class Repetitions:
    """The measures of some documents.

    Attributes:
        values: float32 (n, 14).
    """

    values: NDArray[np.float32]

    @classmethod
    def none(cls) -> Repetitions:
        """Return the measures of no documents."""
        return cls(np.empty((0, len(_measures()[0])), np.float32))

    @classmethod
    def of(cls, texts: Any) -> Repetitions:
        """Measure texts: a list of str, or an Arrow string array."""
        names, _ = _measures()
        values = np.frombuffer(memoryview(_core.inside_repetition(texts)), np.float32)
        return cls(values.reshape(-1, len(names)))

    @classmethod
    def of_files(cls, texts: _core.FileTexts, blocks: Iterator[NDArray[np.uint32]], progress: Progress) -> Repetitions:
        """Measure the texts of all documents, in blocks. Memory: 56 bytes per document."""
        names, _ = _measures()
        parts = [np.empty((0, len(names)), np.float32)]
        for block in blocks:
            parts.append(cls.of([texts.text(document) for document in block.tolist()]).values)
            progress.advance(len(block))
        return cls(np.concatenate(parts))

    @property
    def is_above(self) -> NDArray[np.bool_]:
        """True for each document with a measure above its published limit."""
        _, limits = _measures()
        return np.asarray((self.values > limits).any(axis=1), np.bool_)

    def columns(self) -> dict[str, pa.Array]:
        """The measures by name, and ``repetitive``: whether one is above its published limit."""
        import pyarrow as pa

        names, _ = _measures()
        columns = {name: pa.array(np.ascontiguousarray(self.values[:, place])) for place, name in enumerate(names)}
        return {**columns, "repetitive": pa.array(self.is_above)}


def _measures() -> tuple[list[str], NDArray[np.float32]]:
    measures = _core.inside_measures()
    return [name for name, _ in measures], np.array([limit for _, limit in measures], np.float32)


__all__ = ["Repetitions"]
