"""Add articles from JSON lines to a library with one result per line; a bad line does not affect the others."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from whorl.errors import InputError, WhorlError
from whorl.i18n import say
from whorl.library.ingest.documents import demand_no_statements, document_of
from whorl.types.library import AddedLine, Document

if TYPE_CHECKING:
    from whorl.library import Library

_MOST_WAITING = 20_000
"""Maximum number of results that wait for those of earlier lines."""


def add_lines(library: Library, lines: Iterable[bytes], *, statements: bool = True) -> Iterator[AddedLine]:
    """Add the article of each line, and yield the results in the order of the lines once they are on disk.

    Args:
        library: the library to add to.
        lines: each a JSON object with the fields of ``whorl.Document``; other fields become metadata. Empty lines are
            skipped.
        statements: store the decisions, attestations and cases that the lines of an export carry; False refuses such
            lines.

    Cost: that of ``Library.add_each``; memory for some thousand articles, whatever the number of lines.
    """
    rows = _LineRows(lines, statements=statements)
    try:
        while not rows.is_over:
            for report in library.add_each(rows.documents()):
                yield from rows.refused()
                yield AddedLine.kept(rows.next_kept(), report)
            yield from rows.refused()
    except WhorlError as error:
        yield AddedLine.failed(rows.first_waiting(), "stopped", error)


class _LineRows:
    """Lines that are being added to a library.

    Attributes:
        is_over: True if all lines are read.
    """

    def __init__(self, lines: Iterable[bytes], *, statements: bool) -> None:
        self.is_over = False
        self._statements = statements
        self._lines = enumerate(lines, 1)
        self._waiting: deque[int | AddedLine] = deque()

    def documents(self) -> Iterator[Document]:
        """Yield the articles of the next lines, until the input ends or too many results are waiting."""
        for number, line in self._lines:
            if line.isspace():
                continue
            try:
                document = document_of(_object(line))
                if not self._statements:
                    demand_no_statements(document)
            except InputError as error:
                self._waiting.append(AddedLine.failed(number, "refused", error))
                if len(self._waiting) >= _MOST_WAITING:
                    return
            else:
                self._waiting.append(number)
                yield document
        self.is_over = True

    def refused(self) -> Iterator[AddedLine]:
        """Yield the results that do not wait for earlier lines."""
        while self._waiting and isinstance(self._waiting[0], AddedLine):
            yield self._waiting[0]
            self._waiting.popleft()

    def next_kept(self) -> int:
        """Return the line of the next article that the library reports."""
        number = self._waiting.popleft()
        return number.line if isinstance(number, AddedLine) else number

    def first_waiting(self) -> int:
        """Return the first line without a result; 0 if there is none."""
        return self.next_kept() if self._waiting else 0


def _object(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            say("expected JSON: {error}", error=error), hint=say("write one JSON object per line")
        ) from error
    if not isinstance(row, dict):
        raise InputError(say("expected a JSON object"), hint=say("write an object with id and text"))
    return row


__all__ = ["add_lines"]
