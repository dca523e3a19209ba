"""Byte streams of plain, gzip and zstd files.

Files of several gzip members or zstd frames are read whole. A truncated file delivers every byte before the break, then
raises.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, cast

from whorl.corpus.contract import Source, Span
from whorl.corpus.members import MemberReader
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    from pathlib import Path

_CODECS = {"gz": "gzip", "zst": "zstd"}
_GZIP_LEVEL = 6
_ENDS_EARLY = "Truncated"
_LOOK_BYTES = 2**16
"""Length of the stretch that is searched for the end of a line."""


class TruncatedStream(InputError):
    """A compressed file is truncated or damaged. All data before the break has been delivered.

    Attributes:
        fault: the fault as the beginning of a sentence: "gzip data ends early".
        position: how many decompressed bytes were delivered.
        line: the last whole line before the break, if lines are counted.
        tail: the bytes of the unfinished line after it.
    """

    def __init__(self, label: str, fault: str, position: int) -> None:
        super().__init__(
            say("{label}: {reason} after {position} bytes", label=label, reason=fault, position=position),
            hint=say("fetch the file again"),
        )
        self.fault = fault
        self.position = position
        self.line = 0
        self.tail = b""


class ByteReader:
    """Reader of the decompressed bytes of one source, in a single pass.

    Raises:
        InputError: the file cannot be opened.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._position = 0
        self._damage: TruncatedStream | None = None
        self._peeked = b""
        self._stream = _open(source)

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, or fewer at the end or a break, without consuming them."""
        with suppress(TruncatedStream):
            while len(self._peeked) < size and (chunk := self._read(size - len(self._peeked))):
                self._peeked += chunk
        return self._peeked[:size]

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, or an empty string at the end.

        Raises:
            TruncatedStream: the file breaks off, and everything before the break has been returned.
        """
        if self._peeked:
            data, self._peeked = self._peeked[:size], self._peeked[size:]
            return data
        return self._read(size)

    def whole_lines(self, size: int) -> int:
        """Return how many of the next ``size`` bytes are whole lines, to read a block that ends with a line.

        Returns ``size`` if the file is compressed or the last line is very long.
        """
        file = self._stream
        if self._peeked or not isinstance(file, io.FileIO | _FileRange) or not file.seekable():
            return size
        place, look = file.tell(), min(size, _LOOK_BYTES)
        try:
            file.seek(place + size - look)
            end = file.read(look).rfind(b"\n") + 1
        except OSError:
            return size
        finally:
            file.seek(place)
        return size - look + end if end else size

    def _read(self, size: int) -> bytes:
        if self._damage is not None:
            raise self._damage
        try:
            data: bytes = self._stream.read(size)
        except OSError as error:
            if self.source.compression is None or error.errno is not None:
                raise InputError(
                    say("cannot read {label}: {error}", label=self.source.label, error=error),
                    hint=say("check the disk"),
                ) from error
            if self.source.compression == "gz" and not isinstance(self._stream, MemberReader):
                self._read_by_members()
                return self._read(size)
            data = b"" if self.source.compression == "gz" else self._salvage(size)
            self._damage = self._describe(str(error), self._position + len(data))
            if not data:
                raise self._damage from None
        self._position += len(data)
        return data

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.source.path is not None:
            self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _read_by_members(self) -> None:
        """Continue at the current position with a reader that recovers all data of a damaged archive."""
        self._stream.close()
        self._stream = MemberReader(cast("Path", self.source.path))
        remaining = self._position
        while remaining:
            remaining -= len(self._stream.read(remaining))

    def _salvage(self, size: int) -> bytes:
        """Return the bytes that the failed read had already decompressed, read again byte by byte."""
        self._stream.close()
        self._stream = _open(self.source)
        remaining = self._position
        while remaining:
            remaining -= len(self._stream.read(min(remaining, size)))
        saved = bytearray()
        try:
            while len(saved) < size and (byte := self._stream.read(1)):
                saved += byte
        except OSError:
            pass
        return bytes(saved)

    def _describe(self, error: str, position: int) -> TruncatedStream:
        kind = _CODECS[self.source.compression or "gz"]
        fault = (
            say("{format} data ends early", format=kind)
            if error.startswith(_ENDS_EARLY)
            else say("{format} data is damaged", format=kind)
        )
        return TruncatedStream(self.source.label, fault, position)


def standard_input() -> IO[bytes]:
    """Return the binary standard input.

    Raises:
        InputError: it is closed.
    """
    if sys.stdin is None:
        raise InputError(say("standard input is closed"), hint=say("name a file, or pipe data into standard input"))
    return sys.stdin.buffer


def open_writer(path: Path, compression: str | None, *, append: bool = False) -> IO[bytes]:
    """Open ``path`` for writing compressed bytes; appending adds a member or frame."""
    file = path.open("ab" if append else "wb")
    if compression is None:
        return file
    if compression == "gz":
        return cast(IO[bytes], _GzipWriter(file))
    import pyarrow as pa

    writer: IO[bytes] = pa.CompressedOutputStream(file, _CODECS[compression])
    return writer


class _GzipWriter(gzip.GzipFile):
    """A gzip member without name and time, so that equal content gives equal bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=file, mtime=0)
        self._file = file

    def close(self) -> None:
        super().close()
        self._file.close()


class _FileRange:
    """A byte range of a plain file."""

    def __init__(self, file: IO[bytes], span: Span) -> None:
        file.seek(span.start)
        self._file = file
        self._end = span.end

    def read(self, size: int) -> bytes:
        return self._file.read(max(0, min(size, self._end - self._file.tell())))

    def seekable(self) -> bool:
        return self._file.seekable()

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, place: int) -> None:
        self._file.seek(place)

    def close(self) -> None:
        self._file.close()


def _open(source: Source) -> Any:
    if source.path is None:
        return standard_input()
    try:
        if source.compression is None:
            file = source.path.open("rb", buffering=0)
            return file if source.span is None else _FileRange(file, source.span)
        import pyarrow as pa

        return pa.CompressedInputStream(pa.OSFile(os.fsencode(source.path)), _CODECS[source.compression])
    except OSError as error:
        raise InputError(
            say("cannot open {label}: {error}", label=source.label, error=error.strerror or error),
            hint=say("check its name and permissions"),
        ) from error


__all__ = ["ByteReader", "TruncatedStream", "open_writer", "standard_input"]
