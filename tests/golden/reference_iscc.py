"""Slow reference implementation of the Text-Code of ISO 24138, from the description of the standard."""

from __future__ import annotations

import json
import re
import struct
import unicodedata
from base64 import b32encode
from pathlib import Path

P1, P2, P3, P4, P5 = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
_MASK = 2**32 - 1
_CORE = Path(__file__).parents[2] / "crates/whorl-core/src/fingerprint/iscc/permutations.rs"


def permutations() -> list[tuple[int, int]]:
    """Return the constants of the standard."""
    pairs = re.findall(r"\((\d[\d_]*), (\d[\d_]*)\)", _CORE.read_text(encoding="utf-8"))
    return [(int(a), int(b)) for a, b in pairs]


def collapse(text: str) -> str:
    """Return the normalized text."""
    lowered = unicodedata.normalize("NFD", text).lower()
    kept = [sign for sign in lowered if not sign.isspace() and unicodedata.category(sign)[0] not in "CMP"]
    return unicodedata.normalize("NFKC", "".join(kept))


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & _MASK


def xxh32(data: bytes) -> int:
    """Return the XXH32 of some bytes with the seed 0, as its specification describes it."""
    whole = len(data) // 16 * 16
    if whole:
        lanes = [P1 + P2 & _MASK, P2, 0, -P1 & _MASK]
        for start in range(0, whole, 16):
            words = struct.unpack("<4I", data[start : start + 16])
            rounds = zip(lanes, words, strict=True)
            lanes = [_rotated(lane + word * P2 & _MASK, 13) * P1 & _MASK for lane, word in rounds]
        value = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
    else:
        value = P5
    value = value + len(data) & _MASK
    rest = data[whole:]
    for start in range(0, len(rest) // 4 * 4, 4):
        (word,) = struct.unpack("<I", rest[start : start + 4])
        value = _rotated(value + word * P3 & _MASK, 17) * P4 & _MASK
    for byte in rest[len(rest) // 4 * 4 :]:
        value = _rotated(value + byte * P5 & _MASK, 11) * P1 & _MASK
    for shift, prime in ((15, P2), (13, P3), (16, 1)):
        value = (value ^ value >> shift) * prime & _MASK
    return value


def text_code(text: str, bits: int) -> str:
    """Return the Text-Code of a text."""
    collapsed = collapse(text)
    windows = [collapsed[start : start + 13] for start in range(max(1, len(collapsed) - 12))]
    features = [xxh32(window.encode()) for window in windows]
    minima = [min((a * f + b) % 2**64 % (2**61 - 1) & _MASK for f in features) for a, b in permutations()]
    digits = "".join(str(minimum >> bit & 1) for bit in range(4) for minimum in minima)
    body = int(digits, 2).to_bytes(32, "big")[: bits // 8]
    return "ISCC:" + b32encode(bytes([0x20, bits // 32 - 1]) + body).decode().rstrip("=")


def vectors() -> list[tuple[str, int, str]]:
    """Return text, bits and code of the conformance vectors."""
    recorded = json.loads(Path(__file__).with_name("iscc.json").read_text(encoding="utf-8"))
    return [(vector["text"], vector["bits"], vector["iscc"]) for vector in recorded]
