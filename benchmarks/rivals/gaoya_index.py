"""gaoya: its index of strings, on character 5-grams, filled and queried by its threads."""

from __future__ import annotations

from contract import Groups, read, task, write
from gaoya.minhash import MinHashStringIndex

BLOCK = 5000


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=job.threshold,
        num_bands=32,
        band_size=4,
        analyzer="char",
        ngram_range=(5, 5),
        id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(rows.texts))), rows.texts)
    groups = Groups(len(rows.texts))
    for start in range(0, len(rows.texts), BLOCK):
        answers = index.par_bulk_query(rows.texts[start : start + BLOCK])
        for document, similar in enumerate(answers, start):
            for other in similar:
                groups.join(document, other)
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
