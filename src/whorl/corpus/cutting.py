"""Cutting large files of lines into stretches that are read apart, as they are read together.

Every line keeps its number, its place and the encoding that the beginning of its file settles on. So the lines before a
stretch must be counted first: one pass over the bytes, itself in stretches that anybody may take.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import cast

from whorl.corpus.compression import ByteReader
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source, Span
from whorl.corpus.encoding import Encoding, LineDecoder
from whorl.corpus.jsonl import read
from whorl.corpus.lines import line_blocks, pass_over
from whorl.corpus.rejected import Rejects
from whorl.errors import InputError

_LEAST_BYTES = ReadOptions().block_bytes
_CHUNK_BYTES = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some bytes of a file, from ``start`` to before ``end``."""

    path: Path
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What a stretch has.

    Attributes:
        newlines: how many.
        first: the place of the first one in the file; None where there is none.
        is_ascii: whether all of it is ASCII.
    """

    newlines: int
    first: int | None
    is_ascii: bool


def stretches(source: Source, size: int) -> list[Stretch]:
    """Return a file as stretches of about ``size`` bytes; none where it is to be read whole.

    Only plain JSON Lines are cut, and no stretch is smaller than the first block, by which a file is judged.
    """
    size = max(size, _LEAST_BYTES)
    count = source.size // size
    if source.path is None or source.format != "jsonl" or source.compression is not None or count < 2:
        return []
    bounds = [number * source.size // count for number in range(count + 1)]
    return [Stretch(source.path, start, end) for start, end in pairwise(bounds)]


def counted(stretch: Stretch) -> Counted:
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
            if first is None and (found := chunk.find(b"\n")) >= 0:
                first = place + found
            newlines += chunk.count(b"\n")
            place += len(chunk)
    return Counted(newlines, first, is_ascii)


def cut(
    source: Source, parts: Sequence[Stretch], found: Sequence[Counted], columns: Columns, options: ReadOptions
) -> list[Source]:
    """Return a file as sources that have a span each, and no line in common.

    Args:
        source: the file.
        parts: all of it, as ``stretches`` has it.
        found: what each of these has.
        columns: which are read.
        options: how it is read.

    Returns:
        The file alone where it must be read whole: its first block cannot be read as asked, its rows must be parsed for
        what is asked, or the encoding is told by something further on alone.
    """
    if not _has_rows(source, columns, options):
        return [source]
    encoding = _settled(source, options)
    if encoding is None and not all(one.is_ascii for one in found):
        return [source]
    codec, guessed = (None, False) if encoding is None else (encoding.codec, encoding.guessed)
    begins, newlines = [(0, 1)], 0
    for one in found:
        if newlines and one.first is not None:
            begins.append((one.first + 1, newlines + 2))
        newlines += one.newlines
    ends = [*(start for start, _ in begins[1:]), parts[-1].end]
    spans = [Span(start, end, line, codec, guessed) for (start, line), end in zip(begins, ends, strict=True)]
    return [replace(source, span=span) for span in spans if span.start < span.end]


def _settled(source: Source, options: ReadOptions) -> Encoding | None:
    """The encoding that was named, or that the first block settles on; None where it does not."""
    decoder = LineDecoder(options.encoding)
    with ByteReader(source) as stream:
        for block in islice(line_blocks(stream, options, pass_over), 1):
            decoder.look_at(block.data)
    return decoder.settled


def _has_rows(source: Source, columns: Columns, options: ReadOptions) -> bool:
    """Whether rows of the first block are found by their places; a file that cannot be read is set aside as a whole."""
    with closing(cast(Generator[Batch], read(source, columns.of(source), Rejects(), options))) as batches:
        try:
            first = next(batches, None)
        except InputError:
            return False
    return first is not None and first.offsets is not None


__all__ = ["Counted", "Stretch", "counted", "cut", "stretches"]
