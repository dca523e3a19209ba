"""The questions, one module each: ``ask(settings)`` measures, ``table(answer)`` formats the answer as Markdown.

Settings are those of `questions.toml`: the general ones and those of the question. An answer is plain data with at
least ``data`` (a description of the input) and ``rows``. A module may also have ``figure(answer)``, an SVG of the
answer, and ``guarded(answer)``: by name, the figures that must stay low, in any unit that grows with time. They are
compared with the last record.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from benchmarks.cache import cache
from benchmarks.measure import RunFailed

_ROOT = Path(__file__).parents[2]

Settings = Mapping[str, Any]
Answer = dict[str, Any]

QUESTIONS = (
    "start",
    "sketch",
    "dedup",
    "scale",
    "engines",
    "pages",
    "recall",
    "kinds",
    "inside",
    "decontaminate",
    "reuse",
    "related",
    "relations",
    "attribution",
    "simhash",
    "winnowing",
    "segmentation",
    "nshash",
    "hamming",
    "inverted",
    "align",
    "ocr",
    "library",
    "watch",
    "serve",
    "replicas",
    "stores",
)


class Question(Protocol):
    """Interface of the module of a question."""

    def ask(self, settings: Settings) -> Answer:
        """Measure."""
        ...

    def table(self, answer: Answer) -> str:
        """Return the answer as Markdown."""
        ...


def question(name: str) -> Question:
    """Return the module of a question."""
    return cast(Question, import_module(f"{__name__}.{name}"))


@contextmanager
def scratch() -> Iterator[Path]:
    """Provide an empty temporary folder on the disk of the corpora."""
    folder = Path(tempfile.mkdtemp(dir=cache("runs")))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def whorl_dedup(
    corpus: Path, out: Path, threshold: float | None, cores: int, method: str | None = None
) -> list[str | Path]:
    """Return the command that deduplicates a corpus; None selects the default method."""
    options = ["--workers", str(cores), "--quiet"]
    options += [] if threshold is None else ["--threshold", str(threshold)]
    options += [] if method is None else ["--method", method]
    return [Path(sys.executable).with_name("whorl"), "dedup", corpus, "-o", out, *options]


def on_one_core(*command: str | Path) -> Any:
    """Run a program with one core and one thread, and return its output as JSON.

    Raises:
        RunFailed: the program ended with another code than 0.
    """
    with _one_core():
        done = subprocess.run(
            command, check=False, capture_output=True, encoding="utf-8", env=os.environ | {"RAYON_NUM_THREADS": "1"}
        )
    if done.returncode:
        raise RunFailed(done.stderr)
    return json.loads(done.stdout)


def kernel(example: str) -> Any:
    """Run a kernel example of the Rust crate on one core, and return its output as JSON.

    Raises:
        RunFailed: the build or the example failed.
    """
    build = ("cargo", "run", "--release", "--locked", "--quiet", "--package", "whorl-core")
    return on_one_core(*build, "--manifest-path", _ROOT / "Cargo.toml", "--example", example)


@contextmanager
def _one_core() -> Iterator[None]:
    """Limit processes started in this context to one core, where the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:1])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def say(message: str) -> None:
    """Print the progress of a question."""
    print(message, file=sys.stderr, flush=True)
