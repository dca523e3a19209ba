"""One of several workers that add articles to a library, in a separate process; starts on a signal."""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from typing import Any


def work(task: dict[str, Any]) -> None:
    """Add the articles of a share in batches; print the ids of each acknowledged batch, then the seconds.

    Args:
        task: ``address`` of the library; ``file`` with the articles, of which those from ``start`` to ``stop`` are
            added; ``worker``, its number among ``workers``, who take batches in turns; ``batch``, the articles per
            batch; ``done``, the number of batches already added.
    """
    import whorl

    batches = list(_batches(task))[task["done"] :]
    with whorl.open(task["address"]) as library:
        library.check("what is loaded on first use is no article's")
        _say("ready")
        sys.stdin.readline()
        began = time.perf_counter()
        for batch in batches:
            library.add(batch)
            _say([row["id"] for row in batch])
        _say(time.perf_counter() - began)


def _batches(task: dict[str, Any]) -> Any:
    """Yield the batches of one worker."""
    with open(task["file"], encoding="utf-8") as file:  # noqa: PTH123
        rows = islice(file, task["start"], task["stop"])
        turn = 0
        while lines := list(islice(rows, task["batch"])):
            if turn % task["workers"] == task["worker"]:
                yield [json.loads(line) for line in lines]
            turn += 1


def _say(message: Any) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    work(json.loads(sys.argv[1]))
