"""rensa, C-MinHash: sketches by one process per core, then its deduplicator."""

from __future__ import annotations

from contract import Groups, read, task, write
from rensa import CMinHash, CMinHashDeduplicator
from shingling import sketch_in_parallel

VALUES = 128


def sketches_of(shingles: list[list[str]]) -> list[CMinHash]:
    """Sketch many texts."""
    return CMinHash.from_token_sets(shingles, num_perm=VALUES, seed=42)


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    sketches = sketch_in_parallel(rows.texts, sketches_of, job.cores)
    deduplicator = CMinHashDeduplicator(threshold=job.threshold, num_perm=VALUES)
    kept = deduplicator.add_pairs((str(document), sketch) for document, sketch in enumerate(sketches))
    groups = Groups(len(sketches))
    for document in (document for document, stays in enumerate(kept) if not stays):
        for original in deduplicator.get_duplicates(sketches[document]):
            groups.join(document, int(original))
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
