"""Articles as lines of JSON into a library, each with an answer of its own: a bad line stops none of the others."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whorl.errors import InputError, WhorlError
from whorl.language import say
from whorl.library.documents import document_of
from whorl.library.model import Document, Report
from whorl.model import Plain

if TYPE_CHECKING:
    from whorl.library import Library

_MOST_WAITING = 20_000
"""Answers that wait for those of the lines before them."""


@dataclass(frozen=True, slots=True)
class AddedLine(Plain):
    """What became of a line.

    Attributes:
        line: its number, from 1; 0 where nothing of the lines that follow was read.
        state: "new", "known", "revised", "refused", or "stopped": it and what follows is not kept.
        id: of the article; None where it was not read.
        revision: how often its text was new, from 1; 0 where it was not kept.
        cluster_id: the cluster that it is in; None where it was not kept.
        matches: articles that share text with it.
        copies: of these, the ones that are in its cluster for that.
        problem: why it was not kept; empty where it was.
        cure: what to do about it.
    """

    line: int
    state: str
    id: str | None = None
    revision: int = 0
    cluster_id: int | None = None
    matches: int = 0
    copies: int = 0
    problem: str = ""
    cure: str = ""

    @classmethod
    def kept(cls, line: int, report: Report) -> AddedLine:
        """Of a line whose article is on the disk."""
        copies = sum(match.joins for match in report.matches)
        own = (report.id, report.revision, report.cluster_id)
        return cls(line, report.state, *own, len(report.matches), copies)

    @classmethod
    def left(cls, line: int, state: str, error: WhorlError) -> AddedLine:
        """Of a line that is not kept."""
        return cls(line, state, problem=error.message, cure=error.cure)


def add_lines(library: Library, lines: Iterable[bytes]) -> Iterator[AddedLine]:
    """Add the article of each line, and yield what became of it once it is on the disk, in the order of the lines.

    Args:
        library: where they are kept.
        lines: each a JSON object with the fields of ``whorl.Document``; others go to its metadata. Empty ones are
            passed over.

    Cost: that of ``Library.add_each``; memory for some thousand articles, whatever the lines are.
    """
    rows = _Rows(lines)
    try:
        while not rows.is_over:
            for report in library.add_each(rows.documents()):
                yield from rows.refused()
                yield AddedLine.kept(rows.next_kept(), report)
            yield from rows.refused()
    except WhorlError as error:
        yield AddedLine.left(rows.first_waiting(), "stopped", error)


class _Rows:
    """Lines on their way into a library.

    Attributes:
        is_over: whether all are read.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.is_over = False
        self._lines = enumerate(lines, 1)
        self._waiting: deque[int | AddedLine] = deque()

    def documents(self) -> Iterator[Document]:
        """The articles of the next lines, up to the last line, or until too many answers wait."""
        for number, line in self._lines:
            if line.isspace():
                continue
            try:
                document = document_of(_object(line))
            except InputError as error:
                self._waiting.append(AddedLine.left(number, "refused", error))
                if len(self._waiting) >= _MOST_WAITING:
                    return
            else:
                self._waiting.append(number)
                yield document
        self.is_over = True

    def refused(self) -> Iterator[AddedLine]:
        """The answers that nothing has to be waited for."""
        while self._waiting and isinstance(self._waiting[0], AddedLine):
            yield self._waiting[0]
            self._waiting.popleft()

    def next_kept(self) -> int:
        """The line whose article is the next of which the library told."""
        number = self._waiting.popleft()
        return number.line if isinstance(number, AddedLine) else number

    def first_waiting(self) -> int:
        """The line that has no answer yet; 0 where none is known."""
        return self.next_kept() if self._waiting else 0


def _object(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            say("the line is no JSON: {error}", error=error), cure=say("give a JSON object, all of it in one line")
        ) from error
    if not isinstance(row, dict):
        raise InputError(say("the line is no JSON object"), cure=say("give an object with id and text"))
    return row


__all__ = ["AddedLine", "add_lines"]
