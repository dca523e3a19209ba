"""Adds a copy of each of some articles to a library, beside others that do the same."""

import sys

from tests.articles import article, edited

import whorl


def main(place: str, worker: str) -> None:
    with whorl.open(place) as library:
        for number in range(30):
            library.add({"id": f"{worker} {number}", "text": edited(article(number), int(worker), seed=int(worker))})


if __name__ == "__main__":
    main(*sys.argv[1:])
