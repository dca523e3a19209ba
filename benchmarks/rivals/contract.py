"""Input and output of every rival's script.

It reads the corpus, and writes ``kept.jsonl`` (the kept rows unchanged) and ``removed.tsv`` (row numbers: the removed
one, and the one kept in its place).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson


@dataclass(frozen=True)
class Task:
    """Arguments of the command line."""

    corpus: Path
    out: Path
    threshold: float
    cores: int


@dataclass(frozen=True)
class Rows:
    """The corpus in memory: its lines, and their texts."""

    lines: list[bytes]
    texts: list[str]


def task() -> Task:
    """Read the command line."""
    corpus, out, threshold, cores = sys.argv[1:]
    return Task(Path(corpus), Path(out), float(threshold), int(cores))


def read(corpus: Path) -> Rows:
    """Read a corpus with Python's fastest JSON parser."""
    lines = corpus.read_bytes().splitlines(keepends=True)
    return Rows(lines, [orjson.loads(line)["text"] for line in lines])


def spaced(text: str) -> str:
    """Return the characters as words, for rivals that only support words."""
    return " ".join(text.replace("\n", "").replace(" ", ""))


class Groups:
    """Union-find of documents; the first document of a group is kept."""

    def __init__(self, documents: int) -> None:
        self._parents = list(range(documents))

    def join(self, a: int, b: int) -> None:
        """Merge the groups of both documents."""
        a, b = self.first(a), self.first(b)
        self._parents[max(a, b)] = min(a, b)

    def first(self, document: int) -> int:
        """Return the first document of a group."""
        parents = self._parents
        while parents[document] != document:
            parents[document] = parents[parents[document]]
            document = parents[document]
        return document

    def removed(self) -> Iterable[tuple[int, int]]:
        """Return every document that is not the first of its group, and that first document."""
        return ((document, self.first(parent)) for document, parent in enumerate(self._parents) if document != parent)


def write(lines: list[bytes], groups: Groups, out: Path) -> None:
    """Write the kept rows, and the removed row numbers."""
    removed = dict(groups.removed())
    with (out / "kept.jsonl").open("wb") as file:
        file.writelines(line for document, line in enumerate(lines) if document not in removed)
    with (out / "removed.tsv").open("w", encoding="ascii") as file:
        file.writelines(f"{document}\t{first}\n" for document, first in removed.items())
