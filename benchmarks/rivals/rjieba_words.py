"""rjieba: precise mode, unknown words guessed, a list of words per text.

    python rjieba_words.py CORPUS

Prints the processor time, and the end of every word, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import accumulate
from pathlib import Path

import rjieba
from contract import read


def main() -> None:
    """Segment a corpus."""
    texts = read(Path(sys.argv[1])).texts
    rjieba.cut("南开大学研究生")
    start = time.process_time()
    words = [rjieba.cut(text) for text in texts]
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "words": [list(accumulate(map(len, lengths))) for lengths in words]}))


if __name__ == "__main__":
    main()
