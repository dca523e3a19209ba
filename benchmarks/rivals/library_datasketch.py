"""datasketch: MinHash of 128 values over character 5-grams with xxHash, and its in-memory index for a threshold."""

from __future__ import annotations

from datasketch import MinHash, MinHashLSH
from datasketch_minhash import VALUES, sketches_of
from library_task import measure
from shingling import shingles_of

THRESHOLD = 0.5


def sketches_of_texts(texts: list[str]) -> list[MinHash]:
    """Sketch many texts."""
    return sketches_of([shingles_of(text) for text in texts])


def main() -> None:
    """Measure the index."""
    index = MinHashLSH(threshold=THRESHOLD, num_perm=VALUES)
    measure(sketches_of_texts, lambda name, sketch: index.insert(name, sketch, check_duplication=False), index.query)


if __name__ == "__main__":
    main()
