"""Add a copy of some articles to a library, concurrently with other processes."""

import sys

from tests.articles import article, edited

import whorl


def main(place: str, worker: str) -> None:
    with whorl.open(place) as library:
        for number in range(30):
            library.add({"id": f"{worker} {number}", "text": edited(article(number), int(worker), seed=int(worker))})


if __name__ == "__main__":
    main(*sys.argv[1:])
