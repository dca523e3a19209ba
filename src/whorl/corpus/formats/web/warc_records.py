"""Split a WARC file into its records [ISO 28500], in bounded memory for records of any length."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from whorl.corpus.compression import ByteReader, TruncatedStream

_PIECE_BYTES = 2**18
_MOST_HEAD = 2**18
_VERSION = re.compile(rb"WARC/\d")
_PAGES = ("text/html", "application/xhtml+xml", "text/plain")
_END = b"\r\n\r\n"
_CODECS = {"gzip": "gzip", "x-gzip": "gzip", "br": "brotli", "zstd": "zstd", "deflate": "deflate"}
_PLAIN_CODINGS = frozenset(("", "identity", "none", "binary", "8bit", "7bit", "plain", "text", "html", "null", "utf"))
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|!--)", re.IGNORECASE)


class BrokenRecord(Exception):
    """Data that is not a record; ``pieces`` yields its bytes up to the next record."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self.pieces = pieces


@dataclass(slots=True)
class WarcRecord:
    """A record. Its block is read once, and before the next record.

    Attributes:
        number: its position in the file, from 1.
        head: its WARC headers as bytes.
        fields: the same by name, in lower case.
        length: the length of its block in bytes.
        start: the beginning of the block, which has the headers of a response.
    """

    number: int
    head: bytes
    fields: dict[str, str]
    length: int
    start: bytes = b""
    _rest: Iterator[bytes] = field(default_factory=lambda: iter(()))

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the record. Raises EOFError if it is truncated."""
        yield self.head
        yield self.start
        yield from self._rest
        yield _END

    def block(self) -> bytes:
        """Read the whole block, which replaces ``start``. Raises EOFError if it is truncated."""
        pieces = [self.start]
        try:
            pieces.extend(self._rest)
        finally:
            self.start = b"".join(pieces)
        return self.start

    @property
    def kind(self) -> str | None:
        """The media type of its page or text; None if it has none or was not delivered."""
        kind = self.media_type.partition(";")[0].strip().lower()
        return kind if kind in _PAGES else None

    @property
    def media_type(self) -> str:
        """The Content-Type from the server with its parameters; empty if no content was delivered.

        If it is missing, the type is guessed from the content: text if it was converted to text, else a page.
        """
        kind = self.fields.get("warc-type")
        if kind in ("resource", "conversion"):
            otherwise = "text/plain" if kind == "conversion" else _media_type_of(self.start)
            return self.fields.get("content-type", "") or otherwise
        if kind != "response":
            return ""
        status, headers, body = parts_of(self.start)
        if not 200 <= status < 300:
            return ""
        return headers.get("content-type", "") or _media_type_of(body)

    @property
    def is_revisit(self) -> bool:
        """True if it only records that a page was seen again, without its content."""
        return self.fields.get("warc-type") == "revisit"

    @property
    def url(self) -> str:
        """Its address; empty if it is not stated."""
        return self.fields.get("warc-target-uri", "").strip("<>")


class WarcReader:
    """Splits a stream into records.

    Args:
        stream: the file.
    """

    def __init__(self, stream: ByteReader) -> None:
        self._stream = stream
        self._buffer = b""
        self._number = 0
        self._is_broken = False

    def next(self) -> WarcRecord | None:
        """Return the next record, or None at the end.

        Raises:
            BrokenRecord: there is other data instead of a record.
            TruncatedStream: the compressed stream breaks off.
        """
        if self._is_broken:
            return None
        line = self._line()
        while line and not line.strip(b"\0\r\n\t "):
            line = self._line()
        if not line:
            return None
        self._number += 1
        if self._number == 1:
            line = line.removeprefix(_MARK)
        if not _VERSION.match(line):
            raise BrokenRecord(self._up_to_the_next(line))
        return self._record(line)

    @property
    def number(self) -> int:
        """Number of the last record read."""
        return self._number

    def _record(self, version: bytes) -> WarcRecord:
        head, fields, name = version, dict[str, str](), ""
        while (line := self._line()).strip():
            head += line
            if len(head) > _MOST_HEAD:
                raise BrokenRecord(self._up_to_the_next(head))
            name = _take_field(fields, name, line)
        length = fields.get("content-length", "")
        if not line or not length.isascii() or not length.isdigit():
            raise BrokenRecord(self._up_to_the_next(head + line))
        rest = _RecordBlock(self, int(length))
        start = b""
        record = WarcRecord(self._number, head + line, fields, int(length), _rest=rest)
        while len(start) < min(int(length), _MOST_HEAD):
            try:
                start += next(rest)
            except EOFError:
                break  # the rest gives the same result
        record.start = start
        return record

    def take(self, limit: int) -> bytes:
        """Return up to ``limit`` bytes of a block. Raises EOFError at the end of the data; no record follows."""
        try:
            self._buffer = self._buffer or self._stream.read(_PIECE_BYTES)
        except TruncatedStream:
            self._buffer = b""
        if not self._buffer:
            self._is_broken = True
            raise EOFError
        piece, self._buffer = self._buffer[:limit], self._buffer[limit:]
        return piece

    def _line(self) -> bytes:
        """Return the next line with its end; for a long line, only a part."""
        place = self._buffer.find(b"\n")
        while place < 0 and len(self._buffer) < _MOST_HEAD:
            piece = self._stream.read(_PIECE_BYTES)
            if not piece:
                break
            place = piece.find(b"\n")
            place += len(self._buffer) if place >= 0 else 0
            self._buffer += piece
        end = place + 1 if place >= 0 else len(self._buffer)
        line, self._buffer = self._buffer[:end], self._buffer[end:]
        return line

    def _up_to_the_next(self, line: bytes) -> Iterator[bytes]:
        yield line
        is_begun = False  # a long line arrives in parts
        while line := self._line():
            if not is_begun and _VERSION.match(line):
                self._buffer = line + self._buffer
                return
            yield line
            is_begun = not line.endswith(b"\n")


class _RecordBlock(Iterator[bytes]):
    """The bytes of a block, in pieces; a truncated block raises EOFError at every later call too."""

    def __init__(self, cutter: WarcReader, length: int) -> None:
        self._cutter = cutter
        self._remaining = length

    def __next__(self) -> bytes:
        if not self._remaining:
            raise StopIteration
        piece = self._cutter.take(min(self._remaining, _PIECE_BYTES))
        self._remaining -= len(piece)
        return piece


def parts_of(block: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of a response; status 0 if it is not one."""
    end = min((place for place in (block.find(_END), block.find(b"\n\n")) if place >= 0), default=-1)
    if end < 0 or not block.startswith(b"HTTP/"):
        return 0, {}, b""
    lines = block[:end].splitlines()
    words = lines[0].split(None, 2)
    headers: dict[str, str] = {}
    name = ""
    for line in lines[1:]:
        name = _take_field(headers, name, line)
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() and len(words[1]) == 3 else 0
    return status, headers, block[end:].removeprefix(_END).removeprefix(b"\n\n")


def delivery_of(record: WarcRecord) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Return the HTTP status of a record, 0 if it has none, and its headers in order."""
    status, _, _ = parts_of(record.start)
    if record.fields.get("warc-type") != "response" or not status:
        return 0, (("Content-Type", record.media_type),)
    headers: list[tuple[str, str]] = []
    for line in record.start.splitlines()[1:]:
        if not line.strip():
            break
        text = line.decode("utf-8", "replace")
        name, _, value = text.partition(":")
        if text[:1] in (" ", "\t") and headers:
            before, begun = headers.pop()
            name, value = before, f"{begun} {text.strip()}"
        headers.append((name.strip(), value.strip()))
    return status, tuple(headers)


def payload_of(record: WarcRecord, block: bytes, limit: int) -> bytes:
    """Return the page in a block, up to ``limit`` bytes and one, unchunked and unpacked.

    Raises:
        ValueError: its encoding is unsupported, or its data damaged.
    """
    if record.fields.get("warc-type") != "response":
        return block[: limit + 1]
    _, headers, body = parts_of(block)
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _out_of_chunks(body)
    # Servers put charsets, "none" and other non-encodings here, and some crawlers unpack but keep the header.
    names = [name.strip() for name in headers.get("content-encoding", "").lower().split(",")]
    packed = [name for name in names if not _packs_nothing(name)]
    if not packed and body.startswith(_GZIP):
        packed = ["gzip"]
    for name in reversed(packed):
        if _is_markup(body):
            break
        body = _unpacked(body, name, limit + 1)
    return body[: limit + 1]


def _packs_nothing(name: str) -> bool:
    if name in _PLAIN_CODINGS:
        return True
    try:
        return name not in _CODECS and bool("a".encode(name))  # a charset
    except (LookupError, ValueError):
        return False


def _is_markup(body: bytes) -> bool:
    return body.removeprefix(_MARK).lstrip()[:1] == b"<"


def _media_type_of(body: bytes) -> str:
    return "text/html" if _MARKUP.match(body) else ""


def _unpacked(body: bytes, packed: str, limit: int) -> bytes:
    if packed == "deflate":
        for window in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
            try:
                return zlib.decompressobj(window).decompress(body, limit)
            except zlib.error:
                continue
        raise ValueError(packed)
    if packed not in _CODECS:
        raise ValueError(packed)
    import pyarrow as pa

    unpacked = bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(body), _CODECS[packed]) as stream:
            while len(unpacked) < limit and (piece := stream.read(min(_PIECE_BYTES, limit - len(unpacked)))):
                unpacked += piece
    except OSError as error:
        raise ValueError(packed) from error
    return bytes(unpacked)


def _out_of_chunks(body: bytes) -> bytes:
    """Decode a chunked body; a body without chunks, as some crawlers store it, is returned unchanged."""
    pieces: list[bytes] = []
    place = 0
    while True:
        end = body.find(b"\r\n", place, place + 1024)
        size = body[place:end].partition(b";")[0].strip() if end >= 0 else b""
        try:
            length = int(size, 16)
        except ValueError:
            return b"".join(pieces) if pieces else body
        if not length:
            return b"".join(pieces)
        pieces.append(body[end + 2 : end + 2 + length])
        place = end + 2 + length + 2


def _take_field(fields: dict[str, str], before: str, line: bytes) -> str:
    """Add a header line, which may continue the previous one; the first header of a name wins."""
    text = line.decode("utf-8", "replace")
    if text[:1] in (" ", "\t") and before:
        fields[before] += f" {text.strip()}"
        return before
    name, _, value = text.partition(":")
    name = name.strip().lower()
    fields.setdefault(name, value.strip())
    return name


__all__ = ["BrokenRecord", "WarcReader", "WarcRecord", "delivery_of", "parts_of", "payload_of"]
