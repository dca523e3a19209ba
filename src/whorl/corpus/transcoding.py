"""Streams in other encodings, read and written as UTF-8.

Lines cannot be cut out of UTF-16, nor JSON values out of GBK, where the second byte of a character may be a backslash
or a bracket. Such files are read through a decoder, and kept rows are encoded again.
"""

from __future__ import annotations

import codecs
from types import TracebackType
from typing import IO, NamedTuple, Self

from whorl.corpus.compression import ByteReader
from whorl.corpus.contract import Source
from whorl.corpus.encoding import wide_encoding

_HEAD_BYTES = 2**12
_LEAST_BYTES = 2**12


class Transcoding(NamedTuple):
    """The original encoding of a stream.

    Attributes:
        codec: its Python name; for UTF-16 and UTF-32 with the byte order.
        mark: the byte order mark of the file, which is written again.
        notices: notices about a file in this encoding.
    """

    codec: str
    mark: bytes = b""
    notices: tuple[tuple[str, str], ...] = ()


def wide_transcoding(stream: ByteReader, named: str | None) -> Transcoding | None:
    """Return the transcoding of a stream in UTF-16 or UTF-32; None for any other encoding."""
    detected = wide_encoding(stream.peek(_HEAD_BYTES), named)
    if detected is None:
        return None
    codec, mark, encoding = detected
    return Transcoding(codec, mark, tuple(encoding.notices.items()))


class Utf8Reader(ByteReader):
    """A stream that is decoded while it is read. Invalid bytes become U+FFFD.

    Args:
        stream: the original stream; its owner closes it.
        transcoding: its encoding.
    """

    def __init__(self, stream: ByteReader, transcoding: Transcoding) -> None:
        self.source: Source = stream.source
        self._within = stream
        self._decoder = codecs.getincrementaldecoder(transcoding.codec)("replace")
        self._peeked = b""
        self._is_over = False
        if transcoding.mark:
            stream.read(len(transcoding.mark))

    def _read(self, size: int) -> bytes:
        while not self._is_over:
            chunk = self._within.read(max(size, _LEAST_BYTES))
            self._is_over = not chunk
            if text := self._decoder.decode(chunk, final=self._is_over):
                return text.encode("utf-8", "replace")
        return b""

    def whole_lines(self, size: int) -> int:
        """Return ``size``: the lines of a decoded stream are not known in advance."""
        return size

    def close(self) -> None:
        """Leave the stream open for its owner."""


class EncodingWriter:
    """Encodes UTF-8 back to the original encoding.

    Args:
        file: the output.
        transcoding: the encoding.
    """

    def __init__(self, file: IO[bytes], transcoding: Transcoding) -> None:
        self._file = file
        self._codec = transcoding.codec
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        file.write(transcoding.mark)

    def write(self, data: bytes) -> None:
        """Write UTF-8 bytes, which may end within a character."""
        self._file.write(self._decoder.decode(bytes(data)).encode(self._codec, "replace"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        del kind, error


__all__ = ["EncodingWriter", "Transcoding", "Utf8Reader", "wide_transcoding"]
