"""Write to a store concurrently with other processes, or hold its write lock until standard input ends."""

import os
import sys
import time
from pathlib import Path

from whorl.stores import open_store


def main(place: str, act: str, times: str = "1") -> None:
    store = open_store(place, create=False)
    _say("ready")
    sys.stdin.readline()
    for number in range(int(times)):
        with store.writing() as writer:
            _say("writing")
            if act == "hold":
                sys.stdin.read()
            elif act == "fork":
                _fork()
            else:
                time.sleep(0.005)
                with Path(place, "order").open("a", encoding="ascii") as order:
                    order.write(f"{act}\n")
                writer.put_settings({f"{act} {number}": "written"})
    store.close()
    _say("closed")


def _fork() -> None:
    """Fork a child that ends at the end of standard input, and wait without end."""
    if os.fork() == 0:
        _say("forked")
        sys.stdin.read()
        os._exit(0)
    while True:
        time.sleep(1)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
