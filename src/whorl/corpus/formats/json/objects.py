"""JSON Lines of objects that are not articles; errors name file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import ReadOptions
from whorl.corpus.discovery import discover
from whorl.corpus.lines import line_blocks
from whorl.errors import InputError, NotFoundError
from whorl.i18n import say

_LONGEST_LINE = 128 * 2**20


class JsonObjects:
    """The objects of a file, one per line; blank lines are skipped.

    Args:
        place: a file of JSON Lines, ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.zst``; ``-`` is standard input.

    Attributes:
        line: the number of the last line read, from 1.
    """

    def __init__(self, place: str) -> None:
        self._sources = discover([place])
        self._label = place
        self.line = 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Read the objects.

        Raises:
            InputError: the file has another type or is truncated, or a line is too long or not an object.
        """
        for source in self._sources:
            self._label = source.label
            if source.format != "jsonl":
                hint = say("expected a file named .jsonl, .jsonl.gz or .jsonl.zst")
                raise InputError(say("{path} is not a JSON Lines file", path=source.label), hint=hint)
            with ByteReader(source) as stream:
                options = ReadOptions("utf-8", max_row_bytes=_LONGEST_LINE)
                try:
                    for block in line_blocks(stream, options, self._refuse_long):
                        for self.line, row in enumerate(block.data.split(b"\n"), block.line):
                            if row.strip():
                                yield self._object(row)
                except TruncatedStream as damage:
                    self.line = damage.line
                    raise self._error(damage.fault, say("fetch the file again")) from damage

    @contextmanager
    def locating(self) -> Iterator[None]:
        """Add file and line to an error that is raised while an object is processed."""
        try:
            yield
        except (InputError, NotFoundError) as error:
            if isinstance(error, _LocatedError) or not self.line:
                raise
            raise self._error(error.message, error.hint or "") from error

    def _object(self, row: bytes) -> Mapping[str, Any]:
        hint = say("write one JSON object per line")
        try:
            value = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise self._error(say("not JSON: {error}", error=error), hint) from error
        if not isinstance(value, dict):
            raise self._error(say("expected a JSON object, found a {kind}", kind=type(value).__name__), hint)
        return value

    def _refuse_long(self, line: int, _: Iterator[bytes]) -> None:
        self.line = line
        reason = say("the line is longer than {most} bytes", most=_LONGEST_LINE)
        raise self._error(reason, say("divide the file"))

    def _error(self, message: str, hint: str) -> InputError:
        text = say("{path}, line {line:,}: {message}", path=self._label, line=self.line, message=message)
        return _LocatedError(text, hint=hint)


class _LocatedError(InputError):
    """An error that names file and line already."""


__all__ = ["JsonObjects"]
