"""rensa, R-MinHash: sketches by one process per core, its index, candidates verified by their sketches."""

from __future__ import annotations

from contract import Groups, read, task, write
from rensa import RMinHash, RMinHashLSH
from shingling import sketch_in_parallel

VALUES, BANDS = 128, 32


def sketches_of(shingles: list[list[str]]) -> list[RMinHash]:
    """Sketch many texts."""
    return RMinHash.from_token_sets(shingles, num_perm=VALUES, seed=42)


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    sketches = sketch_in_parallel(rows.texts, sketches_of, job.cores)
    index = RMinHashLSH(threshold=job.threshold, num_perm=VALUES, num_bands=BANDS)
    index.insert_many(sketches)
    groups = Groups(len(sketches))
    for document, sketch in enumerate(sketches):
        for candidate in index.query(sketch):
            if candidate < document and sketch.jaccard(sketches[candidate]) >= job.threshold:
                groups.join(document, candidate)
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
