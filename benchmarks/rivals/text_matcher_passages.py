"""text-matcher: equal trigrams of word stems, extended, for every pair of documents. English only.

``threshold`` is unused. Writes ``passages.tsv``: both documents, and a range of the second that the first also has.
"""

from __future__ import annotations

from itertools import combinations

from contract import read, task
from text_matcher.matcher import Matcher, Text


def main() -> None:
    """Find the passages that documents share."""
    job = task()
    # Its stop words are a download; without them it needs none.
    texts = [Text(text, str(number), removeStopwords=False) for number, text in enumerate(read(job.corpus).texts)]
    with (job.out / "passages.tsv").open("w", encoding="ascii") as file:
        for a, b in combinations(range(len(texts)), 2):
            matcher = Matcher(texts[a], texts[b], removeStopwords=False)
            for match in matcher.extended_matches:
                spans = texts[b].spans[match.b : match.b + match.sizeB]
                file.write(f"{a}\t{b}\t{spans[0][0]}\t{spans[-1][1]}\n")


if __name__ == "__main__":
    main()
