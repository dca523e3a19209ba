"""copydetect: winnowed fingerprints of characters, and their places, for every pair of documents.

``threshold`` is unused. Writes ``passages.tsv``: both documents, and a range of the second that the first also has.
"""

from __future__ import annotations

from io import StringIO
from itertools import combinations

from contract import read, task
from copydetect import CodeFingerprint, compare_files

_DENSE = 0x2E80
_NOISE, _GUARANTEED = (8, 24), (13, 39)
"""Characters below which nothing is found and from which everything is, for Han characters and for letters."""


def main() -> None:
    """Find the passages that documents share."""
    job = task()
    texts = read(job.corpus).texts
    kind = int(4 * sum(ord(sign) >= _DENSE for sign in texts[0]) <= len(texts[0]))
    width, window = _NOISE[kind], _GUARANTEED[kind] - _NOISE[kind] + 1
    prints = [
        CodeFingerprint(str(number), width, window, filter=False, fp=StringIO(text))
        for number, text in enumerate(texts)
    ]
    with (job.out / "passages.tsv").open("w", encoding="ascii") as file:
        for a, b in combinations(range(len(texts)), 2):
            shared, _, slices = compare_files(prints[a], prints[b])
            if shared:
                file.writelines(f"{a}\t{b}\t{int(start)}\t{int(end)}\n" for start, end in zip(*slices[1], strict=True))


if __name__ == "__main__":
    main()
