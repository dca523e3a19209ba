"""Split CSV bytes into records that keep their original bytes."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator

from whorl._internal.frozen import frozen
from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import ReadOptions
from whorl.corpus.encoding import Encoding, LineDecoder
from whorl.corpus.lines import LineBlock, line_blocks
from whorl.corpus.rejects import Rejects
from whorl.i18n import say

SEPARATOR_LINE = re.compile(r"\s*\"?sep=(.)\"?\s*$", re.IGNORECASE)
"""A first line that names the delimiter."""

ChooseDelimiter = Callable[[str, str], str]
"""Chooses the delimiter from the file name without its compression suffix and the first line of the header."""


@frozen
class CsvRecord:
    """A CSV record.

    Attributes:
        row: its number after the header, from 1.
        line: the physical line where it starts.
        raw: its bytes, newline included.
        fields: its values; undefined if there is a fault.
        fault: why it cannot be read; None if it can.
    """

    row: int
    line: int
    raw: bytes
    fields: list[str]
    fault: str | None


class CsvRecords:
    """The records of one file: first the header, then, by iteration, the rest.

    A line longer than ``max_row_bytes`` goes directly to ``rejects``, if set, and still counts as a row, so that
    reading and writing number the rows alike.

    Memory: one block of lines and one record of at most ``max_row_bytes``.
    """

    def __init__(self, stream: ByteReader, options: ReadOptions, rejects: Rejects | None) -> None:
        self.header_bytes = b""
        self._stream = stream
        self._rejects = rejects
        self._row = 0
        self._lines = _RecordLines(stream, options, self._pass_oversize)
        self._delimiter = ","
        csv.field_size_limit(max(csv.field_size_limit(), options.max_row_bytes))

    def read_header(self, choose_delimiter: ChooseDelimiter) -> CsvRecord | None:
        """Read the first record that is not blank; None if there is no record."""
        first = self._lines.first()
        if first is None:
            return None
        name = self._stream.source.name
        suffix = "" if self._stream.source.compression is None else "." + name.rpartition(".")[2]
        self._delimiter = choose_delimiter(name.removesuffix(suffix), first)
        records = self._records()
        before = b""
        if SEPARATOR_LINE.match(first):
            before = self._lines.pass_first()
        header = next(records, None)
        if header is not None:
            self.header_bytes = self._lines.mark + before + header.raw
        self._row = 0
        return header

    @property
    def delimiter(self) -> str:
        """The delimiter of the fields; known once the header is read."""
        return self._delimiter

    @property
    def encoding(self) -> Encoding:
        """The encoding, as far as it is detected."""
        return self._lines.encoding

    def __iter__(self) -> Iterator[CsvRecord]:
        return self._records()

    def _records(self) -> Iterator[CsvRecord]:
        reader = csv.reader(self._lines, delimiter=self._delimiter)
        while True:
            self._lines.begin_record()
            fields: list[str] = []
            fault: str | None = None
            try:
                fields = next(reader)
            except StopIteration:
                return
            except TruncatedStream as damage:
                self._lines.add_unfinished_to(damage)
                raise
            except csv.Error as error:
                fault = say("not a CSV record: {error}", error=error)
            except _RecordTooLong:
                self._lines.hit_end = True
            if self._lines.hit_end:
                fault = say("the quoted field that begins on this line is not closed")
                self._lines.give_back_all_but_first()
            if fault is not None:
                reader = csv.reader(self._lines, delimiter=self._delimiter)
            if fields or fault is not None:
                yield self._record(fields, fault or self._lines.fault)

    def _record(self, fields: list[str], fault: str | None) -> CsvRecord:
        self._row += 1
        return CsvRecord(self._row, self._lines.record_line, self._lines.record_bytes, fields, fault)

    def _pass_oversize(self, line: int, pieces: Iterator[bytes]) -> None:
        self._row += 1
        if self._rejects is not None:
            reason = say("the line exceeds the maximum size of a row")
            self._rejects.add(self._stream.source, row=self._row, line=line, reason=reason, data=pieces)


class _RecordTooLong(Exception):
    """An open quote makes a record longer than ``max_row_bytes``."""


_MOST_LINES = 2**16
"""Maximum number of lines of a record."""
_READ_AGAIN, _READ_AGAIN_ANYHOW = 4, 2**20
"""Limit of bytes that are read again because of unclosed quotes: per byte read, plus a constant.

Beyond it, a quote must be closed on its line: a file of stray quotes would otherwise cost quadratic time.
"""


class _RecordLines:
    """Decoded physical lines for the csv module, with the bytes of the current record."""

    def __init__(
        self, stream: ByteReader, options: ReadOptions, on_oversize: Callable[[int, Iterator[bytes]], None]
    ) -> None:
        self.mark = b""
        self.hit_end = False
        self._max_row_bytes = options.max_row_bytes
        self._decoder = LineDecoder(options.encoding)
        self._fresh = self._physical(line_blocks(stream, options, on_oversize))
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._pending: list[tuple[int, bytes]] = []
        self._size = 0
        self._read = self._given_back = 0
        self._broken = False

    @property
    def fault(self) -> str | None:
        """The fault in the bytes of the record."""
        return say("its bytes are not valid {codec}", codec=self.encoding.codec.upper()) if self._broken else None

    @property
    def encoding(self) -> Encoding:
        """The encoding of the lines."""
        return self._decoder.encoding

    @property
    def record_line(self) -> int:
        return self._pending[0][0]

    @property
    def record_bytes(self) -> bytes:
        return self._pending[0][1] if len(self._pending) == 1 else b"".join(raw for _, raw in self._pending)

    def first(self) -> str | None:
        """Return the first line that is not blank without consuming it; None if there is none."""
        for number, raw in self._fresh:
            if raw.strip():
                self._waiting.append((number, raw))
                return raw.decode(self.encoding.codec, "replace")
        return None

    def pass_first(self) -> bytes:
        """Skip the line that ``first`` returned; return its bytes."""
        return self._waiting.popleft()[1]

    def begin_record(self) -> None:
        self._pending = []
        self._size = 0
        self._broken = False
        self.hit_end = False

    def give_back_all_but_first(self) -> None:
        """End the record after its first line; the other lines are read again."""
        self._given_back += self._size - len(self._pending[0][1])
        self._waiting.extendleft(reversed(self._pending[1:]))
        del self._pending[1:]

    def add_unfinished_to(self, damage: TruncatedStream) -> None:
        """Add the current record to the tail of a truncated stream."""
        if self._pending:
            damage.line = self.record_line - 1
            damage.tail = self.record_bytes + damage.tail

    def __iter__(self) -> _RecordLines:
        return self

    def __next__(self) -> str:
        if self._pending and self._is_too_long():
            raise _RecordTooLong
        item = self._waiting.popleft() if self._waiting else self._from_the_file()
        if item is None:
            self.hit_end = bool(self._pending)
            raise StopIteration
        self._pending.append(item)
        raw = item[1]
        self._size += len(raw)
        try:
            return self._decoder.decode(raw)
        except UnicodeDecodeError:
            self._broken = True
            return raw.decode(self.encoding.codec, "replace")

    def _from_the_file(self) -> tuple[int, bytes] | None:
        item = next(self._fresh, None)
        self._read += 0 if item is None else len(item[1])
        return item

    def _is_too_long(self) -> bool:
        """True if the record cannot take another line."""
        is_of_stray_quotes = self._given_back > _READ_AGAIN * self._read + _READ_AGAIN_ANYHOW
        return is_of_stray_quotes or self._size > self._max_row_bytes or len(self._pending) >= _MOST_LINES

    def _physical(self, blocks: Iterator[LineBlock]) -> Iterator[tuple[int, bytes]]:
        for block in blocks:
            if block.line == 1 and block.offset:
                self.mark = codecs.BOM_UTF8
            self._decoder.look_at(block.data)
            yield from enumerate(io.BytesIO(block.data), block.line)


__all__ = ["ChooseDelimiter", "CsvRecord", "CsvRecords"]
