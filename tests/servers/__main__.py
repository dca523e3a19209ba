"""A server of one kind as a program: ``python -m tests.servers postgresql`` prints the address of an empty location.

It ends with its standard input. Each line of input is a command with a line of output: ``fresh`` prints another
address, ``kill`` simulates a crash, and ``start`` prints "done". Benchmarks use it to run the servers of the tests, and
people can use it to try addresses by hand.
"""

from __future__ import annotations

import sys

from tests.servers import Server, Unavailable
from tests.servers.shared import KINDS


def main(kind: str) -> None:
    """Run the server of a kind.

    Raises:
        SystemExit: it is not available, with the reason.
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
