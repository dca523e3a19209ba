"""The Hamming index compared with faiss and plain NumPy: 64-bit codes, queries planted within k bits."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import Any

from benchmarks import rivals
from benchmarks.questions import Answer, Settings, say
from benchmarks.rivals.hamming_task import CHUNK, Task, median_microseconds, recall, report, resident, seconds

_UNIT_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


def ask(settings: Settings) -> Answer:
    """Measure every contender in a separate process, one after the other."""
    rows = []
    for size in settings["sizes"]:
        task = [str(size), str(settings["queries"]), str(settings["distance"]), str(settings["seed"])]
        for contender in _contenders(settings, size):
            say(f"hamming: {size:,} codes, {contender['name']}")
            command = _command(contender, task)
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            rows.append({"name": contender["name"], "codes": size} | json.loads(output))
    named = {name: version for name, version in rivals.versions().items() if name in ("faiss-cpu", "numpy")}
    data = f"random codes of 64 bits, {settings['queries']:,} queries 0 to {settings['distance']} bits from one of them"
    return {"data": [data], "rivals": named, "rows": rows}


def _contenders(settings: Settings, size: int) -> list[dict[str, Any]]:
    designs = [{"name": f"whorl {design}", "design": design} for design in settings["designs"]]
    within = [rival for rival in settings["rivals"] if size <= rival["largest"]]
    return (designs if size <= settings["largest_of_all_designs"] else designs[:1]) + within


def _command(contender: dict[str, Any], task: list[str]) -> list[Any]:
    if "design" in contender:
        return [sys.executable, "-m", __name__, contender["design"], *task]
    return rivals.command(contender["script"], *contender.get("arguments", []), *task)


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    rows = [row for row in answer["rows"] if row["name"].startswith("whorl")]
    return {f"{row['codes']:,} codes, {row['name']}": row["single"] for row in rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown, one table per number of codes."""
    lines = []
    for size in dict.fromkeys(row["codes"] for row in answer["rows"]):
        rows = [row for row in answer["rows"] if row["codes"] == size]
        whorl_row = rows[0]
        lines += [f"**{size:,} codes**", "", _HEAD, "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
        lines += [_line(row, whorl_row["single"]) for row in rows]
        lines.append("")
    return "\n".join(lines).rstrip()


_HEAD = (
    "| | build s | bytes a code | one query µs (median) | of whorl's time | in batches µs | compared a query "
    "| self-join s | recall |"
)


def _line(row: dict[str, Any], whorl_row: float) -> str:
    def figure(name: str, digits: int) -> str:
        return "" if row.get(name) is None else f"{row[name]:,.{digits}f}"

    cells = [row["name"], figure("build", 2), f"{row['held'] / row['codes']:.1f}", figure("single", 2)]
    cells += [f"{row['single'] / whorl_row:.1f} ×", figure("batch", 2), figure("candidates", 0), figure("join", 2)]
    return f"| {' | '.join([*cells, figure('recall', 4)])} |"


def measure(design: str, task: Task) -> None:
    """Measure one design of whorl's index and print the figures."""
    from whorl.indexes import HammingIndex

    queries, sources = task.planted()
    index = HammingIndex(64, design=design, k=task.distance)
    before, build = resident(), 0.0
    for number in range(task.chunks()):
        chunk = task.chunk(number)
        build += seconds(lambda chunk=chunk: index.add(chunk))  # type: ignore[misc]
        del chunk
    index_bytes = resident() - before
    codes = queries.tolist()
    single = median_microseconds(lambda at: index.query(codes[at]), len(codes))
    candidates = index.stats()["candidates"] / index.stats()["queries"]
    batch = seconds(lambda: index.query_many(queries)) / len(queries) * 1e6
    share_found = recall(lambda at: [near for near, _ in index.query(codes[at]).hits], sources, len(codes))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_OF_MAXRSS
    join = seconds(index.self_join) if task.codes <= CHUNK else None
    report(
        build=build,
        held=index_bytes,
        peak=peak,
        single=single,
        batch=batch,
        candidates=candidates,
        join=join,
        recall=share_found,
    )


if __name__ == "__main__":
    measure(sys.argv[1], Task.from_command_line())
