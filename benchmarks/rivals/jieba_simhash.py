"""The noun-verb recipe in Python: jieba.posseg, counts as weights, the package simhash.

    python jieba_simhash.py CORPUS

Prints the processor time from texts in memory to codes, and the codes in hexadecimal, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import jieba.posseg
from contract import read
from simhash import Simhash

SHORTEST = 2


def code_of(text: str) -> int:
    """Return the code of the nouns and verbs of a text, weighted by frequency."""
    pairs = jieba.posseg.cut(text)
    return int(Simhash(Counter(word for word, flag in pairs if flag[0] in "nv" and len(word) >= SHORTEST)).value)


def main() -> None:
    """Compute the codes of a corpus."""
    texts = read(Path(sys.argv[1])).texts
    jieba.setLogLevel("ERROR")
    code_of("南开大学研究生")
    start = time.process_time()
    codes = [code_of(text) for text in texts]
    print(json.dumps({"seconds": time.process_time() - start, "codes": [f"{code:x}" for code in codes]}))


if __name__ == "__main__":
    main()
