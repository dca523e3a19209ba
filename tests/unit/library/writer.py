"""Add to a library until killed, or a number of times, and print acknowledged ids; or only query it."""

import json
import random
import sys

from tests.articles import article, edited

import whorl
from whorl.library.maintenance import segments as upkeep
from whorl.library.search import index_cache

upkeep._EVERY = 1
index_cache._SAVED_EVERY = 20  # so that the concurrent process is always running


def main(place: str, seed: str, times: str = "1000000", act: str = "add") -> None:
    rng = random.Random(int(seed))
    library = whorl.open(place)
    _say([])
    if act == "check":
        for _ in range(int(times)):
            _say([match.id for match in library.check(article(rng.randrange(50))).matches])
        library.close()
        return
    if act == "keep":
        _keep(library, seed, int(times))
        library.close()
        return
    for turn in range(int(times)):
        base = rng.randrange(50)
        if rng.random() < 0.5:
            name = f"single {seed} {turn}"
            library.add({"id": name, "text": edited(article(base), rng.randrange(4), seed=turn)})
            names = [name]
        else:
            names = [f"batch {seed} {turn}-{number}" for number in range(10)]
            library.add([{"id": name, "text": article(base + number)} for number, name in enumerate(names)])
        _say(names)
        if turn % 10 == 7:
            library.reindex()
    library.close()


def _keep(library: whorl.Library, seed: str, times: int) -> None:
    """Store all records of a watch, and print the number of each fetch and of each alert."""
    library.add([{"id": name, "text": article(0), "collection": "protected"} for name in "ab"])
    for turn in range(times):
        body = f"{seed} {turn // 2}".encode()
        kept = library.pages.keep(f"https://example.org/{turn}", body, document="a" if turn % 3 else None)
        (alert,) = library.outbox.put([{"rule": "copies", "payload": {"page": kept.url}, "key": f"{seed} {turn}"}])
        library.ledger.note("manifest", kept.digest)
        library.sites.put([{"domain": f"s{turn}.example.org"}])
        library.review("a", "b", "confirmed", by=seed)
        _say([f"{kept.number} {kept.digest} {alert.number}"])


def _say(names: list[str]) -> None:
    sys.stdout.write(json.dumps(names) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
