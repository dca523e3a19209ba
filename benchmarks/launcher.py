"""Run a program and report its cost.

    python launcher.py REPORT PROGRAM [ARGUMENT...]

This program is small because the peak memory of a child includes that of its parent at the fork. It waits for orphans
of the program and includes their processor time. The report is one line of JSON.
"""

import ctypes
import json
import os
import sys
import time

_SET_CHILD_SUBREAPER = 36
_UNIT_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    """Run the program of the command line."""
    report, *command = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.perf_counter()
    program = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(program, 0)
    wall = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime + _cpu_of_orphans()
    with open(report, "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib would make this process larger
        json.dump({"wall": wall, "cpu": cpu, "memory": usage.ru_maxrss * _UNIT_OF_MAXRSS}, file)
    sys.exit(os.waitstatus_to_exitcode(status))


def _cpu_of_orphans() -> float:
    total = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return total
        total += usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
