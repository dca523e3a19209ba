"""Winnowing, SimHash and the lowest shingles of `docs/SPECIFICATION.md` computed a second time, plainly.

Run as a program it prints `families.json`.
"""

import json
import runpy
import sys
from pathlib import Path
from typing import Any

from whorl.text import fold, tokens

REFERENCE: dict[str, Any] = runpy.run_path(str(Path(__file__).parent / "reference.py"))
MASK, GOLDEN = REFERENCE["MASK"], REFERENCE["GOLDEN"]
mix, absorb = REFERENCE["mix"], REFERENCE["absorb"]
GRAM_BASE = 0x9FB21C651E98DF25

WINNOWING = {"k": 4, "window": 5}
SHINGLES = {"shingle": 3, "sample": 4}
SIMHASH = {"shingle": 2, "distance": 3, "least_features": 4}


def winnowing_keys(text: str, k: int, window: int) -> list[int]:
    code_points = [ord(character) for character in fold(text)]
    if not code_points:
        return []
    length = min(k, len(code_points))
    hashes = []
    for first in range(len(code_points) - length + 1):
        polynomial = 0
        for code_point in code_points[first : first + length]:
            polynomial = (polynomial * GRAM_BASE + absorb(GRAM_BASE, code_point)) & MASK
        hashes.append(mix(polynomial ^ length * GOLDEN & MASK))
    span = min(window, len(hashes))
    return sorted({min(hashes[first : first + span]) for first in range(len(hashes) - span + 1)})


def simhash_code(text: str, bits: int, shingle: int, least_features: int) -> int | None:
    token_hashes = [REFERENCE["token_hash"](token) for token in tokens(text)]
    hashes = REFERENCE["shingle_hashes"](token_hashes, shingle)
    if len(hashes) < least_features:
        return None
    wide = [mix(value ^ GOLDEN) << 64 | value for value in hashes]
    votes = [sum(value >> bit & 1 for value in wide) for bit in range(bits)]
    return sum(1 << bit for bit, count in enumerate(votes) if 2 * count > len(hashes))


def simhash_keys(code: int, bits: int, distance: int) -> list[int]:
    blocks = distance + 1
    keys = []
    for block in range(blocks):
        start, end = bits * block // blocks, bits * (block + 1) // blocks
        part = code >> start & (1 << end - start) - 1
        keys.append(mix(part ^ mix((block + 1) * GOLDEN & MASK)))
    return keys


def lowest_shingles(text: str, shingle: int, sample: int) -> list[int]:
    hashes = REFERENCE["shingle_hashes"]([REFERENCE["token_hash"](token) for token in tokens(text)], shingle)
    return sorted(set(hashes))[:sample]


def vectors() -> list[dict[str, Any]]:
    found = []
    for name, text in REFERENCE["TEXTS"].items():
        codes = {str(bits): simhash_code(text, bits, 2, SIMHASH["least_features"]) for bits in (8, 32, 64, 128)}
        keys = simhash_keys(codes["64"], 64, SIMHASH["distance"]) if codes["64"] is not None else []
        found.append(
            {
                "name": name,
                "winnowing": [f"{key:016x}" for key in winnowing_keys(text, **WINNOWING)],
                "shingles": [f"{key:016x}" for key in lowest_shingles(text, **SHINGLES)],
                "simhash": {bits: None if code is None else f"{code:x}" for bits, code in codes.items()},
                "simhash_keys": [f"{key:016x}" for key in keys],
            }
        )
    return found


if __name__ == "__main__":
    json.dump(
        {"winnowing": WINNOWING, "shingles": SHINGLES, "simhash": SIMHASH, "texts": vectors()},
        sys.stdout,
        ensure_ascii=False,
        indent=1,
    )
    sys.stdout.write("\n")
