"""Split large files of lines into ranges that are read in parallel, with the same result as reading them whole.

Every line keeps its number, its offset and the encoding detected at the beginning of its file. The lines before a range
must therefore be counted first: one pass over the bytes, which is itself split into ranges.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice, pairwise
from pathlib import Path
from typing import cast

from whorl._internal.frozen import frozen
from whorl.corpus.compression import ByteReader
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source, Span
from whorl.corpus.encoding import Encoding, LineDecoder
from whorl.corpus.formats.json.jsonl import read
from whorl.corpus.lines import line_blocks, pass_over
from whorl.corpus.rejects import Rejects
from whorl.errors import InputError

_LEAST_BYTES = ReadOptions().block_bytes
_CHUNK_BYTES = 8 * 2**20


@frozen
class Stretch:
    """The bytes of a file from ``start`` to before ``end``."""

    path: Path
    start: int
    end: int


@frozen
class LineCounts:
    """Line statistics of a range.

    Attributes:
        newlines: number of newlines.
        first: offset of the first newline in the file; None if there are no newlines.
        is_ascii: whether all bytes are ASCII.
    """

    newlines: int
    first: int | None
    is_ascii: bool


def stretches(source: Source, size: int) -> list[Stretch]:
    """Split a file into ranges of about ``size`` bytes; an empty list if it must be read whole.

    Only plain JSON Lines are split, and no range is smaller than the first block, from which the encoding is detected.
    """
    size = max(size, _LEAST_BYTES)
    count = source.size // size
    if source.path is None or source.format != "jsonl" or source.compression is not None or count < 2:
        return []
    bounds = [number * source.size // count for number in range(count + 1)]
    return [Stretch(source.path, start, end) for start, end in pairwise(bounds)]


def counted(stretch: Stretch) -> LineCounts:
    """Count the lines of a stretch.

    Raises:
        InputError: the file cannot be read.
    """
    newlines, first, is_ascii = 0, None, True
    place = stretch.start
    span = Span(stretch.start, stretch.end, 1)
    with ByteReader(Source(stretch.path, stretch.path.name, "jsonl", span=span)) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            is_ascii = is_ascii and (chunk if place else chunk.removeprefix(BOM_UTF8)).isascii()
            if first is None and (index := chunk.find(b"\n")) >= 0:
                first = place + index
            newlines += chunk.count(b"\n")
            place += len(chunk)
    return LineCounts(newlines, first, is_ascii)


def cut(
    source: Source, parts: Sequence[Stretch], counts: Sequence[LineCounts], columns: Columns, options: ReadOptions
) -> list[Source]:
    """Return a file as sources with one span each and no line in common.

    Args:
        source: the file.
        parts: all its ranges, from ``stretches``.
        counts: the line counts of each range.
        columns: the columns to read.
        options: the read options.

    Returns:
        The whole file if it cannot be split: its first block is unreadable, its rows must be parsed, or its encoding
        is only evident after the first block.
    """
    if not _has_rows(source, columns, options):
        return [source]
    encoding = _settled(source, options)
    if encoding is None and not all(count.is_ascii for count in counts):
        return [source]
    codec, guessed = (None, False) if encoding is None else (encoding.codec, encoding.guessed)
    begins, newlines = [(0, 1)], 0
    for count in counts:
        if newlines and count.first is not None:
            begins.append((count.first + 1, newlines + 2))
        newlines += count.newlines
    ends = [*(start for start, _ in begins[1:]), parts[-1].end]
    spans = [Span(start, end, line, codec, guessed) for (start, line), end in zip(begins, ends, strict=True)]
    return [source._replace(span=span) for span in spans if span.start < span.end]


def _settled(source: Source, options: ReadOptions) -> Encoding | None:
    """Return the named encoding or the one detected in the first block; None if the first block does not decide."""
    decoder = LineDecoder(options.encoding)
    with ByteReader(source) as stream:
        for block in islice(line_blocks(stream, options, pass_over), 1):
            decoder.look_at(block.data)
    return decoder.settled


def _has_rows(source: Source, columns: Columns, options: ReadOptions) -> bool:
    """True if rows of the first block can be located by offset; an unreadable file is rejected as a whole."""
    with closing(cast(Generator[Batch], read(source, columns.of(source), Rejects(), options))) as batches:
        try:
            first = next(batches, None)
        except InputError:
            return False
    return first is not None and first.offsets is not None


__all__ = ["LineCounts", "Stretch", "counted", "cut", "stretches"]
