"""JSON files that are not JSON Lines: arrays of objects, pretty-printed objects, and column-oriented files.

Each object becomes a line and is parsed as one, so it is the same row in either file. Kept rows are written in their
original form: an array stays an array, and its objects keep their bytes. Memory holds some objects and never the whole
file, except for column-oriented files, which may have as many bytes as a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl import _core
from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import Columns, ReadOptions, Source
from whorl.corpus.encoding import settled_encoding
from whorl.corpus.formats.json.layout import HEAD_BYTES, JsonLayout, layout_of
from whorl.corpus.formats.json.nested import LIST, SEPARATOR
from whorl.corpus.formats.tables.columns import USUAL_TEXTS
from whorl.corpus.lines import LineBlock
from whorl.corpus.rejects import Rejects
from whorl.corpus.transcoding import EncodingWriter, Transcoding, Utf8Reader
from whorl.i18n import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REPLACEMENT = "\ufffd".encode()
_UTF_8 = Transcoding("utf-8")
_ENCODING_BYTES = 2**20


class JsonDocument(NamedTuple):
    """An open file.

    Attributes:
        stream: its bytes in UTF-8.
        layout: the layout of its rows.
        transcoding: the encoding of the file.
        of_text: the beginning of an object with only a text, used for strings in an array.
    """

    stream: ByteReader
    layout: JsonLayout
    transcoding: Transcoding
    of_text: bytes = b'{"text": '

    @property
    def notices(self) -> dict[str, str]:
        """Notices about the file."""
        return dict(self.transcoding.notices)


def opened(
    stream: ByteReader, text_columns: Sequence[str], options: ReadOptions, transcoding: Transcoding | None
) -> JsonDocument | None:
    """Return the file as a document of several rows; None if it is JSON Lines.

    Args:
        stream: at its beginning; it is not consumed.
        text_columns: the requested text columns.
        options: the read options.
        transcoding: the original encoding if the file is UTF-16 and read as UTF-8.
    """
    head = stream.peek(HEAD_BYTES + 1)
    is_all = len(head) <= HEAD_BYTES
    if head[:HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{"):
        return None
    encoding = None if transcoding is not None or head.isascii() else settled_encoding(head, options.encoding)
    codec = "utf-8" if encoding is None else encoding.codec
    names = Columns(tuple(text_columns) or ("text",)).text_names
    keys = {*(name.partition(SEPARATOR)[0].removesuffix(LIST) for name in names), *names, *USUAL_TEXTS}
    layout = layout_of(head[:HEAD_BYTES].decode(codec, "replace"), keys, is_all=is_all)
    if layout is None or (layout.start > 1 and not is_all and _is_first_line(stream, head, options)):
        return None
    if transcoding is None and head.isascii() and not is_all:
        encoding = settled_encoding(stream.peek(_ENCODING_BYTES), options.encoding)
    if encoding is not None and encoding.codec != "utf-8":
        transcoding = Transcoding(encoding.codec, notices=tuple(encoding.notices.items()))
        stream = Utf8Reader(stream, transcoding)
    of_text = b"{%s: " % json.dumps(names[0]).encode()
    return JsonDocument(stream, layout, transcoding or _UTF_8, of_text)


def _is_first_line(stream: ByteReader, head: bytes, options: ReadOptions) -> bool:
    """True if a beginning without newlines belongs to the first of several long lines."""
    return b"\n" not in head.strip() and b"\n{" in stream.peek(options.block_bytes)


def line_blocks(document: JsonDocument, source: Source, rejects: Rejects, options: ReadOptions) -> Iterator[LineBlock]:
    """Yield the rows of a file as lines.

    Rejected: rows longer than ``max_row_bytes``, bytes that are invalid in the file's encoding, and the remainder if
    the file is truncated or continues after its rows.
    """
    rows = _JsonRows(document, options)
    lines: list[bytes] = []
    first, size = 1, 0
    for row in rows:
        fault = _fault(row, document, options)
        if fault is not None:
            number = first + len(lines)
            rejects.add(source, row=number, line=f"#{number}", reason=fault, data=row)
        lines.append(b"" if fault is not None else row_as_line(document, row)[0])
        size += len(row)
        if size >= options.block_bytes:
            yield LineBlock(b"\n".join(lines) + b"\n", 0, first)
            first, lines, size = first + len(lines), [], 0
    if lines:
        yield LineBlock(b"\n".join(lines) + b"\n", 0, first)
    if rows.fault is not None:
        rejects.add(source, row=None, line=None, reason=rows.fault, data=rows.rest)


def row_as_line(document: JsonDocument, row: bytes) -> tuple[bytes, int, int]:
    """Return a row as a line with an object, and the number of bytes that this adds before and behind it."""
    line = row.replace(b"\n", b" ").replace(b"\r", b" ")
    if line[:1] != b'"':
        return line, 0, 0
    return document.of_text + line + b"}", len(document.of_text), 1


def write(document: JsonDocument, source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Write the kept rows in the layout and encoding of the file. Return their number."""
    return write_rows(document, source, target, keep, options)


def write_rows(
    document: JsonDocument,
    source: Source,
    target: Path,
    keep: NDArray[np.bool_],
    options: ReadOptions,
    edit: Callable[[int, bytes], bytes] | None = None,
) -> int:
    """Write the kept rows, each changed by ``edit``, which gets its number from 0 and its bytes."""
    rows = _JsonRows(document, options, edit)
    with open_writer(target, source.compression) as file:
        output = EncodingWriter(file, document.transcoding)
        if document.layout.kind == "columns":
            return _write_columns(rows, output, keep)
        is_array = document.layout.kind == "array"
        output.write(rows.before())
        written = 0
        for number, row in enumerate(rows):
            if number < len(keep) and keep[number]:
                output.write((b",\n" if written and is_array else b"") + row + (b"" if is_array else b"\n"))
                written += 1
        output.write(rows.behind if rows.behind or not is_array else b"]\n")
    return written


def _write_columns(rows: _JsonRows, output: EncodingWriter, keep: NDArray[np.bool_]) -> int:
    if rows.is_edited:
        return _write_edited_columns(rows, output, keep)
    data = rows.document()
    columns = rows.columns(data)
    if columns is None:
        kept = [row for row, stays in zip(_plain_rows(data), keep, strict=False) if stays]
        output.write(b"".join(row.rstrip(b"\n") + b"\n" for row in kept))
        return len(kept)
    chosen: dict[str, Any] = {}
    for name, values in columns.items():
        pairs = list(values.items() if isinstance(values, Mapping) else enumerate(values))
        staying = [pair for pair, stays in zip(pairs, keep, strict=False) if stays]
        chosen[name] = dict(staying) if isinstance(values, Mapping) else [value for _, value in staying]
    output.write(json.dumps(chosen).encode() + b"\n")
    return int(keep.sum())


def _write_edited_columns(rows: _JsonRows, output: EncodingWriter, keep: NDArray[np.bool_]) -> int:
    """Write changed rows as lists side by side."""
    kept = [json.loads(row) for row, stays in zip(rows, keep, strict=False) if stays]
    names = list(kept[0]) if kept else []
    output.write(json.dumps({name: [row[name] for row in kept] for name in names}).encode() + b"\n")
    return len(kept)


def _fault(row: bytes, document: JsonDocument, options: ReadOptions) -> Message | None:
    if len(row) > options.max_row_bytes:
        return say("the row is longer than {most} bytes", most=options.max_row_bytes)
    if document.transcoding.codec != "utf-8" and _REPLACEMENT in row:
        return say("its bytes are not valid {codec}", codec=document.transcoding.codec.upper())
    return None


class _JsonRows:
    """The rows of a document, in a single pass.

    Attributes:
        fault: at the end, a fault of the file apart from its rows.
        rest: the bytes that belong to no row.
        behind: for an array, its ``]`` and the bytes after it.
    """

    def __init__(
        self, document: JsonDocument, options: ReadOptions, edit: Callable[[int, bytes], bytes] | None = None
    ) -> None:
        self.fault: Message | None = None
        self._edit = edit
        self.rest = b""
        self.behind = b""
        self._stream = document.stream
        self._layout = document.layout
        self._step = min(options.block_bytes, options.max_row_bytes)
        self._longest = options.max_row_bytes
        self._before: bytes | None = None

    @property
    def is_edited(self) -> bool:
        """True if rows are changed."""
        return self._edit is not None

    def before(self) -> bytes:
        """Read the bytes before the first row; for an array, including its ``[``."""
        if self._before is None:
            head = self._stream.peek(HEAD_BYTES).decode("utf-8", "replace")[: self._layout.start]
            self._before = self._stream.read(len(head.encode()))
        return self._before

    def __iter__(self) -> Iterator[bytes]:
        if self._edit is None:
            return self._rows()
        return map(self._edit, count(), self._rows())

    def _rows(self) -> Iterator[bytes]:
        if self._layout.kind == "columns":
            yield from self._of_columns()
            return
        self.before()
        is_array = self._layout.kind == "array"
        splitter = _core.JsonSplitter(is_array, self._longest)
        is_over = False
        try:
            while not is_over and (chunk := self._stream.read(self._step)):
                rows, consumed = splitter.feed(chunk)
                yield from rows
                is_over = splitter.is_over
                if is_over:
                    self._end(chunk[consumed:])
        except TruncatedStream as damage:
            self.rest = splitter.rest()
            self.fault = say("{fault}: fetch the file again", fault=damage.fault)
            return
        if is_array and not is_over:
            self.rest = splitter.rest()
            self.fault = say("the array is not closed: fetch the file again")
        elif not is_array and (rest := splitter.rest()).strip(b"\xef\xbb\xbf \t\r\n"):
            if len(rest) <= self._longest and rest[:1] not in (b"{", b"["):
                yield rest
            else:
                self.rest = rest
                self.fault = say("the last object is not closed: fetch the file again")

    def _end(self, behind: bytes) -> None:
        """Process the bytes after an array: the rest of the object around it, but no further rows."""
        while len(behind) <= self._longest and (chunk := self._stream.read(self._step)):
            behind += chunk
        self.behind = b"]" + behind
        is_wrapped = b"{" in (self._before or b"")
        further = behind.strip(b" \t\r\n,;")
        if further and (not is_wrapped or b"\n{" in further or b"\n[" in further):
            self.rest = behind
            self.fault = say("only the first array of the file is read: write one array a file")
            self.behind = b"]\n"

    def _of_columns(self) -> Iterator[bytes]:
        """Yield the rows of columns; if the file only begins like columns, the object or the lines."""
        data = self.document()
        columns = self.columns(data)
        if columns is None:
            yield from _plain_rows(data)
            return
        values = [list(column.values() if isinstance(column, Mapping) else column) for column in columns.values()]
        for row in zip(*values, strict=True):
            yield json.dumps(dict(zip(columns, row, strict=True))).encode()

    def document(self) -> bytes:
        """Read the whole file; return no bytes if it is too long."""
        data = b""
        with suppress(TruncatedStream):
            while len(data) <= self._longest and (chunk := self._stream.read(self._longest + 1 - len(data))):
                data += chunk
        if len(data) > self._longest:
            self.fault = say(
                "column-oriented JSON is limited to {most} bytes: write one object per line", most=self._longest
            )
            return b""
        return data

    def columns(self, data: bytes) -> dict[str, Any] | None:
        """Return the columns of a file, all of the same length."""
        try:
            columns = json.loads(data.decode("utf-8-sig", "replace"), strict=False)
        except (ValueError, RecursionError):
            return None
        if not isinstance(columns, dict) or not all(isinstance(values, Mapping | list) for values in columns.values()):
            return None
        return columns if len({len(values) for values in columns.values()}) == 1 else None


def _plain_rows(data: bytes) -> list[bytes]:
    """Return the single object in the data, or its lines."""
    try:
        json.loads(data.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return [line for line in data.split(b"\n") if line.strip()]
    return [data]


__all__ = ["JsonDocument", "line_blocks", "opened", "row_as_line", "write", "write_rows"]
