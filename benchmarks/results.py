"""Recorded answers: a JSON file each, and one page of tables made from them."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import whorl
from benchmarks.questions import QUESTIONS, Answer, question

_DISTRIBUTIONS = ("numpy", "pyarrow")


def record(name: str, about: str, settings: dict[str, Any], answer: Answer, folder: Path) -> None:
    """Write an answer with the details that are needed to judge it."""
    folder.mkdir(parents=True, exist_ok=True)
    circumstances = {
        "question": name,
        "about": about,
        "command": f"python -m benchmarks {name}",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": {"whorl": whorl.__version__} | {name: importlib.metadata.version(name) for name in _DISTRIBUTIONS},
        "settings": settings,
    }
    document = {"table": question(name).table(answer)}
    text = json.dumps(circumstances | answer | document, ensure_ascii=False, indent=1)
    (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    figure = getattr(question(name), "figure", None)
    if figure is not None:
        (folder / f"{name}.svg").write_text(figure(answer), encoding="utf-8")
    (folder / "README.md").write_text(page(folder), encoding="utf-8")


def excerpt(name: str, answer: Answer, root: Path) -> None:
    """Update the tables of an answer in other documents, between the marks of the question.

    Only the lines of the table change; a new table is placed first. Text around it is kept.
    """
    excerpts = getattr(question(name), "excerpts", None)
    for file, table in excerpts(answer).items() if excerpts else ():
        path = root / file
        before, begun, rest = path.read_text(encoding="utf-8").partition(f"<!-- {name} -->")
        between, ended, after = rest.partition(f"<!-- /{name} -->")
        lines = between.splitlines(keepends=True)
        rows = [place for place, line in enumerate(lines) if line.startswith("|")]
        if rows:
            lines[rows[0] : rows[-1] + 1] = [f"{table}\n"]
        else:
            lines[1:1] = [f"{table}\n", "\n"]
        path.write_text(f"{before}{begun}{''.join(lines)}{ended}{after}", encoding="utf-8")


def page(folder: Path) -> str:
    """Return the page of all answers recorded in a folder."""
    parts = [
        "# Benchmark results",
        "Made by `make bench`; the numbers behind each table are in the JSON file of its name.",
    ]
    for name in QUESTIONS:
        path = folder / f"{name}.json"
        if path.exists():
            parts += _section(json.loads(path.read_text(encoding="utf-8")))
    return "\n\n".join(parts) + "\n"


def machine() -> dict[str, Any]:
    """Describe this machine."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _section(answer: Answer) -> Iterable[str]:
    where = answer["machine"]
    versions = answer["versions"] | answer.get("rivals", {})
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    yield f"## {answer['question']}"
    yield answer["about"]
    yield answer["table"]
    yield (
        f"`{answer['command']}`, {answer['date']}; {where['processor']}, {where['cores']} cores, "
        f"{where['memory_gib']} GiB, Python {where['python']}; {named}; seed {answer['settings']['seed']}. "
        f"Data: {'; '.join(answer['data'])}."
    )
    if answer.get("slower"):
        yield f"Slower than recorded before, the pace of the machine apart: {'; '.join(answer['slower'])}."
