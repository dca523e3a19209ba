"""simhash: 64-bit codes over its features, four characters each, and its in-memory index for 3 bits."""

from __future__ import annotations

import logging

from library_task import measure
from simhash import Simhash, SimhashIndex

DISTANCE = 3


def codes_of(texts: list[str]) -> list[Simhash]:
    """Compute the codes of many texts."""
    return [Simhash(text) for text in texts]


def main() -> None:
    """Measure the index with its warnings about large buckets off."""
    logging.getLogger("simhash").setLevel(logging.ERROR)
    index = SimhashIndex([], k=DISTANCE)
    measure(codes_of, index.add, index.get_near_dups)


if __name__ == "__main__":
    main()
