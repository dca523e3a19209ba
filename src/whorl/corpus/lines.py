"""Split a byte stream into blocks of whole lines, in bounded memory for lines of any length."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import NamedTuple

from whorl import _core
from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import ReadOptions, Source
from whorl.corpus.encoding import refuse_wide
from whorl.corpus.rejects import Rejects
from whorl.i18n import say

OnOversize = Callable[[int, Iterator[bytes]], None]
"""Called with the number of an oversized line and its bytes in pieces, without its newline."""


class LineBlock(NamedTuple):
    """Consecutive whole lines.

    Attributes:
        data: the bytes, newlines included; only the last line of the file may lack its newline.
        offset: the start of ``data`` in the decompressed file, byte order mark included.
        line: the number of the first line, from 1, oversized lines included.
    """

    data: bytes
    offset: int
    line: int


def line_blocks(stream: ByteReader, options: ReadOptions, on_oversize: OnOversize) -> Iterator[LineBlock]:
    """Yield every line of ``stream`` in blocks of about ``block_bytes`` of the options.

    A line longer than ``max_row_bytes`` goes to ``on_oversize`` instead, in order.

    Raises:
        InputError: the file is UTF-16 or UTF-32.
        TruncatedStream: the stream breaks off; all whole lines have been yielded, ``line`` and ``tail`` are set.

    Memory: a block and a line.
    """
    return _LineCutter(stream, options, on_oversize).blocks()


def pass_over(_line: int, pieces: Iterator[bytes]) -> None:
    """Discard an oversized line."""
    for _ in pieces:
        pass


def reject_damage(rejects: Rejects, source: Source, damage: TruncatedStream) -> None:
    """Count the break of a stream as one rejection, together with the unfinished line before it."""
    reason = say("{reason} after line {line}: fetch the file again", reason=damage.fault, line=damage.line)
    line = damage.line + 1 if damage.tail else damage.line
    rejects.add(source, row=None, line=line, reason=reason, data=damage.tail)


class _LineCutter:
    def __init__(self, stream: ByteReader, options: ReadOptions, on_oversize: OnOversize) -> None:
        self._stream = stream
        self._encoding = options.encoding
        self._step = min(options.block_bytes, options.max_row_bytes)
        self._max_row_bytes = options.max_row_bytes
        self._on_oversize = on_oversize
        self._tail = bytearray()
        span = stream.source.span
        self._offset = 0 if span is None else span.start
        self._line = 1 if span is None else span.line

    def blocks(self) -> Iterator[LineBlock]:
        try:
            chunk = self._first_chunk()
            while chunk:
                yield from self._take(chunk)
                chunk = self._stream.read(self._stream.whole_lines(self._step))
        except TruncatedStream as damage:
            damage.line = self._line - 1
            damage.tail = bytes(self._tail)
            raise
        if self._tail:
            yield self._block(bytes(self._tail))

    def _first_chunk(self) -> bytes:
        """Return the first bytes without the byte order mark; a short read is completed to recognize the mark."""
        if self._offset:
            return self._stream.read(self._step)
        chunk = b""
        try:
            while len(chunk) < len(codecs.BOM_UTF32_LE) and (more := self._stream.read(self._step)):
                chunk += more
        except TruncatedStream:
            if not chunk:
                raise
        refuse_wide(chunk, self._stream.source.label, self._encoding)
        if chunk.startswith(codecs.BOM_UTF8):
            self._offset = len(codecs.BOM_UTF8)
        return chunk[self._offset :] or self._stream.read(self._step)

    def _take(self, chunk: bytes) -> Iterator[LineBlock]:
        """Append ``chunk`` to the buffer, and yield the complete lines."""
        first_end = chunk.find(b"\n")
        length = len(self._tail) + (len(chunk) if first_end < 0 else first_end)
        if length > self._max_row_bytes:
            chunk = self._pass_oversize(chunk)
        end = chunk.rfind(b"\n") + 1
        if end:
            is_whole = end == len(chunk) and not self._tail
            whole = chunk if is_whole else b"".join((self._tail, memoryview(chunk)[:end]))
            self._tail = bytearray(chunk[end:])
            yield self._block(whole)
        else:
            self._tail += chunk

    def _block(self, data: bytes) -> LineBlock:
        block = LineBlock(data, self._offset, self._line)
        self._offset += len(data)
        self._line += _core.count_lines(data)
        return block

    def _pass_oversize(self, chunk: bytes) -> bytes:
        """Pass the buffered line, which continues in ``chunk``, on in pieces; return the bytes after it."""
        rest = b""
        damage: TruncatedStream | None = None

        def pieces() -> Iterator[bytes]:
            nonlocal rest, damage
            yield from self._passed(bytes(self._tail))
            piece = chunk
            while piece:
                end = piece.find(b"\n")
                if end >= 0:
                    self._offset += 1
                    rest = piece[end + 1 :]
                    yield from self._passed(piece[:end])
                    return
                yield from self._passed(piece)
                try:
                    piece = self._stream.read(self._step)
                except TruncatedStream as error:
                    damage = error
                    return

        stream = pieces()
        self._on_oversize(self._line, stream)
        for _ in stream:
            pass
        self._tail = bytearray()
        self._line += 1
        if damage is not None:
            raise damage
        return rest

    def _passed(self, piece: bytes) -> Iterator[bytes]:
        self._offset += len(piece)
        if piece:
            yield piece


__all__ = ["LineBlock", "OnOversize", "line_blocks", "pass_over", "reject_damage"]
