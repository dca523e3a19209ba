"""Search indexes: nearest codes by Hamming distance, and documents by shared keys, without comparing all pairs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whorl.indexes.hamming import HammingIndex
    from whorl.indexes.inverted import KeyIndex

_HOMES = {"HammingIndex": "whorl.indexes.hamming", "KeyIndex": "whorl.indexes.inverted"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


__all__ = ["HammingIndex", "KeyIndex"]
