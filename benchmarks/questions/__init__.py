"""The questions, one module each: ``ask(settings)`` measures, ``table(answer)`` shows the answer as Markdown.

Settings are those of `questions.toml`: the general ones and the question's own. An answer is plain data with at least
``data`` (what was measured on) and ``rows``.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from benchmarks.cache import cache

Settings = Mapping[str, Any]
Answer = dict[str, Any]

QUESTIONS = ("sketch", "dedup", "scale", "recall", "nshash")


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


def whorl_dedup(corpus: Path, out: Path, threshold: float, cores: int) -> list[str | Path]:
    """Return the command that cleans a corpus."""
    options = ["--threshold", str(threshold), "--workers", str(cores), "--quiet"]
    return [Path(sys.executable).with_name("whorl"), "dedup", corpus, "-o", out, *options]


def say(message: str) -> None:
    """Tell how far a question has come."""
    print(message, file=sys.stderr, flush=True)
