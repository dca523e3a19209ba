"""datasketch: MinHash with xxHash, one process per core, its index, candidates verified by their sketches."""

from __future__ import annotations

import xxhash
from contract import Groups, read, task, write
from datasketch import MinHash, MinHashLSH
from shingling import sketch_in_parallel

VALUES, BANDS = 128, (32, 4)


def sketches_of(shingles: list[list[str]]) -> list[MinHash]:
    """Sketch many texts."""
    encoded = ([shingle.encode() for shingle in set(text)] for text in shingles)
    return MinHash.bulk(encoded, num_perm=VALUES, hashfunc=xxhash.xxh32_intdigest)


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    sketches = sketch_in_parallel(rows.texts, sketches_of, job.cores)
    index = MinHashLSH(num_perm=VALUES, params=BANDS)
    with index.insertion_session() as session:
        for document, sketch in enumerate(sketches):
            session.insert(document, sketch, check_duplication=False)
    groups = Groups(len(sketches))
    for document, sketch in enumerate(sketches):
        for candidate in index.query(sketch):
            if candidate < document and sketch.jaccard(sketches[candidate]) >= job.threshold:
                groups.join(document, candidate)
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
