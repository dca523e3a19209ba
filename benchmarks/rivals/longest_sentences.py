"""The recipe of nshash: articles with an equal hash among those of their five longest sentences are copies."""

from __future__ import annotations

import re
from hashlib import md5

from contract import Groups, read, task, write

SENTENCES = 5
SHORTEST = 30
END = re.compile(r"[:：；？。！】\n]")


def hashes_of(text: str) -> list[bytes]:
    """Return the hashes of the longest sentences of a text."""
    sentences = [sentence for sentence in END.split(text) if sentence]
    long = [sentence for sentence in sentences if len(sentence) > SHORTEST] or sentences
    return [md5(sentence.encode()).digest() for sentence in sorted(long, key=len, reverse=True)[:SENTENCES]]


def main() -> None:
    """Deduplicate a corpus."""
    job = task()
    rows = read(job.corpus)
    groups = Groups(len(rows.texts))
    owners: dict[bytes, int] = {}
    for document, text in enumerate(rows.texts):
        for digest in hashes_of(text):
            groups.join(document, owners.setdefault(digest, document))
    write(rows.lines, groups, job.out)


if __name__ == "__main__":
    main()
