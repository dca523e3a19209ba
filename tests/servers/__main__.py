"""A server of one kind as a program: ``python -m tests.servers postgresql`` says the address of an empty place on it.

It ends with its standard input. A line there is a command, answered by a line: ``fresh`` by another address, ``kill``,
which is what a crash is, and ``start`` by "done". So benchmarks use the servers of the tests, and people may try
addresses by hand.
"""

from __future__ import annotations

import sys

from tests.servers import Server, Unavailable
from tests.servers.shared import KINDS


def main(kind: str) -> None:
    """Run the server of a kind.

    Raises:
        SystemExit: there is none, with the reason.
    """
    try:
        with KINDS[kind]() as server:
            _say(server.fresh())
            for line in sys.stdin:
                _say(_answer(server, line.strip()))
    except Unavailable as missing:
        raise SystemExit(str(missing)) from missing


def _answer(server: Server, command: str) -> str:
    if command == "fresh":
        return server.fresh()
    {"kill": server.kill, "start": server.start}[command]()
    return "done"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
