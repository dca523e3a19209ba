"""The questions, one module each: ``ask(settings)`` measures, ``table(answer)`` shows the answer as Markdown.

Settings are those of `questions.toml`: the general ones and the question's own. An answer is plain data with at least
``data`` (what was measured on) and ``rows``. A module may have ``figure(answer)`` as well, an SVG of the answer, and
``guarded(answer)``: by name, what is to stay low, in any unit that grows with time; the last record is compared.
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
    "library",
    "serve",
    "stores",
)


class Question(Protocol):
    """What the module of a question offers."""

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
    """Lend an empty folder beside the corpora, on the same disk."""
    folder = Path(tempfile.mkdtemp(dir=cache("runs")))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def whorl_dedup(
    corpus: Path, out: Path, threshold: float | None, cores: int, method: str | None = None
) -> list[str | Path]:
    """Return the command that cleans a corpus; None leaves the choice to whorl."""
    options = ["--workers", str(cores), "--quiet"]
    options += [] if threshold is None else ["--threshold", str(threshold)]
    options += [] if method is None else ["--method", method]
    return [Path(sys.executable).with_name("whorl"), "dedup", corpus, "-o", out, *options]


def on_one_core(*command: str | Path) -> Any:
    """Run a program that has one core and one thread, and return what it prints as JSON.

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
    """Run an example of the Rust crate that measures a kernel, on one core, and return what it prints as JSON.

    Raises:
        RunFailed: it cannot be built or ended with an error.
    """
    build = ("cargo", "run", "--release", "--locked", "--quiet", "--package", "whorl-core")
    return on_one_core(*build, "--manifest-path", _ROOT / "Cargo.toml", "--example", example)


@contextmanager
def _one_core() -> Iterator[None]:
    """Whatever is started meanwhile inherits one core, where the system can say so."""
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
    """Tell how far a question has come."""
    print(message, file=sys.stderr, flush=True)
