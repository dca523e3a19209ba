"""Measurement of one store: fill and check a library in a separate process; prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.rivals.library_task import chosen, spread, timed

_BATCH = 10_000


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Return the add rate and the check times.

    Args:
        task: ``address`` of a new library, ``file`` of the articles, number of ``articles`` to add, number of them to
            check (``asked``), and the ``seed``.
    """
    import whorl

    asked_about, texts = chosen(task["articles"], task["asked"], task["seed"]), []
    seconds, matches = 0.0, 0
    with whorl.open(task["address"]) as library, Path(task["file"]).open(encoding="utf-8") as file:
        library.check("what is loaded on first use is no article's")
        lines = islice(file, task["articles"])
        while rows := [json.loads(line) for line in islice(lines, _BATCH)]:
            began = time.perf_counter()
            reports = library.add(rows)
            seconds += time.perf_counter() - began
            matches += sum(len(report.matches) for report in reports)
            texts += [row["text"] for row in rows if row["id"] in asked_about]
        checks = spread([timed(library.check, text) for text in texts])
    return {"rate": task["articles"] / seconds, "matches": matches, "check": checks}


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
