"""Choice of a model. Each is loaded once per process; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from os import fspath
from threading import Lock

import numpy as np

from whorl.matching.meaning.encoder import Encoder, Model, Vectors, plain

_REMEMBERED = 30_000
_BATCH = 64


def open_encoder(model: Model) -> Encoder:
    """Load a model once per process. Nothing is downloaded.

    Args:
        model: True, or the path of a folder.

    Raises:
        UsageError: a package is not installed.
        InputError: the folder has no model, or one of a kind that is not supported.

    Cost: the first time, half a second, and about 100 MB for the model of the package.
    """
    return _opened("" if isinstance(model, bool) else fspath(model))


@cache
def _opened(folder: str) -> Encoder:
    if folder:
        from whorl.matching.meaning.folder import FolderEncoder

        return _Remembering(FolderEncoder(folder))
    from whorl.matching.meaning.bundled import BundledEncoder

    return _Remembering(BundledEncoder())


class _Remembering:
    """A model that keeps the vectors of the latest sentences: a text is often compared with several others."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name = encoder.name
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            missing = [text for text in dict.fromkeys(map(plain, texts)) if text not in self._vectors]
            for start in range(0, len(missing), _BATCH):
                batch = missing[start : start + _BATCH]
                self._vectors |= zip(batch, self._encoder.encode(batch), strict=True)
            vectors = [self._vectors[plain(text)] for text in texts]
            for text in list(islice(self._vectors, max(0, len(self._vectors) - _REMEMBERED))):
                del self._vectors[text]
        return np.stack(vectors) if vectors else np.empty((0, 0), np.float32)


__all__ = ["open_encoder"]
