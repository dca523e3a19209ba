"""Not a rival but a floor: every line of the corpus is parsed, and nothing is done with it."""

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
