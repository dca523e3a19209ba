"""The equal blocks of 12 characters in Indel alignment by rapidfuzz: blocks of pairs as JSON, and their time.

    python rapidfuzz_blocks.py PAIRS.json

The file has ``pairs``, whose blocks are printed, and named lists of timed pairs.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median

from rapidfuzz.distance import Indel


def blocks(source: str, copy: str) -> list[tuple[int, int, int, int]]:
    """Return spans in the source and in the copy."""
    equal = (block for block in Indel.opcodes(source, copy) if block.tag == "equal")
    return [
        (block.src_start, block.src_end, block.dest_start, block.dest_end)
        for block in equal
        if block.src_end - block.src_start >= 12
    ]


def once(source: str, copy: str) -> float:
    """Return the seconds for one pair."""
    start = time.perf_counter()
    blocks(source, copy)
    return time.perf_counter() - start


def main() -> None:
    """Align, then time."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    matches = [blocks(*pair) for pair in task["pairs"]]
    timed = {
        name: 1e6 * median(min(once(*pair) for _ in range(3)) for pair in pairs)
        for name, pairs in task["timed"].items()
    }
    print(json.dumps({"found": matches, **timed}))


if __name__ == "__main__":
    main()
