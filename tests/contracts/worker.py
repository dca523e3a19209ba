"""One of several workers over a library, in a separate process that starts on a signal."""

import json
import sys
import time

from tests.articles import article, edited

import whorl


def main(address: str, act: str, *arguments: str) -> None:
    with whorl.open(address, create=False) as library:
        library.check(article(0))
        _say("ready")
        sys.stdin.readline()
        if act == "copies":
            _copies(library, *map(int, arguments))
        else:
            library.add_if({"id": "lost", "text": article(0)}, lambda _: _stay())


def _copies(library: whorl.Library, worker: int, stories: int, at_once: int) -> None:
    """Add a copy of every story in batches, in a different order than other workers."""
    order = [(story + worker * stories // 4) % stories for story in range(stories)]
    rows = [{"id": f"{story}-{worker}", "text": edited(article(story), 3, seed=worker)} for story in order]
    acknowledged = []
    for start in range(0, stories, at_once):
        acknowledged += [report.id for report in library.add(rows[start : start + at_once])]
    _say(json.dumps(sorted(acknowledged)))


def _stay() -> None:
    """Take the write lock, and never release it."""
    _say("its turn")
    time.sleep(600)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
