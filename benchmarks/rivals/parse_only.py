"""A lower bound, not a rival: parse every line of the corpus and do nothing with it."""

from __future__ import annotations

import orjson
from contract import task


def main() -> None:
    """Parse a corpus."""
    with task().corpus.open("rb") as file:
        for line in file:
            orjson.loads(line)


if __name__ == "__main__":
    main()
