"""Search indexes: nearest codes by Hamming distance, and documents by shared keys, without comparing all pairs."""

from __future__ import annotations
