"""Startup time of a command, compared with the import of the libraries that it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.corpora import corpus
from benchmarks.measure import run
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup

_EXAMPLES = Path(__file__).parents[2] / "examples" / "newsroom" / "articles.jsonl"
_REFERENCE = 'python -c "import numpy, pyarrow"'
_INPUT_ERROR = 3
"""Exit code of a command whose input does not exist."""

_Words = list[str | Path]


class _Command(NamedTuple):
    """A command to measure.

    Attributes:
        words: returns its program and arguments by the output folder.
        expected: its exit code.
    """

    words: Callable[[Path], _Words]
    expected: int = 0


def ask(settings: Settings) -> Answer:
    """Run every command once per turn, so that a slow phase of the machine affects all of them."""
    generated = corpus("zh", settings["documents"], settings["seed"])
    with scratch() as shared:
        commands = _commands(shared, generated.path, generated.documents, settings["cores"])
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(settings["runs"]):
            say(f"start: run {turn + 1} of {settings['runs']}")
            for name, command in commands.items():
                with scratch() as folder:
                    seconds[name].append(run(command.words(folder / "out"), expected=command.expected).wall)
    rows = [{"name": name, "seconds": median(samples), "fastest": min(samples)} for name, samples in seconds.items()]
    return {"data": [f"{_EXAMPLES.parent.name}: 91 articles", generated.origin], "rows": rows}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {row["name"]: row["seconds"] for row in answer["rows"] if row["name"] != _REFERENCE}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    reference = next(row["seconds"] for row in answer["rows"] if row["name"] == _REFERENCE)
    lines = ["| | milliseconds, median | of the import | fastest |", "|---|--:|--:|--:|"]
    for row in answer["rows"]:
        cells = [f"{row['seconds'] * 1e3:,.0f}", f"{row['seconds'] / reference:.2f} ×", f"{row['fastest'] * 1e3:,.0f}"]
        lines.append(f"| `{row['name']}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _commands(shared: Path, generated: Path, documents: int, cores: int) -> dict[str, _Command]:
    """Return the commands by name; those that check an article share a library in the folder ``shared``."""
    whorl = Path(sys.executable).with_name("whorl")
    library, article, missing = shared / "library", shared / "article.jsonl", shared / "missing.jsonl"
    run([whorl, "add", library, _EXAMPLES, "--quiet"])
    article.write_bytes(_EXAMPLES.read_bytes().splitlines(keepends=True)[0])
    return {
        _REFERENCE: _Command(lambda _: [sys.executable, "-c", "import numpy, pyarrow"]),
        "whorl --version": _Command(lambda _: [whorl, "--version"]),
        "whorl --help": _Command(lambda _: [whorl, "--help"]),
        "whorl dedup, a missing file": _Command(lambda out: whorl_dedup(missing, out, None, cores), _INPUT_ERROR),
        "whorl dedup, 91 articles": _Command(lambda out: whorl_dedup(_EXAMPLES, out, None, cores)),
        f"whorl dedup, {documents:,} articles": _Command(lambda out: whorl_dedup(generated, out, None, cores)),
        "whorl check, an article in a library of 91": _Command(lambda _: [whorl, "check", library, article]),
    }
