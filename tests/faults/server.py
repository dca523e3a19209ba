"""A process with `faults.c` loaded: for each line on stdin it forks an armed process that does some work.

    {"work": "program", "arguments": [...], "arm": [...], "log": PATH, "out": PATH, "error": PATH}

It responds with the status of that process, and its number of calls of each kind if it was not killed."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

import pandas as pd  # noqa: F401 - a process that is forked from this one starts at once
import pyarrow.parquet  # noqa: F401
import rich.progress  # noqa: F401
import typer
from tests.faults import works

import whorl.cli.ui.output
import whorl.corpus.formats.json.jsonl
import whorl.corpus.formats.tables.delimited
import whorl.corpus.formats.tables.parquet
import whorl.corpus.formats.text.plain
import whorl.engines.memory.dedup
import whorl.library.library
import whorl.reports.terminal
from whorl.engines.local import read
from whorl.fingerprints import families

KINDS = 7
SEGMENT_BYTES = 20_000
"""Small, so that a small corpus has several segments."""


def _serve(request: dict[str, Any]) -> dict[str, Any]:
    answers, telling = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(answers)
        _work(request, telling)
    os.close(telling)
    with os.fdopen(answers, "rb") as answer:
        counts = answer.read()
    _, status = os.waitpid(process, 0)
    return {"status": os.waitstatus_to_exitcode(status), "seen": json.loads(counts or b"[]")}


def _work(request: dict[str, Any], telling: int) -> None:
    status = 70
    faults = ctypes.CDLL(None)
    try:
        for descriptor, name in ((1, "out"), (2, "error")):
            os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND), descriptor)
        log = -1 if request["log"] is None else os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        folder, *fault = request["arm"]
        begin = getattr(works, request["work"])(*request["arguments"])
        faults.arm(folder.encode(), *fault, log)
        try:
            begin()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        except typer.Exit as end:
            status = end.exit_code
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(telling, json.dumps([faults.seen(bit) for bit in range(KINDS)]).encode())
    finally:
        os._exit(status)


def main() -> None:
    """Serve until stdin ends."""
    read.SEGMENT_BYTES = SEGMENT_BYTES
    whorl.cli.build_app()
    families()
    for line in sys.stdin:
        print(json.dumps(_serve(json.loads(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
