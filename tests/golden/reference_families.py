"""Winnowing, SimHash and the lowest shingles of `docs/SPECIFICATION.md`, implemented a second time.

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
WINNOWING_DENSE = {"k": 6, "window": 4, "dense_k": 3, "dense_window": 2}
DENSE_FROM = 0x2E80
SHINGLES = {"shingle": 3, "sample": 4}
SIMHASH = {"shingle": 2, "distance": 3, "least_features": 4}


def winnowing_keys(text: str, k: int, window: int, dense_k: int = 0, dense_window: int = 0) -> list[int]:
    code_points = [ord(character) for character in fold(text)]
    grams = stretches(code_points, k, dense_k or k)
    hashes = []
    for first, last in grams:
        polynomial = 0
        for code_point in code_points[first:last]:
            polynomial = (polynomial * GRAM_BASE + absorb(GRAM_BASE, code_point)) & MASK
        hashes.append(mix(polynomial ^ (last - first) * GOLDEN & MASK))
    windows = stretches(code_points[: len(hashes)], window, dense_window or window)
    return sorted({min(hashes[first:last]) for first, last in windows})


def stretches(code_points: list[int], sparse: int, dense: int) -> list[tuple[int, int]]:
    """Return the shortest stretch from each code point with a total weight of ``sparse * dense``."""
    weights = [sparse if code_point >= DENSE_FROM else dense for code_point in code_points]
    result = []
    for first in range(len(weights)):
        ends = (last for last in range(first + 1, len(weights) + 1) if sum(weights[first:last]) >= sparse * dense)
        last = next(ends, None)
        if last is not None:
            result.append((first, last))
    return result or [(0, len(weights))] * bool(weights)


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
    result = []
    for name, text in REFERENCE["TEXTS"].items():
        codes = {str(bits): simhash_code(text, bits, 2, SIMHASH["least_features"]) for bits in (8, 32, 64, 128)}
        keys = simhash_keys(codes["64"], 64, SIMHASH["distance"]) if codes["64"] is not None else []
        result.append(
            {
                "name": name,
                "winnowing": [f"{key:016x}" for key in winnowing_keys(text, **WINNOWING)],
                "winnowing_dense": [f"{key:016x}" for key in winnowing_keys(text, **WINNOWING_DENSE)],
                "shingles": [f"{key:016x}" for key in lowest_shingles(text, **SHINGLES)],
                "simhash": {bits: None if code is None else f"{code:x}" for bits, code in codes.items()},
                "simhash_keys": [f"{key:016x}" for key in keys],
            }
        )
    return result


if __name__ == "__main__":
    json.dump(
        {
            "winnowing": WINNOWING,
            "winnowing_dense": WINNOWING_DENSE,
            "shingles": SHINGLES,
            "simhash": SIMHASH,
            "texts": vectors(),
        },
        sys.stdout,
        ensure_ascii=False,
        indent=1,
    )
    sys.stdout.write("\n")
