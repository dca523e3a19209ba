"""FastSketchLSH: sketches of hashed character 5-grams by its threads, its index, candidates verified by sketches."""

from __future__ import annotations

import numpy as np
from contract import Groups, read, task, write
from FastSketchLSH import LSH, FastSimilaritySketch

VALUES, BANDS, SHINGLE, BLOCK = 128, 32, 5, 2000
BASE, MIX = np.uint64(0xD6E8FEB86659FD93), np.uint64(0x9E3779B97F4A7C15)


def hashed(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Hash the 5-grams of texts: the hashes of all, and where those of each begin."""
    padded = [text.ljust(SHINGLE) for text in texts]
    units = np.frombuffer("".join(padded).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    hashes = np.zeros(len(units) - SHINGLE + 1, np.uint64)
    for offset in range(SHINGLE):
        hashes = hashes * BASE + units[offset : offset + len(hashes)] + np.uint64(1)
    hashes *= MIX
    hashes ^= hashes >> np.uint64(32)
    lengths = np.array([*map(len, padded)])
    is_within = np.ones(len(units), bool)
    ends = np.cumsum(lengths)
    for back in range(1, SHINGLE):
        is_within[ends - back] = False
    starts = np.concatenate([[0], np.cumsum(lengths - SHINGLE + 1)])
    return hashes[is_within[: len(hashes)]], starts.astype(np.uint64)


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    sketcher = FastSimilaritySketch(size=VALUES, seed=42)
    blocks = [rows.texts[start : start + BLOCK] for start in range(0, len(rows.texts), BLOCK)]
    sketches = np.concatenate(
        [sketcher.batch_csr(*hashed(block), prehashed=True, num_threads=job.cores) for block in blocks]
    )
    index = LSH(num_perm=VALUES, num_bands=BANDS, num_threads=job.cores)
    index.insert(sketches)
    candidates, starts = index.query(sketches, format="csr")
    documents = np.repeat(np.arange(len(sketches)), np.diff(starts).astype(np.int64))
    candidates = candidates.astype(np.int64)
    earlier = candidates < documents
    groups = Groups(len(sketches))
    pairs = np.stack([documents[earlier], candidates[earlier]], axis=1)
    for start in range(0, len(pairs), BLOCK):
        block = pairs[start : start + BLOCK]
        alike = (sketches[block[:, 0]] == sketches[block[:, 1]]).mean(axis=1) >= job.threshold
        for document, candidate in block[alike].tolist():
            groups.join(document, candidate)
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
