"""ISCC: the text code of its reference implementation, by one process per core; all pairs are compared."""

from __future__ import annotations

from multiprocessing import get_context

import numpy as np
from contract import Groups, read, task, write
from iscc_core import soft_hash_text_v0, text_clean, text_collapse

BITS, BLOCK = 256, 500


def code_of(text: str) -> bytes:
    """Return the bits of a text code: MinHash of 13-grams without spaces and signs."""
    return bytes(soft_hash_text_v0(text_collapse(text_clean(text))))


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    with get_context("fork").Pool(job.cores) as pool:
        codes = pool.map(code_of, rows.texts, chunksize=100)
    bits = np.unpackbits(np.frombuffer(b"".join(codes), np.uint8).reshape(len(codes), -1), axis=1).astype(np.float32)
    groups = Groups(len(codes))
    for start in range(0, len(bits), BLOCK):
        block = bits[start : start + BLOCK]
        equal = block @ bits.T + (1 - block) @ (1 - bits).T
        near = np.argwhere(equal >= job.threshold * BITS)
        for document, other in near.tolist():
            if other < start + document:
                groups.join(start + document, other)
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
